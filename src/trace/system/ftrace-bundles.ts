/**
 * Perfetto's packets of a kernel's trace → calls of a sink. Each bundle is of one core: whole events, or switches and
 * wake-ups as columns ("compact"), or both.
 *
 * Cost: one step a field. Damage costs its event, or the rest of its columns.
 */
import {
  BinderSent,
  CompactSched,
  CoreFrequency,
  DiskWait,
  FtraceBundle,
  FtraceEvent,
  FtracePrint,
  GpuFrequency,
  GpuMemory,
  NewTask,
  RenamedTask,
  RssStat,
  SchedSwitch,
  SchedWaking,
} from '../formats/perfetto-fields.js';
import { ProtobufReader } from '../formats/protobuf-reader.js';
import { textOf } from '../recording/text.js';
import { interruptFlags, interruptWaker, KernelCounter, type KernelSink, stateOf } from './kernel-sink.js';
import { NameChanges, nameHash } from './name-changes.js';

/** Halves of the trace's time → ns as the sink counts them. */
export type ToNs = (low: number, high: number) => number;

const two32 = 2 ** 32;
const cloneThread = 0x10000;
export const mostCores = 4096;
/** In place of a thread that is not known to run on a core. */
const unknown = 0;

const varintTag = (field: number): number => field << 3;
const spanTag = (field: number): number => (field << 3) | 2;
const tagTimestamp = varintTag(FtraceEvent.timestamp);
const tagPid = varintTag(FtraceEvent.pid);
const tagSwitch = spanTag(FtraceEvent.schedSwitch);
/** A field number above 15 takes two bytes. */
const tagWaking = (spanTag(FtraceEvent.schedWaking) & 0x7f) | 0x80;
const tagWaking2 = spanTag(FtraceEvent.schedWaking) >> 7;
const tagName = spanTag(SchedWaking.comm);
const tagWokenPid = varintTag(SchedWaking.pid);
const tagPreviousName = spanTag(SchedSwitch.prevComm);
const tagPreviousPid = varintTag(SchedSwitch.prevPid);
const tagPreviousPrio = varintTag(SchedSwitch.prevPrio);
const tagPreviousState = varintTag(SchedSwitch.prevState);
const tagNextName = spanTag(SchedSwitch.nextComm);
const tagNextPid = varintTag(SchedSwitch.nextPid);
const tagNextPrio = varintTag(SchedSwitch.nextPrio);

interface Span {
  from: number;
  to: number;
}

export class FtraceBundles {
  /** Bundles before which the kernel had no room for events. */
  gaps = 0;
  events = 0;

  readonly #sink: KernelSink;
  readonly #bundle = new ProtobufReader();
  readonly #event = new ProtobufReader();
  readonly #inner = new ProtobufReader();
  readonly #names = new NameChanges();
  /** By core, the thread that the last switch was to: columns do not say whom the next one leaves. */
  readonly #running: number[] = [];
  #bytes: Uint8Array = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  #toNs: ToNs = () => NaN;

  constructor(sink: KernelSink) {
    this.#sink = sink;
  }

