import { callBytes, intervalBytes } from '../assemble/budget.js';
import { grown } from '../assemble/grow.js';
import { idIn, isTime, lineIn, numberIn, numberOf, wholeIn } from '../assemble/number-gate.js';
import { SampledRows } from '../assemble/sampled-rows.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions } from './importer.js';
import { LineImporter } from './line-importer.js';
import { countsCpuTime, whatIsShown } from './sampled-events.js';

/** "name 12/34 [003] 123.456789: 250000 cycles:u: …": thread (and process), CPU, seconds, what the sample counts. All but name, thread, time, event may lack. */
export const perfHead =
  /^\s*(\S.{0,63}?)\s+(\d+)(?:\/(\d+))?\s+(?:\[\d+\]\s+)?(\d+)\.(\d{3,9}):\s+(?:(\d+)\s+)?([^\s:]\S*?):(?:\s+(\S.*)?)?$/;
/** What says something stands before that. */
const mostOfLine = 1 << 14;
const source = /^\s+(\S.*):(\d+)$/;
/** "cycles:ppp", "cpu-clock:u": what is meant to be the same is counted together. */
const modifiers = /:[ukhpPGHISDWe]+$/;
const unitIsNs = /^(?:cpu|task)-clock$/;
/** A gap between neighbours that is longer than so many usual ones is none of the later one's time. */
const mostIntervals = 1.5;
const rowBytes = 20 + intervalBytes + callBytes;

interface Thread {
  readonly number: number;
  readonly tid: number;
  pid: number;
  name: string;
}

interface Event {
  readonly number: number;
  readonly name: string;
  samples: number;
  /** As the first samples have it. */
  readonly periods: number[];
}

/**
 * Reads what `perf script` prints of samples, with stacks or without, and simpleperf's report_sample.py: a line for the sample, one for each
 * frame, the innermost first. A sample stands for the time before it, since its thread's last one at most. Of several
 * events those that tell of time on a CPU are read, else those that are the most.
 */
export class PerfImporter extends LineImporter {
  readonly #threads: Thread[] = [];
  readonly #byTid = new Map<number, Thread>();
  readonly #events: Event[] = [];
  #base: bigint | undefined;
  #count = 0;
  #time = new Float64Array(256);
  #thread = new Int32Array(256);
  #event = new Int32Array(256);
  #path = new Int32Array(256);
  /** Of the sample at hand, the innermost frame first. */
  #frames: number[] = [];

  constructor(options: ImportOptions = {}) {
    super(options, 'no sample and no frame of one');
  }

  protected override heldBytes(): number {
    return rowBytes * this.#count;
  }

