/** How much memory is held: buffers are freed behind the collector's back, so it is asked more than once. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Less than what a test can mean. */
const settledBytes = 80_000;

/** Bytes that are held after a collection, which takes a tenth of a second among all tests. */
async function collected(): Promise<number> {
  collect();
  await setImmediate();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Asked again while there are less each time. */
export async function heldBytes(): Promise<number> {
  let now = await collected();
  for (let turn = 1; turn < 10; turn++) {
    const before = now;
    now = Math.min(before, await collected());
    if (now > before - settledBytes) break;
  }
  return now;
}

/** Bytes that are held beyond `base`; asked again while they are more than `allowed`. */
export async function heldBeyond(base: number, allowed: number): Promise<number> {
  let beyond = Infinity;
  for (let turn = 0; turn < 10 && beyond > allowed; turn++) beyond = (await collected()) - base;
  return beyond;
}
