/**
 * How far to trust what is below, in one line that is always there: what changes a conclusion. How it was sampled, what it
 * cost and what is an estimate is a click away. And what the figures are about just now.
 */
import { captureTimes } from '../../trace/measure/capture-times.js';
import { recordingCost } from '../../trace/measure/recording-cost.js';
import { unsampledCpu } from '../../trace/measure/unsampled-cpu.js';
import { failedHooks, gapShare, lostOf, samplingOf } from '../../trace/measure/trust.js';
import { SourceKind } from '../../trace/model/kinds.js';
import type { TraceStatus } from '../../trace/model/trace.js';
import { element, icon, replaceContent } from '../element.js';
import { formatCount, formatLength, formatNs, formatShare } from '../../trace/measure/quantities.js';
import type { Model, ViewContext } from '../model.js';
import { plainText, shownThreadName } from '../names.js';
import { text, type TextKey } from '../texts.js';
import { threadsInSight } from '../thread-order.js';
import type { Snapshot } from '../worker/messages.js';

interface Fact {
  readonly text: string;
  readonly hint?: string;
  readonly isWarning?: boolean;
  /** Seen though it puts nothing in doubt. */
  readonly isAlways?: boolean;
}

export class TrustLine {
  readonly root = element('div', { class: 'trust-line' });
  readonly #facts = element('div', { class: 'facts', role: 'note', 'aria-label': text('trust.label') });
  readonly #more = element('button', { class: 'link-button facts-more', type: 'button' });
  readonly #chips = element('div', { class: 'chips' });
  readonly #context: ViewContext;
  /** Where keys go when what they were on is no more. */
  readonly #view: { focus(): void };

  constructor(context: ViewContext) {
    this.#context = context;
    this.#view = { focus: () => context.actions.focusView() };
    this.#more.addEventListener('click', () =>
      context.store.set({ factsOpen: !context.store.state.factsOpen }),
    );
    this.root.append(this.#facts, this.#more, this.#chips);
    context.model.onChange(() => this.#show());
    context.store.onChange((_state, changed) => {
      const told = ['range', 'hidden', 'threadFilter', 'soloThread', 'idleShown'] as const;
      if (told.some((key) => changed.has(key))) this.#showChips();
      if (changed.has('factsOpen')) this.#collapse();
    });
  }

  #show(): void {
    const { model, store } = this.#context;
    const { snapshot } = model;
    const facts = [
      this.#part(),
      ...(snapshot === undefined
        ? []
        : [
            ...trustFacts(snapshot),
            ...buildOfNames(model),
            ...newerRetraceMapping(model),
            ...sources(model.changedSources),
          ]
      ).map((fact) =>
        element(
          'span',
          { class: `fact${styleOf(fact)}`, title: fact.hint },
          fact.isWarning === true ? icon('warning') : undefined,
          fact.text,
        ),
      ),
      namesFact(model, () => store.set({ namesAsRecorded: !store.state.namesAsRecorded })),
    ].filter((fact) => fact !== undefined);
    const isDoubtful = facts.some((fact) => fact.matches('.is-warning'));
    const fine = element('span', { class: 'fact is-fine' }, text('trust.fine'));
    const shown = snapshot === undefined || isDoubtful ? facts : [fine, ...facts];
    replaceContent(this.#facts, this.#view, ...shown);
    this.#more.hidden = snapshot === undefined;
    this.#collapse();
    this.#showChips();
  }

  /** What changes no conclusion is there for whom asks how the recording was made. */
  #collapse(): void {
    const { factsOpen } = this.#context.store.state;
    this.#facts.classList.toggle('is-collapsed', !factsOpen);
    this.#more.textContent = text(factsOpen ? 'trust.less' : 'trust.more');
    this.#more.setAttribute('aria-expanded', String(factsOpen));
  }

