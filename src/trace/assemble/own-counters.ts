/** Counters of the program itself: a marker with an object has a value, of the counter that its text names. */
import { SampleKind } from '../model/kinds.js';
import type { CounterTrack, ThreadTrack, Trace } from '../model/trace.js';
import { sortRows } from './sort-rows.js';

/** What a marker's object says: undefined where it is a marker only. */
export function countedValue(kind: number, object: number): number | undefined {
  return kind === SampleKind.Marker && object > 0 ? object - 1 : undefined;
}

/** Of the library that apps call: it told the value for its caller. */
const library = 'btrace.BTrace';

/** Where the program told a counter's value: the innermost path that is not the library's own. */
export function tellingPath({ paths, methods }: Pick<Trace, 'paths' | 'methods'>, path: number): number {
  let at = path;
  while (at > 0 && methods.className(paths.method[at] as number) === library) at = paths.parent[at] as number;
  return at;
}

interface Told {
  readonly time: number[];
  readonly value: number[];
}

/** At most so many, of all threads, in order of time. One pass over the events. */
export function ownCounters(
  threads: readonly Pick<ThreadTrack, 'events'>[],
  text: (id: number) => string,
  most: number,
): CounterTrack[] {
  const byText = new Map<number, Told>();
  for (const { events } of threads)
    for (let row = 0; row < events.count; row++) {
      const value = countedValue(events.kind[row] as number, events.object[row] as number);
      if (value === undefined) continue;
      const id = events.text[row] as number;
      let told = byText.get(id);
      if (told === undefined) {
        if (byText.size >= most) continue;
        byText.set(id, (told = { time: [], value: [] }));
      }
      told.time.push(events.time[row] as number);
      told.value.push(value);
    }
  return [...byText].map(([id, { time, value }]) => {
    const order = sortRows(Float64Array.from(time), time.length);
    return {
      name: text(id),
      unit: '',
      isOwn: true,
      count: time.length,
      time: Float64Array.from(order, (row) => time[row] as number),
      value: Float64Array.from(order, (row) => value[row] as number),
    };
  });
}
