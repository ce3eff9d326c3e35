/** Code that is loaded, forgotten and replaced by other code in the same place. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { LossReason, SampleKind, type Trace } from '../../src/trace/index.js';
import { assertBetween, cpuWithin, eventsOf, mainThread, methodNamed } from '../rigs/art/read-trace.js';
import { type Engine, engines, type Truth } from '../rigs/art/runtime.js';
import { quitsWell, stopped, onArtPairs } from '../rigs/art/with-art.js';
import { stackOf } from '../rigs/stacks.js';

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

interface Part {
  /** As the app's clock has it. */
  readonly time: number;
  /** Of the plugin that did it, as the recording has it. */
  readonly name: string;
  readonly weight: number;
}

/**
 * Compares the parts' names with the plugin that the app says it had loaded at the time. At most `mostWrong` of a plugin's parts may bear
 * the other's name. Some may be `[unloaded]`, and then the recording counts them as lost: the agent reads names from memory every 300 ms,
 * and a plugin is gone after 20 ms. It is named when it, or the same one loaded again, lies in the same place at such a time. Where the
 * runtime puts it is not the agent's choice (on Android 14 a fifth of a plugin's parts had no name).
 */
function assertOwnNames(
  trace: Trace,
  rounds: readonly Truth[],
  parts: readonly Part[],
  mostWrong: number,
): void {
  const plugins = new Map<string, Map<string, number>>();
  for (const { time, name, weight } of parts) {
    const plugin = rounds.find((round) => round.number('told') >= time)?.text('name');
    if (plugin === undefined) continue; // the app ended in that round
    const names = plugins.get(plugin) ?? new Map<string, number>();
    plugins.set(plugin, names.set(name, (names.get(name) ?? 0) + weight));
  }
  assert.deepEqual(
    [...plugins.keys()].sort(),
    [...new Set(rounds.map((round) => round.text('name')))].sort(),
  );
  for (const [plugin, names] of plugins) {
    const text = `${plugin}: ${[...names].join('; ')}`;
    const all = [...names.values()].reduce((sum, weight) => sum + weight, 0);
    const own = names.get(plugin) ?? 0;
    const wrong = all - own - (names.get('[unloaded]') ?? 0);
    assert.ok(own >= all / 2, text);
    assert.ok(wrong <= mostWrong * all, text);
    const lost = trace.losses.some(({ reason }) => reason === LossReason.NameUnloaded);
    assert.ok(lost || !names.has('[unloaded]'), `${text}, and no name is counted as lost`);
  }
}

onArtPairs('code that is replaced by other code in its place, in the Android Runtime', (bench) => {
  /** A recording of both in turns, and each round of the app. */
  async function inTurns(
    engine: Engine,
    one: readonly [file: string, name: string],
    other: readonly [file: string, name: string],
  ): Promise<[trace: Trace, rounds: Truth[]]> {
    const app = await bench.running({ engine, app: 'Plugins', arguments: [0, ...one, ...other] });
    // So often that each turn has many samples.
    const session = await bench.record(app, { syncIntervalNs: 50_000, budgetPpm: 0 });
    await app.more('plugin', 80);
    const trace = await stopped(session);
    await quitsWell(app);
    return [trace, app.truths('plugin')];
  }

  for (const engine of Object.keys(engines) as Engine[]) {
    it(`methods have their own names and figures (${engine})`, async () => {
      const [trace, rounds] = await inTurns(engine, [apps, 'sample.PluginA'], [apps, 'sample.PluginB']);
      const main = mainThread(trace);
      const { intervals } = main;
      const parts: Part[] = [];
      let work = 0;
      for (let row = 0; row < intervals.count; row++) {
        const [stack] = stackOf(trace, intervals.path[row]!).split(' < sample.Plugins.use ', 1);
        const name = /sample\.Plugin[AB](?=\.run$)|\[unloaded\]$/.exec(stack!)?.[0];
        const middle = (intervals.begin[row]! + intervals.end[row]!) / 2;
        const time = Number(trace.info.startMonotonicNs) + middle;
        if (name !== undefined) parts.push({ time, name, weight: intervals.cpu[row]! });
        if (/(^| )sample\.PluginWork\.work( |$)/.test(stack!)) work += intervals.cpu[row]!;
      }
      // The time between two samples belongs to one of them, even if the next plugin begins in between.
      assertOwnNames(trace, rounds, parts, 0.05);
      const use = cpuWithin(trace, main, methodNamed(trace, 'sample.Plugins.use'));
      assertBetween(parts.reduce((sum, { weight }) => sum + weight, 0) / use, 0.9, 1);
      // Copied from an interface, it is still that one's.
      assertBetween(work / use, 0.5, 1);
    });

    it(`classes have their own names, also from a file in the place of one that is closed (${engine})`, async () => {
      const other = path.join(bench.folder, 'other.dex');
      await sameButFor('PluginB', 'PluginC', other);
      const [trace, rounds] = await inTurns(engine, [apps, 'sample.PluginB'], [other, 'sample.PluginC']);
      const parts = eventsOf(trace, mainThread(trace), SampleKind.Allocation)
        .filter(({ stack }) => /^(sample\.Plugin.\.run|\[unloaded\]) < sample\.Plugins\.use /.test(stack))
        .map(({ time, type }) => ({ time, name: type.replace(/\$Piece$/, ''), weight: 1 }));
      assertOwnNames(trace, rounds, parts, 0);
    });
  }
});
