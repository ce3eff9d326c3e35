/** The threads' names beside their tracks. Only tracks on screen have elements, however many threads there are. */
import { element, icon } from '../element.js';
import { formatNs } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import { plainText } from '../names.js';
import { text } from '../texts.js';
import { shownName } from './thread-actions.js';
import { toggleCounters, toggleFolded, toggleHidden, togglePinned } from './thread-actions.js';
import type { CounterPlace, ThreadPlace, TrackPlace } from './track-layout.js';

export class Gutter {
  readonly root = element('div', { class: 'gutter', 'aria-label': text('timeline.threads') });
  readonly #context: ViewContext;
  readonly #shown = new Map<string, { readonly node: HTMLElement; readonly key: string }>();

  readonly #back: () => void;

  /** `back`: to where keys go when what they were on is no more. */
  constructor(context: ViewContext, back: () => void) {
    this.#context = context;
    this.#back = back;
  }

  show(places: readonly TrackPlace[]): void {
    const stale = new Set(this.#shown.keys());
    for (const place of places) {
      const id = place.kind === 'thread' ? `t${place.thread.index}` : `c${place.counter.name}`;
      const key =
        place.kind === 'thread'
          ? `${place.isFolded} ${place.isPinned} ${place.thread.cpuNs} ${place.thread.name} ${this.#context.store.state.soloThread === place.thread.index}`
          : String(place.isFolded);
      stale.delete(id);
      let shown = this.#shown.get(id);
      if (shown?.key !== key) {
        const node = place.kind === 'thread' ? this.#threadHead(place) : this.#counterHead(place);
        if (shown === undefined) this.root.append(node);
        else replaceHead(shown.node, node);
        shown = { node, key };
        this.#shown.set(id, shown);
      }
      shown.node.style.top = `${place.top}px`;
      shown.node.style.height = `${place.height}px`;
    }
    for (const id of stale) {
      const node = this.#shown.get(id)?.node;
      if (node?.contains(document.activeElement) === true) this.#back();
      node?.remove();
      this.#shown.delete(id);
    }
  }

  #threadHead(place: ThreadPlace): HTMLElement {
    const { thread, isFolded, isPinned } = place;
    const name = shownName(thread);
    const { store } = this.#context;
    const fold = iconButton(
      isFolded ? 'chevronRight' : 'chevronDown',
      text(isFolded ? 'thread.unfold' : 'thread.fold', { name }),
      () => toggleFolded(store, place),
    );
    fold.setAttribute('aria-expanded', String(!isFolded));
    const pin = iconButton('pin', text(isPinned ? 'thread.unpin' : 'thread.pin', { name }), () =>
      togglePinned(store, thread.index),
    );
    pin.setAttribute('aria-pressed', String(isPinned));
    const hide = iconButton('hide', text('thread.hide', { name }), () => toggleHidden(store, thread.index));
    const isSolo = store.state.soloThread === thread.index;
    const label = element('span', { class: 'thread-name', title: `${name} (${thread.tid})` }, name);
    label.addEventListener('click', () => toggleFolded(store, place));
    return element(
      'div',
      { class: 'track-head' },
      element(
        'div',
        {
          class: `thread-head${thread.isMain ? ' is-main' : ''}${isPinned ? ' is-pinned' : ''}${isSolo ? ' is-solo' : ''}`,
        },
        fold,
        label,
        element(
          'span',
          { class: 'thread-cpu', title: text('call.cpu', { value: formatNs(thread.cpuNs), share: '' }) },
          thread.cpuNs > 0 ? formatNs(thread.cpuNs) : '',
        ),
        element('span', { class: 'thread-buttons' }, pin, hide),
      ),
    );
  }

  #counterHead({ counter, isFolded }: CounterPlace): HTMLElement {
    const label = element('span', { class: 'counter-name' }, plainText(counter.name));
    const head = element('div', { class: `thread-head${isFolded === undefined ? ' is-alone' : ''}` }, label);
    if (isFolded !== undefined) {
      const toggle = () => toggleCounters(this.#context.store);
      const fold = iconButton(
        isFolded ? 'chevronRight' : 'chevronDown',
        text(isFolded ? 'counters.unfold' : 'counters.fold'),
        toggle,
      );
      fold.setAttribute('aria-expanded', String(!isFolded));
      label.addEventListener('click', toggle);
      head.prepend(fold);
    }
    return element('div', { class: 'track-head is-counter' }, head);
  }
}

/** The same buttons are in the same places, by other names: *Fold* is *Unfold* then. */
function replaceHead(old: HTMLElement, head: HTMLElement): void {
  const at = Array.from(old.querySelectorAll('button')).findIndex((one) => one === document.activeElement);
  old.replaceWith(head);
  head.querySelectorAll('button')[at]?.focus();
}

/** Not a tab stop: the chart is one, and has keys for the same. */
function iconButton(name: Parameters<typeof icon>[0], label: string, run: () => void): HTMLButtonElement {
  const button = element(
    'button',
    { class: 'icon-button', type: 'button', tabindex: -1, title: label, 'aria-label': label },
    icon(name),
  );
  button.addEventListener('click', (event) => {
    event.stopPropagation();
    run();
  });
  return button;
}
