import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { measure, type MethodRow, type ReportRequest, sortKeys } from '../../../src/cli/report/measure.js';
import { reportJson } from '../../../src/cli/report/json.js';
import { printReport } from '../../../src/cli/report/print.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { trustFacts } from '../../../src/cli/trust.js';
import {
  decodeRecording,
  SourceKind,
  synthesize,
  type SynthTruth,
  sumScope,
  type Trace,
  wholeTrace,
} from '../../../src/trace/index.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { formatShare } from '../../../src/trace/measure/quantities.js';
import { importWhole } from '../formats/round-trip.js';
import { synthetic as made } from '../trace/recordings.js';

const request: ReportRequest = {
  top: 10,
  sort: undefined,
  fromNs: undefined,
  toNs: undefined,
  perThread: true,
};

async function synthetic(): Promise<{ trace: Trace; truth: SynthTruth }> {
  const pieces: Uint8Array[] = [];
  const truth = await synthesize(
    { write: (bytes) => Promise.resolve(void pieces.push(bytes)) },
    { samples: 20_000, methods: 50, threads: 3, depth: 10 },
  );
  const decoder = decodeRecording(Buffer.concat(pieces));
  return { trace: decoder.trace(), truth };
}

function measuredCost(trace: Trace, threads: readonly number[], asked: ReportRequest) {
  const { sums } = measure(trace, threads, asked);
  return trustFacts(trace, sums).find(({ text }) => text.startsWith('recording took'));
}

/** The same recording with other CPU times. Columns are made when they are asked for, so none is copied. */
function withCpu(trace: Trace, change: (ns: number) => number): Trace {
  const threads = trace.threads.map((thread) => {
    const cpu = Float64Array.from(thread.intervals.cpu, change);
    const intervals = new Proxy(thread.intervals, {
      get: (of, key): unknown => (key === 'cpu' ? cpu : Reflect.get(of, key, of)),
    });
    const { message, calls } = thread;
    return { ...thread, intervals, message, calls };
  });
  return { ...trace, threads };
}

