/**
 * A thread that works in stretches far shorter than the time between two interrupts, against what it really did: shares within
 * 2 points, and no method with more CPU than wall time.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Random } from '../../../src/trace/synth/random.js';
import { lineFigures } from '../../../src/trace/measure/lines.js';
import { methodFigures } from '../../../src/trace/measure/methods.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { CounterBit, SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Header, Methods, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';
import { decoded } from './recordings.js';

const ms = 1e6;
const intervalNs = 10 * ms;
/** Nodes, each with the method of its number; node 1, run, calls the others. */
const rest = 2;
const often = 3;
const seldom = 4;
const names = ['run', 'rest', 'often', 'seldom'];

/** How the agent knows of the waits: each by a sample of its own, or by the external sampler, now and then. */
type Seen = 'waits' | 'standing';

/** 0.3 ms of work in `often` or, half as often, in `seldom`, which takes twice as long on the clock; then 2 ms of rest. */
class Program {
  now = 0;
  cpu = 0;
  readonly trueCpu = [0, 0, 0, 0, 0];
  readonly rows: {
    time: number;
    cpu: number;
    stack: number;
    kind: number;
    duration: number;
    flags: number;
    merged: number;
  }[] = [];
  readonly #random = new Random(5);
  /** The end of an interval of its CPU clock, and when the interrupt comes that it is due: the kernel looks at its ticks. */
  #intervalEnd = intervalNs;
  #due = intervalNs;
  #looked = 0;
  readonly #seen: Seen;

  constructor(seen: Seen) {
    this.#seen = seen;
  }

  jitter(most: number): number {
    return this.#random.below(most);
  }

  row(stack: number, kind: number, duration = 0, flags = 0, merged = 0): void {
    this.rows.push({ time: this.now, cpu: this.cpu, stack, kind, duration, flags, merged });
  }

