/** The way back, tabs, search, weight, my code, help. */
import type { PageView } from '../../protocol/messages.js';
import { afterPaint, element, icon, control } from '../element.js';
import type { IconName } from '../element.js';
import type { ViewContext } from '../model.js';
import type { ViewState } from '../store.js';
import { plainText } from '../names.js';
import type { ViewHistory } from '../view-history.js';
import { text } from '../texts.js';
import type { ValueControl } from '../toolkit.js';
import { titleKeyOf } from '../views/about.js';
import { views } from '../views/registry.js';
import { knownWeights, weightName } from '../weights.js';
import { allWeights } from '../../trace/measure/weights.js';

export interface ToolbarActions {
  run(command: 'back' | 'forward'): void;
  nextMatch(step: 1 | -1): void;
  showHelp(): void;
  exportHtml(): void;
}

/** Before the name of a counter of the program, where it stands for a weight. */
const ofCounter = 'counter ';
/** More are in the timeline. */
const mostCounters = 20;

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
  readonly #myCode: HTMLElement;
  #weightsShown = '';

  constructor(context: ViewContext, history: ViewHistory, actions: ToolbarActions, canExport: boolean) {
    this.#context = context;
    this.#history = history;
    const { store } = context;
    this.#back = toolButton('arrowLeft', text('history.back'), () => actions.run('back'));
    this.#forward = toolButton('arrowRight', text('history.forward'), () => actions.run('forward'));
    const tabs = element('div', { class: 'tabs', role: 'tablist', 'aria-label': text('view.tabs') });
    for (const { id } of views) {
      const tab = element('button', {
        class: 'tab',
        role: 'tab',
        type: 'button',
        id: `tab-${id}`,
        'aria-controls': `view-${id}`,
      });
      tab.addEventListener('click', () => store.set({ view: id }));
      this.#tabs.set(id, tab);
      tabs.append(tab);
    }
    this.#nameTabs();
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
      const { value } = this.#weight;
      const chosen = allWeights.find((weight) => weight === value);
      if (chosen !== undefined) store.set({ weight: chosen });
      else if (value.startsWith(ofCounter))
        store.set({ weight: 'counted', counter: value.slice(ofCounter.length) });
    });
    this.#myCode = toolButton(
      'person',
      text('myCode.label'),
      () => store.set({ myCode: !store.state.myCode }),
      'my-code',
    );
    this.#myCode.title = text('myCode.hint');
    this.#myCode.append(element('span', { class: 'my-code-words' }, text('myCode.label')));

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
      this.#myCode,
      canExport ? toolButton('export', text('export.html'), () => actions.exportHtml()) : undefined,
      toolButton('panel', text('details.toggle'), () => store.set({ detailsOpen: !store.state.detailsOpen })),
      toolButton('help', text('help.open'), () => actions.showHelp()),
    );
    this.show(store.state);
    store.onChange((state) => this.show(state));
    // The kit takes longer for a list than the chart for a frame.
    context.model.onChange(() => afterPaint(() => this.#fillWeights()));
    context.model.onChange(() => {
      this.#nameTabs();
      this.#offerTabs();
    });
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
    for (const { id } of views) {
      const tab = this.#tabs.get(id);
      const isActive = id === state.view;
      tab?.setAttribute('aria-selected', String(isActive));
      if (tab !== undefined) tab.tabIndex = isActive ? 0 : -1;
    }
    this.#offerTabs();
    if (this.#search.value !== state.search.text) this.#search.value = state.search.text;
    this.#regex.setAttribute('aria-pressed', String(state.search.regex));
    this.#myCode.setAttribute('aria-pressed', String(state.myCode));
    this.#fillWeights();
    this.#showWays();
  }

  /** A tab that can have no content is not there, unless its view is. */
  #offerTabs(): void {
    const { model, store } = this.#context;
    for (const { id, isOffered } of views) {
      const tab = this.#tabs.get(id);
      if (tab !== undefined) tab.hidden = id !== store.state.view && isOffered?.(model) === false;
    }
  }

  #showWays(): void {
    this.#back.toggleAttribute('disabled', !this.#history.canGoBack);
    this.#forward.toggleAttribute('disabled', !this.#history.canGoForward);
  }

  #nameTabs(): void {
    for (const view of views) {
      const title = text(titleKeyOf(view, this.#context.model));
      const tab = this.#tabs.get(view.id);
      if (tab === undefined || tab.textContent === title) continue;
      tab.textContent = title;
      tab.title = `${title} (${view.key})`;
    }
  }

  #fillWeights(): void {
    const { store, model } = this.#context;
    const known = knownWeights(model.snapshot);
    const counters = model.snapshot?.counters.filter(({ isOwn }) => isOwn).slice(0, mostCounters) ?? [];
    const options = [
      ...known.map((weight): [string, string] => [weight, weightName(weight)]),
      ...counters.map(({ name }): [string, string] => [
        ofCounter + name,
        text('weight.counter', { counter: plainText(name, 40) }),
      ]),
    ];
    const key = JSON.stringify(options);
    if (key !== this.#weightsShown) {
      this.#weightsShown = key;
      this.#weight.replaceChildren(
        ...options.map(([value, label]) => control('vscode-option', { value }, label)),
      );
    }
    // The kit upgrades options a moment later; until then it would drop the value.
    requestAnimationFrame(() => {
      const { weight, counter } = store.state;
      const value = weight === 'counted' ? ofCounter + counter : weight;
      if (this.#weight.value !== value) this.#weight.value = value;
    });
  }

  #walkTabs(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const { store } = this.#context;
    const shown = views.map(({ id }) => id).filter((id) => this.#tabs.get(id)?.hidden === false);
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
