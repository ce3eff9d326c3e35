/** One thread of the made-up program of synth.ts, and its sampler. */
import { CounterBit, SampleKind } from '../model/kinds.js';
import { type SampleRows } from '../recording/samples.js';
import { type Random } from './random.js';
import { SynthCarried, type SynthVirtualThread } from './synth-carried.js';
import { type SynthOptions } from './synth-options.js';
import { type SynthProgram } from './synth-program.js';

/** In sample intervals: how long waits are, and how long after its interval a thread comes by a point, as it must to be captured. */
const meanWait = 12;
const meanLag = 0.1;
const allCounters =
  CounterBit.Cpu |
  CounterBit.Allocations |
  CounterBit.AllocatedBytes |
  CounterBit.Faults |
  CounterBit.Switches;

/** What really happened, by path, of all threads together. */
export class TruthByPath {
  readonly wall: Float64Array;
  readonly cpu: Float64Array;
  readonly bytes: Float64Array;

  constructor(paths: number) {
    this.wall = new Float64Array(paths);
    this.cpu = new Float64Array(paths);
    this.bytes = new Float64Array(paths);
  }
}

export class SynthThread {
  now = 0;
  captures = 0;
  #cpuNow: number;
  #bytesNow = 0;
  #allocationsNow = 0;
  #faultsNow = 0;
  #switchesNow = 0;
  #path: number;
  #nextSample: number;
  #rows = newRows();
  /** Undefined of a thread that carries none. */
  readonly carried: SynthCarried | undefined;
  #carries: SynthVirtualThread | undefined;
  readonly #program: SynthProgram;
  readonly #options: SynthOptions;
  readonly #random: Random;
  readonly #truth: TruthByPath;