  /** Which part of a file that is too large is shown, and the ways to the others. */
  #part(): HTMLElement | undefined {
    const { model, store, actions } = this.#context;
    const { snapshot } = model;
    const part = snapshot?.part;
    if (snapshot === undefined || part === undefined) return undefined;
    const fact = (said: string, ...ways: readonly (HTMLElement | undefined)[]): HTMLElement =>
      element(
        'span',
        { class: 'fact is-warning', title: text('trust.part.hint') },
        icon('warning'),
        said,
        ...ways,
      );
    if ('fileShare' in part) return fact(text('trust.part.file', { share: formatShare(part.fileShare) }));
    const { next, recordingEndNs } = part;
    const { parts } = store.state;
    const go = (label: string, where: readonly number[]): HTMLElement => {
      const button = element('button', { class: 'link-button', type: 'button' }, label);
      button.addEventListener('click', () => actions.showPart(where));
      return button;
    };
    return fact(
      text(parts.length === 0 ? 'trust.part.first' : 'trust.part', {
        begin: formatLength(snapshot.beginNs),
        end: formatLength(snapshot.endNs),
        length: formatLength(recordingEndNs),
      }),
      parts.length > 0 ? go(text('trust.part.before'), parts.slice(0, -1)) : undefined,
      next === undefined ? undefined : go(text('trust.part.next'), [...parts, next]),
    );
  }

  #showChips(): void {
    const { store, model } = this.#context;
    const { range, hidden, threadFilter, soloThread } = store.state;
    const chips: HTMLElement[] = [];
    if (range !== undefined) {
      chips.push(
        chip(text('scope.range', { length: formatLength(range.endNs - range.beginNs) }), () =>
          store.set({ range: undefined }),
        ),
      );
    }
    const solo = soloThread === undefined ? undefined : model.thread(soloThread);
    if (solo !== undefined) {
      chips.push(
        chip(text('scope.thread', { name: shownThreadName(solo) }), () =>
          store.set({ soloThread: undefined }),
        ),
      );
    }
    const idle = store.state.idleShown ? 0 : model.threads.filter(({ isIdle }) => isIdle).length;
    if (idle > 0) {
      chips.push(chip(text('scope.idle', { count: idle }), () => store.set({ idleShown: true })));
    }
    if (hidden.length > 0) {
      chips.push(chip(text('scope.hidden', { count: hidden.length }), () => store.set({ hidden: [] })));
    }
    if (threadFilter.trim() !== '') {
      const all = model.threads.filter(({ index }) => !hidden.includes(index));
      const said = {
        count: threadsInSight(model.threads, store.state).length,
        all: all.length,
        words: plainText(threadFilter.trim(), 40),
      };
      chips.push(chip(text('scope.filter', said), () => store.set({ threadFilter: '' })));
    }
    replaceContent(this.#chips, this.#view, ...chips);
  }
}

function styleOf({ isWarning = false, isAlways = false }: Fact): string {
  if (isWarning) return ' is-warning';
  return isAlways ? '' : ' is-quiet';
}

function chip(label: string, remove: () => void): HTMLElement {
  const hint = text('scope.remove', { what: label });
  const button = element(
    'button',
    { class: 'chip', type: 'button', title: hint, 'aria-label': hint },
    label,
    icon('close'),
  );
  button.addEventListener('click', remove);
  return button;
}

export function trustFacts(snapshot: Snapshot): Fact[] {
  const { info, status } = snapshot;
  const facts: Fact[] = [];
  for (const { what, isLoud } of snapshot.problems)
    if (isLoud === true) facts.push({ text: plainText(what), isWarning: true });
  if (snapshot.live) facts.push({ text: text('trust.live'), isAlways: true });
  facts.push(...sampling(snapshot));
  // What whoever made the trace, or read it, has to say of its times.
  if (info.modeReason !== '') facts.push({ text: plainText(info.modeReason) });
  facts.push(...overhead(snapshot));
  const { total } = lostOf(snapshot.losses, status);
  // Other formats rarely record losses, so "nothing lost" is said only of our own.
  if (total > 0) facts.push({ text: text('trust.lost', { count: formatCount(total) }), isWarning: true });
  else if (info.format === 'btrace') facts.push({ text: text('trust.nothingLost') });
  facts.push(...scheduling(snapshot));
  facts.push(...gaps(snapshot));
  facts.push(...unsampled(snapshot));
  if (info.hasAllocations && info.allocationsEstimated) {
    facts.push({ text: text('trust.estimated'), hint: text('trust.estimated.hint') });
  }
  facts.push(...hooks(snapshot));
  if (snapshot.problems.length > 0) {
    facts.push({
      text: text('trust.problems', { count: snapshot.problems.length }),
      hint: snapshot.problems
        .slice(0, 12)
        .map(({ offset, what }) => `${offset === undefined ? '' : `${offset}: `}${plainText(what)}`)
        .join('\n'),
      isWarning: true,
    });
  }
  if (!snapshot.live && !snapshot.complete) facts.push({ text: text('trust.cut'), isWarning: true });
  return facts;
}

