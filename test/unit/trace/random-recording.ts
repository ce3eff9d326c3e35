/** Small recordings with everything in them that is hard: made of a seed, kept both as samples and as bytes. */
import { Random } from '../../../src/trace/synth/random.js';
import { CounterBit, SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples, type SampleRows } from '../../../src/trace/recording/samples.js';
import { after, before } from './every-message.js';
import type { Sample } from './reference.js';

export interface RandomThread {
  readonly index: number;
  readonly tid: number;
  /** What was read with some of its samples. */
  readonly counters: number;
  readonly samples: Sample[];
}

export interface RandomRecording {
  readonly threads: readonly RandomThread[];
  readonly vouchNs: number;
  readonly methods: number;
  readonly bytes: Uint8Array;
}

export interface Shape {
  readonly deepest: number;
  readonly startNs: number;
  readonly samples: number;
  /** Of threads that are interrupted by their CPU clock, how many are met by that above all, 0 to 1. */
  readonly interrupted: number;
}

export const usualShape: Shape = { deepest: 9, startNs: 0, samples: 40, interrupted: 0.5 };

/** CPU time between two interrupts, where a recording says that. */
const interruptNs = 500;

export function randomRecording(seed: number, shape: Shape = usualShape): RandomRecording {
  const random = new Random(seed);
  const methods = 1 + random.below(5);
  const vouchNs = random.next() < 0.25 ? 0 : 1000;
  const nodes = new NodeIds();
  const threads = Array.from({ length: 1 + random.below(3) }, (_, at) =>
    randomThread(random, at + 1, methods, shape),
  );
  const chunks = before(`seed ${seed}`, vouchNs, methods, threads);
  // Blocks of different sizes, threads in turns.
  const left = threads.map((thread) => ({ thread, from: 0 }));
  while (left.some(({ thread, from }) => from < thread.samples.length)) {
    const turn = left[random.below(left.length)]!;
    const next = turn.thread.samples.slice(
      turn.from,
      turn.from + 1 + random.below(Math.ceil(0.3 * shape.samples)),
    );
    if (next.length === 0) continue;
    const [{ counters }] = next as [Sample];
    const other = next.findIndex((row) => row.counters !== counters);
    const rows = other < 0 ? next : next.slice(0, other);
    turn.from += rows.length;
    for (const row of rows) row.node = nodes.idOf(row.stack, random);
    const fresh = nodes.takeNew();
    if (fresh.id.length > 0) chunks.push([ChunkKind.Nodes, encodeNodes(fresh)]);
    const column = (name: keyof Sample): number[] => rows.map((row) => row[name] as number);
    chunks.push([
      ChunkKind.Samples,
      encodeSamples([
        {
          thread: turn.thread.index,
          counters,
          time: column('time'),
          duration: column('duration'),
          ...(counters & CounterBit.Cpu ? { cpu: column('cpu') } : {}),
          cpuDuration: column('cpuDuration'),
          stack: column('node'),
          kind: column('kind'),
          flags: column('flags'),
          merged: column('merged'),
          message: column('message'),
          allocations: column('allocations'),
          allocatedBytes: column('allocatedBytes'),
          majorFaults: column('majorFaults'),
          voluntarySwitches: rows.map(({ switches }) => Math.ceil(switches / 2)),
          involuntarySwitches: rows.map(({ switches }) => Math.floor(switches / 2)),
          ...details(random, rows.length, threads.length),
        },
      ]),
    ]);
  }
  chunks.push(...after(random, vouchNs, threads, nodes.next));
  const parts = chunks.map(([kind, payload], sequence) =>
    encodeChunk(kind, payload, sequence, { deflate: random.next() < 0.3 }),
  );
  return { threads, vouchNs, methods, bytes: new Uint8Array(Buffer.concat([fileMagic, ...parts])) };
}

/** What samples say besides, which changes no interval. */
function details(
  random: Random,
  rows: number,
  threads: number,
): Pick<SampleRows, 'type' | 'object' | 'peer' | 'text'> {
  const column = (below: number): number[] =>
    Array.from({ length: rows }, () => (random.next() < 0.1 ? 1 + random.below(below) : 0));
  return { type: column(2), object: column(2 ** 53 - 1), peer: column(threads), text: column(2) };
}

