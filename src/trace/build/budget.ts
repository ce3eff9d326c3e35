/**
 * How much memory an opened trace may take, and what its rows take: estimates, on the high side. Columns that nobody asks
 * for are counted too, as somebody may.
 */

/** Where nobody says: room for some twenty million samples of usual stacks. */
export const usualMemoryBytes = 3 * 2 ** 30;

/** Of an interval: the columns of `Intervals`, and its message. */
export const intervalBytes = 79;
/** Of a call: the columns of `Calls`, and its path. The page's chart, which needs no `Calls`, takes half of that. */
export const callBytes = 46;
/** Of a path: its columns, and its place in the hash. */
export const pathBytes = 31;