/** Whether names are as written or as recorded, and by which mapping: pressing it changes that. */
function namesFact({ snapshot, mapping }: Model, change: () => void): HTMLElement | undefined {
  const isRetraced = snapshot?.isRetraced;
  if (isRetraced === undefined) return undefined;
  const file = plainText(mapping.file);
  const button = element(
    'button',
    {
      class: 'link-button names-switch',
      type: 'button',
      'aria-pressed': String(isRetraced),
      title: text(isRetraced ? 'trust.retraced.hint' : 'trust.recorded.hint', { file }),
    },
    isRetraced
      ? text('trust.retraced', { file: file.slice(file.lastIndexOf('/') + 1) })
      : text('trust.recorded'),
  );
  button.addEventListener('click', change);
  return element('span', { class: 'fact' }, button);
}

/** The recording tells which build it is of: that its mapping is not there, or that another one was chosen. */
function buildOfNames({ snapshot, mapping }: Model): Fact[] {
  const id = plainText(snapshot?.mapId ?? '', 12);
  if (id === '') return [];
  const file = plainText(mapping.file);
  if (mapping.isOther === true)
    return [
      { text: text('trust.otherBuild'), hint: text('trust.otherBuild.hint', { file, id }), isWarning: true },
    ];
  if (snapshot?.isRetraced !== undefined) return [];
  return [{ text: text('trust.minified'), hint: text('trust.minified.hint', { id }), isWarning: true }];
}

function newerRetraceMapping({ snapshot, mapping }: Model): Fact[] {
  const version = plainText(snapshot?.newerMapping ?? '', 12);
  if (version === '') return [];
  const hint = text('trust.newerMapping.hint', { file: plainText(mapping.file), version });
  return [{ text: text('trust.newerMapping'), hint, isWarning: true }];
}

/** Lines of a source that was written after the recording began may be other lines. */
function sources(changed: readonly string[]): Fact[] {
  if (changed.length === 0) return [];
  const said = changed.length === 1 ? text('trust.source') : text('trust.sources', { count: changed.length });
  const names = changed.slice(0, 12).map((file) => plainText(file));
  return [{ text: said, hint: [text('trust.sources.hint'), ...names].join('\n'), isWarning: true }];
}

function overhead({ info, status, threads, part, live }: Snapshot): Fact[] {
  // What it cost is known of all of the recording only.
  const waitNs = part !== undefined ? 0 : threads.reduce((sum, thread) => sum + thread.waitNs, 0);
  const cost = status === undefined ? undefined : recordingCost(status, waitNs);
  if (status === undefined || cost === undefined) {
    if (live || info.format !== 'btrace') return [];
    return [{ text: text('trust.overhead.unknown'), hint: text('trust.overhead.unknown.hint') }];
  }
  const said = text('trust.overhead', { share: formatShare(cost.ofCpu) });
  const ofTime = text('trust.overhead.ofTime', { share: formatShare(cost.ofWorkAndWaits) });
  return [
    {
      text: waitNs > 0 ? text('joined.parts', { one: said, other: ofTime }) : said,
      hint: [
        text('trust.overhead.hint', {
          capture: formatNs(status.captureNs),
          drain: formatNs(status.drainNs),
        }),
        ...captureHint(status),
      ].join('\n'),
      isWarning: cost.isLoud,
    },
    ...stops(status),
  ];
}

/** As the recording began and ended. */
function stops({ stoppedNs }: TraceStatus): Fact[] {
  if (stoppedNs === undefined) return [];
  if (stoppedNs === 0) return [{ text: text('trust.noStop') }];
  return [{ text: text('trust.stop', { length: formatNs(stoppedNs) }), hint: text('trust.stop.hint') }];
}

