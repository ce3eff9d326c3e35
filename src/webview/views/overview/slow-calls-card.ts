/** Which calls of the main thread took long by themselves. */
import { formatCount, formatNs } from '../../../trace/measure/quantities.js';
import { slowMainNs, type SlowMainCalls } from '../../../trace/measure/slow-calls.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import { text } from '../../texts.js';
import { shareOf } from '../../weights.js';
import type { Snapshot } from '../../worker/messages.js';
import type { CardRow } from './card.js';
import { card, note, rowList } from './card.js';

export function slowCallsCard(
  context: ViewContext,
  slow: readonly SlowMainCalls[],
  snapshot: Snapshot,
): HTMLElement {
  const longest = slow[0]?.longestNs ?? 0;
  return card(
    'slow',
    'overview.slow',
    [],
    note(text('overview.slow.said', { limit: formatNs(slowMainNs) })),
    rowList(slow.map((calls) => callsRow(context, calls, longest, snapshot))),
  );
}

function callsRow(
  { model, store, actions }: ViewContext,
  { thread, method, count, totalNs, cpuNs, longestNs, beginNs }: SlowMainCalls,
  longest: number,
  { info }: Snapshot,
): CardRow {
  const { names } = model;
  const detail = [
    count === 1
      ? text('overview.wait.once')
      : text('overview.slow.times', { count: formatCount(count), total: formatNs(totalNs) }),
    info.hasCpu ? text('overview.slow.cpu', { cpu: formatNs(cpuNs) }) : undefined,
  ];
  return {
    name: names.short(method),
    title: plainText(names.qualified(method)),
    figure: formatNs(longestNs),
    detail: detail.filter((part) => part !== undefined).join(' · '),
    share: shareOf(longestNs, longest),
    hue: `var(--hue-${names.hue(method)}-bar)`,
    go: () => {
      store.set({ range: { beginNs, endNs: beginNs + longestNs } });
      actions.showMoment(thread, beginNs + longestNs / 2);
    },
  };
}