function randomThread(random: Random, index: number, methods: number, shape: Shape): RandomThread {
  const counters =
    random.next() < 0.2
      ? 0
      : random.below(32) |
        (random.next() < 0.3 ? CounterBit.AllocationsEstimated | CounterBit.BytesEstimated : 0) |
        (random.next() < 0.5 ? CounterBit.CpuTimed : 0);
  // Some threads are all but their interrupts, and some of these lose their timers and get them back.
  const isInterrupted = (counters & CounterBit.CpuTimed) !== 0 && random.next() < shape.interrupted;
  const losesTimers = random.next() < 0.2;
  let timers = counters & CounterBit.CpuTimed;
  const samples: Sample[] = [];
  let time = shape.startNs + random.below(2000);
  const totals = { cpu: random.below(1e6), allocations: 0, allocatedBytes: 0, majorFaults: 0, switches: 0 };
  let message = 0;
  let stack: number[] = [];
  const count = random.next() < 0.1 ? 1 : 1 + random.below(shape.samples);
  for (let at = 0; at < count; at++) {
    // Some frames back, some frames on: often equal, often recursive as there are few methods.
    stack = stack.slice(0, stack.length - random.below(Math.min(stack.length, 4) + 1));
    const on = random.next() < 0.02 ? random.below(shape.deepest) : random.below(4);
    for (let n = 0; n < on && stack.length < shape.deepest; n++) stack.push(random.below(methods));
    if (random.next() < 0.15) message++;
    const due = isInterrupted && random.next() < 0.7 ? dueAfter(random) : undefined;
    const step = due?.time ?? [0, 1, 900, 1100, 3500, 20_000][random.below(6)]!;
    if (losesTimers && random.next() < 0.1) timers ^= counters & CounterBit.CpuTimed;
    time += random.next() < 0.03 ? -random.below(3000) : step;
    const works = random.next() < 0.6;
    // Two clocks that are read one after the other: a little more at times than the time that passed.
    const used = works ? Math.round(Math.max(step, 0) * random.next() * 1.2) : random.below(3);
    totals.cpu = Math.max(totals.cpu + (due?.cpu ?? used), 0);
    totals.allocations += random.below(5);
    totals.allocatedBytes += random.below(5000);
    totals.majorFaults += random.next() < 0.1 ? 1 : 0;
    totals.switches += random.next() < 0.2 ? 1 : 0;
    const waits = due === undefined && random.next() < 0.15 ? 1 + random.below(9000) : 0;
    // A wait may have begun before the thread was looked at by the external sampler.
    const earlier = waits > 0 && random.next() < 0.4 ? random.below(40_000) : 0;
    const duration = waits + earlier;
    const cpuDuration = duration > 0 ? random.below(Math.min(duration, 100)) : 0;
    samples.push({
      time: time - earlier,
      duration,
      cpuDuration,
      stack: random.next() < 0.03 ? [] : stack.slice(),
      node: 0,
      kind:
        due !== undefined
          ? SampleKind.CpuTimer
          : random.next() < 0.1
            ? SampleKind.Message
            : duration > 0
              ? SampleKind.Park
              : instant(random),
      flags:
        random.next() < 0.5
          ? SampleFlag.AtWork * random.below(2) + SampleFlag.WaitedBefore * random.below(2)
          : 0,
      merged: due?.merged ?? (random.next() < 0.1 ? random.below(6) : 0),
      message,
      ...totals,
      counters: (counters & ~CounterBit.CpuTimed) | timers,
    });
    time += waits;
    totals.cpu += cpuDuration;
  }
  const tid = random.next() < 0.5 ? 2 ** 32 - 1 - index : index;
  return { index, tid, counters, samples };
}

/** From one interrupt to the next: of one interval or several, in time, late or early, on clocks that may jump or go back. */
function dueAfter(random: Random): { time: number; cpu: number; merged: number } {
  const merged = random.next() < 0.7 ? 0 : random.below(5);
  const late = [0, random.below(interruptNs), random.below(40), -random.below(100), interruptNs][
    random.below(5)
  ]!;
  const jump = random.next() < 0.04 ? random.below(40_000) - 20_000 : 0;
  const cpu = interruptNs * (1 + merged) + late + jump;
  // Alone on a CPU, put aside for a while, or not on it for long.
  const away = [0, 0, random.below(1000), 3500, 30_000][random.below(5)]!;
  return { time: Math.max(cpu - random.below(3) + away, 0), cpu, merged };
}

function instant(random: Random): number {
  const { Allocation, CpuTimer, ExternalSampler, Notify } = SampleKind;
  return [Allocation, Allocation, CpuTimer, ExternalSampler, ExternalSampler, Notify][random.below(6)]!;
}

/** Gives each stack a node; sometimes another one for the same methods, as from another line. */
class NodeIds {
  readonly #ids = new Map<string, number>();
  next = 1;
  #fresh = {
    id: [] as number[],
    parent: [] as number[],
    frame: [] as number[],
    position: [] as number[],
  };

  idOf(stack: readonly number[], random: Random): number {
    let parent = 0;
    for (const method of stack) {
      const position = random.next() < 0.2 ? 1 : 0;
      const key = `${parent}/${method}/${position}`;
      let id = this.#ids.get(key);
      if (id === undefined) {
        id = this.next++;
        this.#ids.set(key, id);
        this.#fresh.id.push(id);
        this.#fresh.parent.push(parent);
        this.#fresh.frame.push(method + 1);
        this.#fresh.position.push(position * 4);
      }
      parent = id;
    }
    return parent;
  }

  takeNew(): { id: number[]; parent: number[]; frame: number[]; position: number[] } {
    const fresh = this.#fresh;
    this.#fresh = { id: [], parent: [], frame: [], position: [] };
    return fresh;
  }
}
