/**
 * Raw pages of ftrace's ring buffer, as `per_cpu/cpuN/trace_pipe_raw` gives them, → calls of a sink.
 *
 * A page is {u64 time of its first event, commit word, events}. An event begins with a word of a type (5 bits) and the
 * time since the one before (27 bits). The kernel's `format` files say where its fields lie.
 *
 * Cost: one step an event. Damage costs the rest of its page, and is counted.
 */
import { textOf } from '../recording/text.js';
import { type EventFormat, type PageLayout } from './event-format.js';
import { interruptFlags, interruptWaker, type KernelSink, stateOf } from './kernel-sink.js';
import { NameChanges } from './name-changes.js';

const two32 = 2 ** 32;
/** Of a word of time: what a time extension counts in. */
const two27 = 2 ** 27;

/** Types of entries that are no events; those below are their length in words, 0 says it in the next word. */
const typePadding = 29;
const typeTimeExtend = 30;
const typeTimeStamp = 31;

/** Of the commit word: events were lost before this page; how many stands behind its events. */
const missedEvents = 0x80000000;
const missedStored = 0x40000000;
const commitSize = 0xfffff;

const Kind = {
  Other: 0,
  Switch: 1,
  Waking: 2,
  WakeupNew: 3,
  NewTask: 4,
  Rename: 5,
  Frequency: 6,
  Blocked: 7,
  Print: 8,
};

/** Events are recognised by these names; all others are stepped over. */
const kindOf = new Map<string, number>([
  ['sched_switch', Kind.Switch],
  ['sched_waking', Kind.Waking],
  ['sched_wakeup_new', Kind.WakeupNew],
  ['task_newtask', Kind.NewTask],
  ['task_rename', Kind.Rename],
  ['cpu_frequency', Kind.Frequency],
  ['sched_blocked_reason', Kind.Blocked],
  ['print', Kind.Print],
]);

/** CLONE_THREAD: the new task is a thread of its creator's process. */
const cloneThread = 0x10000;
const commBytes = 16;
/** All events begin with these: type, flags, thread. */
const headBytes = 8;

/** Where the fields lie that are read of one event, and how long it must be for that. */
interface Fields {
  least: number;
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
}

const noFields = (): Fields => ({ least: Infinity, a: 0, b: 0, c: 0, d: 0, e: 0, f: 0 });

/** In the order of `Fields`. A field that the kernel does not have makes the event unreadable. */
const wanted: Readonly<Record<number, readonly (readonly [name: string, bytes: number])[]>> = {
  [Kind.Switch]: [
    ['prev_pid', 4],
    ['prev_state', 4],
    ['next_pid', 4],
    ['prev_comm', commBytes],
    ['next_comm', commBytes],
    ['next_prio', 4],
  ],
  [Kind.Waking]: [
    ['pid', 4],
    ['comm', commBytes],
  ],
  [Kind.WakeupNew]: [
    ['pid', 4],
    ['comm', commBytes],
  ],
  [Kind.NewTask]: [
    ['pid', 4],
    ['clone_flags', 4],
    ['comm', commBytes],
  ],
  [Kind.Rename]: [
    ['pid', 4],
    ['newcomm', commBytes],
  ],
  [Kind.Frequency]: [
    ['state', 4],
    ['cpu_id', 4],
  ],
  [Kind.Blocked]: [
    ['pid', 4],
    ['io_wait', 1],
  ],
  [Kind.Print]: [['buf', 0]],
};

export interface RingPagesOptions {
  readonly formats: readonly EventFormat[];
  readonly layout: PageLayout;
  /** What times count from, on the trace's clock. */
  readonly zeroNs: bigint;
}

export class RingPages {
  /** Events of kinds that are read. */
  events = 0;
  /** Events that the kernel says it had no room for. */
  lost = 0;
  /** How often it only says that some were lost. */
  gaps = 0;
  /** Pages that did not hold together to their end. */
  damagedPages = 0;

