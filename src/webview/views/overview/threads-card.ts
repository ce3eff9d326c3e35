/** Which threads matter: CPU time over the recording, of all and of each. */
import type { Overview, ThreadGroup } from '../../../trace/measure/overview.js';
import { formatCount, formatNs, formatShare } from '../../../trace/measure/quantities.js';
import { element } from '../../element.js';
import type { ViewContext } from '../../model.js';
import { plainText } from '../../names.js';
import { text } from '../../texts.js';
import { threadName } from '../../timeline/waits.js';
import type { Snapshot } from '../../worker/messages.js';
import type { CardRow } from './card.js';
import { card, linkButton, note, rowList } from './card.js';
import { showView } from './card-ways.js';
import { highestOf, sparkline } from './sparkline.js';

/** The rest is in the views. */
const mostThreads = 6;

export function threadsCard(
  context: ViewContext,
  { groups, activity, beginNs }: Overview,
  snapshot: Snapshot,
): HTMLElement {
  const { store } = context;
  const shown = groups.slice(0, mostThreads);
  const highest = Math.max(...shown.map((group) => highestOf(group.activity)), 0);
  const rows = shown.map((group): CardRow => {
    const thread = group.threads[0] ?? 0;
    return {
      name: groupName(group, snapshot),
      figure: snapshot.info.hasCpu ? formatNs(group.cpuNs) : formatNs(group.wallNs),
      detail:
        group.waitNs > 0
          ? text('overview.thread.waits', { share: formatShare(group.waitNs / group.wallNs) })
          : '',
      picture: sparkline(group.activity, highest),
      go: () => context.actions.showMoment(thread, beginNs),
    };
  });
  const idle = snapshot.threads.filter(({ isIdle }) => isIdle).length;
  const { idleShown } = store.state;
  const more = groups.length - shown.length;
  return card(
    'threads',
    'overview.threads',
    [{ text: 'overview.toTimeline', go: () => showView(context, 'timeline') }],
    snapshot.info.hasCpu
      ? element(
          'div',
          { class: 'card-picture' },
          sparkline(activity, Math.max(1, highestOf(activity))),
          element(
            'span',
            { class: 'card-note' },
            text('overview.activity', { cores: cores(highestOf(activity)) }),
          ),
        )
      : undefined,
    rowList(rows),
    more > 0 ? note(text('overview.threads.more', { count: formatCount(more) })) : undefined,
    idle === 0
      ? undefined
      : element(
          'p',
          { class: 'card-note' },
          text(idleShown ? 'overview.idle.shown' : 'overview.idle', { count: idle }),
          ' ',
          linkButton(text(idleShown ? 'overview.idle.hide' : 'overview.idle.show'), () =>
            store.set({ idleShown: !idleShown }),
          ),
        ),
  );
}

export const cores = (count: number): string => count.toFixed(count < 9.95 ? 2 : 0);

export function groupName(group: ThreadGroup | undefined, snapshot: Snapshot): string {
  if (group === undefined) return '';
  const [only = 0] = group.threads;
  if (group.threads.length === 1) return threadName(snapshot, only);
  const name = group.name === '' ? threadName(snapshot, only) : plainText(group.name, 60);
  return text('overview.thread.many', { name, count: group.threads.length });
}
