/** Who waited for a lock when the recording ended, and who for each other: said once above the views, and with each of these waits. */
import type { LockWait } from '../../trace/measure/lock-waits.js';
import { element, icon, replaceContent } from '../element.js';
import type { ViewContext } from '../model.js';
import type { NameIndex } from '../names.js';
import type { WaitKey, Selection } from '../store.js';
import { text } from '../texts.js';
import { describeWait, threadName, waitLength } from '../timeline/waits.js';
import type { Snapshot } from '../worker/messages.js';

/** More are counted, and not spelled out. */
const mostListed = 16;

export class LockWaitsBar {
  readonly root = element('div', { class: 'lock-waits', role: 'note', 'aria-label': text('locks.label') });
  readonly #said = element('span', {});
  readonly #context: ViewContext;
  readonly #go: (wait: WaitKey) => void;

  constructor(context: ViewContext, go: (wait: WaitKey) => void) {
    this.#context = context;
    this.#go = go;
    this.root.hidden = true;
    context.model.onChange(() => this.#show());
    context.store.onChange((_state, changed) => {
      if (changed.has('selection')) this.#say();
    });
  }

  #show(): void {
    const { snapshot, names } = this.#context.model;
    const { deadlocks, others } = snapshot?.lockWaits ?? { deadlocks: [], others: [] };
    const locked = deadlocks.flat();
    this.root.hidden = snapshot === undefined || locked.length + others.length === 0;
    if (snapshot === undefined || this.root.hidden) return;
    this.root.classList.toggle('has-deadlock', locked.length > 0);
    const found =
      locked.length === 1
        ? text('locks.self')
        : text('locks.deadlocks', { count: deadlocks.length, threads: locked.length });
    const rest = text(locked.length > 0 ? 'locks.more' : 'locks.waits', { count: others.length });
    const buttons = [
      locked.length > 0 ? this.#button(found, locked, snapshot, names) : undefined,
      others.length > 0 ? this.#button(rest, others, snapshot, names) : undefined,
    ];
    const view = { focus: () => this.#context.actions.focusView() };
    replaceContent(this.root, view, ...buttons.filter((button) => button !== undefined), this.#said);
    this.#say();
  }

  /** Selects one wait after the other. */
  #button(said: string, waits: readonly LockWait[], snapshot: Snapshot, names: NameIndex): HTMLElement {
    const all = waits.slice(0, mostListed).map((wait) => sentence(wait, snapshot, names));
    const title = [text('locks.hint'), ...all].join('\n');
    const button = element('button', { class: 'link-button', type: 'button', title }, icon('warning'), said);
    button.addEventListener('click', () => {
      const at = (indexOf(this.#context.store.state.selection, waits, snapshot) + 1) % waits.length;
      const wait = waits[at];
      if (wait === undefined) return;
      this.#go(keyOf(wait, snapshot));
      this.#context.actions.announce(this.#said.textContent);
      // Pressed again it goes on.
      button.focus();
    });
    return button;
  }

  /** The wait that is selected, where it is one of these. */
  #say(): void {
    const { snapshot, names } = this.#context.model;
    const { selection } = this.#context.store.state;
    this.#said.textContent = '';
    if (snapshot === undefined) return;
    const { deadlocks, others } = snapshot.lockWaits;
    for (const waits of [deadlocks.flat(), others]) {
      const at = indexOf(selection, waits, snapshot);
      const wait = waits[at];
      if (wait === undefined) continue;
      const said = { at: at + 1, count: waits.length, wait: sentence(wait, snapshot, names) };
      this.#said.textContent = text('locks.at', said);
    }
  }
}

/** The others of a wait's circle, where it is in a deadlock. */
export function circleList(
  snapshot: Snapshot,
  { thread, row }: Pick<LockWait, 'thread' | 'row'>,
  go: (wait: WaitKey) => void,
): HTMLElement | undefined {
  const isThis = (wait: LockWait): boolean => wait.thread === thread && wait.row === row;
  const circle = snapshot.lockWaits.deadlocks.find((one) => one.some(isThis));
  if (circle === undefined) return undefined;
  const at = circle.findIndex(isThis);
  const rows = [...circle.slice(at), ...circle.slice(0, at)].slice(0, mostListed).map((wait) => {
    const button = element(
      'button',
      { class: 'wait-row', type: 'button', 'aria-current': isThis(wait) ? 'true' : undefined },
      element('span', { class: 'wait-mark' }),
      element('span', { class: 'wait-what' }, sentence(wait, snapshot)),
    );
    button.addEventListener('click', () => go(keyOf(wait, snapshot)));
    return element('li', {}, button);
  });
  return element(
    'div',
    {},
    element('h3', { class: 'details-section' }, text('locks.circle')),
    element('ul', { class: 'wait-rows' }, ...rows),
  );
}

/** "transfer-1 still waits for Object · held by transfer-2 · in Bank.transfer, line 12 · 9.00 s". */
function sentence({ thread, row, method, line }: LockWait, snapshot: Snapshot, names?: NameIndex): string {
  const columns = snapshot.threads.find(({ index }) => index === thread)?.waits;
  if (columns === undefined) return '';
  const waits = describeWait(columns, row, snapshot);
  const parts = [text('locks.wait', { thread: threadName(snapshot, thread), waits })];
  if (names !== undefined && method >= 0) {
    const place = { method: names.short(method), line };
    parts.push(text(line > 0 ? 'locks.line' : 'locks.place', place), waitLength(columns, row));
  }
  return parts.join(' · ');
}

function keyOf({ thread, row }: LockWait, snapshot: Snapshot): WaitKey {
  const waits = snapshot.threads.find(({ index }) => index === thread)?.waits;
  return { kind: 'wait', thread, beginNs: waits?.begin[row] ?? 0 };
}

/** −1 where another thing is selected, or nothing. */
function indexOf(selection: Selection | undefined, waits: readonly LockWait[], snapshot: Snapshot): number {
  if (selection?.kind !== 'wait') return -1;
  return waits.findIndex((wait) => {
    const { thread, beginNs } = keyOf(wait, snapshot);
    return thread === selection.thread && beginNs === selection.beginNs;
  });
}
