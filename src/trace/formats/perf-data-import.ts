import { EventBuilder, type EventThread } from '../assemble/event-builder.js';
import { wholeOr0 } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import type { UnnamedCode } from './code-names.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { LinedMethods, LinedStacks } from './lined-stacks.js';
import { NameTable } from './names.js';
import { Numbers } from './numbers.js';
import { CodeStacks, isMark } from './perf-data/code-stacks.js';
import type { PerfEvent } from './perf-data/perf-event.js';
import {
  eachBuildId,
  Feature,
  longestBuildId,
  mostEvents,
  nameEvents,
  textIn,
} from './perf-data/perf-header.js';
import { Misc, PerfRecord, recordHeadBytes } from './perf-data/perf-record.js';
import { PerfStream, type PerfVisitor } from './perf-data/perf-stream.js';
import type { PerfWords } from './perf-data/perf-words.js';
import { countsCpuTime, shownEvent, whatIsShown } from './sampled-events.js';
import { rowsByEnd, Stretch, Stretches, stretchSamples, usualInterval } from './stretches.js';

const mostThreads = 1 << 16;
const threadBytes = 300;
const fallbackNs = 1e6;

interface Thread {
  readonly tid: number;
  pid: number;
  name: string;
}

/**
 * Reads what `perf record` writes: files, and streams as of `perf record -o -`. Stacks are addresses there: what lay at
 * them is known from records of what was mapped when, and what it is called is in those files (see `unnamedCode`). A
 * sample stands for the time since its thread's one before.
 *
 * Memory: 28 bytes for each distinct frame with its callers, and 80 bytes a sample.
 */
export class PerfDataImporter implements TraceImporter, PerfVisitor {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new LinedMethods(this.#names, 'place');
  readonly #lined = new LinedStacks(this.#builder.paths);
  readonly #stretches = new Stretches();
  readonly #stacks = new CodeStacks();
  readonly #stream = new PerfStream(this);
  readonly #signal: AbortSignal | undefined;

  readonly #events: PerfEvent[] = [];
  readonly #byId = new Map<number, number>();
  /** The first time in the file, which all others are counted from: a clock may count more than can be exact. */
  #baseHigh = NaN;
  #baseLow = 0;
  readonly #threads: Thread[] = [];
  readonly #rowOf = new Map<number, number>();
  /** Of a sample: its event, and its stack. */
  readonly #eventOf = new Numbers();
  readonly #stackOf = new Numbers();
  #hasEnded = false;
  #os = '';
  #compressed = 0;
  #lost = 0;
  #broken = 0;
  #noTime = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#stream.append(bytes);
    const tables = this.#names.memoryBytes + threadBytes * this.#threads.length;
    this.#builder.read(
      bytes.length,
      tables + this.#stacks.memoryBytes + this.#stretches.memoryBytes + 16 * this.#eventOf.count,
    );
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  problem(offset: number, what: string): void {
    this.#builder.problem(offset, what);
  }

  unfinished(): void {
    this.#builder.remark('Recording was not finished; what was written is shown');
  }

