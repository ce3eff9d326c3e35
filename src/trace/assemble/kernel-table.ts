/** What the kernel's scheduler did, as a foreign trace has it: the same columns that a recording has of it beside its own. */
import type { SystemTask, SystemTrace } from '../model/trace.js';
import { type FrequencyRows, SwitchRows, WakeRows } from '../system/kernel-events.js';
import { storedPriority } from '../system/kernel-sink.js';
import { type ThreadStates, threadStates } from '../system/thread-states.js';
import { isTime } from './number-gate.js';

/** As the page draws a row for each. */
const mostCores = 4096;
const mostKHz = 2 ** 32 - 1;

export class KernelTable implements SystemTrace {
  /** The trace's own clock is the scheduler's. */
  readonly clock = '';
  readonly isOfProgram = false;
  readonly offsetNs = 0;
  readonly errorNs = 0;
  readonly marks = 0;
  readonly lost = 0;
  readonly readerNs = 0;
  readonly hasSections = false;
  readonly frameRows = undefined;
  readonly sections = undefined;
  readonly sectionRows = undefined;
  source = '';
  cores = 0;
  beginNs = 0;
  endNs = 0;
  readonly switches = new SwitchRows();
  readonly wakes = new WakeRows();
  readonly diskWaits = new WakeRows();
  readonly frequencies: FrequencyRows = { time: [], core: [], kHz: [] };
  /** When threads first wrote something: they ran then, though no switch to them was traced. */
  readonly ranAt = new Map<number, number>();
  readonly tasks = new Map<number, SystemTask>();
  #states: ReadonlyMap<number, ThreadStates> | undefined;

  get hasEvents(): boolean {
    return this.switches.count > 0;
  }

  /** These return false for numbers that cannot be true. */
  switched(
    time: number,
    previous: number,
    state: number,
    next: number,
    core: number,
    priority?: number,
  ): boolean {
    if (!isTime(time) || !isCore(core)) return false;
    this.switches.push(time, previous, state, next, core, storedPriority(priority));
    if (core >= this.cores) this.cores = core + 1;
    return true;
  }

  woken(time: number, tid: number, waker: number, core: number): boolean {
    if (!isTime(time) || !isCore(core)) return false;
    this.wakes.push(time, tid, waker, core);
    return true;
  }

  waitedForDisk(time: number, tid: number, core: number): boolean {
    if (!isTime(time) || !isCore(core)) return false;
    this.diskWaits.push(time, tid, 0, core);
    return true;
  }

  frequency(time: number, core: number, kHz: number): boolean {
    if (!isTime(time) || !isCore(core) || !(kHz >= 0 && kHz <= mostKHz)) return false;
    this.frequencies.time.push(time);
    this.frequencies.core.push(core);
    this.frequencies.kHz.push(kHz);
    return true;
  }

  frames(): undefined {
    return undefined;
  }

  task(tid: number): SystemTask | undefined {
    return this.tasks.get(tid);
  }

  /** Built anew for other threads, and kept for the last ones. */
  states(tids: Iterable<number>): ReadonlyMap<number, ThreadStates> {
    this.#states ??= this.statesOf(tids);
    return this.#states;
  }

  statesOf(tids: Iterable<number>): Map<number, ThreadStates> {
    return threadStates(this.switches, this.wakes, this.diskWaits, tids, this.endNs, this.ranAt);
  }

  /** Puts events in order, which come core by core. `endNs`: of the last event of any kind. */
  finish(endNs: number): void {
    this.switches.sort();
    this.endNs = endNs;
    this.beginNs = this.switches.count > 0 ? (this.switches.time[0] as number) : endNs;
  }

  /** Lets times count from `first`. */
  shift(first: number): void {
    this.#states = undefined;
    for (const { time, count } of [this.switches, this.wakes, this.diskWaits])
      for (let row = 0; row < count; row++) time[row] = (time[row] as number) - first;
    const { time } = this.frequencies;
    for (let row = 0; row < time.length; row++) time[row] = (time[row] as number) - first;
    for (const [tid, ns] of this.ranAt) this.ranAt.set(tid, ns - first);
    this.beginNs -= first;
    this.endNs -= first;
  }
}

const isCore = (core: number): boolean => core >= 0 && core < mostCores;
