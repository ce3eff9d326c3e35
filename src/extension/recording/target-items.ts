/** The rows of what can be recorded, and how they stay where they are while more of them come. */
import { l10n, QuickPickItemKind, type QuickPickItem } from 'vscode';
import { isTargetError, type Target } from '../../targets/target.js';
import { plain } from './progress.js';
import { cutOff } from './short-name.js';
import type { TargetListing } from './target-registry.js';

export interface TargetItem extends QuickPickItem {
  readonly target?: Target;
  readonly failure?: unknown;
  /** No target yet: a command that starts one. */
  readonly launch?: true;
}

/** The kind of a target in words, for the headings of the list. */
export function kindName(kind: string): string {
  if (kind === 'local') return l10n.t('This machine');
  if (kind === 'android') return l10n.t('Android devices');
  return kind;
}

/** Last choices first, then kind by kind, what can be recorded before what cannot. */
export function targetItems(listing: TargetListing, lastNames: readonly string[]): TargetItem[] {
  const item = (target: Target): TargetItem => ({
    label: `$(${target.refusal === undefined ? icon(target.kind) : 'circle-slash'}) ${plain(target.label ?? target.name)}`,
    description: [
      target.label === undefined ? '' : cutOff(target.name),
      target.pid > 0 ? String(target.pid) : '',
      target.runtime,
    ]
      .filter((s) => s !== '')
      .join(' · '),
    // A command line may be no more than the name.
    detail: target.refusal ?? (target.detail === target.name ? '' : cutOff(target.detail)),
    target,
  });
  const items: TargetItem[] = [];
  const recent = lastNames
    .map((name) => listing.targets.find((target) => target.name === name && target.refusal === undefined))
    .filter((target) => target !== undefined);
  if (recent.length > 0) {
    items.push({ label: l10n.t('Recorded last'), kind: QuickPickItemKind.Separator }, ...recent.map(item));
  }
  for (const kind of new Set(listing.targets.map((target) => target.kind))) {
    const rest = listing.targets.filter((target) => target.kind === kind && !recent.includes(target));
    if (rest.length === 0) continue;
    const rank = (target: Target): number => (target.refusal === undefined ? 0 : 1);
    rest.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || a.pid - b.pid);
    items.push({ label: kindName(kind), kind: QuickPickItemKind.Separator }, ...rest.map(item));
  }
  for (const { kind, error } of listing.failures) {
    const text = error instanceof Error ? error.message : String(error);
    items.push(
      { label: kindName(kind), kind: QuickPickItemKind.Separator },
      {
        label: `$(warning) ${text}`,
        detail: isTargetError(error) ? error.nextStep : '',
        failure: error,
      },
    );
  }
  items.push(
    { label: l10n.t('Not running yet'), kind: QuickPickItemKind.Separator },
    {
      label: `$(terminal) ${l10n.t('Start a Java program, and record it from its first moment…')}`,
      launch: true,
    },
  );
  return items;
}

function icon(kind: string): string {
  return kind === 'android' ? 'device-mobile' : 'vm';
}

/**
 * The rows that are shown stay in their places, what came comes below them, and what went goes: nothing is pushed away from under
 * a pointer.
 */
export function inPlace(shown: readonly TargetItem[], now: readonly TargetItem[]): TargetItem[] {
  const rows = new Map(now.filter((item) => !isHeading(item)).map((item) => [idOf(item), item]));
  const kept = shown.flatMap((item) => (isHeading(item) ? item : (rows.get(idOf(item)) ?? [])));
  const known = new Set(kept.map(idOf));
  const came = now.filter((item) => isHeading(item) || !known.has(idOf(item)));
  return [...kept, ...came].filter((item, at, all) => {
    const next = all[at + 1];
    return !isHeading(item) || (next !== undefined && !isHeading(next));
  });
}

/** What makes a row the same one in the next list. */
export function idOf({ target, label }: TargetItem): string {
  return target?.id ?? label;
}

function isHeading({ kind }: TargetItem): boolean {
  return kind === QuickPickItemKind.Separator;
}
