/** What an adb server does that is not well: nothing is waited for without end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { AdbServer } from '../../../src/targets/android/adb-server.js';

describe('an adb server that', () => {
  let listener: net.Server;
  const sockets = new Set<net.Socket>();
  let serve: (socket: net.Socket) => void;

  beforeEach(async () => {
    listener = net.createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      serve(socket);
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    listener.close();
  });

  const server = (answerMs?: number) =>
    new AdbServer({
      port: (listener.address() as net.AddressInfo).port,
      ...(answerMs !== undefined && { answerMs }),
    });

  it('is killed while it is asked is told', async () => {
    // With a question unread a system says that the connection was reset, not that it ended.
    serve = (socket) => void socket.once('readable', () => socket.resetAndDestroy());
    await assert.rejects(server().devices(false), { kind: 'io', nextStep: /adb kill-server/ });
  });

  it('takes a question and says nothing is given up, and no connection to it is kept', async () => {
    serve = (socket) => void socket.resume();
    await assert.rejects(server(50).devices(false), { message: /cannot be used: no answer within 0\.05 s/ });
    const device = { serial: 'A1', state: 'device', model: '', transportId: 1n, sharesSerial: false };
    await assert.rejects(server(50).open(device), { message: /A1 could not be opened: no answer/ });
    await assert.rejects(server(50).describe(), { kind: 'io', message: /no answer within/ });
    assert.equal(sockets.size, 3);
    for (const socket of sockets) if (!socket.readableEnded) await once(socket, 'end');
  });

  it('says no is told in its words', async () => {
    serve = (socket) => void socket.end('FAIL000bdevice gone');
    const device = { serial: 'A1', state: 'device', model: '', transportId: 1n, sharesSerial: false };
    await assert.rejects(server().open(device), { message: 'A1 could not be opened: device gone.' });
  });
});
