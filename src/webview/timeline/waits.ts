/** Waits in words. */
import { SampleFlag, SampleKind, waitKindOf } from '../../trace/model/kinds.js';
import { formatNs } from '../../trace/measure/quantities.js';
import { plainText } from '../names.js';
import { text } from '../texts.js';
import type { BlockColumns, Snapshot } from '../worker/messages.js';

/** What a thread does that has nothing to do. */
const restingKinds: ReadonlySet<number> = new Set([
  SampleKind.Wait,
  SampleKind.Park,
  SampleKind.Sleep,
  SampleKind.Poll,
  SampleKind.Condition,
]);

/** Of these the owner has what is waited for, of all others it is who ended the wait. */
const heldKinds: ReadonlySet<number> = new Set([SampleKind.Monitor, SampleKind.Binder, SampleKind.Mutex]);

export function isHeld(blocks: BlockColumns, row: number): boolean {
  return heldKinds.has(blocks.kind[row] ?? 0) || stillWaits(blocks, row);
}

/** It had not ended when the recording did: its owner has what it waits for, whatever kind it is of. */
export function stillWaits(blocks: BlockColumns, row: number): boolean {
  return hasFlag(blocks, row, SampleFlag.StillWaits);
}

/** "4.20 s", or "at least 4.20 s" where it began before the recording. */
export function waitLength(blocks: BlockColumns, row: number): string {
  const length = formatNs((blocks.end[row] ?? 0) - (blocks.begin[row] ?? 0));
  return isFromBefore(blocks, row) ? text('wait.fromBefore', { length }) : length;
}

export function isFromBefore(blocks: BlockColumns, row: number): boolean {
  return hasFlag(blocks, row, SampleFlag.FromBefore);
}

function hasFlag(blocks: BlockColumns, row: number, flag: number): boolean {
  return ((blocks.flags[row] ?? 0) & flag) !== 0;
}

/**
 * Whether a wait may be just what was wanted. One that somebody ended is rest where it was for a condition, as a pool's threads
 * wait for work; a lock or a result that somebody let go of had held the thread up.
 */
export function isResting(blocks: BlockColumns, row: number, { typeNames }: Snapshot): boolean {
  const kind = blocks.kind[row] ?? 0;
  if (!restingKinds.has(kind)) return false;
  if (blocks.owner[row] === 0 || kind === SampleKind.Wait || kind === SampleKind.Condition) return true;
  return (typeNames[blocks.type[row] ?? 0] ?? '').endsWith('$ConditionObject');
}

/** "sleeps": what waits of a kind are for. */
export function waitKindName(kind: number): string {
  const wait = waitKindOf(kind);
  return text(wait === undefined ? 'wait.other' : `wait.${wait}`);
}

/** "waits for lock Stock · held by worker-2". */
export function describeWait(blocks: BlockColumns, row: number, snapshot: Snapshot): string {
  const what = waitKindName(blocks.kind[row] ?? 0);
  const full = snapshot.typeNames[blocks.type[row] ?? 0] ?? '';
  const type = plainText(full.slice(full.lastIndexOf('.') + 1));
  const owner = blocks.owner[row] ?? 0;
  const isForLock = stillWaits(blocks, row) && (owner !== 0 || heldKinds.has(blocks.kind[row] ?? 0));
  const said = isForLock
    ? text('wait.still', { type: type === '' ? text('wait.aLock') : type })
    : type === ''
      ? what
      : text('wait.on', { what, type });
  return owner === 0 ? said : `${said} · ${ownerOf(blocks, row, snapshot)}`;
}

function ownerOf(blocks: BlockColumns, row: number, snapshot: Snapshot): string {
  const thread = threadName(snapshot, blocks.owner[row] ?? 0);
  if (!isHeld(blocks, row)) return text('link.wokenByThread', { thread });
  // Of a wait that ended it was always seen when that began.
  const isThen = stillWaits(blocks, row) && hasFlag(blocks, row, SampleFlag.OwnerEstimated);
  return text(isThen ? 'wait.heldByThen' : 'wait.heldBy', { thread });
}

export function threadName(snapshot: Snapshot, index: number): string {
  const thread = snapshot.threads.find((candidate) => candidate.index === index);
  if (thread === undefined || thread.name === '')
    return text('thread.unnamed', { tid: thread?.tid ?? index });
  return plainText(thread.name);
}
