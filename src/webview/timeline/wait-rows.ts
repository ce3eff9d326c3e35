/** Finding waits by their time. */
import { lowerBound } from '../../trace/model/bisect.js';
import type { WaitColumns } from '../worker/messages.js';

/** Row of the wait that begins at `beginNs`, −1 if there is none. */
export function waitRow(waits: WaitColumns, beginNs: number): number {
  const row = lowerBound(waits.begin, beginNs, 0, waits.count);
  return row < waits.count && waits.begin[row] === beginNs ? row : -1;
}
