// Whatever numbers a foreign file holds: it is read, measured, reported and written in every format, with finite figures.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { measure } from '../../../src/cli/report/measure.js';
import { reportJson } from '../../../src/cli/report/json.js';
import { trustFacts } from '../../../src/cli/trust.js';
import { anyImporter, exporters } from '../../../src/trace/formats/index.js';
import { writeRecording } from '../../../src/trace/formats/recording-export.js';
import { sumScope, TraceReader, wholeTrace, type Trace } from '../../../src/trace/index.js';
import { takeSnapshot } from '../../../src/webview/worker/snapshot.js';
import { dumpTrace } from '../trace-dump.js';
import { scaled } from '../test-scale.js';
import { check, corpus } from './mutations.js';
import { importWhole } from './round-trip.js';
import { randomNumbers } from './sample-traces.js';

const hostile = [
  ...['1e309', '-1e309', '1e308', '-1e308', '1e22', '1e16', '-5', '-0', '0', '1e-400', 'NaN', 'Infinity'],
  ...['-Infinity', '9007199254740993', '18446744073709551615', '9223372036854775807', '-9223372036854775808'],
  ...['4294967296', '2147483648', '9'.repeat(400), `0.${'9'.repeat(400)}`, '1.7976931348623157e308', '00012'],
];
const folder = path.join('test', 'fixtures', 'formats');
const isText = (name: string): boolean =>
  /^(?:read|written)\b/.test(name) && !/\.dump$|perfetto|csv/.test(name);
const texts = readdirSync(folder).filter(isText);

const isFinite = (text: string): boolean => !/\bNaN\b|Infinity/.test(text);

function assertFinite(value: unknown, where: string): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), `${where} is ${value}`);
  else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) assertFinite(inner, `${where}.${key}`);
}

/** Names may say what they like. */
const figuresOf = (trace: Trace): Trace => ({
  ...trace,
  methods: {
    ...trace.methods,
    count: trace.methods.count,
    qualifiedName: (at) => `m${at}`,
    file: () => '',
    firstLine: (at) => trace.methods.firstLine(at),
  },
  threads: trace.threads.map((thread) => ({ ...thread, calls: thread.calls, name: 't' })),
  counters: trace.counters.map((counter) => ({ ...counter, name: 'c', unit: '' })),
  problems: [],
});

/** The page draws from these columns: times that are none, or out of order, would be searched for ever or drawn anywhere. */
function assertDrawable(trace: Trace): void {
  const snapshot = takeSnapshot(trace, { live: false });
  const ordered = (times: ArrayLike<number>, count: number, where: string): void => {
    for (let at = 1; at < count; at++) assert.ok(times[at]! >= times[at - 1]!, `${where}[${at}] is before`);
  };
  for (const { name, time, count } of snapshot.counters) ordered(time, count, `counter ${name}`);
  for (const [at, { chart, spans, activity, waits, markers }] of snapshot.threads.entries()) {
    for (const [name, columns] of Object.entries({ chart, spans, activity, blocks: waits, markers }))
      for (const [column, values] of Object.entries(columns))
        if (ArrayBuffer.isView(values))
          (values as Float64Array).forEach((value, row) => {
            if (!Number.isFinite(value)) assert.fail(`${at}: ${name}.${column}[${row}] is ${value}`);
          });
    const { depthStart } = chart;
    for (let depth = 1; depth < depthStart.length; depth++) {
      const row = chart.begin.subarray(depthStart[depth - 1], depthStart[depth]);
      ordered(row, row.length, `${at}: begins at depth ${depth - 1}`);
    }
    for (let call = 0; call < chart.count; call++)
      assert.ok(chart.end[call]! >= chart.begin[call]!, `${at}: call ${call} ends before it begins`);
    ordered(spans.begin, spans.count, `${at}: spans`);
    ordered(activity.time, activity.count, `${at}: activity`);
  }
  for (const { name, time, value, count } of snapshot.counters) {
    ordered(time, count, name);
    assert.ok([...value.subarray(0, count)].every(Number.isFinite), `${name} has a value that is none`);
  }
}

