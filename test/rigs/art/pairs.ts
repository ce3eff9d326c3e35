/** Which tests run on which pair of engine and Android Runtime in `npm test`. In the wide tier all run on all. */
import { type Android, androids, type Engine, engines } from './runtime.js';
import { wide } from '../scale.js';

const all = Object.keys(engines) as Engine[];

/** Of the two runtimes each has an engine of its own, so that each runtime and each engine is there once. */
export const engineOf = (android: Android): Engine => all[androids.indexOf(android) % all.length]!;

const everywhere = new WeakSet<object>();

/** Marks a test that runs on every pair: it shows that recording works there at all. */
export function onEveryPair(test: Mocha.Test): void {
  everywhere.add(test);
}

/**
 * Leaves in a suite, which was registered on each runtime, the tests of the runtime's own engine and those on every pair. Tests that
 * name no engine stay where `keepOthers` says.
 */
export function keepPairs(suite: Mocha.Suite, android: Android, keepOthers: boolean): void {
  if (wide) return;
  suite.tests = suite.tests.filter((test) => {
    if (everywhere.has(test)) return true;
    const engine = all.find((name) => test.fullTitle().includes(name));
    return engine === undefined ? keepOthers : engine === engineOf(android);
  });
  for (const inner of suite.suites) keepPairs(inner, android, keepOthers);
}
