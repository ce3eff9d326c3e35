/**
 * Rows of a quick pick that change while a person chooses among them. VS Code names the row that was chosen, or gone to, by its
 * position among the rows that were set last, also where the window still had those before: another program would be recorded.
 * So new rows take no position of the rows before, and are only set once the window has those before. Each position of the
 * rows before has a heading without a text in the new ones, which is not drawn, and stands for its row.
 */
import { commands, QuickPickItemKind, type QuickPick, type QuickPickItem } from 'vscode';

export class SteadyRows<T extends QuickPickItem> {
  readonly #pick: QuickPick<T>;
  readonly #make: (shown: readonly T[]) => readonly T[];
  readonly #drawn: () => void;
  readonly #taken: () => void;
  #shown: readonly T[] = [];
  /** Position of the first of them. */
  #from = 0;
  /** Headings that stand for rows of before. */
  #before = new Map<T, T>();
  /** How often the window was told something that it has not answered yet. */
  #told = 0;
  #isStale = false;

  /**
   * `make` returns new rows, given those that are shown; `drawn` is called when they were set, and `taken` when the window has
   * all that it was told: what it says until then may be of the rows before, or its own doing.
   */
  constructor(
    pick: QuickPick<T>,
    make: (shown: readonly T[]) => readonly T[],
    drawn: () => void,
    taken: () => void = () => undefined,
  ) {
    this.#pick = pick;
    this.#make = make;
    this.#drawn = drawn;
    this.#taken = taken;
  }

  get shown(): readonly T[] {
    return this.#shown;
  }

  /** The window has all that it was told. */
  get isTaken(): boolean {
    return this.#told === 0;
  }

  /** No newer rows wait to be set. */
  get isDrawn(): boolean {
    return !this.#isStale;
  }

  /** Makes the rows anew, as soon as the window has those before. */
  draw(): void {
    this.#isStale = !this.isTaken;
    if (this.#isStale) return;
    const before = this.#shown;
    const from = this.#from;
    const end = from + before.length;
    this.#shown = this.#make(before);
    this.#from = this.#shown.length <= from ? 0 : end;
    this.#before = new Map();
    const items = Array.from({ length: Math.max(end, this.#from + this.#shown.length) }, (_, at): T => {
      const row = this.#shown[at - this.#from];
      if (row !== undefined) return row;
      const heading = { label: '', kind: QuickPickItemKind.Separator } as T;
      const replaced = before[at - from];
      if (replaced !== undefined) this.#before.set(heading, replaced);
      return heading;
    });
    this.#pick.items = items;
    this.#tell();
    this.#drawn();
  }

  /** Has the window go to those rows. */
  activate(rows: readonly T[]): void {
    this.#pick.activeItems = rows;
    this.#tell();
  }

  /** The row of before that the window meant by that item. */
  before(item: T): T | undefined {
    return this.#before.get(item);
  }

  #tell(): void {
    this.#told++;
    // Where it fails the window is gone.
    void answered().then(
      () => this.#answer(),
      () => undefined,
    );
  }

  #answer(): void {
    if (--this.#told > 0) return;
    this.#taken();
    if (this.#isStale) this.draw();
  }
}

/** Until the window has what it was told so far, and said what it did before that. Messages keep their order both ways. */
export async function answered(): Promise<void> {
  // What a list is told within one turn goes out in one message after it.
  await new Promise((resolve) => setTimeout(resolve));
  await commands.executeCommand('setContext', 'btrace.rowsTaken', true);
}