  readonly #sink: KernelSink;
  readonly #layout: PageLayout;
  readonly #zeroLow: number;
  readonly #zeroHigh: number;
  readonly #kinds = new Uint8Array(2 ** 16);
  readonly #fields = new Map<number, Fields>();
  readonly #switch: Fields;
  readonly #waking: Fields;
  readonly #commonPid: number;
  readonly #commonFlags: number;
  readonly #names = new NameChanges();
  #bytes: Uint8Array = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);

  constructor({ formats, layout, zeroNs }: RingPagesOptions, sink: KernelSink) {
    this.#sink = sink;
    this.#layout = layout;
    this.#zeroLow = Number(zeroNs & 0xffffffffn);
    this.#zeroHigh = Number(zeroNs >> 32n);
    for (const format of formats) this.#compile(format);
    this.#switch = this.#fields.get(Kind.Switch) ?? noFields();
    this.#waking = this.#fields.get(Kind.Waking) ?? noFields();
    // The head of all events is the same in one kernel.
    const common = formats[0]?.fields;
    const offsetOf = (name: string, bytes: number, usual: number): number => {
      const offset = common?.get(name)?.offset ?? usual;
      return offset + bytes <= headBytes ? offset : usual;
    };
    this.#commonPid = offsetOf('common_pid', 4, 4);
    this.#commonFlags = offsetOf('common_flags', 1, 2);
  }

  /** Whole pages of one core, in order. What is no whole page at the end is left. */
  read(bytes: Uint8Array, core: number): void {
    const { pageBytes } = this.#layout;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + pageBytes <= bytes.length; at += pageBytes) this.#page(at, core);
  }

