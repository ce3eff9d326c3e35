/** By how much a counter of the program rose, and where: docs/MEASURES.md, "Counters of the program". */
import { countedValue, tellingPath } from '../assemble/own-counters.js';
import type { Trace } from '../model/trace.js';

export interface Rise {
  /** Thread index. */
  readonly thread: number;
  readonly timeNs: number;
  readonly path: number;
  readonly rise: number;
}

/**
 * Each value that is higher than the last one of any thread. The first value is no rise: what there was before is not known.
 * One pass over the events of all threads, and a sort.
 */
export function risesOf(trace: Trace, counter: string): Rise[] {
  const isOf = new Map<number, boolean>();
  const told: { thread: number; timeNs: number; path: number; value: number }[] = [];
  for (const { index, events } of trace.threads)
    for (let row = 0; row < events.count; row++) {
      const value = countedValue(events.kind[row] as number, events.object[row] as number);
      if (value === undefined) continue;
      const text = events.text[row] as number;
      let matches = isOf.get(text);
      if (matches === undefined) isOf.set(text, (matches = trace.text(text) === counter));
      if (matches)
        told.push({
          thread: index,
          timeNs: events.time[row] as number,
          path: tellingPath(trace, events.path[row] as number),
          value,
        });
    }
  told.sort((a, b) => a.timeNs - b.timeNs);
  let last = Infinity;
  const rises: Rise[] = [];
  for (const { value, ...at } of told) {
    if (value > last) rises.push({ ...at, rise: value - last });
    last = value;
  }
  return rises;
}
