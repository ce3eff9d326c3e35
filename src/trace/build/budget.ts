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
/** Of a node: its columns, and a path that no other node has. */
export const nodeBytes = 12 + pathBytes;
export const linkBytes = 25;
export const virtualWaitBytes = 30;
export const counterValueBytes = 16;
/** Of a thread: its columns, with next to nothing in them. 100,000 were 0.9 GB of objects, and 1.2 GB of the process. */
export const threadBytes = 12 * 1024;
/** Of a byte of classes, methods, images and texts: itself, where its entry lies, and what is made of it when it is asked for. */
export const nameByteBytes = 4;
export const symbolByteBytes = 30;
