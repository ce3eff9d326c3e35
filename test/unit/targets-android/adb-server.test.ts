/** What an adb server does that is not well: nothing is waited for without end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { AdbServer } from '../../../src/targets/android/adb-server.js';

const answer = (text: string): string =>
  `OKAY${Buffer.byteLength(text).toString(16).padStart(4, '0')}${text}`;

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

  it('has numbered its devices anew opens the one that is meant, or none', async () => {
    const asked: string[] = [];
    let listed = '';
    serve = (socket) =>
      void socket.on('data', (data) => {
        const question = data.toString().slice(4);
        asked.push(question);
        socket.end(question === 'host:devices-l' ? answer(listed) : 'FAIL0002no');
      });
    const opened = async (now: string[], sharesSerial = false) => {
      listed = now.join('\n');
      asked.length = 0;
      const device = { serial: 'A1', state: 'device', model: '', transportId: 1n, sharesSerial };
      const why: unknown = await server()
        .open(device)
        .then(
          () => assert.fail('it opened'),
          (error: unknown) => error,
        );
      return [asked.slice(1), (why as Error).message];
    };
    const of = (serial: string, id: number) => `${serial} device transport_id:${id}`;
    const [no, away] = ['A1 could not be opened: no.', 'A1 could not be opened: it is not connected.'];
    assert.deepEqual(await opened([of('B2', 1), of('A1', 2)]), [['host:transport-id:2'], no]);
    assert.deepEqual(await opened([of('B2', 1)]), [[], away]);
    assert.deepEqual(await opened([of('A1', 2), of('A1', 1)], true), [['host:transport-id:1'], no]);
    assert.match(
      String(await opened([of('A1', 2), of('A1', 3)], true)),
      /several devices have its serial now/,
    );
  });

  it('opens a device is not asked to wait until that is gone', async () => {
    const asked: string[] = [];
    const answers: Record<string, string> = {
      'host:devices-l': answer('A1 device transport_id:2'),
      'host:transport-id:2': 'OKAY',
      'host:features': answer('shell_v2,cmd'),
      'host:version': answer('0029'),
    };
    serve = (socket) =>
      void socket.on('data', (data) => {
        const question = data.toString().slice(4);
        asked.push(question);
        socket.write(answers[question] ?? 'FAIL0002no');
      });
    const device = { serial: 'A1', state: 'device', model: '', transportId: 2n, sharesSerial: false };
    const adb = await server().open(device);
    assert.equal(adb.serial, 'A1');
    // Connections are taken in turn: once this one has its answer, one for a wait would be there, too.
    await server().describe();
    assert.deepEqual(asked, Object.keys(answers));
    assert.equal(sockets.size, 3);
    await adb.close();
  });

  it('says no is told in its words', async () => {
    serve = (socket) => void socket.end('FAIL000bdevice gone');
    const device = { serial: 'A1', state: 'device', model: '', transportId: 1n, sharesSerial: false };
    await assert.rejects(server().open(device), { message: 'A1 could not be opened: device gone.' });
  });
});
