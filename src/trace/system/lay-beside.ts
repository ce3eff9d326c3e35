/** A system trace that was made elsewhere, laid beside a recording: on the recording's clock, as its own chunks. */
import { sortRows } from '../assemble/sort-rows.js';
import { type TraceInfo } from '../model/trace.js';
import { ChunkKind } from '../recording/chunk.js';
import { System } from '../recording/scheduling.js';
import { KernelEvents } from './kernel-events.js';
import { SystemChunks } from './system-chunks.js';

type Clocks = Pick<TraceInfo, 'startMonotonicNs' | 'startBoottimeNs'>;

export interface Shift {
  /** To add to the trace's times to get the recording's. */
  readonly ns: number;
  readonly clock: 'monotonic' | 'boottime';
  /** The trace says how its clocks belong together; else it was taken for the nearer of the recording's two. */
  readonly isMeasured: boolean;
}

/**
 * Phones stamp their kernel's events by one of two clocks, which differ by how long the device slept. A trace that has read
 * both together says which. Of another one its begin is compared with both of the recording's readings, and the nearer
 * clock is taken: a wrong one is off by the length of a sleep.
 */
export function shiftOf(trace: Clocks, recording: Clocks): Shift {
  const toMonotonic = Number(trace.startMonotonicNs - recording.startMonotonicNs);
  // An importer that knows but one clock gives it for both.
  const isMeasured = trace.startBoottimeNs !== trace.startMonotonicNs && trace.startBoottimeNs > 0n;
  if (isMeasured || recording.startBoottimeNs === 0n)
    return { ns: toMonotonic, clock: 'monotonic', isMeasured };
  const toBoottime = Number(trace.startMonotonicNs - recording.startBoottimeNs);
  return Math.abs(toBoottime) < Math.abs(toMonotonic)
    ? { ns: toBoottime, clock: 'boottime', isMeasured }
    : { ns: toMonotonic, clock: 'monotonic', isMeasured };
}

/** Events that lie further outside a recording say nothing about it. */
const aroundNs = 5e9;

export interface Beside {
  readonly chunks: readonly (readonly [kind: number, payload: Uint8Array])[];
  /** Switches and wake-ups that were taken, and those that lie elsewhere. */
  readonly taken: number;
  readonly outside: number;
}

export function layBeside(
  events: KernelEvents,
  shift: Shift,
  source: string,
  range: { readonly beginNs: number; readonly endNs: number },
): Beside {
  const from = range.beginNs - aroundNs - shift.ns;
  const to = range.endNs + aroundNs - shift.ns;
  const rowsIn = (time: Float64Array, count: number): Uint32Array =>
    sortRows(time, count).filter((row) => (time[row] as number) >= from && (time[row] as number) <= to);
  const inside = new KernelEvents();
  const { switches, wakes, diskWaits, frequencies } = events;
  for (const row of rowsIn(switches.time, switches.count))
    inside.switches.push(
      switches.time[row] as number,
      switches.previous[row] as number,
      switches.state[row] as number,
      switches.next[row] as number,
      switches.core[row] as number,
      switches.priority[row] as number,
    );
  for (const [all, taken] of [[wakes, inside.wakes] as const, [diskWaits, inside.diskWaits] as const])
    for (const row of rowsIn(all.time, all.count))
      taken.push(
        all.time[row] as number,
        all.tid[row] as number,
        all.waker[row] as number,
        all.core[row] as number,
      );
  for (const row of rowsIn(Float64Array.from(frequencies.time), frequencies.time.length))
    inside.frequency(
      frequencies.time[row] as number,
      frequencies.core[row] as number,
      frequencies.kHz[row] as number,
    );
  const { prints, binder, frames } = events;
  for (const row of rowsIn(prints.time, prints.count)) {
    const bytes = prints.bytes(row);
    inside.print(prints.time[row] as number, prints.tid[row] as number, bytes, 0, bytes.length);
  }
  for (const row of rowsIn(binder.time, binder.count))
    inside.binder.push(
      binder.time[row] as number,
      binder.tid[row] as number,
      binder.end[row] as number,
      binder.id[row] as number,
      binder.toPid[row] as number,
      binder.flags[row] as number,
    );
  // In the order in which they came: an end belongs to the begin before it.
  for (let row = 0; row < frames.count; row++) {
    const time = frames.time[row] as number;
    if (time < from || time > to) continue;
    inside.frames.push(time, frames.moment[row] as number, frames.at(row));
  }
  for (const count of events.counts) if (count.time >= from && count.time <= to) inside.counts.push(count);
  for (const { tid, name, pid } of events.named) inside.nameThread(tid, name, pid);
  const taken = inside.switches.count + inside.wakes.count + inside.diskWaits.count;
  const chunks: [number, Uint8Array][] = [];
  const written = new SystemChunks((kind, payload) => chunks.push([kind, payload]), false);
  written.flush(inside, shift.ns);
  const { beginNs, endNs, cores } = written;
  const how = shift.isMeasured ? 'by the trace’s own readings' : 'the nearer one';
  chunks.push([
    ChunkKind.System,
    System.encode({
      source,
      clock: `${shift.clock}, ${how}`,
      cores,
      events: taken,
      ...(endNs >= beginNs && { beginNs: Math.round(beginNs), endNs: Math.round(endNs) }),
    }),
  ]);
  return { chunks, taken, outside: switches.count + wakes.count + diskWaits.count - taken };
}
