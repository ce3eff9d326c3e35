/** Sizes of the chart, in CSS pixels. */
export const rowHeight = 18;
/** Left free below a box, so that rows are told apart. */
export const rowGap = 1;
/** Strip at the top of a thread: CPU over time, waits and gaps. All there is of a collapsed thread. */
export const activityHeight = 24;
/** Below it, of a thread that the kernel's scheduler was recorded of: running, waiting for a core, asleep. */
export const stateHeight = 8;
/** A row of sections of the system's trace, below the states. */
export const sectionHeight = 14;
export const coreHeight = 16;
export const coreGap = 2;
export const trackGap = 6;
export const counterHeight = 32;
/** Calls narrower than this (device pixels) share density boxes. */
export const minBoxPixels = 2;
/** Bar at the bottom of a box that shows its share of CPU. */
export const cpuBarHeight = 2;
/** Line at the bottom of a wait. */
export const waitEdges = { heldUp: 3, resting: 1 } as const;
export const labelInset = 4;
/** Boxes narrower than this carry no label. */
export const minLabelWidth = 28;
export const fontSize = 11;
export const rulerHeight = 24;
export const minimapHeight = 44;
/** Less than this is a click, not a drag. */
export const dragPixels = 4;