describe('a report', () => {
  let trace: Trace;
  let truth: SynthTruth;
  before(async () => ({ trace, truth } = await synthetic()));

  it('has the methods that are truly the hottest, in order', () => {
    const { methods, sort } = measure(trace, [], request);
    assert.equal(sort, 'self-cpu');
    const trulyFirst = truth.names[truth.selfCpu.indexOf(Math.max(...truth.selfCpu))]!;
    assert.ok(
      methods.slice(0, 3).some(({ name }) => name === trulyFirst),
      `${trulyFirst} is not among the first three`,
    );
    for (let row = 1; row < methods.length; row++)
      assert.ok(methods[row - 1]!.selfCpuNs >= methods[row]!.selfCpuNs);
    for (const { selfCpuNs, totalCpuNs, selfWallNs, totalWallNs } of methods) {
      assert.ok(selfCpuNs <= totalCpuNs + 1 && selfWallNs <= totalWallNs + 1);
    }
  });

  it('sorts by what is asked, for the threads and the time that are asked', () => {
    const all = measure(trace, [], { ...request, sort: 'total-wall' });
    for (let row = 1; row < all.methods.length; row++) {
      assert.ok(all.methods[row - 1]!.totalWallNs >= all.methods[row]!.totalWallNs);
    }
    const one = measure(trace, [trace.threads[0]!.index], request);
    assert.deepEqual(
      one.threads.map(({ index }) => index),
      [trace.threads[0]!.index],
    );
    const length = trace.endNs - trace.beginNs;
    const halves = [
      measure(trace, [], { ...request, toNs: length / 2 }),
      measure(trace, [], { ...request, fromNs: length / 2 }),
    ];
    const sum = halves[0]!.sums.sum.wall + halves[1]!.sums.sum.wall;
    assert.ok(Math.abs(sum - all.sums.sum.wall) < 1e-6 * sum, 'two halves are the whole');
  });

  it('has every order that it offers, each another one', () => {
    const columns: Record<string, (row: MethodRow) => number> = {
      'self-cpu': (row) => row.selfCpuNs,
      'total-cpu': (row) => row.totalCpuNs,
      'self-wall': (row) => row.selfWallNs,
      'total-wall': (row) => row.totalWallNs,
      wait: (row) => row.waitNs,
      allocated: (row) => row.allocatedBytes,
      held: (row) => row.heldBytes,
    };
    assert.deepEqual(Object.keys(columns), sortKeys);
    // What a method allocates here goes with its CPU time: it is made to be another's.
    const { count } = trace.paths;
    const shuffled: Trace = {
      ...trace,
      // What is still held, of yet another.
      heldMemory: {
        count,
        thread: new Uint32Array(count).fill(trace.threads[0]!.index),
        time: new Float64Array(count).fill(trace.beginNs),
        path: Int32Array.from({ length: count }, (_, path) => path),
        bytes: Float64Array.from({ length: count }, (_, path) => (path * 6007) % 997),
      },
      threads: trace.threads.map((thread) => {
        const allocatedBytes = Float64Array.from(thread.intervals.path, (path) => (path * 7919) % 1009);
        const intervals = new Proxy(thread.intervals, {
          get: (of, key): unknown => (key === 'allocatedBytes' ? allocatedBytes : Reflect.get(of, key, of)),
        });
        const { message, calls } = thread;
        return { ...thread, intervals, message, calls };
      }),
    };
    const orders = sortKeys.map((sort) => {
      const { methods } = measure(shuffled, [], { ...request, top: 1000, sort });
      const values = methods.map((row) => columns[sort]!(row));
      assert.deepEqual(
        values,
        values.slice().sort((a, b) => b - a),
        sort,
      );
      return methods.map(({ name }) => name).join();
    });
    assert.equal(new Set(orders).size, sortKeys.length);
  });

  it('says how much of the time nobody saw', async () => {
    const bytes = (await made({ samples: 20_000, methods: 50, threads: 2, depth: 8, missEvery: 20 })).bytes;
    const missed = decodeRecording(bytes).trace();
    const { sums } = measure(missed, [], request);
    const share = formatShare(sums.gap.wall / sums.sum.wall);
    const facts = trustFacts(missed, sums);
    assert.deepEqual(
      facts.find(({ text }) => text.endsWith('of the time without evidence')),
      { text: `${share} of the time without evidence`, isWarning: true },
    );
  });

  it('shows where the time of a thread went that used none of what is sorted by', () => {
    for (const { methods } of measure(
      withCpu(trace, () => 0),
      [],
      request,
    ).threads) {
      const longest = Math.max(...methods.map(({ selfWallNs }) => selfWallNs));
      assert.ok(longest > 0);
      assert.equal(methods[0]?.selfWallNs, longest);
    }
  });

  it('is printed with the hottest methods first', () => {
    const output = new PassThrough();
    printReport(measure(trace, [], request), new Terminal(output, output, {}));
    assert.match(String(output.read()), /^Hottest methods by SELF CPU \(10 of/m);
  });

  it('says that the cause of a wait known only from the kernel is unknown', () => {
    const bytes = readFileSync('test/fixtures/formats/read-systrace.html');
    const { waits } = reportJson('', measure(importWhole(anyImporter(), bytes), [], request)) as {
      waits: { kind: string }[];
    };
    assert.deepEqual([...new Set(waits.map(({ kind }) => kind))], ['not known']);
  });

  it('calls threads without a name by their numbers, in their waits too, and parts them', () => {
    const threads = trace.threads.map((thread) => {
      const { intervals, message, calls } = thread;
      return { ...thread, intervals, message, calls, name: '' };
    });
    const named = measure(trace, [], request).waits;
    const { waits } = measure({ ...trace, threads }, [], request);
    assert.ok(named.length > 1);
    const numbers = new Map(trace.threads.map(({ name, tid }) => [name, `thread ${tid}`]));
    assert.deepEqual(
      waits.map(({ thread }) => thread),
      named.map(({ thread }) => numbers.get(thread)),
    );
  });

  it('is JSON for programs, with everything the eye sees', () => {
    const json = JSON.parse(JSON.stringify(reportJson('x.btrace', measure(trace, [], request)))) as {
      methods: unknown[];
      threads: { methods: unknown[] }[];
      trust: { text: string }[];
    };
    assert.equal(json.methods.length, 10);
    assert.equal(json.threads.length, 3);
    assert.ok(json.threads[0]!.methods.length > 0);
    assert.ok(json.trust.some(({ text }) => text === 'nothing lost'));
  });

  it('says how far to trust it', () => {
    const said = (more: Partial<Trace>) =>
      trustFacts({ ...trace, ...more }, sumScope(trace, wholeTrace)).map(({ text, isWarning }) =>
        isWarning ? `! ${text}` : text,
      );
    assert.ok(said({}).includes('call counts are lower bounds'));
    assert.ok(said({ complete: false }).some((text) => text.startsWith('! the recording has no end')));
    const losses = [
      { thread: 1, beginNs: 0, endNs: 1, count: 1200, reason: 4 },
      { thread: 1, beginNs: 0, endNs: 1, count: 9, reason: 6 }, // overwritten: wanted
    ];
    assert.ok(said({ losses }).includes('! 1,200 lost because the desktop or disk was slow'));
    assert.ok(!said({ losses }).some((text) => text.includes('nothing lost')));
    const foreign = { info: { ...trace.info, format: 'chrome' as const } };
    assert.ok(!said(foreign).some((text) => text.includes('nothing lost')));
    assert.ok(said({ ...foreign, losses }).some((text) => text.startsWith('! 1,200 lost')));
    const counted = { info: { ...trace.info, modeReason: 'The clock counted no seconds\x1b[2J' } };
    assert.ok(said(counted).includes('The clock counted no seconds\ufffd[2J'));
    const hooks = [{ name: 'Unsafe.park', state: 3, why: 'no symbol\x1b[2J' }];
    assert.ok(said({ hooks }).includes('! Unsafe.park failed (no symbol\ufffd[2J)'));
    const status = {
      samples: 1,
      dropped: 0,
      captureNs: 5e6,
      drainNs: 5e6,
      processCpuNs: 100e6,
      memoryBytes: 0,
      effectiveIntervalNs: 4e6,
      costs: [],
    };
    assert.ok(
      said({ status }).some((text) =>
        /^! sampled at points every 4\.00 ms, not the 1\.00 ms asked for: to/.test(text),
      ),
    );
    const sources = [
      { kind: SourceKind.CpuTime, askedNs: 1e6, effectiveNs: 4e6 },
      { kind: SourceKind.Points, askedNs: 1e6, effectiveNs: 1e6 },
      { kind: SourceKind.Waits, askedNs: 1e6, effectiveNs: 1e6 },
    ];
    const bySource = said({ status: { ...status, sources, tickNs: 4e6 } });
    assert.ok(
      bySource.includes(
        '! sampled every 4.00 ms of CPU time, not the 1.00 ms asked for: the kernel’s clock ticks no oftener',
      ),
    );
    assert.ok(bySource.includes('sampled at points every 1.00 ms'));
    assert.ok(!bySource.some((text) => text.includes('waits shorter')));
    const stops = (more: object) =>
      said({ status: { ...status, ...more } }).filter((text) => text.startsWith('all threads stood still'));
    assert.deepEqual(stops({}), []);
    assert.deepEqual(stops({ stoppedNs: 3e6 }), [
      'all threads stood still for 3.00 ms, when it began and when it ended',
    ]);
    assert.deepEqual(stops({ stoppedNs: 0 }), []);
    assert.ok(
      said({ status: { ...status, stoppedNs: 0 } }).includes('no thread was stopped when it began or ended'),
    );
    const problems = [{ offset: 1, what: 'x' }];
    assert.ok(said({ problems }).includes('! 1 thing was wrong in the file: see btrace info'));
  });

  it('says what the whole recording cost, whatever part of it is asked for', () => {
    const waitedNs = sumScope(trace, wholeTrace).sum.wait;
    assert.ok(waitedNs > 0);
    const status = {
      samples: 1,
      dropped: 0,
      captureNs: waitedNs / 200,
      drainNs: waitedNs / 200,
      processCpuNs: waitedNs / 9,
      memoryBytes: 0,
      effectiveIntervalNs: 1e6,
      costs: [],
    };
    const cost = (of: Trace, threads: number[], more: { fromNs?: number; toNs?: number } = {}) =>
      measuredCost({ ...of, status }, threads, { ...request, ...more });
    const whole = { text: 'recording took 9.0 % of the CPU time, 0.9 % of work and waits', isWarning: false };
    assert.deepEqual(cost(trace, []), whole);
    for (const { index } of trace.threads) assert.deepEqual(cost(trace, [index]), whole);
    assert.deepEqual(cost(trace, [], { toNs: 1e6 }), whole);
    assert.deepEqual(cost(trace, [], { fromNs: trace.endNs - trace.beginNs - 1e6 }), whole);

    const nobodyWaited = { ...trace, threads: [] };
    assert.deepEqual(cost(nobodyWaited, []), {
      text: 'recording took 9.0 % of the CPU time',
      isWarning: true,
    });
  });
});
