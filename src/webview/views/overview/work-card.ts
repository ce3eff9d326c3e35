/** What the work was: methods by CPU time, and by what they allocated. */
import type { HotMethod, HotMethods } from '../../../trace/measure/hot-methods.js';
import type { Overview } from '../../../trace/measure/overview.js';
import { formatBytes, formatNs, formatShare } from '../../../trace/measure/quantities.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import { text } from '../../texts.js';
import { shareOf } from '../../weights.js';
import type { Snapshot } from '../../worker/messages.js';
import type { CardRow } from './card.js';
import { card, note, rowList } from './card.js';
import { openMethod, showView } from './card-ways.js';

/** What own code has no part in is told from this share on. */
const leastOther = 0.05;

export function workCard(context: ViewContext, { hot }: Overview, snapshot: Snapshot): HTMLElement {
  const weight = snapshot.info.hasCpu ? 'cpu' : 'wall';
  const share = formatShare(shareOf(hot.own, hot.sum));
  // Where a workspace has told nothing of its packages, all but the platform is one's own: that says little.
  const said =
    hot.isMyCode && context.model.myPackages.length > 0 ? [note(text('overview.myCode', { share }))] : [];
  return card(
    'work',
    weight === 'cpu' ? 'overview.cpu' : 'overview.work',
    [
      { text: 'overview.toFlame', go: () => showView(context, 'flameGraph', weight) },
      { text: 'overview.toMethods', go: () => showView(context, 'methods', weight) },
    ],
    ...(hot.isMyCode || hot.rows.length === 0 ? said : [note(text('overview.notMyCode'))]),
    rowList(hot.rows.map((row) => hotRow(context, row, hot, formatNs))),
    ...othersOf(context, hot),
  );
}

/** Undefined where nothing was allocated. */
export function allocationsCard(
  context: ViewContext,
  hot: HotMethods,
  { beginNs, endNs }: Overview,
): HTMLElement | undefined {
  if (hot.sum <= 0 || hot.rows.length === 0) return undefined;
  const rate = formatBytes(hot.sum / Math.max((endNs - beginNs) / 1e9, 1e-9));
  return card(
    'allocations',
    'overview.allocations',
    [{ text: 'overview.toFlame', go: () => showView(context, 'flameGraph', 'allocatedBytes') }],
    note(text('overview.allocations.sum', { bytes: formatBytes(hot.sum), rate })),
    rowList(hot.rows.map((row) => hotRow(context, row, hot, formatBytes))),
  );
}

function hotRow(
  context: ViewContext,
  row: HotMethod,
  hot: HotMethods,
  format: (value: number) => string,
): CardRow {
  const { names } = context.model;
  const { method, value, self, called, calledValue } = row;
  const all = shareOf(value, hot.sum);
  const part =
    called < 0 ? undefined : { method: names.short(called), share: formatShare(calledValue / value) };
  // Where nearly all of it is the method's own, nothing else is worth a line.
  const detail = part === undefined || calledValue < value * 0.1 ? '' : text('overview.called', part);
  return {
    name: names.short(method),
    title: plainText(names.qualified(method)),
    figure: `${format(value)} · ${formatShare(all)}`,
    detail,
    share: all,
    selfShare: shareOf(self, hot.sum),
    hue: `var(--hue-${names.hue(method)}-bar)`,
    go: (event) => openMethod(context, method, event),
  };
}

/** What own code has no part in: compilers, collectors, a framework's own threads. */
function othersOf(context: ViewContext, hot: HotMethods): HTMLElement[] {
  const { names } = context.model;
  const rows = hot.others
    .filter(({ value }) => value >= hot.sum * leastOther)
    .map(({ method, value }): CardRow => {
      const share = shareOf(value, hot.sum);
      return {
        name: names.short(method),
        title: plainText(names.qualified(method)),
        figure: `${formatNs(value)} · ${formatShare(share)}`,
        share,
        hue: `var(--hue-${names.hue(method)}-bar)`,
        go: (event) => openMethod(context, method, event),
      };
    });
  return rows.length === 0 ? [] : [note(text('overview.otherCode')), rowList(rows)];
}
