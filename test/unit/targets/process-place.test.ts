import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { listeningSockets, placeOf } from '../../../src/targets/local/process-place.js';

describe('the place of a process', function () {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  it('has the ports that it listens on, its folder and its begin', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const beforeMs = Date.now();
    const child = spawn('sleep', ['60'], { cwd: tmpdir() });
    await once(child, 'spawn');
    const afterMs = Date.now();
    try {
      const { port } = server.address() as AddressInfo;
      assert.ok((await placeOf(process.pid)).ports.includes(port));
      const { folder, startedMs, ports } = await placeOf(child.pid!);
      assert.equal(folder, realpathSync(tmpdir()));
      assert.deepEqual(ports, []);
      // The kernel tells when it booted to a second.
      const isBetween = startedMs! >= beforeMs - 2000 && startedMs! <= afterMs + 2000;
      assert.ok(isBetween, `${startedMs}, begun between ${beforeMs} and ${afterMs}`);
    } finally {
      server.close();
      child.kill();
      await once(child, 'exit');
    }
  });

  it('is unknown of a process that is not there', async () => {
    assert.deepEqual(await placeOf(2 ** 22 + 1), { ports: [] });
  });

  it('reads sockets that listen, of both families, and no others', () => {
    const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5001 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 5002 1 0 20 4 30 10 -1
   2: 00000000000000000000000000000000:20FB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5003 1 0 100 0 0 10 0
`;
    assert.deepEqual(listeningSockets(table), [
      ['5001', 8080],
      ['5003', 8443],
    ]);
  });
});