  read(bytes: Uint8Array, from: number, to: number, toNs: ToNs): void {
    if (bytes !== this.#bytes) this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#bytes = bytes;
    this.#toNs = toNs;
    const core = this.#readHead(from, to);
    const bundle = this.#bundle.open(bytes, from, to);
    while (bundle.next()) {
      if (bundle.wireType !== 2) continue;
      if (bundle.field === FtraceBundle.event) {
        if (!this.#readUsual(bundle.from, bundle.to, core)) this.#readEvent(bundle.from, bundle.to, core);
      } else if (bundle.field === FtraceBundle.compactSched) this.#readCompact(bundle.from, bundle.to, core);
    }
  }

  /** The core, which may stand behind its events. */
  #readHead(from: number, to: number): number {
    const bundle = this.#bundle.open(this.#bytes, from, to);
    let core = 0;
    let isGap = false;
    while (bundle.next()) {
      if (bundle.field === FtraceBundle.cpu) core = Math.min(bundle.low, mostCores);
      else if (bundle.field === FtraceBundle.lostEvents) isGap = bundle.low !== 0;
    }
    if (isGap) {
      this.gaps++;
      this.#running[core] = unknown;
    }
    return core;
  }

  /**
   * Reads a switch or a wake-up as Perfetto writes them: fields in their order, numbers below 2^28, times below 2^56.
   * False for all other events, of which nothing was taken then. Three times as fast as field by field through a
   * `ProtobufReader`, and nearly all events are such.
   */
  #readUsual(from: number, to: number, core: number): boolean {
    const bytes = this.#bytes;
    if (to - from < 8 || bytes[from] !== tagTimestamp) return false;
    let at = from + 1;
    let low = 0;
    let high = 0;
    let shift = 0;
    let byte = 0x80;
    for (; byte >= 0x80 && shift < 28 && at < to; shift += 7) {
      byte = bytes[at++] as number;
      low |= (byte & 0x7f) << shift;
    }
    for (shift = 0; byte >= 0x80 && shift < 28 && at < to; shift += 7) {
      byte = bytes[at++] as number;
      high |= (byte & 0x7f) << shift;
    }
    if (byte >= 0x80 || at + 4 > to || bytes[at++] !== tagPid) return false;
    let tid = 0;
    byte = 0x80;
    for (shift = 0; byte >= 0x80 && shift < 28 && at < to; shift += 7) {
      byte = bytes[at++] as number;
      tid |= (byte & 0x7f) << shift;
    }
    if (byte >= 0x80 || at + 3 > to) return false;
    low = (low | (high << 28)) >>> 0;
    high >>>= 4;
    if (bytes[at] === tagSwitch) {
      // Its length is one byte: it has two names of 15 letters and five numbers.
      at++;
      return at + 1 + (bytes[at] as number) === to && this.#readUsualSwitch(at + 1, to, low, high, core);
    }
    if (bytes[at] !== tagWaking || bytes[at + 1] !== tagWaking2) return false;
    at += 2;
    if (at + 1 + (bytes[at] as number) !== to) return false;
    return this.#readUsualWaking(at + 1, to, low, high, tid, core);
  }

