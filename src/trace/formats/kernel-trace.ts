import { intervalBytes } from '../build/budget.js';
import type { EventBuilder, EventThread } from '../build/event-builder.js';
import { endTop } from '../build/event-columns.js';
import { SchedState, Schedule } from '../build/schedule.js';
import { grown } from '../build/grow.js';
import { gather, sortRows } from '../build/sort-rows.js';
import { LinkCertainty } from '../model/kinds.js';
import { textOf } from '../recording/text.js';
import { AsyncSlices } from './async-slices.js';
import { readAtrace } from './atrace.js';
import type { NameTable } from './names.js';

/** What a row of the scheduler's events is: a switch away from a thread, one to a thread, a wake-up. */
const away = 0;
const onto = 1;
const waking = 2;
/** Of such a row: its columns, the stretch, the block and the two intervals that it becomes. */
const schedulerBytes = 17 + 21 + 40 + 2 * intervalBytes;

interface Stretch {
  readonly since: number;
  readonly state: number;
  readonly link: number;
}

/** What the kernel's trace says, from Perfetto's ftrace packets or from its text: prints of programs, switches, wake-ups. */
export class KernelTrace {
  readonly processNames = new Map<number, string>();
  readonly #builder: EventBuilder;
  readonly #names: NameTable;
  readonly #threads = new Map<number, EventThread>();
  /** When the event was that told the name of a thread, or of a process by its number. */
  readonly #namedAt = new Map<EventThread | number, number>();
  readonly #processOf = new Map<number, number>();
  readonly async: AsyncSlices;
  readonly #counters = new Map<string, ReturnType<EventBuilder['counter']>>();
  /** Scheduler events as they come: CPUs are interleaved, so they are in no order. 17 bytes a row. */
  #count = 0;
  #time = new Float64Array(64);
  #what = new Uint8Array(64);
  #tid = new Int32Array(64);
  /** State after a switch away; tid of the waker for a wake-up. */
  #detail = new Int32Array(64);
  /** Of any event: what runs or waits by then does so up to there. */
  #endTime = -Infinity;
  /** Where a thread printed first: it ran there, though no switch to it was traced. */
  readonly #firstPrint = new Map<number, number>();

  constructor(builder: EventBuilder, names: NameTable) {
    this.#builder = builder;
    this.#names = names;
    this.async = new AsyncSlices(builder);
  }

  get memoryBytes(): number {
    return schedulerBytes * this.#count + this.async.memoryBytes;
  }

  thread(tid: number, pid = 0): EventThread {
    let thread = this.#threads.get(tid);
    if (thread === undefined) {
      thread = this.#builder.thread(tid, pid !== 0 ? pid : (this.#processOf.get(tid) ?? 0));
      this.#threads.set(tid, thread);
    }
    if (pid !== 0 && thread.pid === 0) this.#belongs(thread, pid);
    return thread;
  }

  /** The thread with this tid, where one is known. */
  known(tid: number): EventThread | undefined {
    return this.#threads.get(tid);
  }

  /** From now on this is the thread with its tid: tids are used again. */
  adopt(thread: EventThread): void {
    this.#threads.set(thread.tid, thread);
  }

