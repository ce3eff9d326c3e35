import { type KernelCounter, type KernelSink } from './kernel-sink.js';

/** Hands each event to two sinks: what is imported as a trace of calls is also laid beside a recording. */
export class TeeSink implements KernelSink {
  readonly #first: KernelSink;
  readonly #second: KernelSink;

  constructor(first: KernelSink, second: KernelSink) {
    this.#first = first;
    this.#second = second;
  }

  switched(
    time: number,
    previous: number,
    state: number,
    next: number,
    core: number,
    priority?: number,
  ): void {
    this.#first.switched(time, previous, state, next, core, priority);
    this.#second.switched(time, previous, state, next, core, priority);
  }

  woken(time: number, tid: number, waker: number, core: number): void {
    this.#first.woken(time, tid, waker, core);
    this.#second.woken(time, tid, waker, core);
  }

  waitedForDisk(time: number, tid: number, core: number): void {
    this.#first.waitedForDisk(time, tid, core);
    this.#second.waitedForDisk(time, tid, core);
  }

  created(time: number, tid: number, creator: number, isThread: boolean): void {
    this.#first.created(time, tid, creator, isThread);
    this.#second.created(time, tid, creator, isThread);
  }

  frequency(time: number, core: number, kHz: number): void {
    this.#first.frequency(time, core, kHz);
    this.#second.frequency(time, core, kHz);
  }

  binderSent(time: number, tid: number, id: number, toPid: number, isReply: boolean, flags: number): void {
    this.#first.binderSent?.(time, tid, id, toPid, isReply, flags);
    this.#second.binderSent?.(time, tid, id, toPid, isReply, flags);
  }

  binderReceived(time: number, tid: number, id: number): void {
    this.#first.binderReceived?.(time, tid, id);
    this.#second.binderReceived?.(time, tid, id);
  }

  counted(time: number, tid: number, what: KernelCounter, id: number, value: number): void {
    this.#first.counted?.(time, tid, what, id, value);
    this.#second.counted?.(time, tid, what, id, value);
  }

  nameThread(tid: number, name: string, pid: number, time: number): void {
    this.#first.nameThread(tid, name, pid, time);
    this.#second.nameThread(tid, name, pid, time);
  }

  print(time: number, tid: number, bytes: Uint8Array, from: number, to: number): void {
    this.#first.print(time, tid, bytes, from, to);
    this.#second.print(time, tid, bytes, from, to);
  }
}
