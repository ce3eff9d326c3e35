/** Code that is loaded, forgotten and replaced by other code in the same place. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { SampleKind, type Trace } from '../../src/trace/index.js';
import { assertBetween, cpuWithin, eventsOf, mainThread } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, withArt } from '../rigs/art/with-art.js';

const apps = path.join(root, 'test/rigs/art/dex/apps.dex');

/** The same file but for a class's name; with its checksum (that of zlib's) and signature, as a dexer would have written them. */
async function sameButFor(from: string, name: string, to: string): Promise<void> {
  const file = Buffer.from((await readFile(apps, 'latin1')).replaceAll(from, name), 'latin1');
  createHash('sha1').update(file.subarray(32)).digest().copy(file, 12);
  let [low, high] = [1, 0];
  for (const byte of file.subarray(12)) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  file.writeUInt32LE(((high << 16) | low) >>> 0, 8);
  await writeFile(to, file);
}

describe('code that is replaced by other code in its place, in the Android Runtime', () => {
  const bench = withArt();

  /** A recording of both in turns, and the share of the rounds that were the second one's. */
  async function inTurns(
    engine: Engine,
    one: readonly [file: string, name: string],
    other: readonly [file: string, name: string],
  ): Promise<[trace: Trace, share: number]> {
    const app = await bench.running({ engine, app: 'Plugins', arguments: [0, ...one, ...other] });
    // So often that each turn has many samples.
    const session = await bench.record(app, { syncIntervalNs: 50_000, budgetPpm: 0 });
    const before = app.truths('plugin').length;
    await app.more('plugin', 80);
    const rounds = app.truths('plugin').slice(before);
    const trace = await stopped(session);
    assert.deepEqual(await app.quit(), { code: 0, signal: null }, app.output());
    return [trace, rounds.filter((round) => round.text('name') === other[1]).length / rounds.length];
  }

  for (const engine of Object.keys(engines) as Engine[]) {
    it(`methods have their own names and figures (${engine})`, async () => {
      const [trace, share] = await inTurns(engine, [apps, 'sample.PluginA'], [apps, 'sample.PluginB']);
      const main = mainThread(trace);
      const cpu = new Map<string, number>();
      for (let method = 0; method < trace.methods.count; method++) {
        const name = trace.methods.qualifiedName(method);
        cpu.set(name, (cpu.get(name) ?? 0) + cpuWithin(trace, main, method));
      }
      const [a, b] = ['A', 'B'].map((which) => cpu.get(`sample.Plugin${which}.run`) ?? 0);
      assertBetween(b! / (a! + b!), share - 0.05, share + 0.05);
      // Copied from an interface, it is still that one's.
      for (const all of [a! + b!, cpu.get('sample.PluginWork.work') ?? 0])
        assertBetween(all / cpu.get('sample.Plugins.use')!, 0.9, 1);
    });

    it(`classes have their own names, also from a file in the place of one that is closed (${engine})`, async () => {
      const other = path.join(bench.folder, 'other.dex');
      await sameButFor('PluginB', 'PluginC', other);
      const [trace, share] = await inTurns(engine, [apps, 'sample.PluginB'], [other, 'sample.PluginC']);
      const pieces = new Map<string, number>();
      for (const { type, stack } of eventsOf(trace, mainThread(trace), SampleKind.Allocation))
        if (/^sample\.Plugin.\.run /.test(stack)) pieces.set(type, (pieces.get(type) ?? 0) + 1);
      const [b, c] = ['B', 'C'].map((which) => pieces.get(`sample.Plugin${which}$Piece`) ?? 0);
      // One or two a round, as busy as the machine is. Were one class called by the other's name, it would be none or all.
      assertBetween(c! / (b! + c!), share - 0.3, share + 0.3);
      assert.equal(pieces.size, 2, [...pieces].join('; '));
    });
  }
});
