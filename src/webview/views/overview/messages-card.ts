/** Which loop messages took longest. */
import { hangNs } from '../../../trace/measure/messages.js';
import type { LongMessage, MessageSummary } from '../../../trace/measure/overview.js';
import { formatCount, formatNs } from '../../../trace/measure/quantities.js';
import type { ViewContext } from '../../model.js';
import { text } from '../../texts.js';
import { threadName } from '../../timeline/waits.js';
import { shareOf } from '../../weights.js';
import type { Snapshot } from '../../worker/messages.js';
import type { CardRow } from './card.js';
import { card, note, rowList } from './card.js';
import { showView } from './card-ways.js';

export function messagesCard(
  context: ViewContext,
  { count, missed, hung, longest }: MessageSummary,
  snapshot: Snapshot,
): HTMLElement {
  const said = {
    count: formatCount(count),
    missed: formatCount(missed),
    hung: formatCount(hung),
    hang: formatNs(hangNs),
  };
  const most = longest[0] === undefined ? 0 : longest[0].endNs - longest[0].beginNs;
  return card(
    'messages',
    'overview.messages',
    [{ text: 'overview.toMessages', go: () => showView(context, 'messages') }],
    note(text('overview.messages.said', said)),
    rowList(longest.map((row) => messageRow(context, row, most, snapshot))),
  );
}

function messageRow(context: ViewContext, row: LongMessage, most: number, snapshot: Snapshot): CardRow {
  const { names, originNs } = context.model;
  const ns = row.endNs - row.beginNs;
  return {
    name: row.method < 0 ? text('overview.messages.several') : names.short(row.method),
    figure: formatNs(ns),
    detail: `${threadName(snapshot, row.thread)} · ${text('details.begins')} ${formatNs(row.beginNs - originNs)}`,
    share: shareOf(ns, most),
    selfShare: shareOf(row.cpuNs, most),
    go: () => {
      context.store.set({ range: { beginNs: row.beginNs, endNs: row.endNs } });
      context.actions.showMoment(row.thread, (row.beginNs + row.endNs) / 2);
    },
  };
}
