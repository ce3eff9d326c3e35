/** What the recording says at once: where the time went, what was waited for, which threads matter; each line leads there. */
import type { Finding } from '../../../trace/findings/finding.js';
import type { Overview } from '../../../trace/measure/overview.js';
import { formatLength, formatNs } from '../../../trace/measure/quantities.js';
import type { Scope } from '../../../trace/measure/scope.js';
import { element, replaceContent } from '../../element.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import { text } from '../../texts.js';
import type { Snapshot } from '../../worker/messages.js';
import { Latest } from '../latest.js';
import { FigureView } from '../view.js';
import { findingsCard } from './findings-card.js';
import { framesCard } from './frames-card.js';
import { messagesCard } from './messages-card.js';
import { slowCallsCard } from './slow-calls-card.js';
import { cores, threadsCard } from './threads-card.js';
import { collectionsCard, locksCard, waitsCard } from './waits-card.js';
import { allocationsCard, workCard } from './work-card.js';

/** Below this share of the recording's length it did nearly nothing. */
const busyShare = 0.02;

export class OverviewView extends FigureView {
  readonly #head = element('p', { class: 'overview-head' });
  readonly #cards = element('div', { class: 'cards' });
  readonly #scroller = element(
    'div',
    { class: 'overview', tabindex: 0, role: 'region', 'aria-label': text('view.overview') },
    this.#head,
    this.#cards,
  );
  readonly #allocations = new Latest();
  readonly #findings = new Latest();
  /** Stays while figures are drawn anew, so that the lines below it keep their places, and the focus. */
  #findingsCard: HTMLElement | undefined;

  constructor(context: ViewContext) {
    super(context, 'overview', ['range', 'hidden', 'threadFilter', 'soloThread', 'myCode', 'idleShown']);
    this.root.append(this.#scroller);
  }

  focus(): void {
    this.#scroller.focus();
  }

  protected load(): void {
    const { model, store, actions } = this.context;
    const { snapshot } = model;
    if (snapshot === undefined) return;
    const scope = model.scope(store.state);
    const { myPackages } = model;
    this.latest.take(
      actions.ask({ kind: 'overview', scope, myPackages }),
      (figures) => {
        this.#show(figures, snapshot);
        if (isEmpty(figures)) return;
        this.#findings.take(
          actions.ask({ kind: 'findings', ...this.#asked() }),
          (found) => this.#addFindings(found),
          () => undefined,
        );
        // Reading what was allocated takes longer than all else here.
        if (!snapshot.info.hasAllocations) return;
        this.#allocations.take(
          actions.ask({ kind: 'hot', scope, myPackages, weight: 'allocatedBytes' }),
          (hot) => {
            const made = allocationsCard(this.context, hot, figures);
            if (made !== undefined) this.#cards.append(made);
          },
          () => undefined,
        );
      },
      (message) => this.say(message),
    );
  }

  protected stateChanged(): void {
    // Search and selection change nothing here.
  }

  #show(figures: Overview, snapshot: Snapshot): void {
    const { context } = this;
    const none = isEmpty(figures);
    this.say(none ? text('overview.none') : '');
    this.#head.textContent = none ? '' : headLine(figures, snapshot);
    const work = workCard(context, figures, snapshot);
    const waits = waitsCard(context, figures, snapshot);
    const messages =
      figures.messages === undefined ? undefined : messagesCard(context, figures.messages, snapshot);
    const first = snapshot.question === 'cpu' ? [work, waits] : [waits, work];
    const frames = figures.frames === undefined ? undefined : framesCard(context, figures.frames, snapshot);
    const parts = [this.#findingsCard, frames, messages, ...first, threadsCard(context, figures, snapshot)];
    if (figures.collections !== undefined)
      parts.push(collectionsCard(context, figures.collections, figures, snapshot));
    if (figures.slow.length > 0) parts.push(slowCallsCard(context, figures.slow, snapshot));
    if (figures.locks.length > 0) parts.push(locksCard(context, figures.locks, snapshot));
    const scrolled = this.#scroller.scrollTop;
    replaceContent(this.#cards, this, ...(none ? [] : parts).filter((part) => part !== undefined));
    this.#scroller.scrollTop = scrolled;
  }

  /** A chosen range or thread: then it is asked why that took its time. Threads that are only out of sight are judged, too. */
  #asked(): { readonly scope?: Scope } {
    const { range, soloThread } = this.context.store.state;
    if (range === undefined && soloThread === undefined) return {};
    const { beginNs, endNs } = range ?? this.context.model.bounds;
    return { scope: { threads: soloThread === undefined ? [] : [soloThread], beginNs, endNs } };
  }

  #addFindings(found: readonly Finding[]): void {
    this.#putFindings(findingsCard(this.context, found, this.#asked().scope !== undefined));
  }

  /** First of all: whoever has a deadlock looks for nothing else. */
  #putFindings(made: HTMLElement | undefined): void {
    const old = this.#findingsCard;
    if (made !== undefined && old?.isEqualNode(made) === true && old.isConnected) return;
    old?.remove();
    this.#findingsCard = made;
    if (made !== undefined) this.#cards.prepend(made);
  }
}

const isEmpty = ({ groups }: Overview): boolean => groups.length === 0;

function headLine({ cpuNs, beginNs, endNs }: Overview, { info }: Snapshot): string {
  const target = plainText(info.targetName, 80);
  // Of a command line, what was started.
  const program = target === '' ? text('overview.head.unnamed') : target;
  const ns = endNs - beginNs;
  const said = {
    program,
    cpu: formatNs(cpuNs),
    length: formatLength(ns),
    cores: cores(cpuNs / Math.max(ns, 1)),
  };
  if (!info.hasCpu) return text('overview.head.length', said);
  return text(cpuNs < ns * busyShare ? 'overview.head.idle' : 'overview.head.cpu', said);
}
