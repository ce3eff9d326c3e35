/** `btrace measure` as it ships: launches in turns, their spread, what became slower, and programs that fail or do not end. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBtrace } from './btrace-command.js';
import { inOrder } from '../rigs/kinds.js';

interface Side {
  readonly launches: readonly unknown[];
  readonly spread: { readonly lengthNs: { readonly mean: number; readonly min: number } };
}

interface Told {
  readonly before: Side;
  readonly after: Side;
  readonly comparison: {
    readonly failed: number;
    readonly problems: readonly { readonly chain: string[] }[];
  };
}

const ms = 1e6;

describe('btrace measure', function () {
  inOrder(this);
  const folder = mkdtempSync(path.join(tmpdir(), 'btrace-measure-'));
  after(() => rmSync(folder, { recursive: true }));

  const measured = (...args: string[]) => startBtrace(folder, ['measure', ...args]).ended;

  it('launches two commands in turns and ends with 6, as the second one takes longer', async () => {
    const how = ['-o', 'runs', '--launches', '3', '--against', 'sleep "0.02"', '--json'];
    const { code, out, err } = await measured(...how, '--', 'sleep', '0.6');
    assert.equal(code, 6, err);
    const { before, after, comparison } = JSON.parse(out) as Told;
    assert.deepEqual([before.launches.length, after.launches.length], [3, 3]);
    assert.ok(before.spread.lengthNs.min >= 20 * ms && after.spread.lengthNs.min >= 600 * ms, out);
    assert.equal(comparison.problems[0]!.chain.at(-1), 'sleep');
    assert.deepEqual(readdirSync(path.join(folder, 'runs/after')).sort(), [
      ...['0.btrace', '1.btrace', '2.btrace', 'warm-up'],
    ]);
  });

  it('compares with earlier runs, and tells the spread', async () => {
    // Not even a busy machine makes one launch 10 s longer than another.
    const limits = ['--more', '10s', '--new-calls', '10s'];
    const how = ['-o', 'again', '--launches', '3', '--warm-up', '0', '--base', 'runs/before', ...limits];
    const { code, out, err } = await measured(...how, '--', 'sleep', '0.02');
    assert.equal(code, 0, out + err);
    assert.match(
      out,
      /^sleep before: 3 launches\n +MEAN +MEDIAN +MIN +MAX\nlength +[\d.]+ ms +± [\d.]+ [mµ]s /,
    );
    assert.match(out, /\nNothing is worse: 3 runs before, 3 after, \d+ calls compared\.\n/);
  });

  it('refuses the figures of a program that fails', async () => {
    const { code, err } = await measured('-o', 'failed', '--launches', '2', '--', 'false');
    assert.equal(code, 1);
    assert.match(err, /ended with exit code 1 in warm-up 1 of 1/);
  });

  it('ends a program that does not end itself', async () => {
    const how = ['-o', 'endless', '--launches', '1', '--warm-up', '0', '--duration', '200ms'];
    const { code, out, err } = await measured(...how, '--', 'sleep', '1000');
    assert.equal(code, 0, err);
    assert.match(out, /^sleep: 1 launch\n/);
  });
});
