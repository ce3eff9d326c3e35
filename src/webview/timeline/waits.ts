/** Waits in words. */
import { SampleKind, waitKindOf } from '../../trace/model/kinds.js';
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
  return heldKinds.has(blocks.kind[row] ?? 0);
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
  const type = full.slice(full.lastIndexOf('.') + 1);
  const said = type === '' ? what : text('wait.on', { what, type: plainText(type) });
  const owner = blocks.owner[row] ?? 0;
  if (owner === 0) return said;
  const key = isHeld(blocks, row) ? 'wait.heldBy' : 'link.wokenByThread';
  return `${said} · ${text(key, { thread: threadName(snapshot, owner) })}`;
}

export function threadName(snapshot: Snapshot, index: number): string {
  const thread = snapshot.threads.find((candidate) => candidate.index === index);
  if (thread === undefined || thread.name === '')
    return text('thread.unnamed', { tid: thread?.tid ?? index });
  return plainText(thread.name);
}