  event(event: PerfEvent): void {
    if (this.#events.length >= mostEvents) return;
    for (const id of event.ids) this.#byId.set(id, this.#events.length);
    this.#events.push(event);
  }

  record(words: PerfWords, at: number, to: number): void {
    const misc = words.u16(at + 4);
    const body = at + recordHeadBytes;
    switch (words.u32(at)) {
      case PerfRecord.sample:
        this.#sample(words, body, to);
        break;
      case PerfRecord.map:
        if ((misc & Misc.mapsData) === 0) this.#map(words, body, to, body + 32, undefined);
        break;
      case PerfRecord.map2: {
        if ((misc & Misc.mapsData) !== 0) break;
        const end = body + 36 + Math.min(words.u8(body + 32), longestBuildId);
        const buildId = (misc & Misc.hasBuildId) === 0 ? undefined : words.slice(body + 36, end);
        this.#map(words, body, to, body + 64, buildId);
        break;
      }
      case PerfRecord.comm:
        this.#comm(words.i32(body), words.i32(body + 4), words.text(body + 8, to));
        break;
      case PerfRecord.fork:
        this.#fork(words, body);
        break;
      case PerfRecord.lost:
        this.#lost += words.u64(body + 8);
        break;
      case PerfRecord.lostSamples:
        this.#lost += words.u64(body);
        break;
      case PerfRecord.compressed:
      case PerfRecord.compressed2:
        this.#compressed++;
    }
  }

  feature(feature: number, table: PerfWords): void {
    if (feature === Feature.events) nameEvents(table, this.#events);
    else if (feature === Feature.osRelease) this.#os = `Linux ${textIn(table)}`.slice(0, 200);
    else if (feature === Feature.buildIds)
      eachBuildId(table, (path, buildId) => {
        this.#stacks.setBuildId(path, buildId);
      });
  }

  /** The number of the event that a sample is of. */
  #eventAt(words: PerfWords, body: number): number {
    const first = this.#events[0];
    if (first === undefined || this.#events.length === 1 || first.idAt < 0) return 0;
    return this.#byId.get(words.u64(body + first.idAt)) ?? 0;
  }

  /** NaN where there is none: what is told before recording has 0. */
  #time(words: PerfWords, at: number): number {
    const [low, high] = [words.u32(at), words.u32(at + 4)];
    if (at < 0 || (low === 0 && high === 0)) return NaN;
    if (Number.isNaN(this.#baseHigh)) {
      this.#baseHigh = high;
      this.#baseLow = low;
    }
    return (high - this.#baseHigh) * 2 ** 32 + (low - this.#baseLow);
  }

  #sample(words: PerfWords, body: number, to: number): void {
    if (this.#builder.isFull) return;
    const number = this.#eventAt(words, body);
    const event = this.#events[number];
    const timeAt = event?.timeAt(body) ?? -1;
    if (event === undefined || timeAt < 0 || timeAt + 8 > to || !event.hasThreads) {
      this.#noTime++;
      return;
    }
    const time = this.#time(words, timeAt);
    const [pid, tid] = [event.pid(words, body), event.tid(words, body)];
    const row = this.#stretches.push(this.#row(tid, pid), time, time, Stretch.Cpu, 0, 0);
    if (row < 0) return;
    this.#eventOf.push(number);
    this.#stackOf.push(this.#stack(event, words, body, to));
  }

  /** Addresses are in the order from the innermost outwards, with marks between those of the kernel and the program. */
  #stack(event: PerfEvent, words: PerfWords, body: number, to: number): number {
    const at = event.callchainAt(words, body, to);
    const said = at < 0 ? 0 : words.u64(at);
    const count = Math.min(said, Math.max(0, Math.floor((to - at - 8) / 8)));
    if (said > count) this.#broken++;
    let stack = 0;
    for (let i = count - 1; i >= 0; i--) {
      const address = words.i64(at + 8 + 8 * i);
      if (isMark(address)) continue;
      // A caller stands behind its call, which may be the last instruction of a function.
      const isInnermost = i === 0 || isMark(words.i64(at + 8 * i));
      stack = this.#stacks.child(stack, isInnermost ? address : address - 1);
    }
    const ip = event.ip(words, body);
    return stack === 0 && ip !== 0 ? this.#stacks.child(0, ip) : stack;
  }

  #row(tid: number, pid: number): number {
    let row = this.#rowOf.get(tid);
    if (row === undefined) {
      row = this.#threads.length;
      // Those that are too many share the last row.
      if (row === mostThreads) return row - 1;
      this.#threads.push({ tid, pid, name: tid === 0 ? 'swapper' : '' });
      this.#rowOf.set(tid, row);
    }
    const thread = this.#threads[row];
    if (thread !== undefined) thread.pid = pid;
    return row;
  }

  #comm(pid: number, tid: number, name: string): void {
    const thread = this.#threads[this.#row(tid, pid)];
    if (thread?.tid === tid && tid !== 0) thread.name = name;
  }

