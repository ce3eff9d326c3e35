/** The rows of what can be recorded, and how they stay where they are while more of them come. */
import { l10n, QuickPickItemKind, type QuickPickItem } from 'vscode';
import { isTargetError, type Target } from '../../targets/target.js';
import { words } from '../notice.js';
import { plain } from './progress.js';
import { cutOff, withoutIcons } from './short-name.js';
import type { TargetListing } from './target-registry.js';

export interface TargetItem extends QuickPickItem {
  readonly target?: Target;
  readonly failure?: unknown;
  /** Not running yet: the target, or without one any command, is started. */
  readonly launch?: true;
}

/** What is known before anything is looked for. */
export interface KnownTargets {
  /** Recorded last, newest first. */
  readonly lastNames: readonly string[];
  readonly isOfWorkspace?: (target: Target) => boolean;
  /** Programs of the workspace that do not run yet. */
  readonly startable?: readonly Target[];
}

/** What a list of targets says of a place that gave none. */
export function failureWords(error: unknown): { readonly message: string; readonly nextStep: string } {
  if (isTargetError(error)) return words(error);
  return { message: error instanceof Error ? error.message : String(error), nextStep: '' };
}

/** The kind of a target in words, for the headings of the list. */
export function kindName(kind: string): string {
  if (kind === 'local') return l10n.t('This machine');
  if (kind === 'native') return l10n.t('Native programs of this machine');
  if (kind === 'android') return l10n.t('Android devices');
  if (kind === 'ios') return l10n.t('iPhones and iPads');
  return kind;
}

/**
 * Last choices first, then programs of this workspace, then kind by kind, what can be recorded before what cannot. At
 * the end stands what is not running yet.
 */
export function targetItems(
  listing: TargetListing,
  { lastNames, isOfWorkspace = () => false, startable = [] }: KnownTargets,
): TargetItem[] {
  const item = (target: Target): TargetItem => ({
    label: `$(${target.refusal === undefined ? icon(target.kind) : 'circle-slash'}) ${plain(target.label ?? target.name)}`,
    description: [
      target.label === undefined ? '' : withoutIcons(cutOff(target.name)),
      target.pid > 0 ? String(target.pid) : '',
      withoutIcons(target.runtime),
      ...portsOf(target),
      ageOf(target),
    ]
      .filter((s) => s !== '')
      .join(' · '),
    // A command line may be no more than the name.
    detail: withoutIcons(target.refusal ?? (target.detail === target.name ? '' : cutOff(target.detail))),
    target,
  });
  const items: TargetItem[] = [];
  const recent = lastNames
    .map((name) => listing.targets.find((target) => target.name === name && target.refusal === undefined))
    .filter((target) => target !== undefined);
  if (recent.length > 0) {
    items.push({ label: l10n.t('Recorded last'), kind: QuickPickItemKind.Separator }, ...recent.map(item));
  }
  const mine = listing.targets
    .filter((target) => !recent.includes(target) && isOfWorkspace(target))
    .sort(inOrder);
  if (mine.length > 0) {
    items.push({ label: l10n.t('This workspace'), kind: QuickPickItemKind.Separator }, ...mine.map(item));
  }
  const shown = new Set([...recent, ...mine]);
  const ofKind = (kind: string): TargetItem[] => {
    const rest = listing.targets.filter((target) => target.kind === kind && !shown.has(target));
    if (rest.length === 0) return [];
    // Native programs come with the busiest first.
    if (kind !== 'native') rest.sort(inOrder);
    return [{ label: kindName(kind), kind: QuickPickItemKind.Separator }, ...rest.map(item)];
  };
  for (const kind of new Set(listing.targets.map((target) => target.kind)))
    if (kind !== 'native') items.push(...ofKind(kind));
  // What is a click away is an offer and no warning: a person who has no phone need not read of adb first.
  const offers = listing.failures.filter(({ error }) => isTargetError(error) && error.remedy !== undefined);
  for (const { kind, error } of listing.failures.filter((failure) => !offers.includes(failure))) {
    const { message, nextStep } = failureWords(error);
    items.push(
      { label: kindName(kind), kind: QuickPickItemKind.Separator },
      {
        label: `$(warning) ${withoutIcons(message)}`,
        detail: withoutIcons(nextStep),
        failure: error,
      },
    );
  }
  items.push(
    { label: notRunning(), kind: QuickPickItemKind.Separator },
    ...startable.map((target): TargetItem => ({
      label: `$(debug-alt) ${plain(target.name)}`,
      description: withoutIcons(cutOff(target.detail)),
      target,
      launch: true,
    })),
    {
      label: `$(terminal) ${l10n.t('Start a program, and record it from its first moment…')}`,
      launch: true,
    },
    ...offers.map(({ kind, error }) => ({
      label: `$(${icon(kind)}) ${words(error).steps[0]?.title ?? ''}…`,
      detail: withoutIcons(failureWords(error).message),
      failure: error,
    })),
    // There are dozens of them on any machine.
    ...ofKind('native'),
  );
  return items;
}

