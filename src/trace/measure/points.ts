/**
 * Which points a program comes by, how often, and how much of its work they alone would see: what decides whether they
 * are frequent enough to record it by, or the CPU clocks' interrupts have to fill in. Told by the samples as they were
 * captured, so that it needs a recording's bytes: intervals do not say any more what kind of sample ended them.
 */
import { CounterBit, SampleKind } from '../model/kinds.js';
import { ChunkKind, chunkPayload, ChunkParser } from '../recording/chunk.js';
import { eachSampleBlock } from '../recording/sample-blocks.js';
import { SampleBlockReader } from '../recording/samples.js';
import { DamageError } from '../recording/wire.js';

/** Stretches that are told apart. */
export const surveyedNs: readonly number[] = [1e6, 10e6];

export interface PointSurvey {
  /** The most frequent first. */
  readonly points: readonly {
    /** SampleKind. */
    readonly kind: number;
    readonly captures: number;
    readonly threads: number;
  }[];
  /** From the first sample to the end of the last: a recording that fits into memory in part is surveyed whole. */
  readonly spanNs: number;
  /** Used from each thread's first sample to its last. */
  readonly cpuNs: number;
  /** For each of `surveyedNs`: how much of it went by in stretches between points that were no longer. */
  readonly withinNs: readonly number[];
}

/** No point of the thread itself: these come by the clock. */
const byClock = new Set<number>([SampleKind.Unknown, SampleKind.CpuTimer, SampleKind.ExternalSampler]);

export class PointSurveyor {
  readonly #parser = new ChunkParser({ magic: true });
  readonly #blocks = new SampleBlockReader();
  readonly #points = new Map<number, { captures: number; readonly threads: Set<number> }>();
  /** By thread, its CPU clock after its last sample, and after its last point (or its first sample). */
  readonly #clocks = new Map<number, { sample: number; point: number }>();
  readonly #withinNs = surveyedNs.map(() => 0);
  #cpuNs = 0;
  #beginNs = Infinity;
  #endNs = -Infinity;

  /** Bytes of a recording in order, cut anywhere. What is damaged is left out: whoever opens it says so. */
  append(bytes: Uint8Array): void {
    this.#parser.push(bytes);
    for (let chunk = this.#parser.next(); chunk !== undefined; chunk = this.#parser.next()) {
      if (chunk.kind !== ChunkKind.Samples) continue;
      try {
        const payload = chunkPayload(chunk);
        eachSampleBlock(payload, (begin, end) => this.#take(payload, begin, end));
      } catch (error) {
        if (!(error instanceof DamageError)) throw error;
      }
    }
  }

  survey(): PointSurvey {
    const points = [...this.#points].map(([kind, { captures, threads }]) => ({
      kind,
      captures,
      threads: threads.size,
    }));
    return {
      points: points.sort((a, b) => b.captures - a.captures),
      spanNs: Math.max(this.#endNs - this.#beginNs, 0),
      cpuNs: this.#cpuNs,
      withinNs: this.#withinNs,
    };
  }

  #take(payload: Uint8Array, begin: number, end: number): void {
    const blocks = this.#blocks;
    blocks.open(payload, begin, end);
    const hasCpu = (blocks.counters & CounterBit.Cpu) !== 0;
    for (let rows = blocks.next(); rows > 0; rows = blocks.next()) {
      for (let row = 0; row < rows; row++) {
        const kind = blocks.kind[row] as number;
        const captures = 1 + (blocks.merged[row] as number);
        const time = blocks.time[row] as number;
        this.#beginNs = Math.min(this.#beginNs, time);
        this.#endNs = Math.max(this.#endNs, time + (blocks.duration[row] as number));
        if (!byClock.has(kind)) this.#count(kind, captures, blocks.thread);
        if (hasCpu)
          this.#measure(
            blocks.thread,
            kind,
            captures,
            blocks.cpu[row] as number,
            blocks.cpuDuration[row] as number,
          );
      }
    }
  }

  #count(kind: number, captures: number, thread: number): void {
    let point = this.#points.get(kind);
    if (point === undefined) this.#points.set(kind, (point = { captures: 0, threads: new Set() }));
    point.captures += captures;
    point.threads.add(thread);
  }

  #measure(thread: number, kind: number, captures: number, cpu: number, cpuDuration: number): void {
    let clock = this.#clocks.get(thread);
    if (clock === undefined) this.#clocks.set(thread, (clock = { sample: cpu, point: cpu }));
    const end = Math.max(cpu + cpuDuration, clock.sample);
    this.#cpuNs += end - clock.sample;
    clock.sample = end;
    // Samples of the clock between two points are no points: the stretch goes on through them.
    if (byClock.has(kind)) return;
    const used = Math.max(end - clock.point, 0);
    const longest = Math.max(cpu - clock.point, 0) / captures;
    surveyedNs.forEach((most, at) => {
      if (longest <= most) this.#withinNs[at] = (this.#withinNs[at] as number) + used;
    });
    clock.point = end;
  }
}
