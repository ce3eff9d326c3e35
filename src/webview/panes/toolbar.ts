/** The way back, tabs, search, weight, only my code, help. */
import { pageViews } from '../../protocol/messages.js';
import type { PageView } from '../../protocol/messages.js';
import { afterPaint, element, icon, control } from '../element.js';
import type { IconName } from '../element.js';
import type { ViewContext } from '../model.js';
import type { ViewState } from '../store.js';
import type { ViewHistory } from '../view-history.js';
import { text } from '../texts.js';
import type { ValueControl } from '../toolkit.js';
import { knownWeights, weightName } from '../weights.js';
import { weights } from '../../trace/measure/weights.js';

export interface ToolbarActions {
  run(command: 'back' | 'forward'): void;
  nextMatch(step: 1 | -1): void;
  showHelp(): void;
  exportHtml(): void;
}

export class Toolbar {
  readonly root: HTMLElement;
  readonly #context: ViewContext;
  readonly #history: ViewHistory;
  readonly #back: HTMLElement;
  readonly #forward: HTMLElement;
  readonly #tabs = new Map<PageView, HTMLElement>();
  readonly #search: ValueControl;
  readonly #found = element('span', { class: 'search-found', 'aria-live': 'polite' });
  readonly #regex: HTMLElement;
  readonly #weight: ValueControl;
  readonly #mine: HTMLElement;
  #weightsShown = '';

