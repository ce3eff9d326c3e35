/** Which frames were late, and what held up their threads. */
import type { FrameCause, LateFrames } from '../../../trace/measure/late-frames.js';
import { formatCount, formatNs } from '../../../trace/measure/quantities.js';
import { Jank } from '../../../trace/model/kinds.js';
import type { ViewContext } from '../../model.js';
import { text } from '../../texts.js';
import { heldKinds, threadName, waitName } from '../../timeline/waits.js';
import { shareOf } from '../../weights.js';
import type { Snapshot } from '../../worker/messages.js';
import type { CardRow } from './card.js';
import { card, note, rowList } from './card.js';
import { heldOrEndedBy } from './waits-card.js';

export function framesCard(
  context: ViewContext,
  { count, late, latest }: LateFrames,
  snapshot: Snapshot,
): HTMLElement {
  const said = { count: formatCount(count), late: formatCount(late) };
  const most = latest[0]?.lateNs ?? 0;
  const { originNs } = context.model;
  const rows = latest.map((frame): CardRow => {
    const { beginNs, endNs, lateNs, main, render } = frame;
    const detail = [
      jankReason(frame.jank),
      `${text('details.begins')} ${formatNs(beginNs - originNs)}`,
      causeText(context, main, snapshot),
      causeText(context, render, snapshot),
    ];
    return {
      name:
        lateNs > 0
          ? text('overview.frames.name', { late: formatNs(lateNs) })
          : text('overview.frames.missed'),
      figure: formatNs(endNs - beginNs),
      detail: detail.filter((part) => part !== '').join(' · '),
      share: shareOf(lateNs, most),
      tone: 'held-up',
      go: () => {
        context.store.set({ range: { beginNs, endNs } });
        const thread = main?.thread ?? render?.thread;
        if (thread !== undefined) context.actions.showMoment(thread, (beginNs + endNs) / 2);
      },
    };
  });
  return card('frames', 'overview.frames', [], note(text('overview.frames.said', said)), rowList(rows));
}

/** What a thread waited for, or ran, for most of a frame. */
function causeText(context: ViewContext, cause: FrameCause | undefined, snapshot: Snapshot): string {
  if (cause === undefined) return '';
  const { names } = context.model;
  const thread = threadName(snapshot, cause.thread);
  const method = cause.method < 0 ? '' : names.short(cause.method);
  if (cause.waitNs === 0) return method === '' ? '' : text('overview.frames.ran', { thread, method });
  const name = waitName(cause.kind, cause.type);
  const what =
    cause.owner === 0
      ? name
      : `${name} (${heldOrEndedBy(heldKinds.has(cause.kind), threadName(snapshot, cause.owner))})`;
  const said = { thread, what, time: formatNs(cause.waitNs) };
  return method === ''
    ? text('overview.frames.waitedSomewhere', said)
    : text('overview.frames.waited', { ...said, method });
}

/** Why a frame was late, as the system judges; empty where it does not say. */
function jankReason(jank: number): string {
  const is = (...bits: readonly number[]): boolean => bits.some((bit) => (jank & bit) !== 0);
  if (is(Jank.Dropped)) return text('overview.frames.dropped');
  if (is(Jank.AppDeadline)) return text('overview.frames.app');
  if (is(Jank.CompositorCpu, Jank.CompositorGpu, Jank.CompositorScheduling, Jank.CompositorStuffing))
    return text('overview.frames.compositor');
  return is(Jank.Display) ? text('overview.frames.display') : '';
}
