/** Waits in words. */
import { SampleFlag, SampleKind, waitKindOf } from '../../trace/model/kinds.js';
import { isRest } from '../../trace/measure/rest.js';
import { formatNs } from '../../trace/measure/quantities.js';
import { plainText } from '../names.js';
import { text } from '../texts.js';
import type { WaitColumns, Snapshot } from '../worker/messages.js';

/** Of these the owner has what is waited for, of all others it is who ended the wait. */
export const heldKinds: ReadonlySet<number> = new Set([
  SampleKind.Monitor,
  SampleKind.Binder,
  SampleKind.Mutex,
]);

export function isHeld(waits: WaitColumns, row: number): boolean {
  return heldKinds.has(waits.kind[row] ?? 0) || isOpenWait(waits, row);
}

/** It had not ended when the recording did: its owner has what it waits for, whatever kind it is of. */
export function isOpenWait(waits: WaitColumns, row: number): boolean {
  return hasFlag(waits, row, SampleFlag.OpenWait);
}

/** "4.20 s", or "at least 4.20 s" where it began before the recording. */
export function waitLength(waits: WaitColumns, row: number): string {
  const length = formatNs((waits.end[row] ?? 0) - (waits.begin[row] ?? 0));
  return isFromBefore(waits, row) ? text('wait.fromBefore', { length }) : length;
}

export function isFromBefore(waits: WaitColumns, row: number): boolean {
  return hasFlag(waits, row, SampleFlag.FromBefore);
}

function hasFlag(waits: WaitColumns, row: number, flag: number): boolean {
  return ((waits.flags[row] ?? 0) & flag) !== 0;
}

/** Whether a wait may be just what was wanted. */
export function isResting(waits: WaitColumns, row: number, { typeNames }: Snapshot): boolean {
  return isRest(waits.kind[row] ?? 0, waits.owner[row] ?? 0, typeNames[waits.type[row] ?? 0] ?? '');
}

/** "sleeps": what waits of a kind are for. */
export function waitKindName(kind: number): string {
  const wait = waitKindOf(kind);
  return text(wait === undefined ? 'wait.other' : `wait.${wait}`);
}

/** "waits for lock Stock", or "waits for lock" where its type is not known. */
export function waitName(kind: number, className: string): string {
  const [what, type] = [waitKindName(kind), simpleTypeName(className)];
  return type === '' ? what : text('wait.on', { what, type });
}

/** Without its package. */
export const simpleTypeName = (className: string): string =>
  plainText(className.slice(className.lastIndexOf('.') + 1));

/** "waits for lock Stock · held by worker-2". */
export function describeWait(waits: WaitColumns, row: number, snapshot: Snapshot): string {
  const kind = waits.kind[row] ?? 0;
  const className = snapshot.typeNames[waits.type[row] ?? 0] ?? '';
  const owner = waits.owner[row] ?? 0;
  const isForLock = isOpenWait(waits, row) && (owner !== 0 || heldKinds.has(kind));
  const said = isForLock
    ? text('wait.still', { type: simpleTypeName(className) || text('wait.aLock') })
    : waitName(kind, className);
  return owner === 0 ? said : `${said} · ${ownerOf(waits, row, snapshot)}`;
}

function ownerOf(waits: WaitColumns, row: number, snapshot: Snapshot): string {
  const thread = threadName(snapshot, waits.owner[row] ?? 0);
  if (!isHeld(waits, row)) return text('link.wokenByThread', { thread });
  // Of a wait that ended it was always seen when that began.
  const isThen = isOpenWait(waits, row) && hasFlag(waits, row, SampleFlag.OwnerEstimated);
  return text(isThen ? 'wait.heldByThen' : 'wait.heldBy', { thread });
}

export function threadName(snapshot: Snapshot, index: number): string {
  const thread = snapshot.threads.find((candidate) => candidate.index === index);
  if (thread === undefined || thread.name === '')
    return text('thread.unnamed', { tid: thread?.tid ?? index });
  return plainText(thread.name);
}
