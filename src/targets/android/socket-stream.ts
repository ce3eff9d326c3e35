/** A socket on the device as a Node stream. */
import { Duplex } from 'node:stream';
import type { AdbSocket } from '@yume-chan/adb';

export function streamOf(socket: AdbSocket): Duplex {
  const reader = socket.readable.getReader();
  const writer = socket.writable.getWriter();
  const stream = new Duplex({
    allowHalfOpen: false,
    // One piece at a time and only when asked: what is not read here waits in the device's socket.
    read() {
      reader.read().then(
        ({ done, value }) => void stream.push(done ? null : value),
        (error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    write(chunk: Uint8Array, _encoding, done) {
      writer.write(chunk).then(
        () => done(),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy(error, done) {
      Promise.resolve(socket.close()).then(
        () => done(error),
        () => done(error), // it was closed already
      );
    },
  });
  return stream;
}
