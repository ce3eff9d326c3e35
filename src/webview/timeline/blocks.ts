/** Finding waits by their time. */
import { lowerBound } from '../../trace/model/bisect.js';
import type { BlockColumns } from '../worker/messages.js';

/** Row of the wait that begins at `beginNs`, −1 if there is none. */
export function blockRow(blocks: BlockColumns, beginNs: number): number {
  const row = lowerBound(blocks.begin, beginNs, 0, blocks.count);
  return row < blocks.count && blocks.begin[row] === beginNs ? row : -1;
}