function notRunning(): string {
  return l10n.t('Not running yet');
}

function inOrder(a: Target, b: Target): number {
  const rank = ({ refusal }: Target): number => (refusal === undefined ? 0 : 1);
  return rank(a) - rank(b) || a.name.localeCompare(b.name) || a.pid - b.pid;
}

/** More ports than these tell nobody which program it is. */
const shownPorts = 3;

function portsOf({ ports = [] }: Target): string[] {
  return ports.slice(0, shownPorts).map((port) => l10n.t('port {0}', String(port)));
}

function ageOf({ startedMs }: Target): string {
  if (startedMs === undefined) return '';
  const minutes = Math.floor((Date.now() - startedMs) / 60_000);
  if (minutes < 1) return l10n.t('just started');
  if (minutes < 60) return l10n.t('running for {0} min', String(minutes));
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? l10n.t('running for {0} h', String(hours))
    : l10n.t('running for {0} days', String(Math.floor(hours / 24)));
}

function icon(kind: string): string {
  return kind === 'android' || kind === 'ios' ? 'device-mobile' : kind === 'native' ? 'server-process' : 'vm';
}

/**
 * The rows that are shown stay in their places, what came comes below them, and what went goes: nothing is pushed away from under
 * a pointer. Only what does not run yet, and native programs, of which there are dozens, stay below all others: a program that
 * comes is to be seen.
 */
export function inPlace(shown: readonly TargetItem[], now: readonly TargetItem[]): TargetItem[] {
  const rows = new Map(now.filter((item) => !isHeading(item)).map((item) => [idOf(item), item]));
  const kept = shown.flatMap((item) => (isHeading(item) ? item : (rows.get(idOf(item)) ?? [])));
  const known = new Set(kept.map(idOf));
  const came = now.filter((item) => isHeading(item) || !known.has(idOf(item)));
  const [keptAbove, keptBelow] = parted(kept);
  const [cameAbove, cameBelow] = parted(came);
  let heading: string | undefined;
  return [...keptAbove, ...cameAbove, ...keptBelow, ...cameBelow].filter((item, at, all) => {
    if (!isHeading(item)) return true;
    const next = all[at + 1];
    // Rows that came may go on with the section above them.
    if (next === undefined || isHeading(next) || item.label === heading) return false;
    heading = item.label;
    return true;
  });
}

/** What makes a row the same one in the next list. */
export function idOf({ target, label }: TargetItem): string {
  return target?.id ?? label;
}

/** Above and below the first heading of what stays below. A native program that was recorded last stands above it. */
function parted(items: readonly TargetItem[]): [readonly TargetItem[], readonly TargetItem[]] {
  const from = items.findIndex(
    (item) => isHeading(item) && (item.label === notRunning() || item.label === kindName('native')),
  );
  return from < 0 ? [items, []] : [items.slice(0, from), items.slice(from)];
}

function isHeading({ kind }: TargetItem): boolean {
  return kind === QuickPickItemKind.Separator;
}
