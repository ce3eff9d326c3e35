/** All keys, from the table that runs them. */
import { element, icon } from '../element.js';
import { bindings, shownKey } from '../keys.js';
import type { KeyBinding } from '../keys.js';
import { text } from '../texts.js';
import type { TextKey } from '../texts.js';

/** Of tables, trees and the flame graph: each has them to itself while it has the keyboard, and they stay as they are. */
const viewKeys = [
  { keys: ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'], text: 'viewKey.rows' },
  { keys: ['ArrowRight', 'ArrowLeft'], text: 'viewKey.open' },
  { keys: ['Shift+ArrowLeft', 'Shift+ArrowRight'], text: 'viewKey.columns' },
  { keys: ['Enter', 'Mod+Enter'], text: 'viewKey.source' },
  { keys: [' '], text: 'viewKey.callers' },
  { keys: ['ContextMenu', 'Shift+F10'], text: 'viewKey.menu' },
  { keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], text: 'viewKey.frames' },
  { keys: ['f', ' '], text: 'viewKey.zoom' },
  { keys: ['0', 'Escape'], text: 'viewKey.whole' },
] as const;

function keyRow(binding: { readonly keys: readonly string[]; readonly text: TextKey }): HTMLElement {
  return element(
    'tr',
    {},
    element('td', {}, ...binding.keys.map((key) => element('kbd', {}, shownKey(key)))),
    element('td', {}, text(binding.text)),
  );
}

const caption = (key: TextKey): HTMLElement => element('caption', {}, text(key));

export class HelpDialog {
  readonly root: HTMLDialogElement;
  readonly #left = element('table', {});
  readonly #right = element('table', {});

  constructor() {
    const close = element(
      'button',
      { class: 'icon-button', type: 'button', 'aria-label': text('help.close') },
      icon('close'),
    );
    close.addEventListener('click', () => this.root.close());
    const mouse = (['pan', 'range', 'lens', 'zoom', 'scroll', 'click', 'beside', 'menu'] as const).map(
      (act) =>
        element(
          'tr',
          {},
          element('td', {}, text(`mouse.${act}.how`)),
          element('td', {}, text(`mouse.${act}`)),
        ),
    );
    this.root = element(
      'dialog',
      { class: 'help', 'aria-labelledby': 'help-title' },
      element('header', {}, element('h2', { id: 'help-title' }, text('help.title')), close),
      element(
        'div',
        { class: 'help-body', tabindex: 0, role: 'region', 'aria-label': text('help.title') },
        this.#left,
        this.#right,
        element(
          'table',
          { class: 'help-views' },
          caption('help.tables'),
          element('tbody', {}, ...viewKeys.map(keyRow)),
        ),
        element('table', { class: 'help-mouse' }, caption('help.mouse'), element('tbody', {}, ...mouse)),
      ),
    );
    this.root.addEventListener('click', (event) => {
      if (event.target === this.root) this.root.close();
    });
  }

  open(): void {
    if (this.root.open) return;
    this.#list();
    this.root.showModal();
  }

  #list(): void {
    const shown = bindings().filter(({ keys }) => keys.length > 0);
    const body = (keys: readonly KeyBinding[]): HTMLElement => element('tbody', {}, ...keys.map(keyRow));
    const [chart, everywhere] = [
      shown.filter(({ where }) => where !== undefined),
      shown.filter(({ where }) => where === undefined),
    ];
    this.#left.replaceChildren(caption('help.timeline'), body(chart));
    this.#right.replaceChildren(caption('help.everywhere'), body(everywhere));
  }
}