async function survives(bytes: Uint8Array): Promise<void> {
  const trace = importWhole(anyImporter(), bytes);
  check(trace);
  assertDrawable(trace);
  const figures = figuresOf(trace);
  const dump = dumpTrace({ ...figures, info: { ...trace.info, targetName: '' } });
  assert.ok(isFinite(dump), dump);
  const facts = trustFacts(trace, sumScope(trace, wholeTrace));
  assert.ok(isFinite(facts.map(({ text }) => text).join()), 'trust');
  const indexes = trace.threads.map(({ index }) => index);
  const request = { top: 20, sort: undefined, fromNs: undefined, toNs: undefined, perThread: true };
  assertFinite(reportJson('x', measure(trace, indexes, request)), 'report');
  for (const { id, write } of exporters) {
    let size = 0;
    write(trace, (piece) => (size += piece.length));
    assert.ok(size < 1000 * bytes.length + 2 ** 20, `${id} wrote ${size} bytes`);
  }
  const pieces: Uint8Array[] = [];
  await writeRecording(
    { write: (piece) => Promise.resolve(void pieces.push(piece.slice())) },
    {
      ...{ mode: 2, modeReason: '', realtimeNs: 0n, endReason: 1, detail: '' },
      target: { name: '', pid: 0, runtime: '', os: '', device: '' },
    },
    trace,
  );
  const reader = new TraceReader();
  for (const piece of pieces) reader.append(piece);
  reader.finish();
  check(reader.trace());
}

describe('numbers that cannot be', () => {
  for (const name of texts) {
    it(`end in finite figures: ${name}`, async () => {
      const text = readFileSync(path.join(folder, name), 'utf8');
      const places = [...text.matchAll(/-?\d+(?:\.\d+)?(?:e\d+)?/g)];
      const random = randomNumbers(11);
      for (let round = 0; round < scaled(6); round++) {
        const number = hostile[Math.floor(random() * hostile.length)]!;
        // One of them, or each.
        const only = random() < 0.8 ? Math.floor(random() * places.length) : -1;
        let at = -1;
        const made = text.replace(/-?\d+(?:\.\d+)?(?:e\d+)?/g, (own) =>
          only < 0 || ++at === only ? number : own,
        );
        try {
          await survives(Buffer.from(made));
        } catch (error) {
          throw new Error(`${number} at ${only} of ${name}`, { cause: error });
        }
      }
    }).timeout(120_000);
  }

  it('end in finite figures where formats are binary', async () => {
    const wild = [
      Buffer.alloc(8, 0xff),
      Buffer.from(Float64Array.of(NaN).buffer),
      Buffer.from(Float64Array.of(Infinity).buffer),
      Buffer.from('7fffffffffffffff', 'hex'),
      Buffer.from('ffffffffffffffffff01', 'hex'),
    ];
    const random = randomNumbers(12);
    const binary = corpus.filter((bytes) => bytes.subarray(0, 2000).includes(0));
    for (let round = 0; round < scaled(30); round++) {
      const bytes = Buffer.from(binary[round % binary.length]!);
      const number = wild[Math.floor(random() * wild.length)]!;
      number.copy(bytes, Math.floor(random() * Math.max(1, bytes.length - number.length)));
      await survives(bytes);
    }
  }).timeout(120_000);

  it('are counted and told first', () => {
    const event = (ts: string): string => `{"ph":"X","ts":${ts},"dur":5,"pid":1,"tid":1,"name":"a"}`;
    const bytes = Buffer.from(`[${[event('1e300'), event('1'), event('9e18'), event('3')].join(',')}]`);
    const { problems, threads } = importWhole(anyImporter(), bytes);
    assert.equal(problems[0]?.what, '2 events have a time or a value that cannot be one; they were left out');
    assert.equal(threads[0]?.calls.count, 2);
    const negative = importWhole(anyImporter(), Buffer.from(`[${event('1').replace('5', '-5')}]`));
    assert.equal(negative.problems[0]?.what, '1 length is below 0; it counts as 0');
  });
});
