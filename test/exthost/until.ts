/** Waits for a condition, never for a time. */
import assert from 'node:assert/strict';
import { waitLimitMs } from '../rigs/wait-limit.js';

export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = Date.now() + waitLimitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) assert.fail(`It did not happen within ${waitLimitMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
