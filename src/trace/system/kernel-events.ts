/**
 * The events of a kernel's trace as columns, in the order in which they came: of each core in order of time, cores one
 * after the other. 22 bytes a switch, 18 a wake-up. Events whose time cannot be one are counted.
 */
import { grown, nextCapacity } from '../assemble/grow.js';
import { isTime, isValue } from '../assemble/number-gate.js';
import { gather, sortRows } from '../assemble/sort-rows.js';
import { FrameRows } from './frame-rows.js';
import { type KernelCounter, type KernelTap, storedPriority } from './kernel-sink.js';
import { BinderEnd, BinderRows, PrintRows } from './print-rows.js';

export interface NamedThread {
  readonly tid: number;
  readonly name: string;
  readonly pid: number;
}

export interface CreatedThread {
  readonly time: number;
  readonly tid: number;
  readonly creator: number;
  readonly isThread: boolean;
}

/** A value that the kernel counts. */
export interface CountedValue {
  readonly time: number;
  readonly tid: number;
  readonly what: KernelCounter;
  readonly id: number;
  readonly value: number;
}

export class SwitchRows {
  count = 0;
  time = new Float64Array(0);
  previous = new Int32Array(0);
  next = new Int32Array(0);
  state = new Uint8Array(0);
  core = new Uint16Array(0);
  /** Of `next`: a `storedPriority`. */
  priority = new Uint8Array(0);

  push(time: number, previous: number, state: number, next: number, core: number, priority: number): void {
    const row = this.count;
    if (row === this.time.length) this.#grow(row + 1);
    this.time[row] = time;
    this.previous[row] = previous;
    this.next[row] = next;
    this.state[row] = state;
    this.core[row] = core;
    this.priority[row] = priority;
    this.count = row + 1;
  }

  /** Puts the rows in order of time. Costs nothing where they are. */
  sort(): void {
    const { count } = this;
    if (isSorted(this.time, count)) return;
    const rows = sortRows(this.time, count);
    this.time = gather(this.time, rows, new Float64Array(count));
    this.previous = gather(this.previous, rows, new Int32Array(count));
    this.next = gather(this.next, rows, new Int32Array(count));
    this.state = gather(this.state, rows, new Uint8Array(count));
    this.core = gather(this.core, rows, new Uint16Array(count));
    this.priority = gather(this.priority, rows, new Uint8Array(count));
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.time.length, Math.max(needed, 1024));
    this.time = grown(this.time, size);
    this.previous = grown(this.previous, size);
    this.next = grown(this.next, size);
    this.state = grown(this.state, size);
    this.core = grown(this.core, size);
    this.priority = grown(this.priority, size);
  }
}

export class WakeRows {
  count = 0;
  time = new Float64Array(0);
  tid = new Int32Array(0);
  /** A tid, 0 unknown, or `interruptWaker`. */
  waker = new Int32Array(0);
  core = new Uint16Array(0);

  push(time: number, tid: number, waker: number, core: number): void {
    const row = this.count;
    if (row === this.time.length) this.#grow(row + 1);
    this.time[row] = time;
    this.tid[row] = tid;
    this.waker[row] = waker;
    this.core[row] = core;
    this.count = row + 1;
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.time.length, Math.max(needed, 1024));
    this.time = grown(this.time, size);
    this.tid = grown(this.tid, size);
    this.waker = grown(this.waker, size);
    this.core = grown(this.core, size);
  }
}

function isSorted(time: Float64Array, count: number): boolean {
  for (let row = 1; row < count; row++) if ((time[row] as number) < (time[row - 1] as number)) return false;
  return true;
}

/** As the columns hold it. */
const mostCore = 2 ** 16 - 1;

/** Columns that are few: an array of numbers each. */
export interface FrequencyRows {
  readonly time: number[];
  readonly core: number[];
  readonly kHz: number[];
}

export class KernelEvents implements KernelTap {
  startMonotonicNs = 0n;
  startBoottimeNs = 0n;
  readonly switches = new SwitchRows();
  readonly wakes = new WakeRows();
  /** Threads whose wait that ends then was for a disk. */
  readonly diskWaits = new WakeRows();
  readonly frequencies: FrequencyRows = { time: [], core: [], kHz: [] };
  readonly named: NamedThread[] = [];
  readonly creations: CreatedThread[] = [];
  readonly prints = new PrintRows();
  readonly binder = new BinderRows();
  readonly frames = new FrameRows();
  readonly counts: CountedValue[] = [];
  /** Events whose time or core cannot be one. */
  refused = 0;

  switched(
    time: number,
    previous: number,
    state: number,
    next: number,
    core: number,
    priority?: number,
  ): void {
    if (isTime(time)) this.switches.push(time, previous, state, next, core, storedPriority(priority));
    else this.refused++;
  }

  woken(time: number, tid: number, waker: number, core: number): void {
    if (isTime(time)) this.wakes.push(time, tid, waker, core);
    else this.refused++;
  }

  waitedForDisk(time: number, tid: number, core: number): void {
    if (isTime(time)) this.diskWaits.push(time, tid, 0, core);
    else this.refused++;
  }

  frequency(time: number, core: number, kHz: number): void {
    if (!isTime(time) || core > mostCore) {
      this.refused++;
      return;
    }
    this.frequencies.time.push(time);
    this.frequencies.core.push(core);
    this.frequencies.kHz.push(kHz);
  }

  created(time: number, tid: number, creator: number, isThread: boolean): void {
    if (!isTime(time)) {
      this.refused++;
      return;
    }
    this.creations.push({ time, tid, creator, isThread });
  }

  nameThread(tid: number, name: string, pid: number): void {
    this.named.push({ tid, name, pid });
  }

  print(time: number, tid: number, bytes: Uint8Array, from: number, to: number): void {
    if (isTime(time)) this.prints.push(time, tid, bytes, from, to);
    else this.refused++;
  }

  binderSent(time: number, tid: number, id: number, toPid: number, isReply: boolean, flags: number): void {
    const end = isReply ? BinderEnd.Replied : BinderEnd.Sent;
    if (isTime(time)) this.binder.push(time, tid, end, id, toPid, flags);
    else this.refused++;
  }

  binderReceived(time: number, tid: number, id: number): void {
    if (isTime(time)) this.binder.push(time, tid, BinderEnd.Received, id, 0, 0);
    else this.refused++;
  }

  counted(time: number, tid: number, what: KernelCounter, id: number, value: number): void {
    if (isTime(time) && isValue(value)) this.counts.push({ time, tid, what, id, value });
    else this.refused++;
  }

  /** Forgets all rows, and keeps their room for the next ones. */
  clear(): void {
    this.switches.count = this.wakes.count = this.diskWaits.count = this.binder.count = this.frames.count = 0;
    this.prints.clear();
    const { time, core, kHz } = this.frequencies;
    time.length = core.length = kHz.length = 0;
    this.named.length = this.creations.length = this.counts.length = 0;
  }
}
