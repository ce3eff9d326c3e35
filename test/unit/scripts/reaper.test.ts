// What a suite's processes worked has what nobody waits for in it: a planted one, in real processes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run, withCpuMs } from '../../../scripts/process.mjs';
import { counted, countsAll } from '../../../scripts/test/reaper.mjs';
import { runFiles } from '../../../scripts/test/run-files.mjs';
import { waitLimitMs } from '../../rigs/wait-limit.js';

const planted = path.resolve(import.meta.dirname, '../../fixtures/orphan/planted.test.ts');
const burntMs = 300;
/** Of two clocks that count in hundredths of a second. */
const graceMs = 20;

describe('the processor time of a suite', function () {
  before(function () {
    if (!countsAll) this.skip();
  });

  it('has processes in it that nobody waits for', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'btrace-orphan-'));
    try {
      process.env['BTRACE_PLANTED'] = path.join(folder, 'says');
      const { passed, failures, groups, cpuMs } = await runFiles(
        { testMs: 2 * waitLimitMs },
        { files: [planted], output: 'keep', limitMs: 3 * waitLimitMs, mark: path.basename(folder) },
      );
      assert.deepEqual([passed, failures], [1, []]);
      const least = burntMs - graceMs;
      assert.ok(groups[0]!.cpuMs >= least, `the describe worked ${groups[0]!.cpuMs} ms`);
      const ownMs = Number(readFileSync(path.join(folder, 'says'), 'utf8'));
      assert.ok(cpuMs >= ownMs + least, `the suite worked ${cpuMs} ms, its own process ${ownMs}`);
    } finally {
      delete process.env['BTRACE_PLANTED'];
      rmSync(folder, { recursive: true });
    }
  });

  it('has what its checks ran in it, each for itself', async () => {
    const burn = ['-e', `while (process.cpuUsage().user < ${burntMs * 1000});`];
    const burns = withCpuMs(() => run(process.execPath, burn));
    const [{ result, cpuMs }, idle] = await Promise.all([burns, withCpuMs(() => Promise.resolve())]);
    assert.equal(result.code, 0);
    assert.ok(cpuMs >= burntMs - graceMs, `${cpuMs} ms`);
    assert.equal(idle.cpuMs, 0);
  });

  it('leaves the suite as it is: how it ends, and what it is asked', async () => {
    const ended = async (script: string): Promise<unknown> => {
      const { code, error, text } = await run(...counted('sh', ['-c', script]));
      return error ?? [code, text];
    };
    assert.deepEqual(await ended('echo "$1" a; exit 3'), [3, ' a\n']);
    assert.deepEqual(await ended('exit 0'), [0, '']);
    assert.equal(await ended('kill -SEGV $$'), 'ended by SIGSEGV');
    // Asked to end with its group, it has its time to do so.
    const [command, args] = counted('sh', ['-c', 'trap "echo asked; exit 5" TERM; kill -TERM 0; sleep 60']);
    const { status, stdout } = spawnSync('setsid', ['-w', command, ...args], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [5, 'asked\n']);
  });
});