  /** `time`: of the event that tells the name, if an event does. */
  nameThread(tid: number, name: string, pid: number, time?: number): void {
    if (pid > 0) this.#processOf.set(tid, pid);
    const thread = this.thread(tid, pid);
    if (this.#isToBe(thread, name, thread.name !== '', time)) thread.name = name;
  }

  nameProcess(pid: number, name: string, time?: number): void {
    if (this.#isToBe(pid, name, this.processNames.has(pid), time)) this.processNames.set(pid, name);
  }

  /**
   * Threads and processes give themselves other names, and a person knows them by the last one. What was told without an event, as in a
   * list of processes, stands whatever events say.
   */
  #isToBe(who: EventThread | number, name: string, hasName: boolean, time = Infinity): boolean {
    const since = this.#namedAt.get(who) ?? (hasName ? Infinity : -Infinity);
    if (name === '' || time < since || since === Infinity) return false;
    this.#namedAt.set(who, time);
    return true;
  }

  /** `previousState`: of SchedState. */
  switched(time: number, previous: number, previousState: number, next: number): void {
    if (previous > 0) this.#push(time, away, previous, previousState);
    if (next > 0) this.#push(time, onto, next, 0);
  }

  /** `waker`: 0 where it is not known. "wakeup" may be told on the CPU of the woken thread, by whatever runs there; "waking" knows. */
  woken(time: number, tid: number, waker: number): void {
    if (tid > 0) this.#push(time, waking, tid, waker);
  }

  /** A print event of a program: bytes[from, to) is what it wrote. */
  print(time: number, tid: number, bytes: Uint8Array, from: number, to: number): void {
    const event = this.#builder.isFull ? undefined : readAtrace(bytes, from, to);
    if (event === undefined) return;
    const { kind, pid, nameFrom, nameTo } = event;
    if (time > this.#endTime) this.#endTime = time;
    const first = this.#firstPrint.get(tid);
    if (first === undefined || time < first) this.#firstPrint.set(tid, time);
    switch (kind) {
      case 'B':
        this.thread(tid, pid).events.push(time, this.#names.intern(bytes, nameFrom, nameTo));
        break;
      case 'E':
        this.thread(tid, pid).events.push(time, endTop);
        break;
      case 'S':
        this.async.begin(pid, event.cookie, time, this.#names.intern(bytes, nameFrom, nameTo));
        break;
      case 'F':
        this.async.end(pid, event.cookie, time, this.#names.intern(bytes, nameFrom, nameTo));
        break;
      case 'C': {
        const name = textOf(bytes.subarray(nameFrom, nameTo));
        const key = `${pid} ${name}`;
        let counter = this.#counters.get(key);
        if (counter === undefined) this.#counters.set(key, (counter = this.#builder.counter(name, '')));
        counter.push(time, event.value);
        break;
      }
      default:
    }
  }

  finish(): void {
    this.#schedule();
    this.async.finish((method) => this.#names.text(method));
    const processes = new Set<number>();
    for (const thread of this.#builder.threads) if (!thread.events.isEmpty) processes.add(thread.pid);
    const anyEvents = this.#builder.threads.some((thread) => !thread.events.isEmpty);
    // A system trace switches between thousands of threads: those of the programs that tell something stay.
    this.#builder.retain(
      (thread) =>
        !thread.events.isEmpty ||
        (thread.schedule !== undefined && (!anyEvents || (thread.pid > 0 && processes.has(thread.pid)))),
    );
    const retained = new Set(this.#builder.threads.map((thread) => thread.pid));
    if (retained.size < 2) return;
    for (const thread of this.#builder.threads) {
      const process = this.processNames.get(thread.pid) ?? (thread.pid > 0 ? String(thread.pid) : '');
      if (process !== '') thread.name = thread.name === '' ? process : `${thread.name} (${process})`;
    }
  }

  #belongs(thread: EventThread, pid: number): void {
    thread.pid = pid;
    thread.isMain = thread.tid === pid;
  }

  #push(time: number, what: number, tid: number, detail: number): void {
    if (this.#builder.isFull) return;
    const row = this.#count;
    if (row === this.#time.length) {
      const size = row * 2;
      this.#time = grown(this.#time, size);
      this.#what = grown(this.#what, size);
      this.#tid = grown(this.#tid, size);
      this.#detail = grown(this.#detail, size);
    }
    this.#time[row] = time;
    this.#what[row] = what;
    this.#tid[row] = tid;
    this.#detail[row] = detail;
    this.#count = row + 1;
    if (time > this.#endTime) this.#endTime = time;
  }

  /** Events of all CPUs in order of time → each thread's stretches. */
  #schedule(): void {
    if (this.#count === 0) return;
    const rows = sortRows(this.#time, this.#count);
    const times = gather(this.#time, rows, new Float64Array(rows.length));
    const open = new Map<number, Stretch>();
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      const time = times[i] ?? 0;
      const tid = this.#tid[row] ?? 0;
      const detail = this.#detail[row] ?? 0;
      const what = this.#what[row];
      const thread = this.thread(tid);
      const schedule = (thread.schedule ??= new Schedule());
      const now = open.get(tid) ?? this.#runsSince(tid, what, time);
      if (now !== undefined) schedule.push(now.since, time, now.state, what === onto ? now.link : -1);
      if (what === onto) open.set(tid, { since: time, state: SchedState.Running, link: -1 });
      else if (what === away) {
        if (detail === SchedState.Dead) open.delete(tid);
        else open.set(tid, { since: time, state: detail, link: -1 });
      } else {
        const asleep = now?.state === SchedState.Sleeping || now?.state === SchedState.Uninterruptible;
        let link = -1;
        if (asleep && detail > 0) {
          link = this.#builder.link(thread, now.since, this.thread(detail), time, LinkCertainty.Observed);
          schedule.link[schedule.count - 1] = link;
        }
        // A wake-up of a thread that runs says nothing about it.
        const state = now === undefined || asleep ? SchedState.Runnable : now.state;
        open.set(tid, { since: time, state, link });
      }
    }
    for (const [tid, { since, state }] of open)
      this.thread(tid).schedule?.push(since, this.#endTime, state, -1);
  }

  /** What a thread is known to do before its first event: one that has printed, and is then switched away from, ran from there. */
  #runsSince(tid: number, what: number | undefined, time: number): Stretch | undefined {
    const since = this.#firstPrint.get(tid);
    if (what !== away || since === undefined || since > time) return undefined;
    return { since, state: SchedState.Running, link: -1 };
  }
}

/**
 * The kernel's prev_state: 0 was preempted, bit 1 sleeps uninterruptibly, bits 4 and 5 are dead, as was 6 before Linux 4.14 (since
 * then threads of the kernel itself are parked with it), the rest sleeps.
 */
export function stateOf(previousState: number): number {
  if ((previousState & 0xff) === 0) return SchedState.Runnable;
  if ((previousState & 0x70) !== 0) return SchedState.Dead;
  return (previousState & 2) !== 0 ? SchedState.Uninterruptible : SchedState.Sleeping;
}
