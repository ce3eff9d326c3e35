/** All keys, from the table that runs them. */
import { element, icon } from '../element.js';
import { bindings } from '../keys.js';
import { text } from '../texts.js';
import type { TextKey } from '../texts.js';

const shownKeys: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Backspace: '⌫',
  ' ': 'Space',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
};

/** Of tables, trees and the flame graph: each has them to itself while it has the keyboard, and they stay as they are. */
const viewKeys = [
  { keys: ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'], text: 'viewKey.rows' },
  { keys: ['ArrowRight', 'ArrowLeft'], text: 'viewKey.open' },
  { keys: ['Enter', 'Mod+Enter'], text: 'viewKey.source' },
  { keys: [' '], text: 'viewKey.callers' },
  { keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], text: 'viewKey.frames' },
  { keys: ['f', ' '], text: 'viewKey.zoom' },
  { keys: ['0', 'Escape'], text: 'viewKey.whole' },
] as const;

function shownKey(key: string): string {
  const letter = key.replace(/^(Mod\+)?(Alt\+)?(Shift\+)?/, '');
  const shown = shownKeys[letter] ?? (letter.length === 1 ? letter.toUpperCase() : letter);
  const isShifted = key.includes('Shift+') || (letter.length === 1 && letter !== letter.toLowerCase());
  const mod = key.startsWith('Mod+') ? `${isMac() ? '⌘' : 'Ctrl'}+` : '';
  return `${mod}${key.includes('Alt+') ? 'Alt+' : ''}${isShifted ? 'Shift+' : ''}${shown}`;
}

function keyRow(binding: { readonly keys: readonly string[]; readonly text: TextKey }): HTMLElement {
  return element(
    'tr',
    {},
    element('td', {}, ...binding.keys.map((key) => element('kbd', {}, shownKey(key)))),
    element('td', {}, text(binding.text)),
  );
}

function isMac(): boolean {
  return navigator.userAgent.includes('Mac');
}

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
    const mouse = (['pan', 'range', 'lens', 'zoom', 'scroll', 'click', 'beside'] as const).map((act) =>
      element('tr', {}, element('td', {}, text(`mouse.${act}.how`)), element('td', {}, text(`mouse.${act}`))),
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
        element('table', { class: 'help-views' }, element('tbody', {}, ...viewKeys.map(keyRow))),
        element('table', { class: 'help-mouse' }, element('tbody', {}, ...mouse)),
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
    const rows = bindings()
      .filter(({ keys }) => keys.length > 0)
      .map(keyRow);
    const half = Math.ceil(rows.length / 2);
    this.#left.replaceChildren(element('tbody', {}, ...rows.slice(0, half)));
    this.#right.replaceChildren(element('tbody', {}, ...rows.slice(half)));
  }
}
