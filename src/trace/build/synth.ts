/**
 * Recordings of a made-up program whose true times are known: for tests, benches, and for trying things out.
 *
 * The program is a tree of contexts. Each thread walks it: it returns some frames, calls some others, and stays in the
 * innermost one for a while, working or waiting, until it goes on. A sampler looks at it now and then, as an agent would:
 * the samples go into the recording, the times that really passed into the truth. The same options give the same bytes.
 */
import { CounterBit, EndReason, formatMajor, formatMinor, Mode, SampleKind } from '../model/kinds.js';
import { ChunkKind } from '../recording/chunk.js';
import { Classes, Header, Hooks, Methods, Status, Threads } from '../recording/messages.js';
import { encodeNodes } from '../recording/nodes.js';
import { encodeSamples, type SampleRows } from '../recording/samples.js';
import { type ByteSink, RecordingWriter } from '../recording/writer.js';
import type { PathTable } from './paths.js';
import { SynthProgram } from './synth-program.js';
import { Random } from './random.js';

export interface SynthOptions {
  readonly seed: number;
  /** Captures over all threads, merged ones included. */
  readonly samples: number;
  readonly threads: number;
  /** Mean depth of stacks. */
  readonly depth: number;
  readonly methods: number;
  readonly intervalNs: number;
  /** Mean time in one place while working, in sample intervals. */
  readonly stretch: number;
  /** Share of stretches in which a thread waits instead of working. */
  readonly waiting: number;
  /** Share of waits that the agent sees as blocking samples; the others show as equal stacks without CPU time. */
  readonly blocking: number;
  /** Every so many samples the sampler misses a stretch of the program: makes gaps. 0: never. */
  readonly missEvery: number;
  /** Whether equal neighbours are merged, as a device does; without it a capture is a row. */
  readonly merge: boolean;
  readonly deflate: boolean;
}

export const synthDefaults: SynthOptions = {
  seed: 1,
  samples: 100_000,
  threads: 8,
  depth: 40,
  methods: 20_000,
  intervalNs: 1_000_000,
  stretch: 0.5,
  waiting: 0.01,
  blocking: 0.5,
  missEvery: 0,
  merge: true,
  deflate: false,
};

/** What really happened, by method (numbered as in the program) in ns; recursion counted once in totals. */
export interface SynthTruth {
  readonly names: readonly string[];
  readonly selfWall: Float64Array;
  readonly totalWall: Float64Array;
  readonly selfCpu: Float64Array;
  readonly totalCpu: Float64Array;
  readonly selfBytes: Float64Array;
  /** Wall ns of each thread, in the order of thread indexes from 1. */
  readonly threadWall: Float64Array;
  readonly captures: number;
}

const rowsPerBlock = 512;
/** In sample intervals: how long waits are, and how long after its interval a thread comes by a point, as it must to be captured. */
const meanWait = 12;
const meanLag = 0.1;
const allCounters =
  CounterBit.Cpu |
  CounterBit.Allocations |
  CounterBit.AllocatedBytes |
  CounterBit.Faults |
  CounterBit.Switches;

/** Writes the recording into `sink` and gives the truth. */
export async function synthesize(sink: ByteSink, given: Partial<SynthOptions> = {}): Promise<SynthTruth> {
  const options = { ...synthDefaults, ...given };
  const writer = new RecordingWriter(sink, { deflate: options.deflate });
  const program = new SynthProgram(options);
  await writer.add(ChunkKind.Header, header(options));
  await writer.add(ChunkKind.Hooks, Hooks.encode({ hooks: [{ name: 'synthetic', state: 0 }] }));
  await writer.add(ChunkKind.Threads, Threads.encode({ threads: threadsOf(options) }));
  for (const classes of pieces(program.classes, 2000))
    await writer.add(ChunkKind.Classes, Classes.encode({ classes }));
  for (const methods of pieces(program.methods, 2000))
    await writer.add(ChunkKind.Methods, Methods.encode({ methods }));

  const threads = Array.from(
    { length: options.threads },
    (_, at) => new SynthThread(program, options, at + 1, new Random(options.seed * 1000 + at + 1)),
  );
  const share = Math.ceil(options.samples / options.threads);
  let captured = 0;
  while (threads.some((thread) => thread.captures < share)) {
    // As an agent drains: the new nodes of all threads, then a block of samples of each.
    const blocks: SampleRows[] = [];
    for (const thread of threads) {
      if (thread.captures >= share) continue;
      thread.run(Math.min(rowsPerBlock, share - thread.captures));
      blocks.push(thread.takeRows());
    }
    const nodes = program.takeNewNodes();
    if (nodes.id.length > 0) await writer.add(ChunkKind.Nodes, encodeNodes(nodes));
    await writer.add(ChunkKind.Samples, encodeSamples(blocks));
  }
  let endNs = 0;
  for (const thread of threads) {
    captured += thread.captures;
    endNs = Math.max(endNs, thread.now);
  }
  await writer.add(
    ChunkKind.Status,
    Status.encode({ timeNs: endNs, samples: captured, captureNs: captured * 3000 }),
  );
  await writer.finish(EndReason.Stopped, '', endNs);
  return truthOf(program, threads);
}

