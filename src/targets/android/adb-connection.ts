/**
 * A connection to an adb server as Tango wants it. Tango's own for Node never ends a stream whose connection was reset, which is how that of a
 * killed server ends.
 */
import { once } from 'node:events';
import { Socket, type TcpSocketConnectOpts } from 'node:net';
import type { AdbServerClient } from '@yume-chan/adb';
import { MaybeConsumable, PushReadableStream, tryClose } from '@yume-chan/stream-extra';

export class AdbConnector implements AdbServerClient.ServerConnector {
  readonly #sockets = new Set<Socket>();
  readonly #at: TcpSocketConnectOpts;

  constructor(at: TcpSocketConnectOpts) {
    this.#at = at;
  }

  /** Ends every connection that was made here, and those that are being made, whatever they wait for. */
  abandon(): void {
    for (const socket of this.#sockets) socket.destroy(new Error('given up'));
  }

  async connect({
    unref = false,
    signal,
  }: AdbServerClient.ServerConnectionOptions = {}): Promise<AdbServerClient.ServerConnection> {
    const socket = new Socket({ ...(signal && { signal: signal as AbortSignal }) });
    if (unref) socket.unref();
    this.#sockets.add(socket);
    const closed = new Promise<undefined>((resolve) => {
      socket.once('close', () => {
        this.#sockets.delete(socket);
        resolve(undefined);
      });
    });
    socket.on('error', () => undefined); // its close is what is heeded
    socket.connect(this.#at);
    await once(socket, 'connect');
    socket.setNoDelay(true);
    return {
      readable: new PushReadableStream<Uint8Array>((controller) => {
        socket.on('data', (data: Uint8Array) => {
          if (controller.abortSignal.aborted) return;
          // One piece at a time: what is not read here waits in the server.
          socket.pause();
          void controller.enqueue(data).then(() => socket.resume());
        });
        void closed.then(() => tryClose(controller));
      }),
      writable: new MaybeConsumable.WritableStream<Uint8Array>({
        write: (chunk) =>
          new Promise<void>((resolve, reject) => {
            socket.write(chunk, (error) => (error ? reject(error) : resolve()));
          }),
      }),
      closed,
      // What was written goes out. A server that hangs would never end its side.
      close: () => socket.destroySoon(),
    };
  }

  addReverseTunnel(): never {
    throw new Error('no device connects to this machine');
  }
  removeReverseTunnel(): void {
    // there is none
  }
  clearReverseTunnels(): void {
    // there are none
  }
}
