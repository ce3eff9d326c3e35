/** Which sections of the system's trace a call is in: the chart draws them, and this is how those who hear it meet them. */
import { plainText } from '../names.js';
import { callAt } from '../timeline/call-walk.js';
import type { SchedulingColumns } from '../worker/messages.js';

/** A sampled call may begin before the section that it is in, and end after it. */
const leastShare = 0.5;

/** "Choreographer#doFrame › draw", outermost first; empty if none has half of the call. O(depth · log sections). */
export function sectionsOf(
  scheduling: SchedulingColumns | undefined,
  thread: number,
  beginNs: number,
  endNs: number,
): string {
  const chart = scheduling?.sections.get(thread);
  if (scheduling === undefined || chart === undefined) return '';
  const middleNs = beginNs + (endNs - beginNs) / 2;
  const found: string[] = [];
  for (let depth = 0; depth < chart.depthStart.length - 1; depth++) {
    const row = callAt(chart, depth, middleNs);
    if (row < 0) break;
    const shared = Math.min(endNs, chart.end[row] ?? 0) - Math.max(beginNs, chart.begin[row] ?? 0);
    if (shared < (endNs - beginNs) * leastShare) break;
    found.push(plainText(scheduling.sectionNames[chart.method[row] ?? 0] ?? ''));
  }
  return found.join(' › ');
}
