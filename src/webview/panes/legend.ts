/** What the colours of the chart stand for, and how much of everything each has: packages, or classes where there is one package. */
import { IntervalState } from '../../trace/model/trace.js';
import { element, replaceContent } from '../element.js';
import { formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import { libraryHue, nativeHue, plainText } from '../names.js';
import { text } from '../texts.js';
import { Latest } from '../views/latest.js';
import { shareOf, weightName } from '../weights.js';
import type { MethodFigures } from '../worker/messages.js';

const mostRows = 10;
/** After the last change of what it is of. */
export const legendRestMs = 250;

interface Entry {
  readonly label: string;
  readonly hue: number;
  readonly value: number;
  /** A search that finds what has this colour. */
  readonly search?: string;
}

export class Legend {
  readonly root = element('div', { tabindex: -1, class: 'legend' });
  readonly #context: ViewContext;
  readonly #latest = new Latest();
  /** What is shown, to know whether it would change. */
  #said = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  /** A pass over the whole recording: not while it is being put on the screen, nor for each step of a drag. */
  showSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.root.isConnected) this.#show();
    }, legendRestMs);
  }

  #show(): void {
    const { actions, model, store } = this.#context;
    // Whose a method is, its name tells: shown again when all are there.
    if (model.snapshot === undefined || model.snapshot.toCome !== undefined) return;
    this.#latest.take(
      actions.ask({ kind: 'methods', scope: model.scope(store.state), weight: store.state.weight }),
      (figures) => this.#fill(figures),
      () => undefined,
    );
  }

  #fill(figures: MethodFigures): void {
    const { matches, names, scheduling, snapshot } = this.#context.model;
    const hasSections = (scheduling?.sections.size ?? 0) > 0;
    const states = ['held-up', 'resting', 'waiting', 'gap', 'missedFrame'] as const;
    const threads = snapshot?.threads ?? [];
    const absent = {
      waiting: !threads.some(({ spans }) => spans.state.includes(IntervalState.InferredWait)),
      missedFrame: !threads.some(({ missedFrames }) => missedFrames.count > 0),
    };
    const shownStates = states.filter((state) => !(state in absent && absent[state as keyof typeof absent]));
    const { weight } = this.#context.store.state;
    const entries = this.#entries(figures);
    const sum = figures.sum[weight];
    // Made anew only if it differs: somebody may be walking through it.
    const said = JSON.stringify([
      weight,
      sum,
      entries,
      matches === undefined,
      shownStates,
      names.coloursBy,
      snapshot?.hasScheduling,
      hasSections,
    ]);
    if (said === this.#said) return;
    this.#said = said;
    replaceContent(
      this.root,
      this.root,
      element(
        'h3',
        {
          class: 'details-section',
          title: text('legend.hint', { weight: weightName(weight) }),
          hidden: entries.length === 0,
        },
        text(`legend.${names.coloursBy}`),
      ),
      element(
        'ul',
        { class: 'legend-rows' },
        ...(matches === undefined ? [] : [plainRow('found', text('legend.found'))]),
        ...entries.map((entry) => this.#row(entry, sum)),
      ),
      element('h3', { class: 'details-section' }, text('legend.states')),
      element(
        'ul',
        { class: 'legend-rows' },
        ...shownStates.map((state) =>
          plainRow(state, text(state === 'held-up' ? 'legend.heldUp' : `legend.${state}`)),
        ),
      ),
      ...(snapshot?.hasScheduling === true ? kernelStates(hasSections, snapshot.switchesAlone) : []),
    );
  }

  #entries(figures: MethodFigures): Entry[] {
    const { names } = this.#context.model;
    const self = figures.self[this.#context.store.state.weight];
    const own = new Map<string, number>();
    let library = 0;
    let native = 0;
    for (let row = 0; row < figures.count; row++) {
      const method = figures.method[row] ?? 0;
      const value = self[row] ?? 0;
      const hue = names.hue(method);
      if (hue === libraryHue) library += value;
      else if (hue === nativeHue) native += value;
      else own.set(names.group(method), (own.get(names.group(method)) ?? 0) + value);
    }
    const byClass = names.coloursBy === 'class';
    const entries = [...own].map(([group, value]): Entry => ({
      label: byClass
        ? group.slice(group.lastIndexOf('.') + 1)
        : group === ''
          ? text('legend.noPackage')
          : group,
      hue: names.hueOfGroup(group),
      value,
      search: `^${group.replace(/[.$]/g, '\\$&')}${byClass ? '[.$]' : '\\.[^.]*\\.'}`,
    }));
    entries.sort((one, other) => other.value - one.value);
    const rest = entries.splice(mostRows);
    if (library > 0) entries.push({ label: text('legend.library'), hue: libraryHue, value: library });
    if (native > 0) entries.push({ label: text('legend.native'), hue: nativeHue, value: native });
    if (rest.length > 0) {
      const value = rest.reduce((all, one) => all + one.value, 0);
      entries.push({ label: text('legend.more', { count: rest.length }), hue: -1, value });
    }
    return entries;
  }

  #row({ label, hue, value, search }: Entry, sum: number): HTMLElement {
    const swatch = element('span', { class: 'hue-dot' });
    if (hue >= 0) swatch.style.background = `var(--hue-${hue})`;
    else swatch.classList.add('is-none');
    const share = element('span', { class: 'legend-share' }, formatShare(shareOf(value, sum)));
    const name = element('span', { class: 'legend-name', title: plainText(label) }, plainText(label));
    if (search === undefined) return element('li', { class: 'legend-row' }, swatch, name, share);
    const button = element(
      'button',
      { class: 'legend-row', type: 'button', title: text('legend.find', { name: plainText(label) }) },
      swatch,
      name,
      share,
    );
    button.addEventListener('click', () =>
      this.#context.store.set({ search: { text: search, regex: true } }),
    );
    return element('li', {}, button);
  }
}

/** A colour that no share belongs to. */
function plainRow(kind: string, label: string): HTMLElement {
  return element(
    'li',
    { class: 'legend-row' },
    element('span', { class: `hue-dot is-${kind}` }),
    element('span', { class: 'legend-name' }, label),
  );
}

/** What the strips of the kernel's scheduler stand for, and the boxes between them and the calls. */
function kernelStates(hasSections: boolean, isOfProgram: boolean): HTMLElement[] {
  const states = ['running', 'waitsForCore', 'waitsForDevice', 'sleeping', 'otherProgram'] as const;
  const ofMachine = hasSections ? ([...states, 'section'] as const) : states;
  const rows = isOfProgram
    ? [
        plainRow('running', text('legend.running')),
        plainRow('waitsForCore', text('legend.waitsForCore')),
        plainRow('sleeping', text('legend.sleepingAlone')),
      ]
    : ofMachine.map((state) => plainRow(state, text(`legend.${state}`)));
  return [
    element('h3', { class: 'details-section' }, text('legend.kernel')),
    element('ul', { class: 'legend-rows' }, ...rows),
  ];
}
