/**
 * Sections and messages between processes of a system's trace, as Perfetto's own tracing service writes them: prints and
 * binder events in bundles of each core. A recording does not say on which core a print was written: it is the one that its
 * thread ran on.
 *
 * Cost: a sort of the rows and of the switches.
 */
import { sortRows } from '../assemble/sort-rows.js';
import type { SystemTrace } from '../model/trace.js';
import type { SwitchRows } from '../system/kernel-events.js';
import { BinderEnd, type BinderRows, type PrintRows } from '../system/print-rows.js';
import type { Sink } from './importer.js';
import {
  BinderReceived,
  BinderSent,
  FtraceBundle,
  FtraceEvent,
  FtracePrint,
  Packet,
} from './perfetto-fields.js';
import { ProtobufWriter } from './protobuf-writer.js';

/** Events of one bundle, and about how many bytes. */
const bundleRows = 4096;
const bundleBytes = 1 << 18;

interface OrderedSwitches {
  readonly switches: SwitchRows;
  /** Its rows in order of time. */
  readonly order: Uint32Array;
}

export function writeSections({ sectionRows, switches }: SystemTrace, startNs: bigint, sink: Sink): void {
  if (sectionRows === undefined) return;
  const { prints, binder } = sectionRows;
  const order = sortRows(switches.time, switches.count);
  const at = (time: number): bigint => startNs + BigInt(Math.round(time));
  writeRows(prints, { switches, order }, sink, (out, row) => {
    out.big(FtraceEvent.timestamp, at(prints.time[row] as number));
    out.integer(FtraceEvent.pid, prints.tid[row] as number);
    out.begin(FtraceEvent.print);
    out.bytes(FtracePrint.buf, prints.bytes(row));
    out.end();
  });
  writeRows(binder, { switches, order }, sink, (out, row) => {
    out.big(FtraceEvent.timestamp, at(binder.time[row] as number));
    out.integer(FtraceEvent.pid, binder.tid[row] as number);
    if (binder.end[row] === BinderEnd.Received) {
      out.begin(FtraceEvent.binderTransactionReceived);
      out.integer(BinderReceived.debugId, binder.id[row] as number);
    } else {
      out.begin(FtraceEvent.binderTransaction);
      out.integer(BinderSent.debugId, binder.id[row] as number);
      out.integer(BinderSent.toProc, binder.toPid[row] as number);
      if (binder.end[row] === BinderEnd.Replied) out.integer(BinderSent.reply, 1);
      out.integer(BinderSent.flags, binder.flags[row] as number);
    }
    out.end();
  });
}

/** Tids of those that the kernel's trace has slices of. */
export function threadsWithSections(system: SystemTrace | undefined): Set<number> {
  const tids = new Set<number>();
  const rows = system?.sectionRows;
  if (rows === undefined) return tids;
  for (const { tid, count } of [rows.prints, rows.binder])
    for (let row = 0; row < count; row++) tids.add(tid[row] as number);
  return tids;
}

/** Of each core the rows in order of time. */
function writeRows(
  rows: PrintRows | BinderRows,
  switched: OrderedSwitches,
  sink: Sink,
  write: (out: ProtobufWriter, row: number) => void,
): void {
  const order = sortRows(rows.time, rows.count);
  const out = new ProtobufWriter(2 * bundleBytes);
  for (const [core, ofCore] of byCore(order, rows, switched)) {
    for (let from = 0; from < ofCore.length;) {
      out.begin(1);
      out.begin(Packet.ftraceEvents);
      out.integer(FtraceBundle.cpu, core);
      const to = Math.min(ofCore.length, from + bundleRows);
      for (; from < to && out.length < bundleBytes; from++) {
        out.begin(FtraceBundle.event);
        write(out, ofCore[from] as number);
        out.end();
      }
      out.end();
      out.end();
      sink(out.take());
    }
  }
}

/** Rows by the core that their threads ran on then; 0 where no switch says. */
function byCore(
  order: Uint32Array,
  { time, tid }: PrintRows | BinderRows,
  { switches, order: switchOrder }: OrderedSwitches,
): [core: number, rows: number[]][] {
  const runsOn = new Map<number, number>();
  const rowsOf = new Map<number, number[]>();
  let next = 0;
  for (const row of order) {
    for (; next < switchOrder.length; next++) {
      const at = switchOrder[next] as number;
      if ((switches.time[at] as number) > (time[row] as number)) break;
      runsOn.set(switches.next[at] as number, switches.core[at] as number);
    }
    const core = runsOn.get(tid[row] as number) ?? 0;
    const rows = rowsOf.get(core);
    if (rows === undefined) rowsOf.set(core, [row]);
    else rows.push(row);
  }
  return [...rowsOf].sort(([a], [b]) => a - b);
}