/** One thread of the program and its sampler. */
class SynthThread {
  now = 0;
  captures = 0;
  /** True times by path. */
  readonly wall: Float64Array;
  readonly cpu: Float64Array;
  readonly bytes: Float64Array;

  private cpuNow: number;
  private bytesNow = 0;
  private allocationsNow = 0;
  private faultsNow = 0;
  private switchesNow = 0;
  private path: number;
  private nextSample: number;
  private rows = newRows();

  constructor(
    private readonly program: SynthProgram,
    private readonly options: SynthOptions,
    readonly index: number,
    private readonly random: Random,
  ) {
    const { count } = program.paths;
    this.wall = new Float64Array(count);
    this.cpu = new Float64Array(count);
    this.bytes = new Float64Array(count);
    this.cpuNow = index * 1_000_000;
    this.path = program.entry(index);
    this.nextSample = options.intervalNs;
  }

  /** Goes on until `wanted` more captures were made. */
  run(wanted: number): void {
    const { options, random, program } = this;
    const until = this.captures + wanted;
    while (this.captures < until) {
      this.path = program.step(this.path, this.index, random);
      const waits = random.next() < options.waiting;
      const lasts = Math.ceil(random.exponential(waits ? meanWait : options.stretch) * options.intervalNs);
      const position = program.position(this.path, random);
      if (waits && random.next() < options.blocking) this.block(lasts, position);
      else this.stay(lasts, position, !waits);
    }
  }

  /** Working or waiting in one place; the sampler looks when its time has come. */
  private stay(lasts: number, position: number, works: boolean): void {
    const end = this.now + lasts;
    const { options, random } = this;
    const node = this.program.node(this.path, position);
    while (this.nextSample <= end) {
      this.pass(this.nextSample - this.now, works);
      const missed = options.missEvery > 0 && this.captures % options.missEvery === options.missEvery - 1;
      this.capture(node, works ? SampleKind.Allocation : SampleKind.AsyncOutside);
      const wait = missed ? 10 : 1 + random.exponential(meanLag);
      this.nextSample = this.now + Math.ceil(options.intervalNs * wait);
    }
    this.pass(end - this.now, works);
  }

  private block(lasts: number, position: number): void {
    const { rows } = this;
    const begin = this.now;
    const node = this.program.node(this.path, position);
    this.wall[this.path] = (this.wall[this.path] as number) + lasts;
    this.switchesNow++;
    this.push(begin, node, SampleKind.Park);
    rows.duration[rows.duration.length - 1] = lasts;
    rows.object[rows.object.length - 1] = 1 + (this.path % 1000);
    this.now = begin + lasts;
    if (this.nextSample < this.now) this.nextSample = this.now + this.options.intervalNs;
  }

  private pass(ns: number, works: boolean): void {
    if (ns <= 0) return;
    this.now += ns;
    this.wall[this.path] = (this.wall[this.path] as number) + ns;
    if (!works) {
      this.switchesNow += ns > this.options.intervalNs * 4 ? 1 : 0;
      return;
    }
    // 64 bytes every 250 ns of work, in objects of 48.
    const allocated = Math.round(ns / 250) * 48;
    this.cpuNow += ns;
    this.bytesNow += allocated;
    this.allocationsNow += Math.round(ns / 250);
    if (this.random.next() < 0.002) this.faultsNow++;
    this.cpu[this.path] = (this.cpu[this.path] as number) + ns;
    this.bytes[this.path] = (this.bytes[this.path] as number) + allocated;
  }

