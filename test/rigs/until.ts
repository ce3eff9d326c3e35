/** All that tests know of time. `btrace/test-time` of the lint refuses what these stand for. */
import assert from 'node:assert/strict';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { waitLimitMs } from './wait-limit.js';

type Looked<T> = T | undefined | false;

/** Waits for a condition, never for a time: looks again until it has something, and says what was waited for if it never has. */
export async function until<T>(
  what: string | (() => string),
  look: () => Looked<T> | Promise<Looked<T>>,
  everyMs = 20,
): Promise<T> {
  const end = Date.now() + waitLimitMs;
  for (;;) {
    const isLast = Date.now() > end;
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (isLast)
      assert.fail(
        `It did not happen within ${waitLimitMs / 1000} s: ${typeof what === 'string' ? what : what()}`,
      );
    await delay(everyMs);
  }
}

/** CLOCK_MONOTONIC, which recordings have: for the order of what happened here and in a program. */
export const monotonicNs = (): number => Number(process.hrtime.bigint());

/** Ends what would outlive its test, if it has not ended long after it should have; gives what calls that off. */
export function atLast(end: () => void, afterMs = waitLimitMs): () => void {
  const timer = setTimeout(end, afterMs);
  return () => {
    clearTimeout(timer);
  };
}

/** Lets so much time pass where the test is right whatever happens meanwhile: something is to be interrupted early and late. */
export const anyMoment = async (ms: number): Promise<void> => await delay(ms);

/** Of a test that works for so long by itself: its limit is the common one after that. */
export function lasts(test: Mocha.Context | Mocha.Suite, ms: number): void {
  // Both have it, with and without an argument.
  const timed = test as { timeout(): number; timeout(ms: number): unknown };
  timed.timeout(timed.timeout() + ms);
}
