/** Chunk kinds 18 to 20: what the kernel's scheduler did, on all cores; 25: of one program alone. Written by the desktop. */
import { type SwitchRows, type WakeRows } from '../system/kernel-events.js';
import { type ProgramSwitchRows } from '../system/program-switches.js';
import { type Columns, RowReader, writeRows } from './rows.js';
import { message, type Of, packedSint, repeated, sint64, string, uint32, uint64 } from './schema.js';
import { WireWriter } from './wire.js';

const switchColumns = {
  time: { field: 1, coding: 'plain delta' },
  next: { field: 2, coding: 'plain delta' },
  /** `previous` minus `next` of the row before: 0 but at a core's first row and after lost events. */
  previous: { field: 3, coding: 'sparse' },
  /** SchedState that the previous thread is left in. */
  state: { field: 4, coding: 'sparse delta' },
  core: { field: 5, coding: 'sparse delta' },
  /** Of `next`: 0 not known, else the kernel's number + 2. */
  priority: { field: 6, coding: 'sparse delta' },
} as const satisfies Columns;

const wakeColumns = {
  time: { field: 1, coding: 'plain delta' },
  tid: { field: 2, coding: 'plain delta' },
  /** A tid, 0 unknown, −1 an interrupt. */
  waker: { field: 3, coding: 'plain delta' },
  core: { field: 4, coding: 'sparse delta' },
  /** 1: nobody is woken; the wait of `tid` that ends about then was for a disk. */
  disk: { field: 5, coding: 'sparse' },
} as const satisfies Columns;

const programSwitchColumns = {
  time: { field: 1, coding: 'plain delta' },
  tid: { field: 2, coding: 'plain delta' },
  /** A SwitchKind. */
  kind: { field: 3, coding: 'plain' },
  core: { field: 4, coding: 'sparse delta' },
} as const satisfies Columns;

export class SwitchReader extends RowReader<typeof switchColumns> {
  constructor() {
    super('switches', switchColumns);
  }
}

export class WakeReader extends RowReader<typeof wakeColumns> {
  constructor() {
    super('wake-ups', wakeColumns);
  }
}

export class ProgramSwitchReader extends RowReader<typeof programSwitchColumns> {
  constructor() {
    super('switches of the program', programSwitchColumns);
  }
}

/** No more are counted: each is a name in memory. */
export const mostCountersLeftOut = 4096;

const Task = message({ tid: uint32(1), pid: uint32(2), name: string(3) });
export const System = message({
  source: string(1),
  clock: string(2),
  offsetNs: sint64(3),
  errorNs: uint64(4),
  lost: uint64(5),
  cores: uint32(6),
  beginNs: sint64(7),
  endNs: sint64(8),
  readerNs: uint64(9),
  events: uint64(10),
  tasks: repeated(11, Task),
  /** Differences, as stored. */
  frequencyTime: packedSint(12),
  frequencyCore: packedSint(13),
  frequencyKhz: packedSint(14),
  marks: uint32(15),
  countersLeftOut: uint32(16),
});
export type System = Of<typeof System>;

/** A Switches message of the rows [from, to). */
export function encodeSwitches(rows: SwitchRows, from: number, to: number, shiftNs: number): Uint8Array {
  const previous = new Float64Array(to - from);
  for (let row = from; row < to; row++)
    previous[row - from] = (rows.previous[row] as number) - (row > from ? (rows.next[row - 1] as number) : 0);
  const out = new WireWriter(16 * (to - from));
  writeRows(out, switchColumns, {
    time: rows.time.subarray(from, to).map((ns) => ns + shiftNs),
    next: rows.next.subarray(from, to),
    previous,
    state: rows.state.subarray(from, to),
    core: rows.core.subarray(from, to),
    priority: rows.priority.subarray(from, to),
  });
  return out.finish();
}

/** A Wakes message of the rows [from, to). */
export function encodeWakes(
  rows: WakeRows,
  from: number,
  to: number,
  shiftNs: number,
  isDisk: boolean,
): Uint8Array {
  const out = new WireWriter(16 * (to - from));
  writeRows(out, wakeColumns, {
    time: rows.time.subarray(from, to).map((ns) => ns + shiftNs),
    tid: rows.tid.subarray(from, to),
    waker: rows.waker.subarray(from, to),
    core: rows.core.subarray(from, to),
    disk: isDisk ? new Uint8Array(to - from).fill(1) : undefined,
  });
  return out.finish();
}

/** A ProgramSwitches message of the rows [from, to). */
export function encodeProgramSwitches(
  rows: ProgramSwitchRows,
  from: number,
  to: number,
  shiftNs: number,
): Uint8Array {
  const out = new WireWriter(12 * (to - from));
  writeRows(out, programSwitchColumns, {
    time: rows.time.subarray(from, to).map((ns) => ns + shiftNs),
    tid: rows.tid.subarray(from, to),
    kind: rows.kind.subarray(from, to),
    core: rows.core.subarray(from, to),
  });
  return out.finish();
}