  #readUsualWaking(
    from: number,
    to: number,
    low: number,
    high: number,
    waker: number,
    core: number,
  ): boolean {
    const bytes = this.#bytes;
    let at = from;
    if (bytes[at] === tagName) at += 2 + (bytes[at + 1] as number);
    if (at >= to || bytes[at++] !== tagWokenPid) return false;
    let woken = 0;
    let byte = 0x80;
    for (let shift = 0; byte >= 0x80 && shift < 28 && at < to; shift += 7) {
      byte = bytes[at++] as number;
      woken |= (byte & 0x7f) << shift;
    }
    if (byte >= 0x80) return false;
    this.events++;
    this.#sink.woken(this.#toNs(low, high), woken, waker, core);
    return true;
  }

  #readUsualSwitch(from: number, to: number, low: number, high: number, core: number): boolean {
    const bytes = this.#bytes;
    let at = from;
    let previous = 0;
    let state = 0;
    let next = 0;
    let priority: number | undefined;
    let previousFrom = 0;
    let previousTo = 0;
    let nextFrom = 0;
    let nextTo = 0;
    while (at + 1 < to) {
      const tag = bytes[at++] as number;
      if ((tag & 7) === 2) {
        const begin = at + 1;
        at = begin + (bytes[at] as number);
        if (at > to) return false;
        if (tag === tagPreviousName) {
          previousFrom = begin;
          previousTo = at;
        } else if (tag === tagNextName) {
          nextFrom = begin;
          nextTo = at;
        } else return false;
        continue;
      }
      let value = 0;
      let byte = 0x80;
      for (let shift = 0; byte >= 0x80 && shift < 28 && at < to; shift += 7) {
        byte = bytes[at++] as number;
        value |= (byte & 0x7f) << shift;
      }
      if (byte >= 0x80) return false;
      if (tag === tagPreviousPid) previous = value;
      else if (tag === tagPreviousState) state = value;
      else if (tag === tagNextPid) next = value;
      else if (tag === tagNextPrio) priority = value;
      else if (tag !== tagPreviousPrio) return false;
    }
    if (at !== to) return false;
    this.events++;
    const time = this.#toNs(low, high);
    if (previousTo > 0) this.#name(previous, previousFrom, previousTo, time);
    if (nextTo > 0) this.#name(next, nextFrom, nextTo, time);
    this.#running[core] = next;
    this.#sink.switched(time, previous, stateOf(state), next, core, priority);
    return true;
  }

  #readEvent(from: number, to: number, core: number): void {
    const event = this.#event.open(this.#bytes, from, to);
    let low = 0;
    let high = 0;
    let tid = 0;
    let flags = 0;
    let kind = 0;
    let innerFrom = 0;
    let innerTo = 0;
    while (event.next()) {
      const { field } = event;
      if (field === FtraceEvent.timestamp) {
        low = event.low;
        high = event.high;
      } else if (field === FtraceEvent.pid) tid = event.low | 0;
      else if (field === FtraceEvent.commonFlags) flags = event.low;
      else if (event.wireType === 2) {
        kind = field;
        innerFrom = event.from;
        innerTo = event.to;
      }
    }
    if (kind === 0 || event.broken) return;
    this.events++;
    this.#inner.open(this.#bytes, innerFrom, innerTo);
    switch (kind) {
      case FtraceEvent.schedSwitch:
        this.#readSwitch(this.#toNs(low, high), core);
        break;
      case FtraceEvent.schedWaking:
        this.#readWaking(this.#toNs(low, high), (flags & interruptFlags) !== 0 ? interruptWaker : tid, core);
        break;
      // These are traced where the woken thread will run, by whatever runs there.
      case FtraceEvent.schedWakeup:
      case FtraceEvent.schedWakeupNew:
        this.#readWaking(this.#toNs(low, high), 0, core);
        break;
      default:
        this.#readOther(kind, this.#toNs(low, high), tid, core);
    }
  }

  #readSwitch(time: number, core: number): void {
    const inner = this.#inner;
    let previous = 0;
    let state = 0;
    let next = 0;
    let priority: number | undefined;
    let previousFrom = 0;
    let previousTo = 0;
    let nextFrom = 0;
    let nextTo = 0;
    while (inner.next()) {
      switch (inner.field) {
        case SchedSwitch.prevPid:
          previous = inner.low | 0;
          break;
        case SchedSwitch.prevState:
          state = inner.low;
          break;
        case SchedSwitch.nextPid:
          next = inner.low | 0;
          break;
        case SchedSwitch.nextPrio:
          priority = inner.low | 0;
          break;
        case SchedSwitch.prevComm:
          previousFrom = inner.from;
          previousTo = inner.to;
          break;
        case SchedSwitch.nextComm:
          nextFrom = inner.from;
          nextTo = inner.to;
          break;
        default:
      }
    }
    if (previousTo > 0) this.#name(previous, previousFrom, previousTo, time);
    if (nextTo > 0) this.#name(next, nextFrom, nextTo, time);
    this.#running[core] = next;
    this.#sink.switched(time, previous, stateOf(state), next, core, priority);
  }

  #readWaking(time: number, waker: number, core: number): void {
    const inner = this.#inner;
    while (inner.next())
      if (inner.field === SchedWaking.pid) this.#sink.woken(time, inner.low | 0, waker, core);
  }

  #readOther(kind: number, time: number, tid: number, core: number): void {
    const inner = this.#inner;
    const sink = this.#sink;
    if (kind === FtraceEvent.print) {
      while (inner.next())
        if (inner.field === FtracePrint.buf && inner.wireType === 2)
          sink.print(time, tid, this.#bytes, inner.from, inner.to);
      return;
    }
    if (
      kind === FtraceEvent.rssStat ||
      kind === FtraceEvent.gpuFrequency ||
      kind === FtraceEvent.gpuMemTotal
    ) {
      this.#readCounter(kind, time, tid);
      return;
    }
    if (kind === FtraceEvent.binderTransaction || kind === FtraceEvent.binderTransactionReceived) {
      this.#readBinder(kind, time, tid);
      return;
    }
    // The others have a few fields of which at most three are read.
    const [number, other, text] = otherFields.get(kind) ?? [];
    if (number === undefined) return;
    let first = 0;
    let second = 0;
    const name: Span = { from: 0, to: 0 };
    while (inner.next()) {
      if (inner.field === number) first = inner.low | 0;
      else if (inner.field === other) second = inner.low;
      else if (inner.field === text && inner.wireType === 2) [name.from, name.to] = [inner.from, inner.to];
    }
    if (kind === FtraceEvent.cpuFrequency) sink.frequency(time, second, first);
    else if (kind === FtraceEvent.schedBlockedReason) {
      if (second !== 0) sink.waitedForDisk(time, first, core);
    } else if (kind === FtraceEvent.taskNewtask) sink.created(time, first, tid, (second & cloneThread) !== 0);
    if (name.to > 0) this.#name(first, name.from, name.to, time);
  }

  #readBinder(kind: number, time: number, tid: number): void {
    const inner = this.#inner;
    let [id, toPid, flags] = [0, 0, 0];
    let isReply = false;
    while (inner.next()) {
      if (inner.field === BinderSent.debugId) id = inner.low | 0;
      else if (inner.field === BinderSent.toProc) toPid = inner.low | 0;
      else if (inner.field === BinderSent.reply) isReply = inner.low !== 0;
      else if (inner.field === BinderSent.flags) flags = inner.low;
    }
    if (kind === FtraceEvent.binderTransactionReceived) this.#sink.binderReceived?.(time, tid, id);
    else this.#sink.binderSent?.(time, tid, id, toPid, isReply, flags);
  }

  #readCounter(kind: number, time: number, tid: number): void {
    const inner = this.#inner;
    const fields = counterFields.get(kind);
    if (fields === undefined) return;
    let id = 0;
    let value = 0;
    // A field that is 0 may be left out.
    let isCurrent = fields.isCurrent === undefined;
    while (inner.next()) {
      if (inner.field === fields.id) id = inner.low;
      else if (inner.field === fields.value) value = inner.signed;
      else if (inner.field === fields.isCurrent) isCurrent = inner.low !== 0;
    }
    // Of other processes' memory it is not told which ones they are.
    if (isCurrent) this.#sink.counted?.(time, tid, fields.what, id, value);
  }

  #name(tid: number, from: number, to: number, time: number): void {
    if (tid <= 0 || !this.#names.isNew(tid, nameHash(this.#view, from, to))) return;
    this.#sink.nameThread(tid, textOf(this.#bytes.subarray(from, to)), 0, time);
  }

  /**
   * Columns of differences of times and of what goes with them. Switches and wake-ups are walked together, by time: who
   * wakes is who runs.
   */
  #readCompact(from: number, to: number, core: number): void {
    const inner = this.#inner.open(this.#bytes, from, to);
    const names: Span[] = [];
    const columns: (PackedColumn | undefined)[] = [];
    while (inner.next()) {
      if (inner.wireType !== 2) continue;
      if (inner.field === CompactSched.internTable) names.push({ from: inner.from, to: inner.to });
      else if (inner.field <= CompactSched.wakingCommonFlags)
        columns[inner.field] = new PackedColumn(this.#bytes, inner.from, inner.to);
    }
    const column = (field: number): PackedColumn => columns[field] ?? noColumn;
    const [switchTime, state] = [column(CompactSched.switchTimestamp), column(CompactSched.switchPrevState)];
    const [next, comm] = [column(CompactSched.switchNextPid), column(CompactSched.switchNextComm)];
    const priority = column(CompactSched.switchNextPrio);
    const [wakeTime, woken] = [column(CompactSched.wakingTimestamp), column(CompactSched.wakingPid)];
    const wakeFlags = column(CompactSched.wakingCommonFlags);
    const nameHashes = names.map((name) => nameHash(this.#view, name.from, name.to));
    let running = this.#running[core] ?? unknown;
    let switchedAt = switchTime.next() ? switchTime.value : Infinity;
    let wokenAt = wakeTime.next() ? wakeTime.value : Infinity;
    while (switchedAt < Infinity || wokenAt < Infinity) {
      this.events++;
      if (wokenAt < switchedAt) {
        if (!woken.next()) break;
        const flags = wakeFlags.next() ? wakeFlags.value : 0;
        const waker = (flags & interruptFlags) !== 0 ? interruptWaker : running;
        this.#sink.woken(this.#timeOf(wokenAt), woken.value | 0, waker, core);
        wokenAt = wakeTime.next() ? wokenAt + wakeTime.value : Infinity;
        continue;
      }
      if (!next.next()) break;
      const tid = next.value | 0;
      const time = this.#timeOf(switchedAt);
      const name = comm.next() ? names[comm.value] : undefined;
      if (name !== undefined && tid > 0 && this.#names.isNew(tid, nameHashes[comm.value] ?? 0))
        this.#sink.nameThread(tid, textOf(this.#bytes.subarray(name.from, name.to)), 0, time);
      const left = stateOf(state.next() ? state.value : 0);
      // One below 0 is a number of 64 bits there, which is not read exactly: it counts as not known.
      this.#sink.switched(time, running, left, tid, core, priority.next() ? priority.value : undefined);
      running = tid;
      switchedAt = switchTime.next() ? switchedAt + switchTime.value : Infinity;
    }
    this.#running[core] = running;
  }

  #timeOf(sum: number): number {
    const high = Math.floor(sum / two32);
    return this.#toNs(sum - high * two32, high);
  }
}

/** By kind of event: the fields of the number and of the flag or second number that are read, and of a name. */
const otherFields = new Map<number, readonly [number, number, number?]>([
  [FtraceEvent.cpuFrequency, [CoreFrequency.state, CoreFrequency.cpuId]],
  [FtraceEvent.schedBlockedReason, [DiskWait.pid, DiskWait.ioWait]],
  [FtraceEvent.taskNewtask, [NewTask.pid, NewTask.cloneFlags, NewTask.comm]],
  [FtraceEvent.taskRename, [RenamedTask.pid, -1, RenamedTask.newcomm]],
]);

interface CounterFields {
  readonly what: KernelCounter;
  readonly id: number;
  readonly value: number;
  readonly isCurrent?: number;
}

const counterFields = new Map<number, CounterFields>([
  [
    FtraceEvent.rssStat,
    {
      ...{ what: KernelCounter.ResidentMemory, id: RssStat.member, value: RssStat.size },
      isCurrent: RssStat.curr,
    },
  ],
  [
    FtraceEvent.gpuFrequency,
    { what: KernelCounter.GpuFrequency, id: GpuFrequency.gpuId, value: GpuFrequency.state },
  ],
  [FtraceEvent.gpuMemTotal, { what: KernelCounter.GpuMemory, id: GpuMemory.pid, value: GpuMemory.size }],
]);

/** Varints of one field, one after the other. */
class PackedColumn {
  /** Below 2^53 exact, unsigned. */
  value = 0;
  readonly #reader = new ProtobufReader();

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#reader.open(bytes, from, to);
  }

  next(): boolean {
    const reader = this.#reader;
    const byte = reader.at < reader.end ? (reader.bytes[reader.at] as number) : 0x80;
    if (byte < 0x80) {
      reader.at++;
      this.value = byte;
      return true;
    }
    if (reader.at >= reader.end || !reader.varint()) return false;
    this.value = reader.unsigned;
    return true;
  }
}

const noColumn = new PackedColumn(new Uint8Array(0), 0, 0);