  /** As the device does: of equal neighbours the first and the last stay, and the last one counts the others. */
  private capture(node: number, kind: number): void {
    const { rows } = this;
    const last = rows.time.length - 1;
    const mergeable = (row: number): boolean =>
      this.options.merge &&
      row >= 0 &&
      rows.stack[row] === node &&
      rows.kind[row] === kind &&
      rows.duration[row] === 0;
    if (mergeable(last) && mergeable(last - 1)) {
      this.fill(last, this.now);
      rows.merged[last] = (rows.merged[last] as number) + 1;
      this.captures++;
    } else {
      this.push(this.now, node, kind);
    }
  }

  private push(time: number, node: number, kind: number): void {
    const { rows } = this;
    this.captures++;
    rows.stack.push(node);
    rows.kind.push(kind);
    rows.duration.push(0);
    rows.merged.push(0);
    rows.object.push(0);
    this.fill(rows.time.length, time);
  }

  private fill(row: number, time: number): void {
    const { rows } = this;
    rows.time[row] = time;
    rows.cpu[row] = this.cpuNow;
    rows.allocations[row] = this.allocationsNow;
    rows.allocatedBytes[row] = this.bytesNow;
    rows.majorFaults[row] = this.faultsNow;
    rows.voluntarySwitches[row] = this.switchesNow;
    rows.involuntarySwitches[row] = 0;
  }

  takeRows(): SampleRows {
    const rows = this.rows;
    this.rows = newRows();
    return { thread: this.index, counters: allCounters, ...rows };
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
  };
}

function header(options: SynthOptions): Uint8Array {
  return Header.encode({
    major: formatMajor,
    minor: formatMinor,
    target: { name: 'synthetic', runtime: 'none', os: 'none', arch: 'none', cpus: options.threads },
    clock: {
      monotonicNs: 1_000_000_000_000n,
      boottimeNs: 1_500_000_000_000n,
      realtimeNs: 1_750_000_000_000_000_000n,
    },
    config: { syncIntervalNs: options.intervalNs },
    mode: Mode.Synthetic,
    modeReason: `a made-up program, seed ${options.seed}`,
  });
}

function threadsOf({
  threads,
}: SynthOptions): { index: number; tid: number; name: string; isMain: boolean }[] {
  return Array.from({ length: threads }, (_, at) => ({
    index: at + 1,
    tid: 4000 + at,
    name: at === 0 ? 'main' : `worker-${at}`,
    isMain: at === 0,
  }));
}

function truthOf(program: SynthProgram, threads: readonly SynthThread[]): SynthTruth {
  const { paths } = program;
  const total = (pick: (thread: SynthThread) => Float64Array): [Float64Array, Float64Array] => {
    const byPath = new Float64Array(paths.count);
    for (const thread of threads)
      pick(thread).forEach((value, path) => (byPath[path] = (byPath[path] ?? 0) + value));
    return byMethod(paths, byPath, program.methods.length);
  };
  const [selfWall, totalWall] = total((thread) => thread.wall);
  const [selfCpu, totalCpu] = total((thread) => thread.cpu);
  const [selfBytes] = total((thread) => thread.bytes);
  return {
    names: program.methods.map((_, method) => program.qualifiedName(method)),
    selfWall,
    totalWall,
    selfCpu,
    totalCpu,
    selfBytes,
    threadWall: Float64Array.from(threads, (thread) => thread.now),
    captures: threads.reduce((sum, thread) => sum + thread.captures, 0),
  };
}

function byMethod(paths: PathTable, selfByPath: Float64Array, methods: number): [Float64Array, Float64Array] {
  const self = new Float64Array(methods);
  const total = new Float64Array(methods);
  const below = selfByPath.slice();
  const { parent, method, recursive } = paths;
  for (let path = paths.count - 1; path > 0; path--) {
    const own = method[path] as number;
    self[own] = (self[own] as number) + (selfByPath[path] as number);
    if (recursive[path] === 0) total[own] = (total[own] as number) + (below[path] as number);
    const above = parent[path] as number;
    below[above] = (below[above] as number) + (below[path] as number);
  }
  return [self, total];
}

function* pieces<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
