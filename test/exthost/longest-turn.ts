/** How long the extension host is held up at most while something is done, told in the time of an ordinary machine. */
import assert from 'node:assert/strict';

/** What the host may be held up for, in ms of an ordinary machine. */
export const turnLimitMs = 50;

/** A machine may be so much slower than an ordinary one, and no more is forgiven: a real hang is found on each. */
const mostSlowness = 8;

/** How many times slower than an ordinary machine this one is. */
interface Slowness {
  readonly computing: number;
  readonly memory: number;
}

/** CPU time of this thread in ms: the machine may be busy with other things meanwhile. Linux may count it in ticks of 4 ms. */
function usedMs(): number {
  const { user, system } = (process as unknown as { threadCpuUsage(): NodeJS.CpuUsage }).threadCpuUsage();
  return (user + system) / 1000;
}

const table = new Uint32Array(2 ** 16);
const passesInMs = 12;
const computedMs = 25;

/** Computes for `ms` of an ordinary machine, which is one core of a rented server: the same work wherever it runs. */
export function compute(ms: number): void {
  const mask = table.length - 1;
  for (let pass = 0; pass < ms * passesInMs; pass++)
    for (let at = 0; at < table.length; at++)
      table[at] = Math.imul(table[Math.imul(at, 40_503) & mask]! ^ pass, 1_664_525) + at;
}

/** More than what an allocator takes from what was freed before. */
const newMegabytes = 40;
/** What an ordinary machine takes to touch one for the first time, where each 4 KB are a fault. */
const megabyteMs = 0.375;
/** Of memory that a turn may touch for the first time: the heap's young generation grows by so much at once. */
const turnMegabytes = 16;

function touchNewMemory(): void {
  const bytes = new ArrayBuffer(newMegabytes * 2 ** 20);
  new Uint8Array(bytes).fill(1);
  (bytes as unknown as { transfer(length: number): void }).transfer(0); // freed at once, and not in a turn that is judged
}

/** Each takes several ticks, so that one more or less is a small share of it. */
function slowness(): Slowness {
  const times = (work: () => void, ordinaryMs: number): number => {
    const before = usedMs();
    work();
    return (usedMs() - before) / ordinaryMs;
  };
  const computing = (): number => times(() => compute(computedMs), computedMs);
  return {
    computing: Math.min(computing(), computing()), // what is slow for a moment is no slow machine
    memory: times(touchNewMemory, newMegabytes * megabyteMs), // which is new only once
  };
}

/** The slower of the two. */
const slower = (one: number, other: number): number => Math.min(Math.max(one, other, 1), mostSlowness);

/**
 * Fails if one turn of the host's loop takes more CPU time than an ordinary machine has within the limit. How slow this machine is, is
 * measured before and after. Slow memory is forgiven for as much as a turn may touch, and not in proportion: most turns compute.
 */
export async function assertShortTurns(work: () => Promise<unknown>): Promise<void> {
  compute(computedMs); // compiled
  const before = slowness();
  const longest = await longestTurnMs(work);
  const after = slowness();
  const computing = slower(before.computing, after.computing);
  const memory = slower(before.memory, after.memory);
  const ordinary = (longest - (memory - 1) * turnMegabytes * megabyteMs) / computing;
  assert.ok(
    ordinary <= turnLimitMs,
    `one turn of the host took ${longest.toFixed(1)} ms of CPU time, on an ordinary machine ${ordinary.toFixed(1)} ms: ` +
      `here computing takes ${computing.toFixed(1)} times as long and new memory ${memory.toFixed(1)} times`,
  );
}

/** CPU time between two turns of the loop, from the begin of `work` to its end. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = usedMs();
  let over = false;
  const turn = (): void => {
    const now = usedMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    over = true;
    turn();
  }
  return longest;
}
