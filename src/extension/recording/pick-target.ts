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
import { pickSystem, systemLabel, systemWish, type SystemWish } from './system-choice.js';
import { SteadyRows } from './steady-rows.js';
import { idOf, inPlace, targetItems, type KnownTargets, type TargetItem } from './target-items.js';
import type { TargetListing, TargetRegistry } from './target-registry.js';

/** Until so long after it opened the list waits for all that look, so that it comes in its order. */
const togetherMs = 250;

/** From the end of one look to the next while the list is open: what was started meanwhile comes by itself. */
const lookEveryMs = 2000;

/** Undefined when dismissed. A target that cannot be recorded, and a source that cannot look, throw their reason. */
export async function pickTarget(
  registry: TargetRegistry,
  known: KnownTargets,
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
  const closed = new AbortController();
  const list = new TargetList(
    pick,
    registry,
    (listing) => targetItems(listing, known),
    known.lastNames,
    closed.signal,
  );
  // There at once, whatever takes how long to look.
  const accepting = accepted(pick, (item) => list.meant(item));
  const again = Disposable.from(
    pick.onDidTriggerButton(() => list.look()),
    registry.watch(() => list.look()),
  );
  list.look();
  try {
    const chosen = await accepting;
    if (chosen?.launch === true && chosen.target === undefined) return 'launch';
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
  /** What is shown, or is as soon as the window has the rows before. */
  #listing: TargetListing = { targets: [], failures: [] };
  #words: readonly string[] = [];
  /** Where the person is. */
  #row: string | undefined;
  /** The person went on in rows that were replaced meanwhile: the window is elsewhere until it was called back. */
  #isElsewhere = false;
  #isCalledBack = false;
  readonly #rows: SteadyRows<TargetItem>;
  readonly #pick: QuickPick<TargetItem>;
  readonly #registry: TargetRegistry;
  readonly #itemsOf: (listing: TargetListing) => TargetItem[];
  /** Native programs of the look before. */
  #natives = new Set<string>();
  #next: NodeJS.Timeout | undefined;
  readonly #lastNames: readonly string[];
  readonly #closed: AbortSignal;

  constructor(
    pick: QuickPick<TargetItem>,
    registry: TargetRegistry,
    itemsOf: (listing: TargetListing) => TargetItem[],
    lastNames: readonly string[],
    closed: AbortSignal,
  ) {
    this.#pick = pick;
    this.#registry = registry;
    this.#itemsOf = itemsOf;
    this.#lastNames = lastNames;
    this.#closed = closed;
    this.#rows = new SteadyRows(
      pick,
      (shown) => inPlace(shown, this.#itemsOf(this.#listing)),
      () => this.#stay(),
      () => this.#settle(),
    );

    const together = setTimeout(() => {
      this.#isEarly = false;
      if (!this.#isWhole && this.#early !== undefined) this.#show(this.#early, true);
    }, togetherMs);
    const listening = [
      pick.onDidChangeActive(([row]) => this.#take(row)),
      // What is typed leads to another row, or to none.
      pick.onDidChangeValue(() => {
        this.#row = undefined;
        this.#isElsewhere = false;
        this.#choose();
      }),
    ];
    closed.addEventListener('abort', () => {
      clearTimeout(together);
      clearTimeout(this.#next);
      Disposable.from(...listening).dispose();
    });
  }

  /** The row that was meant, whatever was shown when it was chosen; none where that is not certain. */
  meant(item: TargetItem | undefined): TargetItem | undefined {
    if (item === undefined) return undefined;
    const before = this.#rows.before(item);
    if (before !== undefined) return before;
    return this.#isElsewhere && idOf(item) !== this.#row ? undefined : item;
  }

  /** Looks; once more afterwards where it does already. */
  look(): void {
    this.#lookAgain = this.#looking;
    if (!this.#looking) void this.#look(false);
  }

  /** `isQuiet`: nobody asked for it. */
  async #look(isQuiet: boolean): Promise<void> {
    clearTimeout(this.#next);
    this.#looking = true;
    if (!isQuiet) this.#pick.busy = true;
    const listing = await this.#registry.list(this.#closed, (found) => {
      this.#early = found;
      // What is there already stays until all have answered.
      if (!this.#isWhole && !this.#isEarly) this.#show(found, true);
    });
    this.#looking = false;
    if (this.#closed.aborted) return;
    this.#isWhole = true;
    const settled = this.#settled(listing);
    if (!isQuiet) this.#show(listing, false);
    else if (this.#isNews(settled)) this.#show(settled, false);
    if (this.#lookAgain) {
      this.look();
      return;
    }
    this.#pick.busy = false;
    this.#next = setTimeout(() => void this.#look(true), lookEveryMs);
    const isNone = listing.targets.length === 0 && listing.failures.length === 0;
    this.#pick.placeholder = isNone
      ? l10n.t('No program found that can be recorded. Start one, then look again.')
      : l10n.t('Which program?');
  }

  /** Without the native programs that the look before did not find: a build starts dozens that are gone at once. */
  #settled(listing: TargetListing): TargetListing {
    const before = this.#natives;
    const isNative = ({ kind }: Target): boolean => kind === 'native';
    this.#natives = new Set(listing.targets.filter(isNative).map(({ id }) => id));
    return {
      ...listing,
      targets: listing.targets.filter((target) => !isNative(target) || before.has(target.id)),
    };
  }

  /**
   * Each row is drawn anew then, and a click that began before goes nowhere. A native program that has ended is no reason for
   * that, nor how long a program runs or how busy it is.
   */
  #isNews(listing: TargetListing): boolean {
    const shown = new Set(this.#listing.targets.map(({ id }) => id));
    const isNew = listing.targets.some(({ kind, id }) => kind === 'native' && !shown.has(id));
    return isNew || wordsOf(listing) !== wordsOf(this.#listing);
  }

  #show(listing: TargetListing, moreToCome: boolean): void {
    if (this.#closed.aborted) return;
    const words = this.#itemsOf(listing).map(({ target, label, description, detail }) =>
      [target?.id, label, description, detail].join('\n'),
    );
    const isSame = words.length === this.#words.length && words.every((one, at) => one === this.#words[at]);
    this.#listing = listing;
    this.#words = words;
    this.#moreToCome = moreToCome;
    if (!isSame) this.#rows.draw();
    else if (this.#row === undefined && this.#rows.isDrawn) this.#choose();
  }

  /** VS Code goes to the first of new rows. */
  #stay(): void {
    // What is typed leads to a row, too.
    const [active] = this.#pick.value === '' ? [] : this.#pick.activeItems;
    const row = this.#row ?? (active && idOf(active));
    if (row === undefined) this.#choose();
    else this.#goTo(row);
  }

  #goTo(row: string): void {
    this.#rows.activate(this.#rows.shown.filter((item) => idOf(item) === row));
  }

  /** What Enter takes while nobody went to a row: the last choice again, else the first program that can be recorded, else nothing. */
  #choose(): void {
    const lastNames = this.#lastNames;
    if (this.#pick.value !== '') return; // VS Code takes the first row that fits what is typed
    const can = this.#rows.shown.filter(
      ({ target, launch }) => target !== undefined && target.refusal === undefined && launch !== true,
    );
    const last = can.find(({ target }) => target?.name === lastNames[0]);
    const mayCome = this.#moreToCome && lastNames.length > 0;
    const chosen = last ?? (mayCome ? undefined : can[0]);
    this.#rows.activate(chosen === undefined ? [] : [chosen]);
    // It stays, whatever comes.
    this.#row = chosen && idOf(chosen);
  }

  /** The active row, or none, as VS Code says. */
  #take(item: TargetItem | undefined): void {
    if (item === undefined) return;
    const before = this.#rows.before(item);
    // Else VS Code tells of the first row, before it goes to the one it was told.
    if (before === undefined && !this.#rows.isTaken) return;
    this.#row = idOf(before ?? item);
    this.#isElsewhere = before !== undefined;
    this.#isCalledBack = false;
  }

  /** The window has all that it was told. */
  #settle(): void {
    const isElsewhere = this.#isElsewhere && !this.#isCalledBack;
    this.#isElsewhere = this.#isCalledBack = isElsewhere;
    if (isElsewhere && this.#row !== undefined) this.#goTo(this.#row);
    else this.#take(this.#pick.activeItems[0]);
  }
}

/** What the rows say. The ids of native programs are left out, which come and go. */
function wordsOf({ targets, failures }: TargetListing): string {
  const rows = targets
    .filter(({ kind }) => kind !== 'native')
    .map(({ id, name, label, runtime, detail, refusal, ports }) =>
      [id, name, label, runtime, detail, refusal, ports?.join()].join('\n'),
    );
  return JSON.stringify([rows.sort(), failures.map(({ kind, error }) => `${kind}\n${String(error)}`).sort()]);
}

/** Throws why it cannot be recorded. From its launch it may be, also where it cannot be as it runs. */
export function refuse({ refusal, launchable }: Target, fromLaunch: boolean): void {
  if (refusal !== undefined && !(fromLaunch && launchable === true))
    throw new TargetError('not-supported', refusal, '');
}

export interface HowChosen {
  readonly preset: PresetName;
  readonly fromLaunch: boolean;
  /** Where the target has a system that can be recorded beside it. */
  readonly system?: SystemWish;
}

/** Also what of the system is recorded beside an app: that is asked in between, as often as the person likes. */
export async function pickHow(target: Target, last: PresetName): Promise<HowChosen | undefined> {
  if (target.recordsSystem !== true) return (await pickOnce(target, last))?.how;
  let system = systemWish(target);
  for (;;) {
    const item = await pickOnce(target, last, system);
    if (item?.changesSystem !== true) return item?.how && { ...item.how, system };
    system = await pickSystem(system);
  }
}

interface HowItem extends QuickPickItem {
  readonly how?: HowChosen;
  readonly changesSystem?: boolean;
}

async function pickOnce(target: Target, last: PresetName, system?: SystemWish): Promise<HowItem | undefined> {
  type Item = HowItem;
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
    ...(system === undefined ? [] : [heading(l10n.t('Beside the app')), systemItem(system)]),
  ];
  try {
    return await accepted(pick);
  } finally {
    pick.dispose();
  }
}

const systemItem = (system: SystemWish): HowItem => ({
  label: l10n.t('System’s trace: {0}', systemLabel(system)),
  description: l10n.t('Enter changes it, for this recording'),
  iconPath: new ThemeIcon('layers'),
  changesSystem: true,
});

/** Shows the list until something is accepted or it is left. `meant` returns nothing for what is not taken. */
function accepted<T extends QuickPickItem>(
  pick: QuickPick<T>,
  meant = (item: T | undefined) => item,
): Promise<T | undefined> {
  const listening: Disposable[] = [];
  return new Promise<T | undefined>((resolve) => {
    listening.push(
      pick.onDidAccept(() => {
        const item = meant(pick.selectedItems[0]);
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