const sourceTexts: ReadonlyMap<number, TextKey> = new Map([
  [SourceKind.CpuTime, 'trust.sampled.cpu'],
  [SourceKind.Points, 'trust.sampled.points'],
  [SourceKind.ExternalSampler, 'trust.sampled.external'],
  [SourceKind.Waits, 'trust.sampled.waits'],
]);

/** How long captures took, where the agent tells. */
function captureHint(status: TraceStatus): string[] {
  const times = captureTimes(status.costs);
  if (times === undefined) return [];
  const { meanNs } = times;
  const [half = '', most = '', nearlyAll = ''] = [50, 93, 99].map((percent) =>
    formatNs(times.below(percent)),
  );
  return [text('trust.overhead.times', { mean: formatNs(meanNs), half, most, nearlyAll })];
}

function sampling({ info, status }: Snapshot): Fact[] {
  if (info.exact) return [{ text: text('trust.exact') }];
  return samplingOf(info, status).map(
    ({ kind, askedNs, effectiveNs: effectiveNs, isWidened, isLoud, isByTick }) => {
      const said = text(sourceTexts.get(kind) ?? 'trust.sampled', { interval: formatNs(effectiveNs) });
      const asked = text(isByTick ? 'trust.widened.tick' : 'trust.widened', { asked: formatNs(askedNs) });
      return {
        text: isWidened ? text('joined.both', { one: said, next: asked }) : said,
        hint: text('trust.sampled.hint', {
          sync: formatNs(info.syncIntervalNs),
          async: formatNs(info.asyncIntervalNs),
        }),
        isWarning: isLoud,
      };
    },
  );
}

function scheduling({ switchesAlone, schedulingLost }: Snapshot): Fact[] {
  const facts: Fact[] = [];
  if (switchesAlone)
    facts.push({
      text: text('trust.switchesAlone'),
      hint: text('trust.switchesAlone.hint'),
      isAlways: true,
    });
  if (schedulingLost > 0)
    facts.push({
      text: text('trust.schedulingLost', { count: formatCount(schedulingLost) }),
      hint: text('trust.schedulingLost.hint'),
      isWarning: true,
    });
  return facts;
}

/** While it goes on, samples come later than what the process has used. */
function unsampled(snapshot: Snapshot): Fact[] {
  if (snapshot.live) return [];
  const found = unsampledCpu(
    snapshot,
    snapshot.threads.reduce((sum, { cpuNs }) => sum + cpuNs, 0),
  );
  if (found === undefined) return [];
  const { unsampledNs, processNs, isLoud } = found;
  return [
    {
      text: text('trust.unsampled', { share: formatShare(unsampledNs / processNs) }),
      hint: text('trust.unsampled.hint', { length: formatNs(unsampledNs), all: formatNs(processNs) }),
      isWarning: isLoud,
    },
  ];
}

/** Of all of the time: the report tells it of what it is asked for, which is all unless one says otherwise. */
function gaps({ info, threads }: Snapshot): Fact[] {
  const sum = threads.reduce((wall, thread) => wall + thread.wallNs, 0);
  const gap = threads.reduce((wall, thread) => wall + thread.gapNs, 0);
  const found = gapShare(info, { sum: { wall: sum }, gap: { wall: gap } });
  if (found === undefined || found.gapNs === 0) return [];
  return [
    {
      text: text('trust.gaps', { length: formatNs(found.gapNs), share: formatShare(found.ofTime) }),
      hint: text('trust.gaps.hint'),
      isWarning: found.isLoud,
    },
  ];
}

function hooks(snapshot: Snapshot): Fact[] {
  const bad = failedHooks(snapshot.hooks);
  if (bad.length === 0) return [];
  return [
    {
      text: text('trust.hooks', { names: bad.map((hook) => plainText(hook.name)).join(', ') }),
      hint: bad
        .map(({ name, why }) => text('joined.value', { name: plainText(name), value: plainText(why) }))
        .join('\n'),
      isWarning: true,
    },
  ];
}
