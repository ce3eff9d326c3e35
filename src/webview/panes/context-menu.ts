/** The menu of a call, a frame or a row: by right click, and by the menu key on what is selected. */
import type { PageView } from '../../protocol/messages.js';
import { element } from '../element.js';
import { bindings, shownKey } from '../keys.js';
import type { CommandId } from '../keys.js';
import type { ViewContext } from '../model.js';
import type { MenuRequest } from '../menu-request.js';
import { text } from '../texts.js';
import { toggleHidden } from '../timeline/thread-actions.js';

export interface MenuActions {
  showIn(view: PageView, method: number): void;
  searchFor(method: number): void;
}

interface Item {
  readonly label: string;
  /** Whose key does the same. */
  readonly command?: CommandId;
  readonly run: () => void;
}

/** Between them stands a line. */
type Group = readonly (Item | undefined)[];

const linkedViews = ['timeline', 'flameGraph', 'callers', 'methods'] as const;

export class ContextMenu {
  readonly root = element('div', { class: 'context-menu', role: 'menu', 'aria-label': text('menu.label') });
  readonly #context: ViewContext;
  readonly #actions: MenuActions;
  /** Gets the keyboard back. */
  #from: HTMLElement | undefined;

  constructor(context: ViewContext, actions: MenuActions) {
    this.#context = context;
    this.#actions = actions;
    this.root.hidden = true;
    this.root.addEventListener('keydown', (event) => this.#key(event));
    // The menu key's own event may come after its keydown opened this.
    this.root.addEventListener('contextmenu', (event) => event.preventDefault());
    this.root.addEventListener('focusout', (event) => {
      if (!(event.relatedTarget instanceof Node && this.root.contains(event.relatedTarget)))
        this.#close(false);
    });
    addEventListener('pointerdown', (event) => {
      if (!this.root.hidden && !event.composedPath().includes(this.root)) this.#close(true);
    });
    // The menu itself scrolls where it is taller than the window.
    const onWheel = (event: Event): void => {
      if (!event.composedPath().includes(this.root)) this.#close(true);
    };
    addEventListener('wheel', onWheel, { passive: true });
    addEventListener('resize', () => this.#close(true));
    addEventListener('blur', () => this.#close(false));
  }

  open(request: MenuRequest): void {
    const groups = this.#groups(request)
      .map((group) => group.filter((item) => item !== undefined))
      .filter((group) => group.length > 0);
    if (groups.length === 0) return;
    const focused = document.activeElement;
    if (this.root.hidden) this.#from = focused instanceof HTMLElement ? focused : undefined;
    this.root.replaceChildren(
      ...groups.flatMap((group, at) => [
        ...(at > 0 ? [element('div', { class: 'menu-line', role: 'separator' })] : []),
        ...group.map((item) => this.#button(item)),
      ]),
    );
    this.root.hidden = false;
    const { width, height } = this.root.getBoundingClientRect();
    this.root.style.left = `${Math.max(0, Math.min(request.x, innerWidth - width))}px`;
    this.root.style.top = `${Math.max(0, Math.min(request.y, innerHeight - height))}px`;
    this.#buttons()[0]?.focus();
  }

  #groups(request: MenuRequest): Group[] {
    const { store, actions, model } = this.#context;
    const { method, stack, thread, zoom } = request;
    const { myCode, soloThread, view } = store.state;
    const zoomItem = zoom && { label: text('details.zoom'), command: 'focus' as const, run: zoom };
    const hidden =
      thread === undefined
        ? []
        : [
            {
              label: text('menu.hideThread'),
              command: 'hide' as const,
              run: () => toggleHidden(store, thread),
            },
            {
              label: text(soloThread === thread ? 'menu.allThreads' : 'menu.onlyThread'),
              command: 'solo' as const,
              run: () => store.set({ soloThread: soloThread === thread ? undefined : thread }),
            },
          ];
    if (method === undefined || method < 0) return [[zoomItem], hidden];
    const { names } = model;
    const source = {
      label: text('details.source'),
      command: 'openSource' as const,
      run: () => actions.openSource(method, 'go'),
    };
    const libraries = {
      label: text(myCode ? 'menu.showLibraries' : 'menu.hideLibraries'),
      run: () => store.set({ myCode: !myCode }),
    };
    return [
      [actions.canOpenSource ? source : undefined, zoomItem],
      [
        ...linkedViews
          .filter((one) => one !== view)
          .map((one) => ({
            label: text('menu.showIn', { view: text(`view.${one}`) }),
            run: () => this.#actions.showIn(one, method),
          })),
        { label: text('menu.search'), run: () => this.#actions.searchFor(method) },
      ],
      [myCode || !names.isMyCode(method) ? libraries : undefined, ...hidden],
      [
        {
          label: text('details.copy'),
          command: 'copyName',
          run: () => actions.copy(names.qualified(method)),
        },
        stack && {
          label: text('menu.copyStack'),
          run: () => actions.copy(stack.map((one) => names.qualified(one)).join('\n')),
        },
      ],
    ];
  }

  #button({ label, command, run }: Item): HTMLElement {
    const key = bindings().find((binding) => binding.command === command)?.keys[0];
    const button = element(
      'button',
      { class: 'menu-item', role: 'menuitem', type: 'button', tabindex: -1 },
      element('span', {}, label),
      key === undefined
        ? undefined
        : element('span', { class: 'menu-key', 'aria-hidden': 'true' }, shownKey(key)),
    );
    button.addEventListener('click', () => {
      this.#close(true);
      run();
    });
    button.addEventListener('pointermove', () => button.focus());
    return button;
  }

  #buttons(): HTMLElement[] {
    return Array.from(this.root.querySelectorAll<HTMLElement>('.menu-item'));
  }

  #key(event: KeyboardEvent): void {
    const buttons = this.#buttons();
    const at = buttons.findIndex((button) => button === document.activeElement);
    const places: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: -1,
    };
    const to = places[event.key];
    const starts = (button: HTMLElement): boolean =>
      event.key.length === 1 && button.textContent.toLowerCase().startsWith(event.key.toLowerCase());
    if (to !== undefined) buttons.at(to % buttons.length)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') this.#close(true);
    else if (event.key !== 'Enter' && event.key !== ' ')
      [...buttons.slice(at + 1), ...buttons].find(starts)?.focus();
    if (event.key !== 'Enter' && event.key !== ' ') event.preventDefault();
    event.stopPropagation();
  }

  #close(giveBack: boolean): void {
    if (this.root.hidden) return;
    const from = this.#from;
    this.#from = undefined;
    this.root.hidden = true;
    if (giveBack) from?.focus({ preventScroll: true });
  }
}
