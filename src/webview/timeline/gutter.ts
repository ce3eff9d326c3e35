/** The threads' names beside their tracks. Only tracks on screen have elements, however many threads there are. */
import { element, icon } from '../element.js';
import { formatNs } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import { plainText, shownThreadName } from '../names.js';
import { text } from '../texts.js';
import {
  toggleCores,
  toggleCounters,
  toggleCollapsed,
  toggleHidden,
  togglePinned,
} from './thread-actions.js';
import type { CorePlace, CounterPlace, ThreadPlace, TrackPlace } from './track-layout.js';

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
      const id =
        place.kind === 'thread'
          ? `t${place.thread.index}`
          : place.kind === 'core'
            ? `core${place.core?.core ?? 's'}`
            : `c${place.counter.name}`;
      const key =
        place.kind === 'thread'
          ? `${place.isCollapsed} ${place.isPinned} ${place.thread.cpuNs} ${place.thread.name} ${this.#context.store.state.soloThread === place.thread.index}`
          : String(place.isCollapsed);
      stale.delete(id);
      let shown = this.#shown.get(id);
      if (shown?.key !== key) {
        const node = this.#head(place);
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

  #head(place: TrackPlace): HTMLElement {
    if (place.kind === 'thread') return this.#threadHead(place);
    return place.kind === 'core' ? this.#coreHead(place) : this.#counterHead(place);
  }

  /** Of all cores, or of one of them below. */
  #coreHead({ core, cores, isCollapsed }: CorePlace): HTMLElement {
    const words =
      core === undefined
        ? text('cores.all', { count: cores.length })
        : text('cores.one', { core: core.core });
    const label = element('span', { class: 'counter-name' }, words);
    const head = element('div', { class: `thread-head${core === undefined ? '' : ' is-core'}` }, label);
    if (core === undefined) {
      const toggle = (): void => toggleCores(this.#context.store);
      const name = isCollapsed ? 'chevronRight' : 'chevronDown';
      const collapse = iconButton(name, text(isCollapsed ? 'cores.expand' : 'cores.collapse'), toggle);
      collapse.setAttribute('aria-expanded', String(!isCollapsed));
      label.addEventListener('click', toggle);
      head.prepend(collapse);
    }
    return element('div', { class: 'track-head is-counter' }, head);
  }

  #threadHead(place: ThreadPlace): HTMLElement {
    const { thread, isCollapsed, isPinned } = place;
    const name = shownThreadName(thread);
    const { store } = this.#context;
    const collapse = iconButton(
      isCollapsed ? 'chevronRight' : 'chevronDown',
      text(isCollapsed ? 'thread.expand' : 'thread.collapse', { name }),
      () => toggleCollapsed(store, place),
    );
    collapse.setAttribute('aria-expanded', String(!isCollapsed));
    const pin = iconButton('pin', text(isPinned ? 'thread.unpin' : 'thread.pin', { name }), () =>
      togglePinned(store, thread.index),
    );
    pin.setAttribute('aria-pressed', String(isPinned));
    const hide = iconButton('hide', text('thread.hide', { name }), () => toggleHidden(store, thread.index));
    const isSolo = store.state.soloThread === thread.index;
    const label = element('span', { class: 'thread-name', title: `${name} (${thread.tid})` }, name);
    label.addEventListener('click', () => toggleCollapsed(store, place));
    return element(
      'div',
      { class: 'track-head' },
      element(
        'div',
        {
          class: `thread-head${thread.isMain ? ' is-main' : ''}${isPinned ? ' is-pinned' : ''}${isSolo ? ' is-solo' : ''}`,
        },
        collapse,
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

  #counterHead({ counter, isCollapsed }: CounterPlace): HTMLElement {
    const label = element('span', { class: 'counter-name' }, plainText(counter.name));
    const head = element(
      'div',
      { class: `thread-head${isCollapsed === undefined ? ' is-alone' : ''}` },
      label,
    );
    if (isCollapsed !== undefined) {
      const toggle = () => toggleCounters(this.#context.store);
      const collapse = iconButton(
        isCollapsed ? 'chevronRight' : 'chevronDown',
        text(isCollapsed ? 'counters.expand' : 'counters.collapse'),
        toggle,
      );
      collapse.setAttribute('aria-expanded', String(!isCollapsed));
      label.addEventListener('click', toggle);
      head.prepend(collapse);
    }
    return element('div', { class: 'track-head is-counter' }, head);
  }
}

/** The same buttons are in the same places, by other names: *Collapse* is *Expand* then. */
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
