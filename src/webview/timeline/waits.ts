/** Waits in words. */
import { plainText } from '../names.js';
import { text } from '../texts.js';
import type { TextKey } from '../texts.js';
import type { BlockColumns, Snapshot } from '../worker/messages.js';

/** By SampleKind of recording.proto. */
const waitTexts: ReadonlyMap<number, TextKey> = new Map([
  [5, 'wait.MONITOR'],
  [6, 'wait.WAIT'],
  [7, 'wait.PARK'],
  [8, 'wait.SLEEP'],
  [9, 'wait.GC'],
  [12, 'wait.BINDER'],
  [18, 'wait.IO'],
  [19, 'wait.POLL'],
  [20, 'wait.SYNC_TO_DISK'],
  [21, 'wait.MUTEX'],
  [22, 'wait.CONDITION'],
]);

/** WAIT, PARK, SLEEP, POLL and CONDITION: what a thread does that has nothing to do. */
const restingKinds: ReadonlySet<number> = new Set([6, 7, 8, 19, 22]);

/** Whether a wait may be just what was wanted; one for something that somebody holds never is. */
export function isResting(blocks: BlockColumns, row: number): boolean {
  return blocks.owner[row] === 0 && restingKinds.has(blocks.kind[row] ?? 0);
}

/** "waits for lock Stock · held by worker-2". */
export function describeWait(blocks: BlockColumns, row: number, snapshot: Snapshot): string {
  const what = text(waitTexts.get(blocks.kind[row] ?? 0) ?? 'wait.other');
  const full = snapshot.typeNames[blocks.type[row] ?? 0] ?? '';
  const type = full.slice(full.lastIndexOf('.') + 1);
  const said = type === '' ? what : text('wait.on', { what, type: plainText(type) });
  const owner = blocks.owner[row] ?? 0;
  if (owner === 0) return said;
  return `${said} · ${text('wait.heldBy', { thread: threadName(snapshot, owner) })}`;
}

export function threadName(snapshot: Snapshot, index: number): string {
  const thread = snapshot.threads.find((candidate) => candidate.index === index);
  if (thread === undefined || thread.name === '')
    return text('thread.unnamed', { tid: thread?.tid ?? index });
  return plainText(thread.name);
}
