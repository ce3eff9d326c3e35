import { intervalBytes } from '../assemble/budget.js';
import type { EventBuilder, EventThread } from '../assemble/event-builder.js';
import type { EventCounter } from '../assemble/event-counter.js';
import { endTop } from '../assemble/event-columns.js';
import { Schedule } from '../assemble/schedule.js';
import { KernelTable } from '../assemble/kernel-table.js';
import { idIn, isTime } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import { LinkCertainty } from '../model/kinds.js';
import { textOf } from '../recording/text.js';
import { residentMemoryWords } from '../system/counted-values.js';
import { KernelCounter, type KernelSink } from '../system/kernel-sink.js';
import { AsyncSlices } from './async-slices.js';
import { readAtrace } from './atrace.js';
import { BinderCalls } from './binder-calls.js';
import { ContentionWaits } from './contention-waits.js';
import type { NamedMethods } from './named-methods.js';
import type { NameTable } from './names.js';
import { SystemCounters } from './system-counters.js';

/**
 * Of a switch or a wake-up: its columns; where it is of a thread that is shown also the event and the stretch that it becomes,
 * the block and the two intervals.
 */
const schedulerBytes = 21 + 2 * (13 + 23 + 21 + 40 + 2 * intervalBytes);

/** Of an event of another kind. */
const eventBytes = 24;
/** Estimates: what maps hold of a thread besides the builder. */
const threadBytes = 200;

/** Of a longer print of a kind that is rarely used nothing is made. */
const mostPrintBytes = 1 << 12;

/** What the names of slices of interfaces begin with: "AIDL", "HIDL". */
const isInterface = new Set([0x41, 0x48]);

/** What the kernel's trace says, from Perfetto's ftrace packets or from its text: prints of programs, switches, wake-ups. */
export class KernelTrace implements KernelSink {
  readonly processNames = new Map<number, string>();
  readonly #builder: EventBuilder;
  readonly #names: NameTable;
  readonly #methods: NamedMethods;
  readonly #threads = new Map<number, EventThread>();
  /** When the event was that told the name of a thread, or of a process by its number. */
  readonly #namedAt = new Map<EventThread | number, number>();
  readonly #processOf = new Map<number, number>();
  readonly async: AsyncSlices;
  readonly counters = new SystemCounters();
  readonly #binder = new BinderCalls();
  readonly #contentions: ContentionWaits;
  readonly #counters = new Map<string, EventCounter>();
  /** Prints of programs that are not shown, by what they are. */
  readonly #unread = new Map<string, number>();
  readonly #table = new KernelTable();
  /** Of any event: what runs or waits by then does so up to there. */
  #endTime = -Infinity;

  constructor(builder: EventBuilder, names: NameTable, methods: NamedMethods) {
    this.#builder = builder;
    this.#names = names;
    this.#methods = methods;
    this.async = new AsyncSlices(builder);
    this.#contentions = new ContentionWaits(names);
  }

