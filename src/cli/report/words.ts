/** Numbers of a trace as a person says them. */
import { SampleKind, type WaitKind, waitKindOf } from '../../trace/index.js';

const waitWords: Record<WaitKind, string> = {
  Monitor: 'lock',
  Wait: 'wait',
  Park: 'park',
  Sleep: 'sleep',
  Gc: 'garbage collection',
  Binder: 'binder call',
  Io: 'input/output',
  Poll: 'poll',
  SyncToDisk: 'sync to disk',
  Mutex: 'mutex',
  Condition: 'condition',
};

/** Where there is no stack, or only the kernel told of it, nobody knows. */
export function waitWord(kind: number): string {
  const wait = waitKindOf(kind);
  if (wait !== undefined) return waitWords[wait];
  return kind === SampleKind.Unknown ? 'not known' : `kind ${kind}`;
}

/** What a thread is called, with or without a name. */
export const threadWord = (name: string, tid: number): string => name || `thread ${tid}`;

/** The key of an enumeration's value, as words: "monitorRelease" → "monitor release". */
export function wordOf(of: Readonly<Record<string, number>>, value: number): string {
  const name = Object.keys(of).find((key) => of[key] === value);
  return name === undefined ? String(value) : name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