  /** Within a system call, at whose end the one interrupt comes for all intervals that have ended by then. */
  call(method: number, cpuNs: number): void {
    this.trueCpu[method]! += cpuNs;
    this.now += cpuNs;
    this.cpu += cpuNs;
    if (this.#intervalEnd > this.cpu) return;
    const ended = 1 + Math.floor((this.cpu - this.#intervalEnd) / intervalNs);
    this.row(method, SampleKind.CpuTimer, 0, 0, ended - 1);
    this.#intervalEnd += ended * intervalNs;
    this.#due = this.#intervalEnd;
  }

  /** On the CPU for so long, and put aside for as long again where the machine is `busy`. */
  work(method: number, cpuNs: number, isBusy: boolean): void {
    let left = cpuNs;
    this.trueCpu[method]! += cpuNs;
    while (left > 0) {
      const step = Math.min(left, this.#due - this.cpu);
      this.now += isBusy ? 2 * step : step;
      this.cpu += step;
      left -= step;
      if (this.cpu < this.#due) continue;
      // Some interrupts find a thread that cannot be walked there, and the sampler walks it.
      if (this.#random.next() < 0.2) this.row(method, SampleKind.ExternalSampler, 0, SampleFlag.AtWork);
      else this.row(method, SampleKind.CpuTimer);
      this.#intervalEnd += intervalNs;
      this.#due = this.#intervalEnd + this.#random.below(4 * ms);
    }
  }

  wait(ns: number): void {
    if (this.#seen === 'waits') {
      this.row(rest, SampleKind.Sleep, ns);
      this.now += ns;
      return;
    }
    this.now += ns;
    if (this.now - this.#looked < 10 * ms) return;
    this.#looked = this.now;
    this.row(rest, SampleKind.ExternalSampler);
  }

  run(interrupts: number): this {
    this.wait(2 * ms);
    while (this.cpu < interrupts * intervalNs) {
      const isOften = this.#random.next() < 2 / 3;
      this.work(isOften ? often : seldom, 0.2 * ms + this.#random.below(0.2 * ms), !isOften);
      this.wait(2 * ms);
    }
    return this;
  }

  recording(minor: number): Uint8Array {
    const { rows } = this;
    const column = (name: keyof (typeof rows)[number]): number[] => rows.map((row) => row[name]);
    const timed = minor > 0 ? CounterBit.CpuTimed : 0;
    const chunks: [number, Uint8Array][] = [
      [
        ChunkKind.Header,
        Header.encode({ major: 1, minor, config: { syncIntervalNs: ms, asyncIntervalNs: intervalNs } }),
      ],
      [ChunkKind.Threads, Threads.encode({ threads: [{ index: 1, tid: 7, name: 'short' }] })],
      [
        ChunkKind.Methods,
        Methods.encode({
          methods: names.map((name, at) => ({
            id: at + 1,
            name,
            linePosition: [0],
            lineNumber: [10 * (at + 1)],
          })),
        }),
      ],
      [
        ChunkKind.Nodes,
        encodeNodes({ id: [1, 2, 3, 4], parent: [0, 1, 1, 1], frame: [1, 2, 3, 4], position: [0, 0, 0, 0] }),
      ],
      [
        ChunkKind.Samples,
        encodeSamples([
          {
            thread: 1,
            counters: CounterBit.Cpu | timed,
            time: column('time'),
            cpu: column('cpu'),
            stack: column('stack'),
            kind: column('kind'),
            duration: column('duration'),
            flags: column('flags'),
            merged: column('merged'),
          },
        ]),
      ],
    ];
    const parts = chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at));
    return new Uint8Array(Buffer.concat([fileMagic, ...parts]));
  }
}

interface Figures {
  readonly wall: number;
  readonly cpu: number;
}

/** Self times by name, over a stretch of the recording. */
function selves(trace: Trace, beginNs = -Infinity, endNs = Infinity): Map<string, Figures> {
  const sums = sumScope(trace, { threads: [], beginNs, endNs });
  const { count, method, self, total } = methodFigures(sums, trace.methods.count);
  const figures = new Map<string, Figures>();
  for (let row = 0; row < count; row++) {
    const name = trace.methods.name(method[row]!);
    const [wall, cpu] = [self.wall[row]!, self.cpu[row]!];
    assert.ok(cpu <= wall * (1 + 1e-9), `self of ${name}: ${cpu} ns of CPU in ${wall} ns`);
    assert.ok(total.cpu[row]! <= total.wall[row]! * (1 + 1e-9), `total of ${name}`);
    figures.set(name, { wall, cpu });
  }
  return figures;
}

const interrupts = 4000;

/** A thread that works without a point for 9 ms, then allocates for 1 ms, which is sampled four times. */
class Lumpy extends Program {
  override run(interrupts: number): this {
    while (this.cpu < interrupts * intervalNs) {
      this.work(often, 8.5 * ms + this.jitter(ms), false);
      for (let part = 0; part < 4; part++) {
        this.work(seldom, 0.25 * ms, false);
        this.row(seldom, SampleKind.Allocation);
      }
    }
    return this;
  }
}

describe('work that is too short to be seen', () => {
  for (const seen of ['waits', 'standing'] as const) {
    const program = new Program(seen).run(interrupts);
    const trace = decoded(program.recording(1));
    const figures = selves(trace);
    const of = (name: string): Figures => figures.get(name)!;

    it(`has its share of the CPU time, and wall time for it; known by ${seen}`, () => {
      for (const [node, name] of [
        [often, 'often'],
        [seldom, 'seldom'],
      ] as const) {
        const share = of(name).cpu / program.cpu;
        const truly = program.trueCpu[node]! / program.cpu;
        assert.ok(Math.abs(share - truly) < 0.02, `${name} has ${share} of the CPU time, truly ${truly}`);
        assert.ok(of(name).wall >= of(name).cpu);
      }
      // What no interrupt came after is nobody's yet.
      const told = of('often').cpu + of('seldom').cpu;
      assert.ok(program.cpu - told <= 2 * intervalNs, `${told} of ${program.cpu}`);
    });

    it(`adds up to the thread's clocks; known by ${seen}`, () => {
      const sum = (pick: (one: Figures) => number): number =>
        [...figures.values()].reduce((all, one) => all + pick(one), 0);
      const { gap } = sumScope(trace, { threads: [], beginNs: -Infinity, endNs: Infinity });
      const { begin, end, count } = trace.threads[0]!.intervals;
      const lasted = end[count - 1]! - begin[0]!;
      assert.ok(Math.abs(sum(({ wall }) => wall) + gap.wall - lasted) < 1);
      const first = program.rows[0]!.cpu;
      assert.ok(Math.abs(sum(({ cpu }) => cpu) + gap.cpu - (program.rows.at(-1)!.cpu - first)) < 1);
    });

    it(`counts in each range by itself, lines too; known by ${seen}`, () => {
      // A range that holds no interrupt: what was used in it counts with the one after.
      const { cpu, end, count, countsWith } = trace.threads[0]!.intervals;
      let row = 0;
      while (row < count && !(countsWith[row]! > 0)) row++;
      const range = { beginNs: end[row - 1]!, endNs: end[row]! };
      const inRange = selves(trace, range.beginNs, range.endNs);
      const worked = ['often', 'seldom'].find((name) => (inRange.get(name)?.cpu ?? 0) > 0);
      assert.ok(worked !== undefined);
      assert.equal(inRange.get(worked)!.cpu, cpu[row]);
      const lines = lineFigures(trace, { threads: [], ...range });
      const line = [...lines.line].indexOf(10 * (names.indexOf(worked) + 1));
      assert.equal(lines.selfCpu[line], cpu[row]);
      assert.ok(lines.selfWall[line]! >= cpu[row]!);
    });
  }

  it('is not taken for that of the allocations that come after it', () => {
    const program = new Lumpy('waits').run(interrupts);
    const trace = decoded(program.recording(1));
    const figures = selves(trace);
    for (const [node, name] of [
      [often, 'often'],
      [seldom, 'seldom'],
    ] as const) {
      const truly = program.trueCpu[node]! / program.cpu;
      const { wall, cpu } = figures.get(name)!;
      for (const share of [cpu / program.cpu, wall / program.now]) {
        assert.ok(Math.abs(share - truly) < 0.02, `${name} has ${share} of the time, truly ${truly}`);
      }
    }
  });

  it('does not swell what comes right before a wait', () => {
    const program = new Program('waits');
    for (let round = 0; round < 800; round++) {
      program.work(often, 20 * ms, false);
      program.work(seldom, 10 * ms, false);
      program.wait(70 * ms);
    }
    const share = selves(decoded(program.recording(1))).get('seldom')!.cpu / program.cpu;
    assert.ok(Math.abs(share - 1 / 3) < 0.02, `the last third of the work has ${share} of the CPU time`);
  });

  it('is not given to the system calls at whose end late interrupts come', () => {
    const program = new Program('waits');
    for (let round = 0; round < 800; round++) {
      program.work(often, 55 * ms + program.jitter(10 * ms), false);
      program.call(seldom, 30 * ms + program.jitter(10 * ms));
    }
    const figures = selves(decoded(program.recording(1)));
    for (const [node, name] of [
      [often, 'often'],
      [seldom, 'seldom'],
    ] as const) {
      const truly = program.trueCpu[node]! / program.cpu;
      const share = figures.get(name)!.cpu / program.cpu;
      // An interval that ends right before the call is seen by the tick after that, in the call: half a tick of 85 ms.
      const tick = (2 * ms * 800) / program.cpu;
      assert.ok(Math.abs(share - truly) < tick + 0.005, `${name} has ${share}, truly ${truly}`);
    }
  });

  it('stays where it was recorded in a recording of format 1.0', () => {
    const program = new Program('waits').run(50);
    const { intervals } = decoded(program.recording(0)).threads[0]!;
    assert.equal(intervals.countsWith.length, 0);
  });
});
