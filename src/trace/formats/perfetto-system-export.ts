/** What the kernel's trace has, as Perfetto's own tracing service writes it: scheduler events as compact bundles of each core. */
import type { SystemTrace } from '../model/trace.js';
import { sortRows } from '../assemble/sort-rows.js';
import { WireWriter } from '../recording/wire.js';
import { interruptWaker, priorityOf, SchedState } from '../system/kernel-sink.js';
import type { Sink } from './importer.js';
import { writeFrames } from './perfetto-frames-export.js';
import { writeSections } from './perfetto-sections-export.js';
import {
  CompactSched,
  CoreFrequency,
  DiskWait,
  FtraceBundle,
  FtraceEvent,
  Packet,
  ProcessTree,
  TreeProcess,
  TreeThread,
} from './perfetto-fields.js';

/** Switches and wake-ups of one bundle. */
const bundleRows = 4096;
/** The kernel's own numbers, by SchedState. */
const kernelStates = new Map<number, number>([
  [SchedState.Runnable, 0],
  [SchedState.Sleeping, 1],
  [SchedState.Uninterruptible, 2],
  [SchedState.Dead, 16],
]);
/** common_flags of a wake-up by an interrupt. */
const hardInterrupt = 8;

/** A field that holds a message of its own. */
function put(out: WireWriter, field: number, inner: WireWriter): void {
  out.tag(field, 2);
  out.delimited(inner.finish());
}

function number(out: WireWriter, field: number, value: number): void {
  out.tag(field, 0);
  out.varint(value);
}

/** `startNs`: what the trace's times count from, on the clock that it is written in. */
export function writePerfettoSystem(system: SystemTrace, startNs: bigint, sink: Sink): void {
  const writer = new SystemWriter(system, startNs, sink);
  writer.tasks();
  for (const core of writer.cores()) writer.core(core);
  writer.others();
  writeSections(system, startNs, sink);
  writeFrames(system, startNs, sink);
}

class SystemWriter {
  readonly #system: SystemTrace;
  readonly #startNs: bigint;
  readonly #sink: Sink;

  constructor(system: SystemTrace, startNs: bigint, sink: Sink) {
    this.#system = system;
    this.#startNs = startNs;
    this.#sink = sink;
  }

  /** Threads and processes with their names. */
  tasks(): void {
    const { switches, wakes, sectionRows } = this.#system;
    const tids = new Set<number>();
    const add = (tid: Int32Array, count: number): void => {
      for (let row = 0; row < count; row++) tids.add(tid[row] as number);
    };
    add(switches.next, switches.count);
    add(wakes.tid, wakes.count);
    if (sectionRows !== undefined) {
      const { prints, binder } = sectionRows;
      add(prints.tid, prints.count);
      add(binder.tid, binder.count);
      // The main thread of a process that is sent to says how it is called.
      add(binder.toPid, binder.count);
    }
    const tree = new WireWriter();
    const processes = new Set<number>();
    for (const tid of tids) {
      const task = this.#system.task(tid);
      if (tid <= 0 || task === undefined || task.pid === 0) continue;
      if (!processes.has(task.pid)) {
        processes.add(task.pid);
        const process = new WireWriter();
        number(process, TreeProcess.pid, task.pid);
        const name = this.#system.task(task.pid)?.name ?? '';
        if (name !== '') {
          process.tag(TreeProcess.cmdline, 2);
          process.string(name);
        }
        put(tree, ProcessTree.processes, process);
      }
      const thread = new WireWriter();
      number(thread, TreeThread.tid, tid);
      if (task.name !== '') {
        thread.tag(TreeThread.name, 2);
        thread.string(task.name);
      }
      number(thread, TreeThread.tgid, task.pid);
      put(tree, ProcessTree.threads, thread);
    }
    const packet = new WireWriter();
    put(packet, Packet.processTree, tree);
    this.#packet(packet);
  }

  cores(): number[] {
    const { switches, wakes } = this.#system;
    const cores = new Set<number>();
    for (let row = 0; row < switches.count; row++) cores.add(switches.core[row] as number);
    for (let row = 0; row < wakes.count; row++) cores.add(wakes.core[row] as number);
    return [...cores].sort((a, b) => a - b);
  }

