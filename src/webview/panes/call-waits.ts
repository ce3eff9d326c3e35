/** What a call waited for, and for whom: its waits by what they were for, the longest first, each leading to its longest one. */
import { element } from '../element.js';
import { formatCount, formatNs } from '../../trace/measure/quantities.js';
import { lowerBound } from '../../trace/model/bisect.js';
import type { CallKey } from '../store.js';
import { text } from '../texts.js';
import { describeWait, isHeld, isResting, threadName } from '../timeline/waits.js';
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

/** Waits below the call, from its begin to its end. O(waits in it). */
export function waitsOf(key: CallKey, endNs: number, thread: ThreadSnapshot, snapshot: Snapshot): Wait[] {
  const { blocks } = thread;
  const waits = new Map<string, Wait>();
  for (let row = lowerBound(blocks.begin, key.beginNs, 0, blocks.count); row < blocks.count; row++) {
    if ((blocks.begin[row] ?? 0) >= endNs) break;
    if ((blocks.depth[row] ?? 0) <= key.depth) continue;
    const what = describeWait(blocks, row, snapshot);
    const length = (blocks.end[row] ?? 0) - (blocks.begin[row] ?? 0);
    const wait = waits.get(what);
    if (wait === undefined) {
      waits.set(what, { what, isResting: isResting(blocks, row, snapshot), count: 1, ns: length, row });
      continue;
    }
    wait.count++;
    wait.ns += length;
    const longest = (blocks.end[wait.row] ?? 0) - (blocks.begin[wait.row] ?? 0);
    if (length > longest) wait.row = row;
  }
  return [...waits.values()].sort((one, other) => other.ns - one.ns);
}

/** Of all of them, and how many they are. */
export function lengthOf({ ns, count }: Wait): string {
  return count === 1 ? formatNs(ns) : `${formatNs(ns)} · ${formatCount(count)}×`;
}

export function waitList(
  waits: readonly Wait[],
  thread: ThreadSnapshot,
  snapshot: Snapshot,
  select: (beginNs: number) => void,
): HTMLElement | undefined {
  if (waits.length === 0) return undefined;
  const { blocks } = thread;
  const rows = waits.slice(0, mostRows).map((wait) => {
    const link = blocks.link[wait.row] ?? -1;
    const isTold = !isHeld(blocks, wait.row) && blocks.owner[wait.row] !== 0;
    const waker = link < 0 || isTold ? undefined : threadName(snapshot, snapshot.links.waker[link] ?? 0);
    const button = element(
      'button',
      { class: 'wait-row', type: 'button', title: text('details.toWait') },
      element('span', { class: `wait-mark${wait.isResting ? ' is-resting' : ''}` }),
      element('span', { class: 'wait-what' }, wait.what),
      element('span', { class: 'wait-length' }, lengthOf(wait)),
      waker === undefined
        ? undefined
        : element('span', { class: 'wait-waker' }, text('link.wokenByThread', { thread: waker })),
    );
    button.addEventListener('click', () => select(blocks.begin[wait.row] ?? 0));
    return element('li', {}, button);
  });
  return element(
    'div',
    {},
    element('h3', { class: 'details-section' }, text('details.waits')),
    element('ul', { class: 'wait-rows' }, ...rows),
  );
}
