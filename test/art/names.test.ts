/** Thousands of methods are named while the app runs: it is not halted for that. */
import assert from 'node:assert/strict';
import type { Session } from '../../src/targets/target.js';
import { traceOf } from '../rigs/art/read-trace.js';
import { type ArtApp, type Engine, engines } from '../rigs/art/runtime.js';
import { quitsWell, stopped, onEachArt } from '../rigs/art/with-art.js';

/** 100 loaders of 32 methods each. */
const methodCount = 3200;

/** A frame of a screen at 60 Hz: an app that is held up for less drops none. To name all of these takes some three of it. */
const frameNs = 1e9 / 60;

onEachArt('methods that are named in the Android Runtime', (bench) => {
  async function namedIn(session: Session): Promise<number> {
    const { methods } = await traceOf(session.file);
    const names = Array.from({ length: methods.count }, (_, method) => methods.qualifiedName(method));
    return names.filter((name) => name.startsWith('sample.Link.a')).length;
  }

  /** The longest that threads waited for all to stand still, while the names were made. */
  async function longestHalt(app: ArtApp): Promise<number> {
    await app.more('halts', 1); // what was before is none of it
    const before = app.truths('halts').length;
    const session = await bench.record(app);
    let halts = 0;
    while ((await namedIn(session)) < methodCount) await app.more('halts', 1);
    await app.more('halts', 1);
    await stopped(session);
    const facts = app.truths('halts').slice(before);
    for (const fact of facts) halts += fact.number('count');
    assert.ok(halts > 20, app.output());
    return Math.max(...facts.map((fact) => fact.number('longest')));
  }

  for (const engine of Object.keys(engines) as Engine[])
    it(`hold up the app for less than a frame, however many they are (${engine})`, async () => {
      const app = await bench.running({ engine, app: 'ManyNames', arguments: [0, 100] });
      // All are named anew in each recording. A machine that does other things holds up one, and not six in a row.
      const longest: number[] = [];
      while (longest.length < 6 && !longest.some((ns) => ns < frameNs)) longest.push(await longestHalt(app));
      assert.ok(
        longest.some((ns) => ns < frameNs),
        `${longest.map((ns) => ns / 1e6).join(', ')} ms`,
      );
      await quitsWell(app);
    });
});