  constructor(
    program: SynthProgram,
    options: SynthOptions,
    readonly index: number,
    random: Random,
    truth: TruthByPath,
  ) {
    this.#program = program;
    this.#options = options;
    this.#random = random;
    this.#truth = truth;

    this.#cpuNow = index * 1_000_000;
    this.#path = program.entry(index);
    this.#nextSample = options.intervalNs;
    const ids = virtualIds(index, options);
    if (ids.length > 0) this.carried = new SynthCarried(index, ids, this.#path);
  }

  /** Goes on until `wanted` more captures were made. */
  run(wanted: number): void {
    const program = this.#program;
    const options = this.#options;
    const random = this.#random;
    const until = this.captures + wanted;
    while (this.captures < until) {
      if (this.carried !== undefined && this.#carries === undefined) this.#carryNext(this.carried);
      this.#path = program.step(this.#path, this.index, random);
      const waits = random.next() < options.waiting;
      const lasts = Math.ceil(random.exponential(waits ? meanWait : options.stretch) * options.intervalNs);
      const position = program.position(this.#path, random);
      if (!waits || random.next() >= options.blocking) this.#stay(lasts, position, !waits);
      else if (this.#carries === undefined) this.#block(lasts, position);
      else this.#leave(this.#carries, lasts, position);
    }
  }

  /** The virtual thread that it carries waits, and leaves it. */
  #leave(thread: SynthVirtualThread, lasts: number, position: number): void {
    thread.path = this.#path;
    this.carried?.leave(thread, this.now, lasts, this.#program.node(this.#path, position));
    this.#carries = undefined;
  }

  /** Waits for the first virtual thread that can go on, if need be. */
  #carryNext(carried: SynthCarried): void {
    const idle = carried.readyNs - this.now;
    if (idle > 0) {
      this.#path = this.#program.entry(this.index);
      this.#block(idle, 0);
    }
    this.#carries = carried.mount(this.now);
    this.#path = this.#carries.path;
  }

  /** Working or waiting in one place; the sampler looks when its time has come. */
  #stay(lasts: number, position: number, works: boolean): void {
    const end = this.now + lasts;
    const options = this.#options;
    const random = this.#random;
    const node = this.#program.node(this.#path, position);
    while (this.#nextSample <= end) {
      this.#pass(this.#nextSample - this.now, works);
      const missed = options.missEvery > 0 && this.captures % options.missEvery === options.missEvery - 1;
      this.#capture(node, works ? SampleKind.Allocation : SampleKind.ExternalSampler);
      const wait = missed ? 10 : 1 + random.exponential(meanLag);
      this.#nextSample = this.now + Math.ceil(options.intervalNs * wait);
    }
    this.#pass(end - this.now, works);
  }

  #block(lasts: number, position: number): void {
    const rows = this.#rows;
    const begin = this.now;
    const node = this.#program.node(this.#path, position);
    this.#truth.wall[this.#path] = (this.#truth.wall[this.#path] as number) + lasts;
    this.#switchesNow++;
    this.#push(begin, node, SampleKind.Park);
    rows.duration[rows.duration.length - 1] = lasts;
    rows.object[rows.object.length - 1] = 1 + (this.#path % 1000);
    this.now = begin + lasts;
    if (this.#nextSample < this.now) this.#nextSample = this.now + this.#options.intervalNs;
  }

  #pass(ns: number, works: boolean): void {
    if (ns <= 0) return;
    this.now += ns;
    const path = this.#path;
    const carries = this.#carries;
    const truth = this.#truth;
    truth.wall[path] = (truth.wall[path] as number) + ns;
    if (carries !== undefined) carries.wall += ns;
    if (!works) {
      this.#switchesNow += ns > this.#options.intervalNs * 4 ? 1 : 0;
      return;
    }
    // 64 bytes every 250 ns of work, in objects of 48.
    const allocated = Math.round(ns / 250) * 48;
    this.#cpuNow += ns;
    this.#bytesNow += allocated;
    this.#allocationsNow += Math.round(ns / 250);
    if (this.#random.next() < 0.002) this.#faultsNow++;
    truth.cpu[path] = (truth.cpu[path] as number) + ns;
    if (carries !== undefined) carries.cpu += ns;
    truth.bytes[path] = (truth.bytes[path] as number) + allocated;
  }

  /** As the device does: of equal neighbours the first and the last stay, and the last one counts the others. */
  #capture(node: number, kind: number): void {
    const rows = this.#rows;
    const last = rows.time.length - 1;
    const mergeable = (row: number): boolean =>
      this.#options.merge &&
      row >= 0 &&
      rows.stack[row] === node &&
      rows.kind[row] === kind &&
      rows.message[row] === this.#message &&
      rows.duration[row] === 0;
    if (mergeable(last) && mergeable(last - 1)) {
      this.#fill(last, this.now);
      rows.merged[last] = (rows.merged[last] as number) + 1;
      this.captures++;
    } else {
      this.#push(this.now, node, kind);
    }
  }

  get #message(): number {
    return this.#carries?.id ?? 0;
  }

  #push(time: number, node: number, kind: number): void {
    const rows = this.#rows;
    this.captures++;
    rows.stack.push(node);
    rows.kind.push(kind);
    rows.duration.push(0);
    rows.merged.push(0);
    rows.object.push(0);
    rows.message.push(this.#message);
    this.#fill(rows.time.length, time);
  }

  #fill(row: number, time: number): void {
    const rows = this.#rows;
    rows.time[row] = time;
    rows.cpu[row] = this.#cpuNow;
    rows.allocations[row] = this.#allocationsNow;
    rows.allocatedBytes[row] = this.#bytesNow;
    rows.majorFaults[row] = this.#faultsNow;
    rows.voluntarySwitches[row] = this.#switchesNow;
    rows.involuntarySwitches[row] = 0;
  }

  takeRows(): SampleRows {
    const { message, ...rows } = this.#rows;
    this.#rows = newRows();
    return {
      thread: this.index,
      counters: allCounters,
      ...rows,
      ...(this.carried !== undefined && { message }),
    };
  }
}

function newRows() {
  return {
    time: [] as number[],
    stack: [] as number[],
    duration: [] as number[],
    cpu: [] as number[],
    kind: [] as number[],
    merged: [] as number[],
    allocations: [] as number[],
    allocatedBytes: [] as number[],
    majorFaults: [] as number[],
    voluntarySwitches: [] as number[],
    involuntarySwitches: [] as number[],
    object: [] as number[],
    message: [] as number[],
  };
}

/** As they are given to the threads in turns: 31, 32 … */
function virtualIds(thread: number, { threads, virtualThreads }: SynthOptions): number[] {
  const ids: number[] = [];
  for (let at = thread - 1; at < virtualThreads; at += threads) ids.push(31 + at);
  return ids;
}
