/** What it costs to open small recordings that say as much as they can: each in a process of its own, whose peak memory is known. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { after, before, describe, it } from 'mocha';
import { wide } from '../../rigs/scale.js';
import { waitLimitMs } from '../../rigs/wait-limit.js';
import { costlyNames, costlyRecording } from './costly-recordings.js';

/** docs/FORMAT.md, "Damage". */
const memoryTimes = 64;
const memoryFree = 256 * 2 ** 20;
/** What is small costs up to 3 s, however it is made, as some 100 MB are filled; then 1 µs a byte. */
const freeMs = 4000;
const msAByte = 1e-3;

interface Cost {
  readonly memoryBytes: number;
  readonly cpuMs: number;
  readonly problems: readonly string[];
}

/** These take a second or more to make, or hold the bound by what another one shows: in `npm run test:all`. */
const quick = ['hooks', 'threads', 'nodes', 'deep stacks in turns', 'links', 'virtual waits', 'counters'];

describe('recordings that say as much as they can', function () {
  let folder = '';
  let script = '';
  let nothing: Cost;

  async function cost(file?: string): Promise<Cost> {
    const given = file === undefined ? [script] : [script, file];
    const { stdout } = await promisify(execFile)(process.execPath, given, { timeout: waitLimitMs });
    return JSON.parse(stdout) as Cost;
  }

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'btrace-costly-'));
    script = path.join(folder, 'open-costly.cjs');
    await build({
      entryPoints: [fileURLToPath(new URL('open-costly.ts', import.meta.url))],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: script,
      logLevel: 'error',
    });
    nothing = await cost();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** These are within the bounds as they are. */
  const whole = new Set([
    'threads of two samples each',
    'many a status',
    'hooks with names',
    'offsets of symbols',
    'images',
    'methods',
  ]);
  for (const name of ['classes with ids', 'texts with ids']) whole.add(name);

  for (const name of wide ? costlyNames : quick) {
    it(`take what their bytes may take: ${name}`, async () => {
      const bytes = costlyRecording(name);
      const file = path.join(folder, 'costly.btrace');
      await writeFile(file, bytes);
      const { memoryBytes, cpuMs, problems } = await cost(file);
      const took = memoryBytes - nothing.memoryBytes;
      const may = memoryTimes * bytes.length + memoryFree;
      assert.ok(took <= may, `${bytes.length} bytes took ${took} bytes of memory, more than ${may}`);
      assert.ok(cpuMs <= freeMs + msAByte * bytes.length, `${bytes.length} bytes took ${cpuMs} ms`);
      const isTold = problems.some((what) => what.includes('left out: a file of this size'));
      assert.equal(isTold, !whole.has(name), problems.join('\n'));
    });
  }
});
