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
/** Of a path: what figures take for it while they are summed. */
export const pathFigureBytes = 40;
/** Of a link: its columns, here and on the page. */
export const linkBytes = 50;
export const offCarrierWaitBytes = 30;
export const heldMemoryBytes = 24;
/** Of a switch or a wake-up of the scheduler: its columns. */
export const switchBytes = 22;
/** Of a print, a message between processes, or a begin or end of a frame in a system's trace: its columns. */
export const systemEventBytes = 39;
/** The same with what is made of it when somebody asks: its event, an interval and half a call. */
export const sectionBytes = systemEventBytes + 12 + intervalBytes + callBytes / 2;
/** Of a wait of a virtual thread, where each is of a thread of its own and has figures of its own. */
export const virtualThreadBytes = 200;
export const counterValueBytes = 16;
/** Of a thread of which nothing but its name is known. Measured: 1.3 KB, and as much again for figures and the page. */
export const threadBytes = 2560;
/** Of a thread with samples: its columns besides, with next to nothing in them. Both together, measured: 3.9 KB. */
export const sampledThreadBytes = 1536;
/** Of a thread with waits or events: the columns of these. */
export const notedThreadBytes = 2048;
/** Of a byte of classes, methods, images and texts: itself, where its entry lies, and what is made of it when it is asked for. */
export const nameByteBytes = 4;
/** Of a block of samples: what tells where it lies. */
export const sampleBlockBytes = 64;
/** Of a wait or an event, the larger of both. */
export const noteBytes = 46;
export const symbolByteBytes = 30;
