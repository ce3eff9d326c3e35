/** The threads of a recording, with their samples as they come. */
import { type Chunk } from '../recording/chunk.js';
import { type Threads } from '../recording/messages.js';
import { blockSize, eachSampleBlock } from '../recording/sample-blocks.js';
import { SampleBlockReader } from '../recording/samples.js';
import { DamageError } from '../recording/wire.js';
import { sampleBlockBytes, sampledThreadBytes, threadBytes } from './budget.js';
import { BoundError, type FileBounds } from './file-bounds.js';
import { type NodeTable } from './nodes.js';
import { type SamplesPart } from './part.js';
import { type PathTable } from './paths.js';
import { RecentCalls, SampledThread } from './sampled-thread.js';
import { type Sampling } from './stack-diff.js';

const mostThreads = 2 ** 24;

export interface ThreadsOptions {
  readonly paths: PathTable;
  readonly nodes: NodeTable;
  readonly bounds: FileBounds;
  readonly part: SamplesPart;
  /** Is told of threads before they are kept; throws where there is no room. */
  readonly keep: (bytes: number, account: 'threads') => void;
}

export class SampledThreads {
  readonly #options: ThreadsOptions;
  readonly byIndex = new Map<number, SampledThread>();
  readonly #recentCalls = new RecentCalls();
  readonly #blockReader = new SampleBlockReader('stacks');
  readonly #sampling: Sampling = { vouchNs: 0, interruptNs: 0 };
  /** By thread, samples that came together and are not taken in yet. */
  readonly #toCome = new Map<number, number>();

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  get inOrder(): SampledThread[] {
    return [...this.byIndex.values()].sort((a, b) => a.index - b.index);
  }

  describe({ threads }: Threads): void {
    for (const thread of threads) this.#thread(thread.index).describe(thread);
  }

  /** So much time may lie between two samples; the longest counts. */
  widenVouch(intervalNs: number): void {
    this.#sampling.vouchNs = Math.max(this.#sampling.vouchNs, intervalNs);
  }

  set interruptNs(intervalNs: number) {
    this.#sampling.interruptNs = intervalNs;
  }

  /** Samples that `take` is going to be given: columns grow once for all of them. */
  expect(payload: Uint8Array): void {
    const toCome = this.#toCome;
    let blocks = 0;
    try {
      eachSampleBlock(payload, (begin, end) => {
        if (!this.#options.bounds.hasRoom('samples', ++blocks * sampleBlockBytes)) throw new BoundError();
        const { thread, rows } = blockSize(payload, begin, end);
        toCome.set(thread, (toCome.get(thread) ?? 0) + rows);
      });
    } catch (error) {
      // Told when it is taken in.
      if (!(error instanceof DamageError)) throw error;
    }
  }

  expectNothing(): void {
    this.#toCome.clear();
  }

  /** `report` is told of what is wrong with a block. Throws where there is no room for all. */
  take({ offset }: Chunk, payload: Uint8Array, report: (damage: string) => void): void {
    const { nodes, paths, bounds, part } = this.#options;
    const blockReader = this.#blockReader;
    const toCome = this.#toCome;
    const isTaken = part.takes(offset);
    eachSampleBlock(payload, (begin, end) => {
      bounds.spend('samples', sampleBlockBytes);
      blockReader.open(payload, begin, end);
      if (!isTaken) {
        part.leaveOut(blockReader.beginNs);
        return;
      }
      const thread = this.#thread(blockReader.thread);
      // A row takes a byte of the time column at least.
      const rows = Math.min(blockReader.count, end - begin);
      const expected = Math.max(toCome.get(thread.index) ?? 0, rows);
      const before = thread.intervals.count;
      if (rows > 0 && thread.intervals.begin.length === 0) {
        bounds.spend('threads', sampledThreadBytes);
        part.addBytes(sampledThreadBytes);
      }
      const isWhole = thread.take(blockReader, payload, begin, end, expected, nodes, this.#sampling, bounds);
      part.add(end - begin, thread.intervals, before, paths);
      toCome.set(thread.index, expected - rows);
      if (!isWhole) throw new BoundError();
      if (blockReader.damage !== '') report(blockReader.damage);
    });
  }

  #thread(index: number): SampledThread {
    let thread = this.byIndex.get(index);
    if (thread === undefined) {
      if (index > mostThreads) throw new DamageError(`there is a thread number ${index}`);
      this.#options.keep(threadBytes, 'threads');
      thread = new SampledThread(index, this.#options.paths, this.#recentCalls);
      this.byIndex.set(index, thread);
    }
    return thread;
  }
}
