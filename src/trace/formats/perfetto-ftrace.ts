import { type KernelTrace, stateOf } from './kernel-trace.js';
import {
  CompactSched,
  FtraceBundle,
  FtraceEvent,
  FtracePrint,
  ProcessTree,
  SchedSwitch,
  SchedWaking,
  TreeProcess,
  TreeThread,
} from './perfetto-fields.js';
import { ProtobufReader } from './protobuf-reader.js';

type ToNs = (low: number, high: number) => number;

const two32 = 4294967296;
const bundle = new ProtobufReader();
const event = new ProtobufReader();
const inner = new ProtobufReader();

/** The kernel's events of one CPU. */
export function readFtraceBundle(
  bytes: Uint8Array,
  from: number,
  to: number,
  kernel: KernelTrace,
  toNs: ToNs,
): void {
  bundle.open(bytes, from, to);
  while (bundle.next()) {
    if (bundle.wireType !== 2) continue;
    if (bundle.field === FtraceBundle.event) readEvent(bytes, bundle.from, bundle.to, kernel, toNs);
    else if (bundle.field === FtraceBundle.compactSched) {
      readCompactSched(bytes, bundle.from, bundle.to, kernel, toNs);
    }
  }
}

function readEvent(bytes: Uint8Array, from: number, to: number, kernel: KernelTrace, toNs: ToNs): void {
  event.open(bytes, from, to);
  let low = 0;
  let high = 0;
  let tid = 0;
  let kind = 0;
  let innerFrom = 0;
  let innerTo = 0;
  while (event.next()) {
    switch (event.field) {
      case FtraceEvent.timestamp:
        low = event.low;
        high = event.high;
        break;
      case FtraceEvent.pid:
        tid = event.low;
        break;
      case FtraceEvent.print:
      case FtraceEvent.schedSwitch:
      case FtraceEvent.schedWaking:
      case FtraceEvent.schedWakeup:
      case FtraceEvent.schedWakeupNew:
        if (event.wireType !== 2) return;
        kind = event.field;
        innerFrom = event.from;
        innerTo = event.to;
        break;
      default:
    }
  }
  if (kind === 0 || event.broken) return;
  const time = toNs(low, high);
  inner.open(bytes, innerFrom, innerTo);
  if (kind === FtraceEvent.print) {
    while (inner.next()) {
      if (inner.field === FtracePrint.buf && inner.wireType === 2)
        kernel.print(time, tid, bytes, inner.from, inner.to);
    }
  } else if (kind === FtraceEvent.schedSwitch) readSwitch(time, kernel);
  else {
    const waker = kind === FtraceEvent.schedWaking ? tid : 0;
    while (inner.next()) if (inner.field === SchedWaking.pid) kernel.woken(time, inner.low, waker);
  }
}

function readSwitch(time: number, kernel: KernelTrace): void {
  let previous = 0;
  let state = 0;
  let next = 0;
  let previousName = '';
  let nextName = '';
  while (inner.next()) {
    if (inner.field === SchedSwitch.prevPid) previous = inner.low;
    else if (inner.field === SchedSwitch.prevState) state = inner.low;
    else if (inner.field === SchedSwitch.nextPid) next = inner.low;
    else if (inner.wireType !== 2) continue;
    else if (inner.field === SchedSwitch.prevComm) previousName = inner.text();
    else if (inner.field === SchedSwitch.nextComm) nextName = inner.text();
  }
  if (previous > 0) kernel.nameThread(previous, previousName, 0, time);
  if (next > 0) kernel.nameThread(next, nextName, 0, time);
  kernel.switched(time, previous, stateOf(state), next);
}

/**
 * Switches as columns: the thread switched away from is the one that was switched to before, on this CPU. The first row
 * of a bundle does not say it, so that stretch is told by the bundle before.
 */
function readCompactSched(
  bytes: Uint8Array,
  from: number,
  to: number,
  kernel: KernelTrace,
  toNs: ToNs,
): void {
  const names: string[] = [];
  const columns = new Map<number, number[]>();
  inner.open(bytes, from, to);
  while (inner.next()) {
    if (inner.wireType !== 2) continue;
    if (inner.field === CompactSched.internTable) names.push(inner.text());
    else columns.set(inner.field, packed(bytes, inner.from, inner.to));
  }
  const column = (field: number): readonly number[] => columns.get(field) ?? [];
  const switchTime = column(CompactSched.switchTimestamp);
  const state = column(CompactSched.switchPrevState);
  const next = column(CompactSched.switchNextPid);
  const comm = column(CompactSched.switchNextComm);
  let sum = 0;
  let previous = 0;
  for (let i = 0; i < switchTime.length; i++) {
    sum += switchTime[i] ?? 0;
    const time = toNs(sum % two32, Math.floor(sum / two32));
    const tid = next[i] ?? 0;
    if (tid > 0) kernel.nameThread(tid, names[comm[i] ?? -1] ?? '', 0, time);
    kernel.switched(time, previous, stateOf(state[i] ?? 0), tid);
    previous = tid;
  }
  const wakeTime = column(CompactSched.wakingTimestamp);
  const woken = column(CompactSched.wakingPid);
  sum = 0;
  for (let i = 0; i < wakeTime.length; i++) {
    sum += wakeTime[i] ?? 0;
    kernel.woken(toNs(sum % two32, Math.floor(sum / two32)), woken[i] ?? 0, 0);
  }
}

function packed(bytes: Uint8Array, from: number, to: number): number[] {
  const values: number[] = [];
  const column = event.open(bytes, from, to);
  while (column.at < column.end && column.varint()) values.push(column.unsigned);
  return values;
}

/** Which process each thread belongs to, and their names. */
export function readProcessTree(bytes: Uint8Array, from: number, to: number, kernel: KernelTrace): void {
  bundle.open(bytes, from, to);
  while (bundle.next()) {
    if (bundle.wireType !== 2) continue;
    inner.open(bytes, bundle.from, bundle.to);
    let id = 0;
    let process = 0;
    let name = '';
    if (bundle.field === ProcessTree.threads) {
      while (inner.next()) {
        if (inner.field === TreeThread.tid) id = inner.low;
        else if (inner.field === TreeThread.tgid) process = inner.low;
        else if (inner.field === TreeThread.name && inner.wireType === 2) name = inner.text();
      }
      if (id > 0) kernel.nameThread(id, name, process);
    } else if (bundle.field === ProcessTree.processes) {
      while (inner.next()) {
        if (inner.field === TreeProcess.pid) id = inner.low;
        else if (inner.field === TreeProcess.cmdline && inner.wireType === 2 && name === '')
          name = inner.text();
      }
      if (id > 0) {
        kernel.nameProcess(id, name);
        kernel.nameThread(id, '', id);
      }
    }
  }
}
