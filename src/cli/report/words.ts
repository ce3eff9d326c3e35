/** Numbers of a trace as a person says them. */
import { SampleKind } from '../../trace/index.js';

const WAITS = new Map<number, string>([
  [SampleKind.Monitor, 'lock'],
  [SampleKind.Wait, 'wait'],
  [SampleKind.Park, 'park'],
  [SampleKind.Sleep, 'sleep'],
  [SampleKind.Gc, 'garbage collection'],
  [SampleKind.Binder, 'binder call'],
  [SampleKind.Io, 'input/output'],
  [SampleKind.Poll, 'poll'],
  [SampleKind.SyncToDisk, 'sync to disk'],
  [SampleKind.Mutex, 'mutex'],
  [SampleKind.Condition, 'condition'],
]);

export function waitWord(kind: number): string {
  return WAITS.get(kind) ?? `kind ${kind}`;
}

/** The key of an enumeration's value, as words: "monitorRelease" → "monitor release". */
export function wordOf(of: Readonly<Record<string, number>>, value: number): string {
  const name = Object.keys(of).find((key) => of[key] === value);
  return name === undefined ? String(value) : name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
