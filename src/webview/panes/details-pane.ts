/** What is selected: its name as in the source, its figures, who it waited for, and where to go from it. */
import { isCarrier } from '../../trace/measure/virtual-threads.js';
import type { PageView } from '../../protocol/messages.js';
import { control, element, replaceContent } from '../element.js';
import { formatCount, formatLength, formatNs, formatShare } from '../../trace/measure/quantities.js';
import type { ViewContext } from '../model.js';
import { plainText } from '../names.js';
import type { BlockKey, CallKey } from '../store.js';
import { text } from '../texts.js';
import { blockRow } from '../timeline/blocks.js';
import { shownName } from '../timeline/thread-actions.js';
import { describeWait, isFromBefore, isHeld, stillWaits, threadName, waitLength } from '../timeline/waits.js';
import { waitList, waitsOf } from './call-waits.js';
import { circleList } from './lock-waits.js';
import { figuresTable } from './figures-table.js';
import { Legend } from './legend.js';
import { Latest } from '../views/latest.js';
import { shareOf } from '../weights.js';
import type { SourceKey } from '../../protocol/messages.js';
import type { BlockColumns, CallFigures, Snapshot, ThreadSnapshot, Weight } from '../worker/messages.js';

export interface DetailsActions {
  goTo(thread: number, timeNs: number): void;
  goToOwner(blocks: BlockColumns, row: number): void;
  goToWait(key: BlockKey): void;
  focusSelection(): void;
  showIn(view: PageView, method: number): void;
}

/** LinkCertainty of recording.proto. */
const certainties = ['link.observed', 'link.identity', 'link.owner'] as const;

export class DetailsPane {
  readonly root = element('aside', { class: 'details', tabindex: -1, 'aria-label': text('details.label') });
  readonly #context: ViewContext;
  readonly #actions: DetailsActions;
  readonly #latest = new Latest();
  readonly #legend: Legend;

  constructor(context: ViewContext, actions: DetailsActions) {
    this.#context = context;
    this.#actions = actions;
    this.#legend = new Legend(context);
    context.store.onChange((_state, changed) => {
      if (
        changed.has('selection') ||
        changed.has('detailsOpen') ||
        changed.has('range') ||
        changed.has('hidden') ||
        changed.has('threadFilter') ||
        changed.has('soloThread') ||
        changed.has('weight')
      ) {
        this.show();
      }
    });
    context.model.onChange(() => this.show());
  }

  show(): void {
    const { store, model } = this.#context;
    const { selection, detailsOpen } = store.state;
    // Its room is kept before there is anything to say: a chart that changes its size is made anew.
    this.root.hidden = !detailsOpen;
    if (!detailsOpen || model.snapshot === undefined) return;
    if (selection === undefined) this.#showNothing();
    else if (selection.kind === 'call') this.#showCall(selection);
    else if (selection.kind === 'block') this.#showBlock(selection);
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
      this.#legend.root,
    );
    this.#legend.showSoon();
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

