// The rule of the second try (test/README.md): a failed test runs again alone, twice; passed twice, it has passed. What must never
// happen, not even once in a thousand runs, is not forgiven.
import { tellsCrash } from './crashes.mjs';

/** In one run more than these say that the machine or the tests are unfit. */
const most = 12;
/** All second tries of a run together. */
const allMs = 5 * 60_000;
const tries = 2;

/** The kinds of failures that are final, with what the list says of them. test/rigs/kinds.ts has the words for tests. */
const final = {
  crash: 'a crash',
  harm: 'a recorded program was harmed',
  'left behind': 'something was left behind',
  loss: 'something was lost',
  bytes: 'bytes differ',
  check: 'a check',
  hang: 'a hang before the first test',
};

/** Why a failure is red at once, or nothing where it may run again. */
export function whyFinal({ kind, message, files }) {
  if (kind !== undefined) return final[kind] ?? kind;
  if (tellsCrash(message)) return final.crash;
  return (files ?? []).length === 0 ? 'not a test' : undefined;
}

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Matches the full titles of what runs again: one test, or all of a describe. Nothing: all of the file. */
export function patternOf({ title, group }) {
  if (group === undefined) return `^${escaped(title)}$`;
  return group === '' ? undefined : `^${escaped(group)} `;
}

/**
 * Tries again what failed. `again(failure, grep, limitMs)` runs it alone and resolves to {passed, failures, load}. Resolves to what
 * `passed`, what has `failed` and `why`, each with the `loads` of its tries, and how many were tried.
 */
export async function secondTries(failures, again, { now = () => performance.now() } = {}) {
  const failed = [];
  const sets = new Map(); // one describe runs once, however many of its tests failed
  for (const failure of failures) {
    const why = whyFinal(failure);
    if (why !== undefined) {
      failed.push({ ...failure, why: `No second try: ${why}.` });
      continue;
    }
    const key = JSON.stringify([failure.suite, failure.files, patternOf(failure)]);
    sets.set(key, [...(sets.get(key) ?? []), failure]);
  }
  const all = [...sets.values()];
  if (all.length > most) {
    const why = `No second try: ${all.length} tests failed, and more than ${most} say that the machine or the tests are unfit.`;
    failed.push(...all.flat().map((one) => ({ ...one, why })));
    return { passed: [], failed, tried: 0 };
  }
  const passed = [];
  const until = now() + allMs;
  for (const set of all) {
    const { why, loads } = await tryAlone(set[0], again, until, now);
    if (why === undefined) passed.push(...set.map((one) => ({ ...one, loads })));
    else failed.push(...set.map((one) => ({ ...one, loads, why })));
  }
  return { passed, failed, tried: all.length };
}

/** `why` it has failed, or nothing when it passed each time. */
async function tryAlone(failure, again, until, now) {
  const loads = [];
  for (let at = 1; at <= tries; at++) {
    const leftMs = until - now();
    if (leftMs <= 0)
      return { loads, why: `No second try: the ${allMs / 60_000} minutes for all of them are over.` };
    const { passed, failures, load } = await again(failure, patternOf(failure), leftMs);
    loads.push(load);
    const [first] = failures;
    if (first) return { loads, why: `Tried again alone, ${at} of ${tries}, it failed:\n${first.message}` };
    if (passed === 0) return { loads, why: `Tried again alone, no test ran: its title is another one now.` };
  }
  return { loads };
}
