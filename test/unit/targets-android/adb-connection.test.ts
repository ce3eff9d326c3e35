/** The bytes between us and an adb server: all of them, as fast as they are read, and an end to each connection. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import type { AdbServerClient } from '@yume-chan/adb';
import { AdbConnector } from '../../../src/targets/android/adb-connection.js';
import { anyMoment } from '../../rigs/until.js';

describe('a connection to an adb server', () => {
  let listener: net.Server;
  let served: net.Socket | undefined;

  beforeEach(async () => {
    // As one that hangs: nothing is ended on its side because it was on ours.
    listener = net.createServer({ allowHalfOpen: true });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
  });
  afterEach(() => {
    served?.destroy();
    served = undefined;
    listener.close();
  });

  const connector = () =>
    new AdbConnector({ host: '127.0.0.1', port: (listener.address() as net.AddressInfo).port });

  async function connected(): Promise<{ here: AdbServerClient.ServerConnection; there: net.Socket }> {
    const [here, [there]] = await Promise.all([
      connector().connect(),
      once(listener, 'connection') as Promise<[net.Socket]>,
    ]);
    served = there.on('error', () => undefined);
    return { here, there };
  }

  async function bytesOf(here: AdbServerClient.ServerConnection): Promise<number> {
    const reader = here.readable.getReader();
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return bytes;
      bytes += value.length;
    }
  }

  it('brings all that came before the server ended', async () => {
    const { here, there } = await connected();
    there.end(Buffer.alloc(1 << 20));
    assert.equal(await bytesOf(here), 1 << 20);
  });

  it('ends when the server resets it', async () => {
    const { here, there } = await connected();
    const bytes = bytesOf(here);
    there.resetAndDestroy();
    assert.equal(await bytes, 0);
    await here.closed;
  });

  it('leaves in the server what is not read', async () => {
    const { here, there } = await connected();
    const piece = Buffer.alloc(1 << 16);
    const all = 1024; // 64 MB: more than a system keeps on the way
    let sent = 0;
    const send = (): void => {
      if (sent++ < all) there.write(piece, send);
      else there.end();
    };
    send();
    let before: number;
    do {
      before = sent;
      await anyMoment(100); // one that comes too early sends less, and all of it arrives
    } while (before < sent);
    assert.ok(sent < all);
    assert.equal(await bytesOf(here), all * piece.length);
  });

  it('is closed though the server does not end its side, and after what was written is out', async () => {
    const { here, there } = await connected();
    let got = 0;
    there.on('data', (data) => {
      got += data.length;
    });
    const writer = here.writable.getWriter();
    void writer.write(new Uint8Array(1 << 20));
    await here.close();
    await here.closed;
    if (!there.readableEnded) await once(there, 'end');
    assert.equal(got, 1 << 20);
  });

  it('that is refused, or given up, is an error', async () => {
    const { port } = listener.address() as net.AddressInfo;
    const gone = new AdbConnector({ host: '127.0.0.1', port });
    const making = gone.connect();
    gone.abandon();
    await assert.rejects(making, { message: 'given up' });
    await assert.rejects(connector().connect({ signal: AbortSignal.abort() }), { name: 'AbortError' });
    listener.close();
    await once(listener, 'close');
    await assert.rejects(gone.connect(), { code: 'ECONNREFUSED' });
  });
});