  get memoryBytes(): number {
    const { switches, wakes, diskWaits, frequencies } = this.#table;
    return (
      schedulerBytes * (switches.count + wakes.count) +
      eventBytes * (diskWaits.count + frequencies.time.length) +
      threadBytes * this.#threads.size +
      this.async.memoryBytes +
      this.counters.memoryBytes +
      this.#binder.memoryBytes
    );
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
  switched(
    time: number,
    previous: number,
    previousState: number,
    next: number,
    core: number,
    priority?: number,
  ): void {
    if (this.#builder.isFull) return;
    this.#saw(time, this.#table.switched(time, previous, previousState, next, core, priority));
  }

  /** `waker`: 0 where it is not known. "wakeup" may be told on the CPU of the woken thread, by whatever runs there; "waking" knows. */
  woken(time: number, tid: number, waker: number, core: number): void {
    if (tid > 0 && !this.#builder.isFull) this.#saw(time, this.#table.woken(time, tid, waker, core));
  }

  /** A thread of its own process: that is how processes of threads that print are known. */
  created(_time: number, tid: number, creator: number, isThread: boolean): void {
    const pid = isThread ? this.#processOf.get(creator) : tid;
    if (pid !== undefined && tid > 0 && !this.#processOf.has(tid)) this.#processOf.set(tid, pid);
  }

  waitedForDisk(time: number, tid: number, core: number): void {
    if (tid > 0 && !this.#builder.isFull) this.#saw(time, this.#table.waitedForDisk(time, tid, core));
  }

  frequency(time: number, core: number, kHz: number): void {
    if (this.#builder.isFull) return;
    const isTrue = this.#table.frequency(time, core, kHz);
    this.#saw(time, isTrue);
    if (isTrue) this.counters.add(0, `frequency of core ${core}`, 'kHz', time, kHz);
  }

  binderSent(time: number, tid: number, id: number, toPid: number, isReply: boolean, flags: number): void {
    if (this.#builder.isFull || tid <= 0) return;
    if (!isTime(time)) this.#builder.refuseNumber();
    else this.#binder.sent(time, tid, id, toPid, isReply, flags);
  }

  binderReceived(time: number, tid: number, id: number): void {
    if (this.#builder.isFull || tid <= 0) return;
    if (!isTime(time)) this.#builder.refuseNumber();
    else this.#binder.received(time, tid, id);
  }

  counted(time: number, tid: number, what: KernelCounter, id: number, value: number): void {
    if (this.#builder.isFull) return;
    if (what === KernelCounter.GpuFrequency)
      this.counters.add(0, `frequency of GPU ${id}`, 'kHz', time, value);
    else if (what === KernelCounter.GpuMemory) this.counters.addGpuMemory(id, time, value);
    else {
      const words = residentMemoryWords[id];
      const pid = this.#threads.get(tid)?.pid ?? this.#processOf.get(tid) ?? 0;
      if (words !== undefined && pid > 0) this.counters.add(pid, words, 'bytes', time, value);
    }
  }

  /** A print event of a program: bytes[from, to) is what it wrote. */
  print(time: number, tid: number, bytes: Uint8Array, from: number, to: number): void {
    if (this.#builder.isFull) return;
    const event = readAtrace(bytes, from, to);
    if (event === undefined) {
      this.#otherPrint(time, bytes, from, to);
      return;
    }
    const { kind, pid, nameFrom, nameTo } = event;
    if (isTime(time) && time > this.#endTime) this.#endTime = time;
    const { ranAt } = this.#table;
    const first = ranAt.get(tid);
    if (isTime(time) && (first === undefined || time < first)) ranAt.set(tid, time);
    switch (kind) {
      case 'B': {
        const method = this.#names.intern(bytes, nameFrom, nameTo);
        const thread = this.thread(tid, pid);
        if (ContentionWaits.isCandidate(bytes[nameFrom] ?? 0, nameTo - nameFrom))
          this.#contentions.began(method, thread.pid);
        else if (isInterface.has(bytes[nameFrom] ?? 0) && isTime(time))
          this.#binder.began(time, tid, method, this.#names);
        thread.events.push(time, method);
        break;
      }
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

  /** "G|pid|track|name|cookie" and "H|pid|track|cookie", slices of a named track; what else is no call is counted. */
  #otherPrint(time: number, bytes: Uint8Array, from: number, to: number): void {
    if (bytes[from + 1] !== 0x7c || to - from > mostPrintBytes) return;
    const [kind = '', pid, track = '', ...rest] = textOf(bytes.subarray(from, to)).trimEnd().split('|');
    if (kind === 'G' && rest.length >= 2) {
      const cookie = rest.pop() ?? '';
      this.async.beginOnTrack(idIn(pid), track, cookie, time, this.#names.internText(rest.join('|')));
    } else if (kind === 'H' && rest.length >= 1) {
      this.async.endOnTrack(idIn(pid), track, rest.at(-1) ?? '', time);
    } else {
      const words = { C: 'counters whose value is no number', N: 'marks of tracks' }[kind];
      if (words !== undefined) this.#countUnread(words);
    }
  }

  #countUnread(words: string): void {
    this.#unread.set(words, (this.#unread.get(words) ?? 0) + 1);
  }

  finish(): void {
    for (const [words, count] of this.#unread)
      this.#builder.remark(`${counted(count, 'print was', 'prints were')} not read: ${words}`);
    const table = this.#table;
    table.finish(this.#endTime);
    const switched = table.hasEvents ? this.#switchedThreads() : new Set<EventThread>();
    this.#finishBinder();
    const owners = this.#contentions.finish(this.#builder, this.#methods);
    this.async.finish((method) => this.#names.text(method));
    const processes = new Set<number>();
    for (const thread of this.#builder.threads) if (!thread.events.isEmpty) processes.add(thread.pid);
    const anyEvents = this.#builder.threads.some((thread) => !thread.events.isEmpty);
    // A system trace switches between thousands of threads: those of the programs that tell something stay.
    this.#builder.retain(
      (thread) =>
        !thread.events.isEmpty ||
        owners.has(thread) ||
        (switched.has(thread) && (!anyEvents || (thread.pid > 0 && processes.has(thread.pid)))),
    );
    if (table.hasEvents) this.#schedule(switched);
    const retained = new Set(this.#builder.threads.map((thread) => thread.pid));
    const shown = new Set([...retained].filter((pid) => pid > 0));
    this.#builder.frames?.finish(shown);
    this.counters.finish(this.#builder, shown, (pid) => this.processNames.get(pid));
    if (retained.size < 2) return;
    for (const thread of this.#builder.threads) {
      const process = this.processNames.get(thread.pid) ?? (thread.pid > 0 ? String(thread.pid) : '');
      if (process !== '') thread.name = thread.name === '' ? process : `${thread.name} (${process})`;
    }
  }

  /** Calls of programs that tell something; where none does, all. */
  #finishBinder(): void {
    const telling = new Set<number>();
    for (const { pid, events } of this.#builder.threads) if (!events.isEmpty && pid > 0) telling.add(pid);
    this.#binder.finish(
      this.#builder,
      this.#names,
      (tid) => this.thread(tid),
      (pid) => this.processNames.get(pid),
      ({ pid }) => telling.size === 0 || telling.has(pid),
    );
  }

  #belongs(thread: EventThread, pid: number): void {
    thread.pid = pid;
    thread.isMain = thread.tid === pid;
  }

  #saw(time: number, isTrue: boolean): void {
    if (!isTrue) this.#builder.refuseNumber();
    else if (time > this.#endTime) this.#endTime = time;
  }

  /** Threads that the scheduler told of. All threads of the system get a name, also those that are left out later. */
  #switchedThreads(): Set<EventThread> {
    const { switches, wakes, tasks } = this.#table;
    const tids = new Set<number>();
    for (let row = 0; row < switches.count; row++) {
      tids.add(switches.previous[row] as number);
      tids.add(switches.next[row] as number);
    }
    for (let row = 0; row < wakes.count; row++) tids.add(wakes.tid[row] as number);
    const threads = new Set<EventThread>();
    for (const tid of tids) if (tid > 0) threads.add(this.thread(tid));
    for (const { tid, pid, name } of this.#threads.values()) tasks.set(tid, { pid, name });
    return threads;
  }

  /** Gives the threads that stay their stretches, and links to who woke them. */
  #schedule(switched: ReadonlySet<EventThread>): void {
    const stay = this.#builder.threads.filter((thread) => switched.has(thread));
    const states = this.#table.statesOf(stay.map(({ tid }) => tid));
    for (const thread of stay) {
      const of = states.get(thread.tid);
      if (of === undefined) continue;
      const schedule = (thread.schedule = new Schedule());
      for (let row = 0; row < of.count; row++) {
        const [begin, end] = [of.begin[row] as number, of.end[row] as number];
        const waker = this.#threads.get(of.waker[row] as number);
        const link =
          waker === undefined ? -1 : this.#builder.link(thread, begin, waker, end, LinkCertainty.Observed);
        schedule.push(begin, end, of.state[row] as number, link);
      }
    }
    this.#builder.system = this.#table;
  }
}
