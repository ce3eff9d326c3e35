/** What is selected: its name as in the source, its figures, who it waited for, and where to go from it. */
import { isCarrier } from '../../trace/measure/virtual-threads.js';
import type { PageView } from '../../protocol/messages.js';
import { control, element, replaceContent } from '../element.js';
import { formatCount, formatLength, formatNs, formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import { plainText, shownThreadName } from '../names.js';
import type { Span } from '../geometry/time-scale.js';
import type { WaitKey, CallKey } from '../store.js';
import { text } from '../texts.js';
import { waitRow } from '../timeline/wait-rows.js';
import { describeWait, isFromBefore, isHeld, isOpenWait, threadName, waitLength } from '../timeline/waits.js';
import { methodWaitList, waitList, waitsOf } from './call-waits.js';
import { circleList } from './lock-waits.js';
import { figuresTable } from './figures-table.js';
import { Legend } from './legend.js';
import { Latest } from '../views/latest.js';
import { shareOf } from '../weights.js';
import { schedulingFacts, waitSchedulingFacts } from './scheduling-facts.js';
import { sectionsOf } from './call-sections.js';
import type { StretchScheduling } from '../../trace/measure/scheduling.js';
import type { SourceKey } from '../../protocol/messages.js';
import type { WaitColumns, CallFigures, Snapshot, ThreadSnapshot, Weight } from '../worker/messages.js';

export interface DetailsActions {
  goTo(thread: number, timeNs: number): void;
  goToOwner(waits: WaitColumns, row: number): void;
  goToWait(key: WaitKey): void;
  focusSelection(): void;
  showIn(view: PageView, method: number): void;
}

/** LinkCertainty of recording.proto. */
const certainties = ['link.observed', 'link.identity', 'link.owner'] as const;

export class DetailsPane {
  readonly root = element('aside', { class: 'details', tabindex: -1, 'aria-label': text('details.label') });
  /** Above the legend, which stays whatever is selected. */
  readonly #selected = element('div', {});
  readonly #context: ViewContext;
  readonly #actions: DetailsActions;
  readonly #latest = new Latest();
  readonly #legend: Legend;

  constructor(context: ViewContext, actions: DetailsActions) {
    this.#context = context;
    this.#actions = actions;
    this.#legend = new Legend(context);
    this.root.append(this.#selected, this.#legend.root);
    context.store.onChange((_state, changed) => {
      if (
        changed.has('selection') ||
        changed.has('detailsOpen') ||
        changed.has('range') ||
        changed.has('hidden') ||
        changed.has('idleShown') ||
        changed.has('threadFilter') ||
        changed.has('soloThread') ||
        changed.has('weight') ||
        changed.has('counter')
      ) {
        this.show();
      }
      if (!changed.has('selection') || changed.size > 1) this.#legend.showSoon();
    });
    context.model.onChange(() => {
      this.show();
      this.#legend.showSoon();
    });
  }

  show(): void {
    const { store, model } = this.#context;
    const { selection, detailsOpen } = store.state;
    // Its room is kept before there is anything to say: a chart that changes its size is made anew.
    this.root.hidden = !detailsOpen;
    if (!detailsOpen || model.snapshot === undefined) return;
    if (selection === undefined) this.#showNothing();
    else if (selection.kind === 'call') this.#showCall(selection);
    else if (selection.kind === 'wait') this.#showWait(selection);
    else this.#showMethod(selection.method);
  }

  #showNothing(): void {
    const { model } = this.#context;
    const { info, beginNs = 0, endNs = 0 } = model.snapshot ?? {};
    const rows: [string, string][] = [
      [text('details.target'), plainText(info?.targetName ?? '')],
      [text('details.runtime'), plainText([info?.runtime, info?.os, info?.arch].filter(Boolean).join(' · '))],
      [text('details.device'), plainText(info?.device ?? '')],
      [text('details.length'), endNs > beginNs ? formatLength(endNs - beginNs) : ''],
      [text('details.threads'), formatCount(model.snapshot?.threads.length ?? 0)],
    ];
    this.#fill(
      element('h2', { class: 'details-title' }, text('details.recording')),
      facts(rows),
      element('p', { class: 'details-hint' }, text('details.hint')),
    );
  }

  #head(method: number, key: SourceKey | undefined): HTMLElement[] {
    const { names } = this.#context.model;
    const place =
      key === undefined || key.file === '' ? '' : key.line > 0 ? `${key.file}:${key.line}` : key.file;
    const [written, recorded] = [names.qualified(method), names.recorded(method)];
    const whole = written === recorded ? written : `${written} (${recorded})`;
    return [
      element('h2', { class: 'details-title', title: plainText(whole, 2000) }, names.short(method)),
      element('div', { class: 'details-package' }, names.packageName(method)),
      element('div', { class: 'details-place' }, plainText(place)),
    ];
  }

  #buttons(method: number, call?: Stretch): HTMLElement {
    const isCall = call !== undefined;
    const { names } = this.#context.model;
    const { actions } = this.#context;
    const button = (label: string, run: (event: MouseEvent) => void, isMain = false): HTMLElement => {
      const made = control('vscode-button', { appearance: isMain ? 'primary' : 'secondary' }, label);
      made.addEventListener('click', run);
      return made;
    };
    const show = (view: PageView): HTMLElement =>
      button(text(`view.${view}`), () => this.#actions.showIn(view, method));
    return element(
      'div',
      { class: 'details-actions' },
      element(
        'div',
        { class: 'button-row' },
        actions.canOpenSource
          ? button(
              text('details.source'),
              (event) => actions.openSource(method, event.ctrlKey || event.metaKey ? 'replace' : 'go'),
              true,
            )
          : undefined,
        isCall ? button(text('details.zoom'), () => this.#actions.focusSelection()) : undefined,
        call === undefined ? undefined : button(text('details.why'), () => this.#askWhy(call)),
        button(text('details.copy'), () => actions.copy(names.qualified(method))),
      ),
      element('h3', { class: 'details-section' }, text('details.showIn')),
      element(
        'div',
        { class: 'button-row' },
        show('timeline'),
        show('flameGraph'),
        show('callers'),
        show('methods'),
      ),
    );
  }

  /** The overview of just this stretch of the thread begins with what the rules find in it. */
  #askWhy({ thread, beginNs, endNs }: Stretch): void {
    this.#context.store.set({ range: { beginNs, endNs }, soloThread: thread, view: 'overview' });
    this.#context.actions.focusView();
  }

  #showCall(key: CallKey): void {
    const { model, actions } = this.#context;
    const call = model.call(key);
    if (call === undefined) {
      this.#showNothing();
      return;
    }
    const { chart } = call.thread;
    const method = chart.method[call.row] ?? 0;
    const endNs = chart.end[call.row] ?? 0;
    const wall = endNs - key.beginNs;
    const known: [string, string][] = [
      [text('details.thread'), shownThreadName(call.thread)],
      [text('details.begins'), formatNs(key.beginNs - model.originNs)],
      [text('weight.wall'), formatNs(wall)],
    ];
    const stretch = { thread: key.thread, beginNs: key.beginNs, endNs };
    this.#fill(...this.#head(method, undefined), facts(known), this.#buttons(method, stretch));
    const { snapshot } = model;
    if (snapshot === undefined) return;
    const { within, said } = this.#partInRange(key.beginNs, endNs);
    const waits = waitsOf(key, endNs, call.thread, snapshot, within);
    const selectWait = (begin: number): void =>
      this.#context.store.set({ selection: { kind: 'wait', thread: key.thread, beginNs: begin } });
    const scope = { threads: [key.thread], ...(within ?? model.bounds) };
    const [from, to] = [within?.beginNs ?? key.beginNs, within?.endNs ?? endNs];
    const { thread, depth, beginNs } = key;
    const shownNs = Math.min(to, endNs) - Math.max(from, beginNs);
    this.#latest.take(
      Promise.all([
        actions.ask({ kind: 'call', thread, depth, beginNs, ...(within && { within }) }),
        actions.ask({ kind: 'sum', scope }),
        this.#scheduling(thread, Math.max(from, beginNs), Math.min(to, endNs)),
      ]),
      ([figures, sum, scheduling]) =>
        this.#fill(
          ...this.#head(method, figures.key),
          facts(known.slice(0, 2)),
          said === '' ? undefined : element('p', { class: 'details-hint' }, said),
          figuresTable(snapshot, figures, sum),
          facts([
            ...this.#callFacts(figures, call.thread, shownNs),
            [text('details.sections'), sectionsOf(model.scheduling, thread, beginNs, endNs)],
            ...schedulingFacts(scheduling, shownNs),
          ]),
          waitList(waits, call.thread, snapshot, selectWait),
          this.#buttons(method, stretch),
        ),
      () => undefined,
    );
  }

  /** The range, if it has a part of the stretch; `said` tells how large that part is, unless it is all of it. */
  #partInRange(beginNs: number, endNs: number): { readonly within: Span | undefined; readonly said: string } {
    const { range } = this.#context.store.state;
    if (range === undefined) return { within: undefined, said: '' };
    const length = Math.min(endNs, range.endNs) - Math.max(beginNs, range.beginNs);
    if (length <= 0 && endNs > beginNs) return { within: undefined, said: text('details.notInRange') };
    const said = length < endNs - beginNs ? text('details.inRange', { length: formatNs(length) }) : '';
    return { within: range, said };
  }

  #fill(...parts: readonly (HTMLElement | undefined)[]): void {
    replaceContent(this.#selected, this.root, ...parts.filter((part) => part !== undefined));
  }

  /** What the kernel's scheduler says, where it was recorded. */
  #scheduling(thread: number, beginNs: number, endNs: number): Promise<StretchScheduling | undefined> {
    const { model, actions } = this.#context;
    if (model.snapshot?.hasScheduling !== true) return Promise.resolve(undefined);
    return actions.ask({ kind: 'scheduling', thread, beginNs, endNs });
  }

  #callFacts(figures: CallFigures, thread: ThreadSnapshot, wall: number): [string, string][] {
    const facts: [string, string][] = [];
    if (figures.samples > 0) facts.push([text('details.samples'), formatCount(figures.samples)]);
    if (figures.message > 0) {
      facts.push(
        isCarrier(thread)
          ? [text('details.virtualThread'), `#${figures.message}`]
          : [text('details.message'), String(figures.message)],
      );
    }
    if (figures.gapNs > 0) {
      facts.push([
        text('details.gap'),
        `${formatNs(figures.gapNs)} (${formatShare(shareOf(figures.gapNs, wall))})`,
      ]);
    }
    return facts;
  }

  #showWait(key: WaitKey): void {
    const { model } = this.#context;
    const { snapshot } = model;
    const thread = model.thread(key.thread);
    const row = thread === undefined ? -1 : waitRow(thread.waits, key.beginNs);
    if (thread === undefined || snapshot === undefined || row < 0) {
      this.#showNothing();
      return;
    }
    const { waits } = thread;
    const begins = formatNs(key.beginNs - model.originNs);
    const rows: [string, string][] = [
      [text('details.thread'), shownThreadName(thread)],
      [text('details.begins'), isFromBefore(waits, row) ? text('details.before', { time: begins }) : begins],
      [text('weight.wall'), waitLength(waits, row)],
    ];
    const type = plainText(snapshot.typeNames[waits.type[row] ?? 0] ?? '');
    if (type !== '') rows.push([text('details.waitsFor'), type]);
    const object = waits.object[row] ?? 0;
    if (object !== 0) rows.push([text('details.object'), `#${object.toString(16)}`]);
    const { places } = waits;
    rows.push(
      [text('details.waitsIn'), this.#place(places?.method[row], places?.line[row])],
      [text('details.takenIn'), this.#place(places?.ownerMethod[row], places?.ownerLine[row])],
    );
    const owner = waits.owner[row] ?? 0;
    const link = waits.link[row] ?? -1;
    const held = isHeld(waits, row);
    if (owner !== 0 && !held && link < 0) rows.push([text('details.waker'), threadName(snapshot, owner)]);
    const unknown =
      owner === 0 || held
        ? element(
            'p',
            { class: 'details-hint' },
            text(isOpenWait(waits, row) ? 'link.openWait' : 'link.none'),
          )
        : undefined;
    const endNs = waits.end[row] ?? key.beginNs;
    const focus = control('vscode-button', { appearance: 'secondary' }, text('details.zoom'));
    focus.addEventListener('click', () => this.#actions.focusSelection());
    const why = control('vscode-button', { appearance: 'secondary' }, text('details.why'));
    why.addEventListener('click', () => this.#askWhy({ thread: key.thread, beginNs: key.beginNs, endNs }));
    const fill = (scheduling?: StretchScheduling): void => {
      const byKernel = link < 0 && (owner === 0 || held) ? this.#kernelWaker(scheduling, endNs) : undefined;
      this.#fill(
        element('h2', { class: 'details-title' }, describeWait(waits, row, snapshot)),
        facts([...rows, ...waitSchedulingFacts(scheduling, endNs - key.beginNs)]),
        ...[
          held && owner !== 0 ? this.#owner(waits, row, snapshot) : undefined,
          this.#waker(link) ?? byKernel ?? unknown,
          circleList(snapshot, { thread: key.thread, row: row }, (wait) => this.#actions.goToWait(wait)),
        ].filter((one) => one !== undefined),
        element('div', { class: 'button-row' }, focus, why),
      );
    };
    fill();
    if (snapshot.hasScheduling)
      this.#latest.take(this.#scheduling(key.thread, key.beginNs, endNs), fill, () => undefined);
  }

  /** Who ended a wait that no hook saw the end of. */
  #kernelWaker(scheduling: StretchScheduling | undefined, timeNs: number): HTMLElement | undefined {
    const waker = scheduling?.lastWaker;
    if (waker === undefined) return undefined;
    const { originNs } = this.#context.model;
    const name = plainText(waker.name);
    const go =
      waker.thread < 0
        ? element('span', {}, text('joined.value', { name: text('details.waker'), value: name }))
        : element(
            'button',
            { class: 'link-button waker-link', type: 'button' },
            text('link.wokenBy', { thread: name, time: formatNs(timeNs - originNs) }),
          );
    if (waker.thread >= 0) go.addEventListener('click', () => this.#actions.goTo(waker.thread, timeNs));
    return element(
      'div',
      { class: 'details-link' },
      go,
      element('div', { class: 'details-hint' }, text('link.wokenByKernel')),
    );
  }

  /** "com.example.Shop.add, line 12", empty where it is not known. */
  #place(method = -1, line = 0): string {
    if (method < 0) return '';
    const name = plainText(this.#context.model.names.qualified(method));
    return line > 0 ? text('details.atLine', { method: name, line: String(line) }) : name;
  }

  #owner(waits: WaitColumns, row: number, snapshot: Snapshot): HTMLElement {
    const go = element(
      'button',
      { class: 'link-button', type: 'button' },
      text('link.heldBy', { thread: threadName(snapshot, waits.owner[row] ?? 0) }),
    );
    go.addEventListener('click', () => this.#actions.goToOwner(waits, row));
    return element('div', { class: 'details-link' }, go);
  }

  #waker(link: number): HTMLElement | undefined {
    const { snapshot, originNs } = this.#context.model;
    if (snapshot === undefined || link < 0) return undefined;
    const { links } = snapshot;
    const thread = links.waker[link] ?? 0;
    const timeNs = links.wakerTime[link] ?? 0;
    const go = element(
      'button',
      { class: 'link-button waker-link', type: 'button' },
      text('link.wokenBy', { thread: threadName(snapshot, thread), time: formatNs(timeNs - originNs) }),
    );
    go.addEventListener('click', () => this.#actions.goTo(thread, timeNs));
    const certainty = certainties[links.certainty[link] ?? 0] ?? 'link.owner';
    return element(
      'div',
      { class: 'details-link' },
      go,
      element('div', { class: 'details-hint' }, text(certainty)),
    );
  }

  #showMethod(method: number): void {
    const { actions, model, store } = this.#context;
    this.#fill(...this.#head(method, undefined), this.#buttons(method));
    const scope = model.scope(store.state);
    this.#latest.take(
      Promise.all([
        actions.ask({ kind: 'source', method }),
        actions.ask({ kind: 'methods', scope }),
        actions.ask({ kind: 'methodWaits', scope, method }),
      ]),
      ([key, figures, waits]) => {
        const { snapshot } = model;
        const row = figures.method.indexOf(method);
        if (row < 0 || snapshot === undefined) return;
        const at = (of: Readonly<Record<Weight, Float64Array>>): Record<Weight, number> =>
          Object.fromEntries(
            Object.entries(of).map(([weight, column]) => [weight, column[row] ?? 0]),
          ) as Record<Weight, number>;
        this.#fill(
          ...this.#head(method, key),
          figuresTable(snapshot, { self: at(figures.self), total: at(figures.total) }, figures.sum),
          facts([
            [text('details.calls'), text('details.atLeast', { count: formatCount(figures.calls[row] ?? 0) })],
          ]),
          methodWaitList(waits, snapshot, (wait) => this.#actions.goToWait(wait)),
          this.#buttons(method),
        );
      },
      () => undefined,
    );
  }
}

interface Stretch {
  readonly thread: number;
  readonly beginNs: number;
  readonly endNs: number;
}

function facts(rows: readonly (readonly [string, string])[]): HTMLElement {
  return element(
    'dl',
    { class: 'details-facts' },
    ...rows
      .filter(([, value]) => value !== '')
      .flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
}
