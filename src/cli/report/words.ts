/** Numbers of a trace as a person says them. */
import { SampleKind, type WaitKind, waitKindOf } from '../../trace/index.js';
import { l10n } from '../l10n.js';

const waitWords = (): Record<WaitKind, string> => ({
  Monitor: l10n.t('lock'),
  Wait: l10n.t('wait'),
  Park: l10n.t('park'),
  Sleep: l10n.t('sleep'),
  Gc: l10n.t('garbage collection'),
  Binder: l10n.t('binder call'),
  Io: l10n.t('input/output'),
  Poll: l10n.t('poll'),
  SyncToDisk: l10n.t('sync to disk'),
  Mutex: l10n.t('mutex'),
  Condition: l10n.t('condition'),
  OffCpu: l10n.t('off CPU'),
  GcWait: l10n.t('waiting for the garbage collector'),
});

/** Where there is no stack, or only the kernel told of it, nobody knows. */
export function waitWord(kind: number): string {
  const wait = waitKindOf(kind);
  if (wait !== undefined) return waitWords()[wait];
  return kind === SampleKind.Unknown ? l10n.t('not known') : l10n.t('kind {0}', kind);
}

/** What a thread is called, with or without a name. */
export const threadWord = (name: string, tid: number): string => name || l10n.t('thread {0}', tid);

/** The key of an enumeration's value, as words: "monitorRelease" → "monitor release". */
export function wordOf(of: Readonly<Record<string, number>>, value: number): string {
  const name = Object.keys(of).find((key) => of[key] === value);
  return name === undefined ? String(value) : name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
