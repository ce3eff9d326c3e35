import type { FrameSink } from './frame-rows.js';

/** What a thread was doing as the kernel's scheduler saw it. One that is dead does nothing: no stretch is so. */
export const SchedState = {
  Running: 0,
  Runnable: 1,
  Sleeping: 2,
  Uninterruptible: 3,
  Dead: 4,
  /** Uninterruptible, and the kernel said that it waits for a disk. */
  Io: 5,
} as const;

export function isAsleep(state: number): boolean {
  return state === SchedState.Sleeping || state === SchedState.Uninterruptible || state === SchedState.Io;
}

export const KernelCounter = {
  /** kHz of a GPU. */
  GpuFrequency: 0,
  /** Bytes of the process that `tid` is of, by kind: files, anonymous, swap, shared. */
  ResidentMemory: 1,
  /** Bytes of a process, 0 of all. */
  GpuMemory: 2,
} as const;
export type KernelCounter = (typeof KernelCounter)[keyof typeof KernelCounter];

/** In place of a waker's tid: an interrupt woke the thread, as a timer or a device does. */
export const interruptWaker = -1;

/**
 * Takes the events of a kernel's trace, one call each. Times are ns as the reader counts them. Within one core they
 * come in order; cores are interleaved.
 */
export interface KernelSink {
  /**
   * `state` is the SchedState that `previous` is left in. Thread 0 is an idle core, or not known. `priority`: of `next`, as the
   * kernel counts (120 is nice 0), where it is known.
   */
  switched(
    time: number,
    previous: number,
    state: number,
    next: number,
    core: number,
    priority?: number,
  ): void;
  /** `waker`: a tid, 0 where it is not known, or `interruptWaker`. */
  woken(time: number, tid: number, waker: number, core: number): void;
  /** The wait of `tid` that ends about now was for a disk. */
  waitedForDisk(time: number, tid: number, core: number): void;
  /** `creator` made `tid`, as a thread of its own process or as a new process. */
  created(time: number, tid: number, creator: number, isThread: boolean): void;
  frequency(time: number, core: number, kHz: number): void;
  /** A message to another process, and that it came there. `id`: of the message. A call that waits has a reply, which is another one. */
  binderSent?(time: number, tid: number, id: number, toPid: number, isReply: boolean, flags: number): void;
  binderReceived?(time: number, tid: number, id: number): void;
  /** What the kernel counts, where somebody wants it. `id`: of the GPU, of the kind of memory, or a process. */
  counted?(time: number, tid: number, what: KernelCounter, id: number, value: number): void;
  /** `pid`: the process of the thread, 0 where it is not known. */
  nameThread(tid: number, name: string, pid: number, time: number): void;
  /** bytes[from, to) was printed into the trace by `tid`. */
  print(time: number, tid: number, bytes: Uint8Array, from: number, to: number): void;
}

/** Of a thread with a deadline, and of the idle one. */
const [leastPriority, mostPriority] = [-1, 139];
const storedFrom = 2;

/** A priority as columns have it: 0 where it is not known, or cannot be one. */
export function storedPriority(priority: number | undefined): number {
  const isKnown = priority !== undefined && priority >= leastPriority && priority <= mostPriority;
  return isKnown ? priority + storedFrom : 0;
}

export const mostStoredPriority = storedPriority(mostPriority);

/** Undefined where it is not known. */
export function priorityOf(stored: number): number | undefined {
  return stored === 0 ? undefined : stored - storedFrom;
}

/** One that is told at the end what times count from, on each clock that is known; 0n where it is not. */
export interface KernelTap extends KernelSink {
  /** Of frames, where somebody wants them: they are no events of the kernel. */
  readonly frames?: FrameSink;
  startMonotonicNs: bigint;
  startBoottimeNs: bigint;
}

/**
 * The SchedState for the kernel's prev_state: 0 was preempted, bit 1 sleeps uninterruptibly, bits 4 and 5 are dead, as
 * was 6 before Linux 4.14 (since then threads of the kernel itself are parked with it), the rest sleeps.
 */
export function stateOf(previousState: number): number {
  if ((previousState & 0xff) === 0) return SchedState.Runnable;
  if ((previousState & 0x70) !== 0) return SchedState.Dead;
  return (previousState & 2) !== 0 ? SchedState.Uninterruptible : SchedState.Sleeping;
}

/** Bits of common_flags: the event was traced in an interrupt, and not on behalf of the thread that runs. */
export const interruptFlags = 0x08 | 0x10 | 0x40;