  #map(words: PerfWords, body: number, to: number, pathAt: number, buildId: Uint8Array | undefined): void {
    if (pathAt >= to) return;
    this.#stacks.map({
      time: this.#orFirst(this.#time(words, this.#events[0]?.trailerTimeAt(to) ?? -1)),
      pid: words.i32(body),
      start: words.i64(body + 8),
      length: words.u64(body + 16),
      offset: words.u64(body + 24),
      path: words.text(pathAt, to),
      buildId,
    });
  }

  #fork(words: PerfWords, body: number): void {
    const [pid, parent] = [words.i32(body), words.i32(body + 4)];
    const thread = this.#threads[this.#row(words.i32(body + 8), pid)];
    const creator = this.#rowOf.get(words.i32(body + 12));
    if (thread?.name === '' && creator !== undefined) thread.name = this.#threads[creator]?.name ?? '';
    if (pid !== parent) this.#stacks.fork(this.#orFirst(this.#time(words, body + 16)), pid, parent);
  }

  /** What has no time was so from the beginning. */
  #orFirst(time: number): number {
    return Number.isNaN(time) ? -Infinity : time;
  }

  /** Code of the samples, by file. Asked for at the end of the file, before `finish`. */
  unnamedCode(): readonly UnnamedCode[] {
    this.#end();
    return this.#stacks.unnamed();
  }

  /** What lay at an address is known now for all times. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stream.finish();
    const pidOf = (thread: number): number => this.#threads[thread]?.pid ?? 0;
    this.#stacks.place(this.#stretches, this.#stackOf, pidOf, this.#builder.mostBytes);
  }

  finish(): Trace {
    const builder = this.#builder;
    this.#end();
    this.#remark();
    const names = this.#events.map(({ name }) => name);
    const chosen = shownEvent(names);
    const title = names[chosen] ?? 'an event that the file does not name';
    const hasCpu = countsCpuTime(title);
    for (let refused = this.#stretches.refused; refused > 0; refused--) builder.refuseNumber();
    const stretches = this.#shown(chosen, hasCpu ? Stretch.Cpu : Stretch.There);
    const rows = rowsByEnd(stretches, [Stretch.Cpu, Stretch.There, Stretch.Idle]);
    const said = this.#events[chosen]?.intervalNs ?? NaN;
    const usual = said > 0 ? Math.round(said) : usualInterval(stretches, rows, fallbackNs);
    stretchSamples(stretches, rows, () => usual);
    stretches.eachThread((row, ofThread) => {
      const { tid, pid, name } = this.#threads[row] ?? { tid: 0, pid: 0, name: '' };
      const track = builder.thread(tid, Math.max(0, pid), name);
      track.sampled = stretches.layOut(ofThread, builder.paths, () => 0);
    });
    const samplesOf = ({ sampled }: EventThread): number => sampled?.rows.count ?? 0;
    const mains = builder.threads.filter(({ isMain, tid }) => isMain && tid > 0);
    const main = mains.sort((a, b) => samplesOf(b) - samplesOf(a))[0] ?? builder.threads[0];
    const trace = builder.finish(
      this.#methods,
      {
        format: 'perf-data',
        exact: false,
        hasCpu,
        pid: main?.pid ?? 0,
        targetName: main?.name ?? '',
        os: this.#os,
        modeReason: whatIsShown(title, usual, this.#others(chosen)),
      },
      { monotonicNs: this.#baseNs() },
    );
    return { ...trace, nodes: this.#lined.nodes };
  }

  #baseNs(): bigint {
    return Number.isNaN(this.#baseHigh) ? 0n : (wholeOr0(this.#baseHigh) << 32n) + wholeOr0(this.#baseLow);
  }

  #remark(): void {
    const builder = this.#builder;
    const all = this.#stretches.count;
    if (this.#compressed > 0)
      builder.loss(
        this.#compressed,
        this.#compressed + all,
        `${counted(this.#compressed, 'record is', 'records are')} compressed (perf record -z) and not read: "perf script > perf.txt" makes text that can be opened`,
      );
    if (this.#lost > 0)
      builder.loss(
        this.#lost,
        all + this.#lost,
        `${counted(this.#lost, 'sample was', 'samples were')} lost while recording`,
      );
    const tell = (count: number, one: string, many: string): void => {
      if (count > 0) builder.remark(counted(count, one, many));
    };
    if (this.#events.length === 0) builder.remark('There is no event in this file');
    tell(
      this.#noTime,
      'sample has no time or thread; it was left out',
      'samples have no time or thread; they were left out',
    );
    tell(
      this.#broken,
      'stack is longer than its record; what could be read is kept',
      'stacks are longer than their records; what could be read is kept',
    );
    tell(
      this.#stacks.leftOut,
      'stack was left out: memory has no room for it',
      'stacks were left out: memory has no room for them',
    );
    tell(
      this.#stacks.changesLeftOut,
      'record of what was mapped was left out: there are too many',
      'records of what was mapped were left out: there are too many',
    );
    if (this.#events.some(({ hasUserStacks }) => hasUserStacks))
      builder.remark(
        'Stacks were recorded as copies of memory (--call-graph dwarf), which is not read: "perf script > perf.txt" makes text that can be opened',
      );
    const why = this.#stacks.wasNamed
      ? 'this machine has no file of that build with names'
      : '"btrace convert FILE -o NAME.btrace" looks for names in this machine’s files';
    tell(
      this.#stacks.unnamedCount,
      `place in the code has no name: ${why}`,
      `places in the code have no names: ${why}`,
    );
  }

  #others(chosen: number): string[] {
    const counts = this.#events.map(() => 0);
    for (let row = 0; row < this.#eventOf.count; row++) {
      const event = this.#eventOf.values[row] ?? 0;
      counts[event] = (counts[event] ?? 0) + 1;
    }
    return this.#events
      .map(({ name }, at) => `${counted(counts[at] ?? 0, 'sample', 'samples')} of ${name}`)
      .filter((_, at) => at !== chosen && (counts[at] ?? 0) > 0);
  }

  /** The samples of the event, with the stacks as they are named by now. */
  #shown(event: number, what: Stretch): Stretches {
    const nodeOf = this.#stacks.nodes(this.#lined, this.#methods, this.#names);
    const { count, thread, end: times } = this.#stretches;
    const shown = new Stretches();
    for (let row = 0; row < count; row++) {
      if (this.#eventOf.values[row] !== event) continue;
      const stack = this.#stackOf.values[row] ?? 0;
      const node =
        stack === 0 ? this.#lined.child(0, this.#names.internText('[no stack]'), 0) : (nodeOf[stack] ?? 0);
      const time = times[row] ?? 0;
      const isIdle = this.#threads[thread[row] ?? 0]?.tid === 0;
      shown.push(
        thread[row] ?? 0,
        time,
        time,
        isIdle ? Stretch.Idle : what,
        this.#lined.nodes.path[node] ?? 0,
        node,
      );
    }
    return shown;
  }
}