  protected override line(bytes: Uint8Array, from: number, to: number): boolean {
    if (bytes[from] === 0x23 || this.builder.isFull) return true;
    if (this.#frame(bytes, from, to)) return this.#count > 0;
    const text = textOf(bytes.subarray(from, Math.min(to, from + mostOfLine)));
    const head = perfHead.exec(text);
    if (head !== null) {
      this.#close();
      this.#open(head);
      // Without stacks the instruction stands behind it.
      const behind = new TextEncoder().encode(head[8] ?? '');
      this.#frame(behind, 0, behind.length);
      return true;
    }
    const [, file, line] = source.exec(text) ?? [];
    const innermost = this.#frames.at(-1);
    if (file !== undefined && innermost !== undefined) this.methods.setSource(innermost, file, lineIn(line));
    return text.trim() === '' || innermost !== undefined;
  }

  #open([, name = '', one = '', two, seconds = '', fraction = '', period, event = '']: readonly (
    | string
    | undefined
  )[]): void {
    const thread = this.#threadOf(idIn(two ?? one));
    thread.name = name;
    if (two !== undefined) thread.pid = idIn(one);
    // What is no time is last in order, and left out where samples are laid out.
    const isSane = isTime(numberIn(seconds) * 1e9);
    if (isSane) this.#base ??= wholeIn(seconds);
    if (this.#count === this.#time.length) {
      const size = this.#count * 2;
      this.#time = grown(this.#time, size);
      this.#thread = grown(this.#thread, size);
      this.#event = grown(this.#event, size);
      this.#path = grown(this.#path, size);
    }
    const row = this.#count++;
    this.#time[row] = isSane
      ? numberOf(wholeIn(seconds) - (this.#base ?? 0n)) * 1e9 + numberIn(fraction.padEnd(9, '0'))
      : Infinity;
    this.#thread[row] = thread.number;
    const counts = this.#eventOf(event.replace(modifiers, ''));
    counts.samples++;
    const counted = numberIn(period ?? '');
    if (isTime(counted) && counts.periods.length < 1000) counts.periods.push(counted);
    this.#event[row] = counts.number;
    this.#path[row] = 0;
  }

  #threadOf(tid: number): Thread {
    let thread = this.#byTid.get(tid);
    if (thread === undefined) {
      thread = { number: this.#threads.length, tid, pid: 0, name: '' };
      this.#threads.push(thread);
      this.#byTid.set(tid, thread);
    }
    return thread;
  }

  #eventOf(name: string): Event {
    let event = this.#events.find((known) => known.name === name);
    // A damaged file might name as many as it has lines: what is beyond counts as the last.
    if (event === undefined && this.#events.length >= 256) event = this.#events.at(-1);
    if (event === undefined) {
      event = { number: this.#events.length, name, samples: 0, periods: [] };
      this.#events.push(event);
    }
    return event;
  }

  /** "7f3a2 symbol+0x12 (/lib/libfoo.so)": both may have brackets of their own. False: it is no frame. */
  #frame(bytes: Uint8Array, from: number, to: number): boolean {
    let at = from;
    while (isBlank(bytes[at])) at++;
    const address = at;
    while (isHex(bytes[at])) at++;
    if (at === address || !isBlank(bytes[at]) || bytes[to - 1] !== close) return false;
    while (isBlank(bytes[at])) at++;
    const name = at;
    let depth = 0;
    for (at = to - 1; at > name; at--) {
      if (bytes[at] === close) depth++;
      else if (bytes[at] === open && --depth === 0) break;
    }
    if (at - 1 <= name || !isBlank(bytes[at - 1])) return false;
    const end = withoutOffset(bytes, name, at - 1);
    const isPlain = bytes[name] !== 0x5b && !endsAsMap(bytes, to - 1);
    this.#frames.push(
      isPlain
        ? this.names.intern(bytes, name, end)
        : this.names.internText(
            nameOf(textOf(bytes.subarray(name, end)), textOf(bytes.subarray(at + 1, to - 1))),
          ),
    );
    return true;
  }

  /** The sample at hand has all its frames. */
  #close(): void {
    let path = 0;
    for (const frame of this.#frames.reverse()) path = this.builder.paths.child(path, frame);
    if (this.#count > 0) this.#path[this.#count - 1] = path;
    this.#frames = [];
  }

  protected override trace(): Trace {
    this.#close();
    const event = this.#chosen();
    const rows = this.#rowsOf(event);
    const usual = this.#usualInterval(event, rows);
    const hasCpu = event !== undefined && countsCpuTime(event.name);
    for (let from = 0, to = 0; from < rows.length; from = to) {
      const thread = this.#thread[rows[from] ?? 0] ?? 0;
      while (to < rows.length && this.#thread[rows[to] ?? 0] === thread) to++;
      this.#layOut(thread, rows.subarray(from, to), usual, hasCpu);
    }
    if (this.#count === 0) this.builder.remark('There is no sample in this file');
    const main = this.builder.threads.find(({ isMain }) => isMain) ?? this.builder.threads[0];
    return this.builder.finish(
      this.methods,
      {
        format: 'perf',
        exact: false,
        hasCpu,
        pid: main?.pid ?? 0,
        targetName: main?.name ?? '',
        modeReason: this.#whatIsShown(event, usual),
      },
      { monotonicNs: (this.#base ?? 0n) * 1_000_000_000n },
    );
  }

  #layOut(thread: number, rows: Uint32Array, usual: number, hasCpu: boolean): void {
    const { tid = 0, pid = 0, name = '' } = this.#threads[thread] ?? {};
    const { paths } = this.builder;
    const table = (this.builder.thread(tid, pid, name).sampled = new SampledRows(paths));
    let last = -Infinity;
    for (const row of rows) {
      const end = this.#time[row] ?? 0;
      const begin = end - last <= usual * mostIntervals ? last : end - usual;
      last = end;
      // Without a stack it is known that the thread ran.
      const path = this.#path[row] || paths.child(0, this.names.internText('[no stack]'));
      table.push(begin, end, path, 1);
      if (hasCpu) table.rows.cpu[table.rows.count - 1] = end - begin;
    }
  }

  #whatIsShown(event: Event | undefined, usualNs: number): string {
    if (event === undefined) return '';
    const others = this.#events.filter((other) => other !== event);
    const leftOut = others.map(({ name, samples }) => `${counted(samples, 'sample', 'samples')} of ${name}`);
    return whatIsShown(event.name, usualNs, leftOut);
  }

  /** Those that tell of time on a CPU, else those that are the most. */
  #chosen(): Event | undefined {
    const timed = this.#events.filter(({ name }) => countsCpuTime(name));
    const [first, ...others] = timed.length > 0 ? timed : this.#events;
    return others.reduce((most, event) => (most && event.samples > most.samples ? event : most), first);
  }

  /** Those of a thread together, in the order of time. */
  #rowsOf(event: Event | undefined): Uint32Array {
    let count = 0;
    const rows = new Uint32Array(this.#count);
    for (let row = 0; row < this.#count; row++) if (this.#event[row] === event?.number) rows[count++] = row;
    const [thread, time] = [this.#thread, this.#time];
    return rows
      .subarray(0, count)
      .sort((a, b) => (thread[a] ?? 0) - (thread[b] ?? 0) || (time[a] ?? 0) - (time[b] ?? 0) || a - b);
  }

  /** What the event's clock counts between two, or the median of what lies between neighbours of a thread. */
  #usualInterval(event: Event | undefined, rows: Uint32Array): number {
    if (event !== undefined && event.periods.length > 0 && unitIsNs.test(event.name))
      return Math.round(median(Float64Array.from(event.periods)));
    const gaps = new Float64Array(rows.length);
    let count = 0;
    for (let at = 1; at < rows.length; at++) {
      const [before, row] = [rows[at - 1] ?? 0, rows[at] ?? 0];
      const gap = (this.#time[row] ?? 0) - (this.#time[before] ?? 0);
      if (this.#thread[row] === this.#thread[before] && gap > 0 && isTime(gap)) gaps[count++] = gap;
    }
    return count > 0 ? median(gaps.subarray(0, count)) : 1e6;
  }
}

function median(values: Float64Array): number {
  return values.sort()[values.length >> 1] ?? 0;
}

/** Where a name ends that may have an offset behind it: "start_thread+0x2f4". */
function withoutOffset(bytes: Uint8Array, from: number, to: number): number {
  let at = to - 1;
  while (at > from && isHex(bytes[at])) at--;
  const isOffset = at < to - 1 && bytes[at] === 0x78 && bytes[at - 1] === 0x30 && bytes[at - 2] === 0x2b;
  return isOffset && at - 2 > from ? at - 2 : to;
}

function endsAsMap(bytes: Uint8Array, to: number): boolean {
  return bytes[to - 4] === 0x2e && bytes[to - 3] === 0x6d && bytes[to - 2] === 0x61 && bytes[to - 1] === 0x70;
}

const [space, open, close] = [0x20, 0x28, 0x29];
const isBlank = (byte: number | undefined): boolean => byte === space || byte === 0x09;
const isHex = (byte = 0): boolean => (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66);

/** What has no name has its file's. Java's methods, as `perf-PID.map` has them, are written as everywhere else. */
function nameOf(name: string, image: string): string {
  if (name === '[unknown]') return `[${image.slice(image.lastIndexOf('/') + 1) || 'unknown'}]`;
  if (!/\/perf-\d+\.map$/.test(image)) return name;
  const [, type, method] = /^L?([\w$./]{1,2048}?);?::([\w$<>]{1,1024})$/.exec(name) ?? [];
  return type === undefined ? name : `${type.replaceAll('/', '.')}.${method}`;
}