  #compile({ name, id, fields }: EventFormat): void {
    const kind = kindOf.get(name);
    if (kind === undefined) return;
    const offsets: number[] = [];
    let least = headBytes;
    for (const [field, bytes] of wanted[kind] ?? []) {
      const found = fields.get(field);
      if (found === undefined || found.size < bytes) return;
      offsets.push(found.offset);
      least = Math.max(least, found.offset + bytes);
    }
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = offsets;
    this.#kinds[id] = kind;
    this.#fields.set(kind, { least, a, b, c, d, e, f });
  }

  #page(page: number, core: number): void {
    const view = this.#view;
    const layout = this.#layout;
    const data = page + layout.dataOffset;
    const pageEnd = page + layout.pageBytes;
    let time =
      (view.getUint32(page + 4, true) - this.#zeroHigh) * two32 +
      (view.getUint32(page, true) - this.#zeroLow);
    const commit = view.getUint32(page + layout.commitOffset, true);
    let end = data + (commit & commitSize);
    if (end > pageEnd) {
      this.damagedPages++;
      end = pageEnd;
    }
    if ((commit & missedEvents) !== 0) this.#missed(commit, end, pageEnd);
    const kinds = this.#kinds;
    let at = data;
    while (at + 4 <= end) {
      const head = view.getUint32(at, true);
      const type = head & 31;
      const delta = head >>> 5;
      at += 4;
      let from = at;
      if (type > 0 && type < typePadding) {
        time += delta;
        at += type * 4;
      } else {
        if (at + 4 > end) break; // also padding to the page's end, which has no length
        const word = view.getUint32(at, true);
        if (type === typeTimeExtend) {
          time += word * two27 + delta;
          at += 4;
          continue;
        }
        if (type === typeTimeStamp) {
          time = this.#stamp(word, delta);
          at += 4;
          continue;
        }
        if (type === typePadding && delta === 0) break;
        time += delta;
        // A length counts its own word.
        if (word < 4) {
          this.damagedPages++;
          break;
        }
        from += 4;
        at += word;
        if (type === typePadding) {
          if (at > end) this.damagedPages++;
          continue;
        }
      }
      if (at > end) {
        this.damagedPages++;
        break;
      }
      if (at - from < headBytes) continue;
      const kind = kinds[view.getUint16(from, true)] as number;
      if (kind === Kind.Other) continue;
      this.events++;
      if (kind === Kind.Switch) this.#readSwitch(time, from, at, core);
      else if (kind === Kind.Waking) this.#readWaking(time, from, at, core);
      else this.#readOther(kind, time, from, at, core);
    }
  }

  /** An absolute time of 59 bits, which is all of a clock that began less than eighteen years ago. */
  #stamp(word: number, delta: number): number {
    const high = Math.floor(word / 32);
    const low = (word % 32) * two27 + delta;
    return (high - this.#zeroHigh) * two32 + (low - this.#zeroLow);
  }

  #missed(commit: number, end: number, pageEnd: number): void {
    if ((commit & missedStored) !== 0 && end + 4 <= pageEnd) this.lost += this.#view.getUint32(end, true);
    else this.gaps++;
  }

  #readSwitch(time: number, from: number, to: number, core: number): void {
    const view = this.#view;
    const fields = this.#switch;
    if (to - from < fields.least) return;
    const previous = view.getInt32(from + fields.a, true);
    const next = view.getInt32(from + fields.c, true);
    if (previous > 0) this.#name(previous, from + fields.d, time);
    if (next > 0) this.#name(next, from + fields.e, time);
    const state = stateOf(view.getUint32(from + fields.b, true));
    this.#sink.switched(time, previous, state, next, core, view.getInt32(from + fields.f, true));
  }

  #readWaking(time: number, from: number, to: number, core: number): void {
    const view = this.#view;
    const fields = this.#waking;
    if (to - from < fields.least) return;
    const tid = view.getInt32(from + fields.a, true);
    if (tid > 0) this.#name(tid, from + fields.b, time);
    const inInterrupt = (view.getUint8(from + this.#commonFlags) & interruptFlags) !== 0;
    const waker = inInterrupt ? interruptWaker : view.getInt32(from + this.#commonPid, true);
    this.#sink.woken(time, tid, waker, core);
  }

  #readOther(kind: number, time: number, from: number, to: number, core: number): void {
    const view = this.#view;
    const sink = this.#sink;
    const fields = this.#fields.get(kind);
    if (fields === undefined || to - from < fields.least) return;
    const { a, b, c } = fields;
    const caller = view.getInt32(from + this.#commonPid, true);
    switch (kind) {
      case Kind.WakeupNew: {
        sink.woken(time, view.getInt32(from + a, true), caller, core);
        break;
      }
      case Kind.NewTask: {
        const tid = view.getInt32(from + a, true);
        const isThread = (view.getUint32(from + b, true) & cloneThread) !== 0;
        sink.created(time, tid, caller, isThread);
        this.#name(tid, from + c, time);
        break;
      }
      case Kind.Rename:
        this.#name(view.getInt32(from + a, true), from + b, time);
        break;
      case Kind.Frequency:
        sink.frequency(time, view.getUint32(from + b, true), view.getUint32(from + a, true));
        break;
      case Kind.Blocked:
        if (view.getUint8(from + b) !== 0) sink.waitedForDisk(time, view.getInt32(from + a, true), core);
        break;
      default: {
        let end = from + a;
        while (end < to && this.#bytes[end] !== 0) end++;
        sink.print(time, caller, this.#bytes, from + a, end);
      }
    }
  }

  #name(tid: number, at: number, time: number): void {
    const view = this.#view;
    let hash = view.getInt32(at, true);
    hash = Math.imul(hash, 0x01000193) ^ view.getInt32(at + 4, true);
    hash = Math.imul(hash, 0x01000193) ^ view.getInt32(at + 8, true);
    hash = Math.imul(hash, 0x01000193) ^ view.getInt32(at + 12, true);
    if (!this.#names.isNew(tid, hash)) return;
    let end = at;
    while (end < at + commBytes && this.#bytes[end] !== 0) end++;
    this.#sink.nameThread(tid, textOf(this.#bytes.subarray(at, end)), 0, time);
  }
}