  /**
   * In order of time, a bundle at a time. Where somebody else ran before a switch than the one before says, events were
   * lost, and the next bundle says so.
   */
  core(core: number): void {
    const { switches, wakes } = this.#system;
    const switchRows = rowsOf(switches.core, switches.time, switches.count, core);
    const wakeRows = rowsOf(wakes.core, wakes.time, wakes.count, core);
    let [at, wake] = [0, 0];
    let running = -1;
    while (at < switchRows.length || wake < wakeRows.length) {
      const bundle = new Bundle(this.#system);
      const isGap =
        running >= 0 && at < switchRows.length && switches.previous[switchRows[at] as number] !== running;
      if (isGap) running = -1;
      for (let rows = 0; rows < bundleRows; rows++) {
        const row = at < switchRows.length ? (switchRows[at] as number) : -1;
        const wakeRow = wake < wakeRows.length ? (wakeRows[wake] as number) : -1;
        if (row < 0 && wakeRow < 0) break;
        const time = row < 0 ? Infinity : (switches.time[row] as number);
        if (wakeRow >= 0 && (wakes.time[wakeRow] as number) < time) {
          bundle.woken(this.#at(wakes.time[wakeRow] as number), wakeRow);
          wake++;
          continue;
        }
        if (running >= 0 && switches.previous[row] !== running && rows > 0) break;
        bundle.switched(this.#at(time), row);
        running = switches.next[row] as number;
        at++;
      }
      const out = new WireWriter();
      number(out, FtraceBundle.cpu, core);
      if (isGap) number(out, FtraceBundle.lostEvents, 1);
      put(out, FtraceBundle.compactSched, bundle.finish());
      this.#bundle(out);
    }
  }

  /** Waits for disks and frequencies: whole events. */
  others(): void {
    const { diskWaits, frequencies } = this.#system;
    for (let row = 0; row < diskWaits.count; row++) {
      const inner = new WireWriter();
      number(inner, DiskWait.pid, diskWaits.tid[row] as number);
      number(inner, DiskWait.ioWait, 1);
      this.#event(
        diskWaits.core[row] as number,
        diskWaits.time[row] as number,
        FtraceEvent.schedBlockedReason,
        inner,
      );
    }
    frequencies.time.forEach((time, row) => {
      const inner = new WireWriter();
      number(inner, CoreFrequency.state, frequencies.kHz[row] ?? 0);
      number(inner, CoreFrequency.cpuId, frequencies.core[row] ?? 0);
      this.#event(frequencies.core[row] ?? 0, time, FtraceEvent.cpuFrequency, inner);
    });
  }

  #event(core: number, time: number, field: number, inner: WireWriter): void {
    const event = new WireWriter();
    event.tag(FtraceEvent.timestamp, 0);
    event.bigint(this.#at(time));
    number(event, FtraceEvent.pid, 0);
    put(event, field, inner);
    const out = new WireWriter();
    number(out, FtraceBundle.cpu, core);
    put(out, FtraceBundle.event, event);
    this.#bundle(out);
  }

  #at(time: number): bigint {
    return this.#startNs + BigInt(Math.round(time));
  }

  #bundle(bundle: WireWriter): void {
    const packet = new WireWriter();
    put(packet, Packet.ftraceEvents, bundle);
    this.#packet(packet);
  }

  #packet(packet: WireWriter): void {
    const out = new WireWriter();
    put(out, 1, packet);
    this.#sink(out.finish());
  }
}

/** Of one core, in order of time. */
function rowsOf(cores: Uint16Array, times: Float64Array, count: number, core: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < count; row++) if (cores[row] === core) rows.push(row);
  const order = sortRows(
    Float64Array.from(rows, (row) => times[row] as number),
    rows.length,
  );
  return Array.from(order, (at) => rows[at] as number);
}

/** The columns of one bundle. */
class Bundle {
  readonly #system: SystemTrace;
  readonly #names = new Map<string, number>();
  readonly #columns = new Map<number, WireWriter>();
  #lastSwitch = 0n;
  #lastWake = 0n;

  constructor(system: SystemTrace) {
    this.#system = system;
  }

  switched(time: bigint, row: number): void {
    const { next, state, priority } = this.#system.switches;
    this.#column(CompactSched.switchTimestamp).bigint(time - this.#lastSwitch);
    this.#lastSwitch = time;
    this.#column(CompactSched.switchPrevState).varint(kernelStates.get(state[row] as number) ?? 1);
    this.#column(CompactSched.switchNextPid).varint(next[row] as number);
    const known = priorityOf(priority[row] as number) ?? usualPriority;
    this.#column(CompactSched.switchNextPrio).bigint(BigInt.asUintN(64, BigInt(known)));
    this.#column(CompactSched.switchNextComm).varint(this.#name(next[row] as number));
  }

  woken(time: bigint, row: number): void {
    const { tid, waker, core } = this.#system.wakes;
    this.#column(CompactSched.wakingTimestamp).bigint(time - this.#lastWake);
    this.#lastWake = time;
    this.#column(CompactSched.wakingPid).varint(tid[row] as number);
    this.#column(CompactSched.wakingTargetCpu).varint(core[row] as number);
    this.#column(CompactSched.wakingPrio).varint(usualPriority);
    this.#column(CompactSched.wakingComm).varint(this.#name(tid[row] as number));
    this.#column(CompactSched.wakingCommonFlags).varint(waker[row] === interruptWaker ? hardInterrupt : 0);
  }

  finish(): WireWriter {
    const out = new WireWriter();
    for (const [field, column] of this.#columns) put(out, field, column);
    for (const name of this.#names.keys()) {
      out.tag(CompactSched.internTable, 2);
      out.string(name);
    }
    return out;
  }

  #column(field: number): WireWriter {
    let column = this.#columns.get(field);
    if (column === undefined) this.#columns.set(field, (column = new WireWriter()));
    return column;
  }

  #name(tid: number): number {
    const name = this.#system.task(tid)?.name ?? (tid === 0 ? 'swapper' : '');
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#names.set(name, this.#names.size);
    return this.#names.size - 1;
  }
}

/** The kernel's number of the usual priority, where none is known. */
const usualPriority = 120;
