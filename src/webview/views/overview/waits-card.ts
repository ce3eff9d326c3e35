/** What was waited for: by place, by who held up the main thread, and by collections. */
import type { MainLock } from '../../../trace/measure/main-locks.js';
import type { Collections, Overview, ThreadGroup, WaitSummary } from '../../../trace/measure/overview.js';
import { formatCount, formatNs, formatShare } from '../../../trace/measure/quantities.js';
import { isRest } from '../../../trace/measure/rest.js';
import type { ViewContext } from '../../model.js';
import { text } from '../../texts.js';
import { heldKinds, simpleTypeName, threadName, waitName } from '../../timeline/waits.js';
import { shareOf } from '../../weights.js';
import type { Snapshot } from '../../worker/messages.js';
import type { CardRow } from './card.js';
import { card, note, rowList } from './card.js';
import { showView } from './card-ways.js';
import { groupName } from './threads-card.js';

export function waitsCard(context: ViewContext, figures: Overview, snapshot: Snapshot): HTMLElement {
  const { waits, waitCount, groups } = figures;
  const longest = waits[0]?.totalNs ?? 0;
  const more = waitCount - waits.length;
  return card(
    'waits',
    'overview.waits',
    [{ text: 'overview.toTimeline', go: () => showView(context, 'timeline') }],
    waits.length === 0
      ? note(text('overview.waits.none'))
      : rowList(waits.map((wait) => waitRow(context, wait, groups, longest, snapshot))),
    more > 0 ? note(text('overview.wait.more', { count: formatCount(more) })) : undefined,
  );
}

function waitRow(
  context: ViewContext,
  wait: WaitSummary,
  groups: readonly ThreadGroup[],
  longest: number,
  snapshot: Snapshot,
): CardRow {
  const { names } = context.model;
  const { kind, type, method, owner, count, totalNs, longestNs, isOpen } = wait;
  const group = groups[wait.group];
  const isHeld = heldKinds.has(kind) || isOpen;
  const detail = [
    method < 0 ? undefined : text('overview.wait.where', { method: names.short(method) }),
    owner === 0 ? undefined : heldOrEndedBy(isHeld, threadName(snapshot, owner)),
    timesText(count, longestNs),
    isOpen ? text('overview.wait.open') : undefined,
  ];
  return {
    name: text('joined.value', { name: groupName(group, snapshot), value: waitName(kind, type) }),
    figure: formatNs(totalNs),
    detail: detail.filter((part) => part !== undefined).join(' · '),
    share: shareOf(totalNs, longest),
    tone: isRest(kind, owner, type) ? 'resting' : 'held-up',
    go: () => context.actions.showWait({ kind: 'wait', thread: wait.thread, beginNs: wait.beginNs }),
  };
}

/** By owner: what the waits of all threads have by place. */
export function locksCard(context: ViewContext, locks: readonly MainLock[], snapshot: Snapshot): HTMLElement {
  const { names } = context.model;
  const longest = locks[0]?.totalNs ?? 0;
  const rows = locks.map((lock): CardRow => {
    const { type, owner, method, ownerMethod, isTaken, count, totalNs, longestNs } = lock;
    const simple = simpleTypeName(type);
    const by = owner === 0 ? text('overview.locks.unknown') : threadName(snapshot, owner);
    const detail = [
      method < 0 ? undefined : text('overview.wait.where', { method: names.short(method) }),
      ownerMethod < 0
        ? undefined
        : text(isTaken ? 'overview.locks.taken' : 'overview.locks.meanwhile', {
            method: names.short(ownerMethod),
          }),
      timesText(count, longestNs),
    ];
    return {
      name: simple === '' ? by : text('joined.value', { name: by, value: simple }),
      figure: formatNs(totalNs),
      detail: detail.filter((part) => part !== undefined).join(' · '),
      share: shareOf(totalNs, longest),
      tone: 'held-up',
      go: () => context.actions.showWait({ kind: 'wait', thread: lock.thread, beginNs: lock.beginNs }),
    };
  });
  return card('locks', 'overview.locks', [], rowList(rows));
}

export function collectionsCard(
  context: ViewContext,
  found: Collections,
  { beginNs, endNs }: Overview,
  snapshot: Snapshot,
): HTMLElement {
  const { thread, count, totalNs, longestNs, longestBeginNs } = found;
  const said = {
    thread: threadName(snapshot, thread),
    count: formatCount(count),
    total: formatNs(totalNs),
    share: formatShare(shareOf(totalNs, endNs - beginNs)),
    longest: formatNs(longestNs),
  };
  const go = (): void => context.actions.showWait({ kind: 'wait', thread, beginNs: longestBeginNs });
  return card('gc', 'overview.gc', [{ text: 'overview.gc.go', go }], note(text('overview.gc.said', said)));
}

export function heldOrEndedBy(isHeld: boolean, thread: string): string {
  return text(isHeld ? 'overview.wait.heldBy' : 'overview.wait.endedBy', { thread });
}

function timesText(count: number, longestNs: number): string {
  return count === 1
    ? text('overview.wait.once')
    : text('overview.wait.times', { count: formatCount(count), longest: formatNs(longestNs) });
}
