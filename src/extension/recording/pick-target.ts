/** The two steps before a recording: which target, and what to look at. Enter, Enter takes the last choice again. */
import {
  l10n,
  QuickPickItemKind,
  ThemeIcon,
  window,
  Disposable,
  type QuickPick,
  type QuickPickItem,
} from 'vscode';
import { isTargetError, TargetError, type Target } from '../../targets/target.js';
import type { PresetName } from '../settings.js';
import { presets } from './presets.js';
import { plain } from './progress.js';
import type { TargetListing, TargetRegistry } from './target-registry.js';

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
      target.label === undefined ? '' : target.name,
      target.pid > 0 ? String(target.pid) : '',
      target.runtime,
    ]
      .filter((s) => s !== '')
      .join(' · '),
    detail: target.refusal ?? target.detail,
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
        alwaysShow: true,
        failure: error,
      },
    );
  }
  items.push(
    { label: l10n.t('Not running yet'), kind: QuickPickItemKind.Separator },
    {
      label: `$(terminal) ${l10n.t('Start a Java program, and record it from its first moment…')}`,
      alwaysShow: true,
      launch: true,
    },
  );
  return items;
}

function icon(kind: string): string {
  return kind === 'android' ? 'device-mobile' : 'vm';
}

/** Undefined when dismissed. A target that cannot be recorded, and a source that cannot look, throw their reason. */
export async function pickTarget(
  registry: TargetRegistry,
  lastNames: readonly string[],
): Promise<Target | 'launch' | undefined> {
  const pick = window.createQuickPick<TargetItem>();
  pick.title = l10n.t('BTrace: Record (1/2)');
  pick.placeholder = l10n.t('Which program?');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.buttons = [{ iconPath: new ThemeIcon('refresh'), tooltip: l10n.t('Look Again') }];
  let looking = new AbortController();
  let isShown = false;
  const look = (): void => {
    looking.abort();
    const mine = (looking = new AbortController());
    pick.busy = true;
    const show = (listing: TargetListing): void => {
      if (mine.signal.aborted) return;
      const before = pick.activeItems[0]?.target?.id;
      pick.items = targetItems(listing, lastNames);
      const again = pick.items.find((item) => before !== undefined && item.target?.id === before);
      if (again !== undefined) pick.activeItems = [again];
    };
    // What is there already stays until all have answered: nothing jumps away from under a finger.
    void registry.list(mine.signal, isShown ? undefined : show).then((listing) => {
      if (mine.signal.aborted) return;
      show(listing);
      isShown = true;
      pick.busy = false;
      if (listing.targets.length === 0 && listing.failures.length === 0) {
        pick.placeholder = l10n.t('No program found that can be recorded. Start one, then look again.');
      }
    });
  };
  const again = Disposable.from(pick.onDidTriggerButton(look), registry.watch(look));
  look();
  try {
    const chosen = await accepted(pick);
    if (chosen?.launch === true) return 'launch';
    if (chosen?.failure !== undefined) throw asError(chosen.failure);
    if (chosen?.target !== undefined) refuse(chosen.target, chosen.target.launchable === true);
    return chosen?.target;
  } finally {
    looking.abort();
    again.dispose();
    pick.dispose();
  }
}

/** Throws why it cannot be recorded. From its launch it may be, also where it cannot be as it runs. */
export function refuse({ refusal, launchable }: Target, fromLaunch: boolean): void {
  if (refusal !== undefined && !(fromLaunch && launchable === true))
    throw new TargetError('not-supported', refusal, '');
}

export interface HowChosen {
  readonly preset: PresetName;
  readonly fromLaunch: boolean;
}

export async function pickHow(target: Target, last: PresetName): Promise<HowChosen | undefined> {
  type Item = QuickPickItem & { readonly how?: HowChosen };
  const ordered = presets().sort((a, b) => Number(b.name === last) - Number(a.name === last));
  const items = (fromLaunch: boolean): Item[] =>
    ordered.map(({ name, label, description }) => ({
      label,
      description,
      how: { preset: name, fromLaunch },
    }));
  const pick = window.createQuickPick<Item>();
  pick.title = l10n.t('BTrace: Record {0} (2/2)', target.name);
  pick.placeholder = l10n.t('What to look at?');
  pick.matchOnDescription = true;
  const now = target.refusal === undefined ? items(false) : [];
  const anew = target.launchable === true ? items(true) : [];
  const heading = (label: string): Item => ({ label, kind: QuickPickItemKind.Separator });
  const launch =
    target.launchNeedsLibrary === true
      ? l10n.t("From launch, with BTrace's library in it: starts it anew")
      : l10n.t('From launch: starts it anew');
  pick.items = [
    ...(now.length > 0 && anew.length > 0 ? [heading(l10n.t('Now'))] : []),
    ...now,
    ...(anew.length > 0 ? [heading(launch), ...anew] : []),
  ];
  try {
    return (await accepted(pick))?.how;
  } finally {
    pick.dispose();
  }
}

/** Shows the list until something is accepted or it is left. */
function accepted<T extends QuickPickItem>(pick: QuickPick<T>): Promise<T | undefined> {
  const listening: Disposable[] = [];
  return new Promise<T | undefined>((resolve) => {
    listening.push(
      pick.onDidAccept(() => {
        const [item] = pick.selectedItems;
        if (item === undefined) return;
        resolve(item);
        pick.hide();
      }),
      pick.onDidHide(() => resolve(undefined)),
    );
    pick.show();
  }).finally(() => void Disposable.from(...listening).dispose());
}

function asError(what: unknown): Error {
  return what instanceof Error ? what : new Error(String(what));
}
