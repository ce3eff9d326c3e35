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
import { TargetError, type Target } from '../../targets/target.js';
import type { PresetName } from '../settings.js';
import { presets } from './presets.js';
import { plain } from './progress.js';
import { idOf, inPlace, targetItems, type TargetItem } from './target-items.js';
import type { TargetListing, TargetRegistry } from './target-registry.js';

/** Until so long after it opened the list waits for all that look, so that it comes in its order. */
const togetherMs = 250;

/** VS Code takes the first of new rows, and says so, before it takes the one it was told, or none, and says that: what stays so long is the person's. */
const settlingMs = 500;

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
  pick.keepScrollPosition = true;
  // One may go and start the program, or plug the phone in.
  pick.ignoreFocusOut = true;
  pick.buttons = [{ iconPath: new ThemeIcon('refresh'), tooltip: l10n.t('Look Again') }];
  // There at once, whatever takes how long to look.
  const accepting = accepted(pick);
  const closed = new AbortController();
  const list = new TargetList(pick, registry, lastNames, closed.signal);
  const again = Disposable.from(
    pick.onDidTriggerButton(() => list.look()),
    registry.watch(() => list.look()),
  );
  list.look();
  try {
    const chosen = await accepting;
    if (chosen?.launch === true) return 'launch';
    if (chosen?.failure !== undefined) throw asError(chosen.failure);
    if (chosen?.target !== undefined) refuse(chosen.target, chosen.target.launchable === true);
    return chosen?.target;
  } finally {
    closed.abort();
    again.dispose();
    pick.dispose();
  }
}

/** The rows of the picker, from the first answer on. */
class TargetList {
  #looking = false;
  #lookAgain = false;
  /** What those found that have answered, while it is too early to show that. */
  #early: TargetListing | undefined;
  #isEarly = true;
  /** All have answered once. */
  #isWhole = false;
  #moreToCome = true;
  /** Where the person is: VS Code tells of no row for a moment while it takes new ones. */
  #row: string | undefined;
  /** The first row, since it was told of that and of no other. */
  #first: { readonly row: string; readonly toldAt: number } | undefined;

  constructor(
    private readonly pick: QuickPick<TargetItem>,
    private readonly registry: TargetRegistry,
    private readonly lastNames: readonly string[],
    private readonly closed: AbortSignal,
  ) {
    const together = setTimeout(() => {
      this.#isEarly = false;
      if (!this.#isWhole && this.#early !== undefined) this.#show(this.#early, true);
    }, togetherMs);
    const listening = [
      pick.onDidChangeActive(([row]) => this.#take(row)),
      // What is typed leads to another row, or to none.
      pick.onDidChangeValue(() => {
        this.#row = this.#first = undefined;
        this.#choose();
      }),
    ];
    closed.addEventListener('abort', () => {
      clearTimeout(together);
      Disposable.from(...listening).dispose();
    });
  }

  /** Looks; once more afterwards where it does already. */
  look(): void {
    this.#lookAgain = this.#looking;
    if (!this.#looking) void this.#look();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.pick.busy = true;
    const listing = await this.registry.list(this.closed, (found) => {
      this.#early = found;
      // What is there already stays until all have answered.
      if (!this.#isWhole && !this.#isEarly) this.#show(found, true);
    });
    this.#looking = false;
    if (this.closed.aborted) return;
    this.#isWhole = true;
    this.#show(listing, false);
    if (this.#lookAgain) {
      this.look();
      return;
    }
    this.pick.busy = false;
    const isNone = listing.targets.length === 0 && listing.failures.length === 0;
    this.pick.placeholder = isNone
      ? l10n.t('No program found that can be recorded. Start one, then look again.')
      : l10n.t('Which program?');
  }

  #show(listing: TargetListing, moreToCome: boolean): void {
    if (this.closed.aborted) return;
    const { pick, lastNames } = this;
    // What is typed leads to a row, too.
    const typed = pick.value === '' ? undefined : pick.activeItems[0];
    const row = this.#where() ?? (typed && idOf(typed));
    pick.items = inPlace(pick.items, targetItems(listing, lastNames));
    this.#moreToCome = moreToCome;
    if (row !== undefined) pick.activeItems = pick.items.filter((item) => idOf(item) === row);
    else this.#choose();
  }

  /** What Enter takes while nobody went to a row: the last choice again, else the first program that can be recorded, else nothing. */
  #choose(): void {
    const { pick, lastNames } = this;
    if (pick.value !== '') return; // VS Code takes the first row that fits what is typed
    const can = pick.items.filter(({ target }) => target !== undefined && target.refusal === undefined);
    const last = can.find(({ target }) => target?.name === lastNames[0]);
    const mayCome = this.#moreToCome && lastNames.length > 0;
    const chosen = last ?? (mayCome ? undefined : can[0]);
    pick.activeItems = chosen === undefined ? [] : [chosen];
    // It stays, whatever comes.
    this.#row = chosen && idOf(chosen);
  }

  /** The active row, or none, as VS Code says. */
  #take(row: TargetItem | undefined): void {
    this.#first = undefined;
    if (row === undefined) return;
    const first = this.pick.items.find(({ kind }) => kind !== QuickPickItemKind.Separator);
    if (first === undefined || idOf(row) !== idOf(first)) this.#row = idOf(row);
    else this.#first = { row: idOf(row), toldAt: performance.now() };
  }

  #where(): string | undefined {
    const first = this.#first;
    if (first !== undefined && performance.now() - first.toldAt > settlingMs) this.#row = first.row;
    return this.#row;
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
  pick.title = l10n.t('BTrace: Record {0} (2/2)', plain(target.name));
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
