/** What a call, or all calls of a method, waited for, and for whom: the longest first, each leading to its longest one. */
import { element } from '../element.js';
import { formatCount, formatNs } from '../../trace/measure/quantities.js';
import { lowerBound } from '../../trace/model/bisect.js';
import type { CallKey } from '../store.js';
import { text } from '../texts.js';
import type { Span } from '../geometry/time-scale.js';
import type { MethodWait } from '../../trace/measure/method-waits.js';
import type { WaitKey } from '../store.js';
import { describeWait, heldKinds, isHeld, isResting, threadName, waitName } from '../timeline/waits.js';
import type { Snapshot, ThreadSnapshot } from '../worker/messages.js';

const mostRows = 4;

export interface Wait {
  readonly what: string;
  readonly isResting: boolean;
  count: number;
  ns: number;
  /** Row of the longest one. */
  row: number;
}

/** Waits below the call, from its begin to its end, or what of them lies within the range. O(waits in it). */
export function waitsOf(
  key: CallKey,
  endNs: number,
  thread: ThreadSnapshot,
  snapshot: Snapshot,
  within: Span = { beginNs: -Infinity, endNs: Infinity },
): Wait[] {
  const { waits } = thread;
  const known = new Map<string, Wait>();
  const lengthIn = (row: number): number =>
    Math.min(waits.end[row] ?? 0, within.endNs) - Math.max(waits.begin[row] ?? 0, within.beginNs);
  for (let row = lowerBound(waits.begin, key.beginNs, 0, waits.count); row < waits.count; row++) {
    if ((waits.begin[row] ?? 0) >= Math.min(endNs, within.endNs)) break;
    if ((waits.depth[row] ?? 0) <= key.depth) continue;
    const length = lengthIn(row);
    if (length < 0 || (length === 0 && (waits.begin[row] ?? 0) < within.beginNs)) continue;
    const what = describeWait(waits, row, snapshot);
    const wait = known.get(what);
    if (wait === undefined) {
      known.set(what, { what, isResting: isResting(waits, row, snapshot), count: 1, ns: length, row });
      continue;
    }
    wait.count++;
    wait.ns += length;
    if (length > lengthIn(wait.row)) wait.row = row;
  }
  return [...known.values()].sort((one, other) => other.ns - one.ns);
}

/** Of all of them, and how many they are. */
export function lengthOf({ ns, count }: Pick<Wait, 'ns' | 'count'>): string {
  return count === 1 ? formatNs(ns) : `${formatNs(ns)} · ${formatCount(count)}×`;
}

export function waitList(
  told: readonly Wait[],
  thread: ThreadSnapshot,
  snapshot: Snapshot,
  select: (beginNs: number) => void,
): HTMLElement | undefined {
  const { waits } = thread;
  return listOf(
    told.map((wait) => {
      const link = waits.link[wait.row] ?? -1;
      const isTold = !isHeld(waits, wait.row) && waits.owner[wait.row] !== 0;
      const waker = link < 0 || isTold ? undefined : threadName(snapshot, snapshot.links.waker[link] ?? 0);
      return {
        ...wait,
        who: waker === undefined ? '' : text('link.wokenByThread', { thread: waker }),
        go: () => select(waits.begin[wait.row] ?? 0),
      };
    }),
  );
}

/** The same of all calls of a method. */
export function methodWaitList(
  told: readonly MethodWait[],
  snapshot: Snapshot,
  select: (wait: WaitKey) => void,
): HTMLElement | undefined {
  return listOf(
    told.map((wait) => ({
      what: waitName(wait.kind, wait.type),
      isResting: wait.isRest,
      ns: wait.totalNs,
      count: wait.count,
      who: ownersOf(wait, snapshot),
      go: () => select({ kind: 'wait', thread: wait.thread, beginNs: wait.beginNs }),
    })),
  );
}

function ownersOf({ kind, owner, owners }: MethodWait, snapshot: Snapshot): string {
  if (owner === 0) return '';
  const thread = threadName(snapshot, owner);
  if (heldKinds.has(kind))
    return text(owners > 1 ? 'wait.heldMostlyBy' : 'wait.heldBy', { thread, count: owners });
  return text(owners > 1 ? 'link.wokenMostlyBy' : 'link.wokenByThread', { thread, count: owners });
}

interface ListedWait extends Pick<Wait, 'what' | 'isResting' | 'ns' | 'count'> {
  readonly who: string;
  readonly go: () => void;
}

function listOf(told: readonly ListedWait[]): HTMLElement | undefined {
  if (told.length === 0) return undefined;
  const rows = told.slice(0, mostRows).map((wait) => {
    const button = element(
      'button',
      { class: 'wait-row', type: 'button', title: text('details.toWait') },
      element('span', { class: `wait-mark${wait.isResting ? ' is-resting' : ''}` }),
      element('span', { class: 'wait-what' }, wait.what),
      element('span', { class: 'wait-length' }, lengthOf(wait)),
      wait.who === '' ? undefined : element('span', { class: 'wait-waker' }, wait.who),
    );
    button.addEventListener('click', wait.go);
    return element('li', {}, button);
  });
  return element(
    'div',
    {},
    element('h3', { class: 'details-section' }, text('details.waits')),
    element('ul', { class: 'wait-rows' }, ...rows),
  );
}
