/** Which waits are rest: a thread that has nothing to do. All others hold a thread up. */
import { SampleFlag, SampleKind } from '../model/kinds.js';
import type { Waits } from '../model/trace.js';
import type { ThreadTimes } from './thread-times.js';

type WaitColumns = Pick<Waits, 'count' | 'begin' | 'end' | 'kind' | 'owner' | 'type' | 'flags'>;

const restingKinds: ReadonlySet<number> = new Set([
  SampleKind.Wait,
  SampleKind.Park,
  SampleKind.Sleep,
  SampleKind.Poll,
  SampleKind.Condition,
]);

/**
 * Whether a wait may be just what was wanted. One that somebody ended is rest where it was for a condition, as a pool's threads
 * wait for work; a lock or a result that somebody let go of had held the thread up. `owner`: 0 if unknown.
 */
export function isRest(kind: number, owner: number, className: string): boolean {
  if (!restingKinds.has(kind)) return false;
  if (owner === 0 || kind === SampleKind.Wait || kind === SampleKind.Condition) return true;
  return className.endsWith('$ConditionObject');
}

export interface HeldUp {
  /** In waits that are no rest: for a lock also where it had not ended, for a file or the network where it did. */
  readonly heldNs: number;
  /** What of it asks for an answer: not the network's silence, which every server's thread waits through. */
  readonly askedNs: number;
}

/** How long waits held a thread up. One pass over its waits. */
export function heldUp(
  { count, begin, end, kind, owner, type, flags }: WaitColumns,
  isMain: boolean,
  className: (type: number) => string,
): HeldUp {
  let heldNs = 0;
  let askedNs = 0;
  for (let row = 0; row < count; row++) {
    const what = kind[row] as number;
    const isOpen = ((flags[row] as number) & SampleFlag.OpenWait) !== 0;
    if (isRest(what, owner[row] as number, className(type[row] as number))) continue;
    if (what === SampleKind.Io && isOpen) continue;
    const ns = (end[row] as number) - (begin[row] as number);
    heldNs += ns;
    if (what !== SampleKind.Io || isMain) askedNs += ns;
  }
  return { heldNs, askedNs };
}

/** A thread that is busy or held up for less than this share of its time is idle. */
const idleShare = 0.01;

/**
 * Whether a thread rested for all of its time that matters: a pool's thread without work, the finalizer, a timer. The main
 * thread is never idle: what it waits for is what a person waits for. Without CPU time nobody knows.
 */
export function isIdle({ wallNs, cpuNs, waitNs }: ThreadTimes, { heldNs }: HeldUp, isMain: boolean): boolean {
  return (
    !isMain &&
    wallNs > 0 &&
    cpuNs <= wallNs * idleShare &&
    heldNs <= wallNs * idleShare &&
    waitNs >= wallNs * (1 - 2 * idleShare)
  );
}