  constructor(context: ViewContext, history: ViewHistory, actions: ToolbarActions, canExport: boolean) {
    this.#context = context;
    this.#history = history;
    const { store } = context;
    this.#back = toolButton('arrowLeft', text('history.back'), () => actions.run('back'));
    this.#forward = toolButton('arrowRight', text('history.forward'), () => actions.run('forward'));
    const tabs = element('div', { class: 'tabs', role: 'tablist', 'aria-label': text('view.tabs') });
    pageViews.forEach((name, at) => {
      const tab = element(
        'button',
        {
          class: 'tab',
          role: 'tab',
          type: 'button',
          id: `tab-${name}`,
          'aria-controls': `view-${name}`,
          title: `${text(`view.${name}`)} (${at + 1})`,
        },
        text(`view.${name}`),
      );
      tab.addEventListener('click', () => store.set({ view: name }));
      this.#tabs.set(name, tab);
      tabs.append(tab);
    });
    tabs.addEventListener('keydown', (event) => this.#walkTabs(event));

    this.#search = control('vscode-text-field', {
      class: 'search-field',
      placeholder: text('search.placeholder'),
      'aria-label': text('search.label'),
    }) as ValueControl;
    this.#search.addEventListener('input', () =>
      store.set({ search: { ...store.state.search, text: this.#search.value } }),
    );
    this.#search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') actions.nextMatch(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape') {
        store.set({ search: { ...store.state.search, text: '' } });
        this.#search.blur();
        context.actions.focusView();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.#regex = toolButton('regex', text('search.regex'), () =>
      store.set({ search: { ...store.state.search, regex: !store.state.search.regex } }),
    );
    this.#weight = control('vscode-dropdown', {
      class: 'weight',
      'aria-label': text('weight.label'),
    }) as ValueControl;
    this.#weight.addEventListener('change', () => {
      const chosen = weights.find((weight) => weight === this.#weight.value);
      if (chosen !== undefined) store.set({ weight: chosen });
    });
    this.#mine = toolButton(
      'mine',
      text('mine.label'),
      () => store.set({ onlyMine: !store.state.onlyMine }),
      'only-mine',
    );
    this.#mine.title = text('mine.hint');
    this.#mine.append(element('span', { class: 'only-mine-words' }, text('mine.label')));

    this.root = element(
      'header',
      { class: 'toolbar' },
      element(
        'div',
        { class: 'ways', role: 'group', 'aria-label': text('history.label') },
        this.#back,
        this.#forward,
      ),
      tabs,
      element('span', { class: 'toolbar-space' }),
      element(
        'search',
        { class: 'search' },
        this.#search,
        this.#regex,
        this.#found,
        toolButton('chevronUp', text('search.previous'), () => actions.nextMatch(-1), 'search-step'),
        toolButton('chevronDown', text('search.next'), () => actions.nextMatch(1), 'search-step'),
      ),
      this.#weight,
      this.#mine,
      canExport ? toolButton('export', text('export.html'), () => actions.exportHtml()) : undefined,
      toolButton('panel', text('details.toggle'), () => store.set({ detailsOpen: !store.state.detailsOpen })),
      toolButton('help', text('help.open'), () => actions.showHelp()),
    );
    this.show(store.state);
    store.onChange((state) => this.show(state));
    // The kit takes longer for a list than the chart for a frame.
    context.model.onChange(() => afterPaint(() => this.#fillWeights()));
    context.model.onChange(() => this.#nameMessages());
    context.model.onBaseline(() => this.show(store.state));
    context.model.onChange(() => this.#showWays());
  }

  focusSearch(): void {
    this.#search.focus();
    this.#search.shadowRoot?.querySelector('input')?.select();
  }

  /** "12 methods · 34 %", or why there are none. */
  showFound(found: string, isBad: boolean): void {
    this.#found.textContent = found;
    this.#found.classList.toggle('is-bad', isBad);
  }

  show(state: ViewState): void {
    for (const [name, tab] of this.#tabs) {
      const isActive = name === state.view;
      tab.setAttribute('aria-selected', String(isActive));
      tab.tabIndex = isActive ? 0 : -1;
      tab.hidden = !isActive && !this.#isOffered(name);
    }
    if (this.#search.value !== state.search.text) this.#search.value = state.search.text;
    this.#regex.setAttribute('aria-pressed', String(state.search.regex));
    this.#mine.setAttribute('aria-pressed', String(state.onlyMine));
    this.#fillWeights();
    this.#showWays();
  }

  /** There is room for what is of use. Keys and commands lead to all views. */
  #isOffered(name: PageView): boolean {
    return name !== 'compare' || this.#context.model.baseline !== undefined;
  }

  #showWays(): void {
    this.#back.toggleAttribute('disabled', !this.#history.canGoBack);
    this.#forward.toggleAttribute('disabled', !this.#history.canGoForward);
  }

  /** What a recording has of the two. */
  #nameMessages(): void {
    const name = text(this.#context.model.hasVirtualThreads ? 'view.virtualThreads' : 'view.messages');
    const tab = this.#tabs.get('messages');
    if (tab === undefined || tab.textContent === name) return;
    tab.textContent = name;
    tab.title = `${name} (${pageViews.indexOf('messages') + 1})`;
  }

  #fillWeights(): void {
    const { store, model } = this.#context;
    const known = knownWeights(model.snapshot);
    const key = known.join();
    if (key !== this.#weightsShown) {
      this.#weightsShown = key;
      this.#weight.replaceChildren(
        ...known.map((weight) => control('vscode-option', { value: weight }, weightName(weight))),
      );
    }
    // The kit upgrades options a moment later; until then it would drop the value.
    requestAnimationFrame(() => {
      if (this.#weight.value !== store.state.weight) this.#weight.value = store.state.weight;
    });
  }

  #walkTabs(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const { store } = this.#context;
    const shown = pageViews.filter((name) => this.#tabs.get(name)?.hidden === false);
    const at = shown.indexOf(store.state.view);
    const next = shown[(at + step + shown.length) % shown.length];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    store.set({ view: next });
    this.#tabs.get(next)?.focus();
  }
}

function toolButton(name: IconName, label: string, run: () => void, style = ''): HTMLElement {
  const button = control(
    'vscode-button',
    { class: style, appearance: 'icon', title: label, 'aria-label': label },
    icon(name),
  );
  button.addEventListener('click', run);
  return button;
}
