/** Sizes of the chart, in CSS pixels. */
export const rowHeight = 18;
/** Left free below a box, so that rows are told apart. */
export const rowGap = 1;
/** Strip at the top of a thread: CPU over time, waits and gaps. All there is of a folded thread. */
export const activityHeight = 24;
export const trackGap = 6;
export const counterHeight = 32;
/** Calls narrower than this (device pixels) share density boxes. */
export const minBoxPixels = 2;
/** Bar at the bottom of a box that shows its share of CPU. */
export const cpuBarHeight = 2;
export const labelInset = 4;
/** Boxes narrower than this carry no label. */
export const minLabelWidth = 28;
export const fontSize = 11;
export const rulerHeight = 24;
export const minimapHeight = 44;
/** Less than this is a click, not a drag. */
export const dragPixels = 4;