  #buttons(method: number, isCall: boolean): HTMLElement {
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
              (event) => actions.openSource(method, event.ctrlKey || event.metaKey),
              true,
            )
          : undefined,
        isCall ? button(text('details.focus'), () => this.#actions.focusSelection()) : undefined,
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
      [text('details.thread'), shownName(call.thread)],
      [text('details.begins'), formatNs(key.beginNs - model.originNs)],
      [text('weight.wall'), formatNs(wall)],
    ];
    this.#fill(...this.#head(method, undefined), facts(known), this.#buttons(method, true));
    const { snapshot } = model;
    if (snapshot === undefined) return;
    const waits = waitsOf(key, endNs, call.thread, snapshot);
    const selectWait = (begin: number): void =>
      this.#context.store.set({ selection: { kind: 'block', thread: key.thread, beginNs: begin } });
    const scope = { threads: [key.thread], ...model.bounds };
    this.#latest.take(
      Promise.all([
        actions.ask({ kind: 'call', thread: key.thread, depth: key.depth, beginNs: key.beginNs }),
        actions.ask({ kind: 'sum', scope }),
      ]),
      ([figures, sum]) =>
        this.#fill(
          ...this.#head(method, figures.key),
          facts(known.slice(0, 2)),
          figuresTable(snapshot, figures, sum),
          facts(this.#callFacts(figures, call.thread, wall)),
          waitList(waits, call.thread, snapshot, selectWait),
          this.#buttons(method, true),
        ),
      () => undefined,
    );
  }

  #fill(...parts: readonly (HTMLElement | undefined)[]): void {
    replaceContent(this.root, this.root, ...parts.filter((part) => part !== undefined));
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

  #showBlock(key: BlockKey): void {
    const { model } = this.#context;
    const { snapshot } = model;
    const thread = model.thread(key.thread);
    const row = thread === undefined ? -1 : blockRow(thread.blocks, key.beginNs);
    if (thread === undefined || snapshot === undefined || row < 0) {
      this.#showNothing();
      return;
    }
    const { blocks } = thread;
    const begins = formatNs(key.beginNs - model.originNs);
    const rows: [string, string][] = [
      [text('details.thread'), shownName(thread)],
      [text('details.begins'), isFromBefore(blocks, row) ? text('details.before', { time: begins }) : begins],
      [text('weight.wall'), waitLength(blocks, row)],
    ];
    const type = plainText(snapshot.typeNames[blocks.type[row] ?? 0] ?? '');
    if (type !== '') rows.push([text('details.waitsFor'), type]);
    const object = blocks.object[row] ?? 0;
    if (object !== 0) rows.push([text('details.object'), `#${object.toString(16)}`]);
    const owner = blocks.owner[row] ?? 0;
    const link = blocks.link[row] ?? -1;
    const held = isHeld(blocks, row);
    if (owner !== 0 && !held && link < 0) rows.push([text('details.waker'), threadName(snapshot, owner)]);
    const unknown =
      owner === 0 || held
        ? element(
            'p',
            { class: 'details-hint' },
            text(stillWaits(blocks, row) ? 'link.stillWaits' : 'link.none'),
          )
        : undefined;
    const focus = control('vscode-button', { appearance: 'secondary' }, text('details.focus'));
    focus.addEventListener('click', () => this.#actions.focusSelection());
    this.#fill(
      element('h2', { class: 'details-title' }, describeWait(blocks, row, snapshot)),
      facts(rows),
      ...[
        held && owner !== 0 ? this.#owner(blocks, row, snapshot) : undefined,
        this.#waker(link) ?? unknown,
        circleList(snapshot, { thread: key.thread, block: row }, (wait) => this.#actions.goToWait(wait)),
      ].filter((one) => one !== undefined),
      element('div', { class: 'button-row' }, focus),
    );
  }

  #owner(blocks: BlockColumns, row: number, snapshot: Snapshot): HTMLElement {
    const go = element(
      'button',
      { class: 'link-button', type: 'button' },
      text('link.heldBy', { thread: threadName(snapshot, blocks.owner[row] ?? 0) }),
    );
    go.addEventListener('click', () => this.#actions.goToOwner(blocks, row));
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
    this.#fill(...this.#head(method, undefined), this.#buttons(method, false));
    this.#latest.take(
      Promise.all([
        actions.ask({ kind: 'source', method }),
        actions.ask({ kind: 'methods', scope: model.scope(store.state) }),
      ]),
      ([key, figures]) => {
        const row = figures.method.indexOf(method);
        if (row < 0) return;
        const at = (of: Readonly<Record<Weight, Float64Array>>): Record<Weight, number> =>
          Object.fromEntries(
            Object.entries(of).map(([weight, column]) => [weight, column[row] ?? 0]),
          ) as Record<Weight, number>;
        this.#fill(
          ...this.#head(method, key),
          figuresTable(model.snapshot, { self: at(figures.self), total: at(figures.total) }, figures.sum),
          facts([
            [text('details.calls'), text('details.atLeast', { count: formatCount(figures.calls[row] ?? 0) })],
          ]),
          this.#buttons(method, false),
        );
      },
      () => undefined,
    );
  }
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
