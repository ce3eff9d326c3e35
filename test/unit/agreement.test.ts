/**
 * One recording, and every surface says the same: the report as JSON and printed, what the page is sent and answered, its
 * trust line, what the editor shows, CSV, collapsed stacks, the list of recordings. Wording may differ, no number may.
 */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { infoJson } from '../../src/cli/info.js';
import { reportJson } from '../../src/cli/report/json.js';
import { measure, type Report, type ReportRequest } from '../../src/cli/report/measure.js';
import { printReport } from '../../src/cli/report/print.js';
import { Terminal } from '../../src/cli/terminal.js';
import { trustFacts as reportFacts } from '../../src/cli/trust.js';
import { EngineService } from '../../src/extension/engine/engine-service.js';
import { writeCollapsed } from '../../src/trace/formats/collapsed-export.js';
import { writeMethodTable } from '../../src/trace/formats/csv-export.js';
import { RecordingReader, sourceOf, sumScope, type Trace, wholeTrace } from '../../src/trace/index.js';
import { formatNs, formatShare } from '../../src/trace/measure/quantities.js';
import { trustFacts as pageFacts } from '../../src/webview/panes/trust-line.js';
import { FigureDesk } from '../../src/webview/worker/figure-desk.js';
import type { Answers, TraceQuery } from '../../src/webview/worker/messages.js';
import { takeSnapshot } from '../../src/webview/worker/snapshot.js';
import { written } from './formats/round-trip.js';
import { carrierRecording } from './trace/carrier-recording.js';
import { messageRecording } from './trace/message-recording.js';
import { randomRecording } from './trace/random-recording.js';
import { decoded, synthetic } from './trace/recordings.js';

/** All rows of everything. */
const request: ReportRequest = {
  top: 1e6,
  sort: 'self-wall',
  fromNs: undefined,
  toNs: undefined,
  perThread: true,
};

function asked<K extends TraceQuery['kind']>(
  trace: Trace,
  query: Extract<TraceQuery, { kind: K }>,
): Answers[K] {
  return new FigureDesk().answer(trace, query) as Answers[K];
}

/** Sums are made in other orders: they may differ by what a double cannot hold. */
function same(found: number, expected: number, what: string): void {
  const slack = 1e-9 * Math.max(1e3, Math.abs(expected));
  assert.ok(Math.abs(found - expected) <= slack, `${what}: ${found}, not ${expected}`);
}

function sum(values: Iterable<number>): number {
  let all = 0;
  for (const value of values) all += value;
  return all;
}

/** What a method's rows add up to: names are not unique. */
type ByName = Map<string, number[]>;

function add(all: ByName, name: string, values: readonly number[]): void {
  const known = all.get(name) ?? values.map(() => 0);
  all.set(
    name,
    known.map((value, at) => value + values[at]!),
  );
}

function sameByName(found: ByName, expected: ByName, what: string, slack = 0): void {
  for (const name of new Set([...found.keys(), ...expected.keys()])) {
    const wanted = expected.get(name) ?? [];
    const values = found.get(name) ?? wanted.map(() => 0);
    wanted.forEach((value, at) => {
      const isNear = Math.abs(values[at]! - value) <= slack + 1e-6;
      assert.ok(isNear, `${what}, ${name}, column ${at}: ${values[at]}, not ${value}`);
    });
    if (wanted.length === 0)
      assert.ok(
        values.every((value) => value <= slack),
        `${what}: ${name} is too many`,
      );
  }
}

function reportMethods({ methods }: Report): ByName {
  const all: ByName = new Map();
  for (const row of methods)
    add(all, row.name, [row.selfWallNs, row.totalWallNs, row.selfCpuNs, row.totalCpuNs, row.calls]);
  return all;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

const recordings: readonly (readonly [string, () => Promise<Uint8Array>])[] = [
  [
    'a program of many threads, with waits and gaps',
    async () =>
      (
        await synthetic({
          samples: 20_000,
          threads: 4,
          methods: 200,
          depth: 12,
          waiting: 0.1,
          missEvery: 40,
        })
      ).bytes,
  ],
  [
    'virtual threads, two of them a carrier',
    async () =>
      (
        await synthetic({
          samples: 6000,
          threads: 3,
          methods: 60,
          waiting: 0.3,
          blocking: 1,
          virtualThreads: 6,
        })
      ).bytes,
  ],
  [
    'virtual threads, some of their work unseen',
    () =>
      Promise.resolve(
        carrierRecording(
          [
            { id: 1, samples: 6 },
            { id: 2, samples: 5, isUnseen: true },
            { id: 1, samples: 3 },
            { id: 0, samples: 2 },
            { id: 3, samples: 4, isUnseen: true },
            { id: 2, samples: 2 },
          ],
          {
            thread: [1, 1, 1],
            id: [2, 2, 9],
            begin: [0, 5e6, 1e6],
            duration: [2e6, 4e6, 30e6],
            stack: [2, 1, 0],
            leftOut: [0, 0, 4],
            leftOutNs: [0, 0, 8e6],
          },
        ),
      ),
  ],
  [
    'a message loop',
    () =>
      Promise.resolve(
        messageRecording([
          { does: 0, workMs: 5, idleMs: 20 },
          { does: 1, workMs: 30, lockMs: 10, idleMs: 4 },
        ]),
      ),
  ],
  ...Array.from(
    { length: 30 },
    (_, seed) =>
      [`random recording ${seed}`, () => Promise.resolve(randomRecording(seed + 1).bytes)] as const,
  ),
];

for (const [name, make] of recordings) {
  describe(`of ${name}, every surface says the same`, () => {
    let trace: Trace;
    let bytes: Uint8Array;
    let report: Report;
    let json: ReturnType<typeof parsed>;
    before(async () => {
      bytes = await make();
      trace = decoded(bytes);
      report = measure(trace, [], request);
      json = parsed(report);
    });
    const parsed = (of: Report) =>
      JSON.parse(JSON.stringify(reportJson('x', of))) as {
        durationNs: number;
        samples: number;
        sum: Record<'wall' | 'cpu' | 'wait', number>;
        gapNs: number;
        waits: { thread: string; count: number; totalNs: number }[];
      };
    const pageScope = () => ({ threads: [], beginNs: trace.beginNs, endNs: trace.endNs });

    it('of the whole', async () => {
      const snapshot = takeSnapshot(trace, { live: false });
      const info = infoJson('x', trace) as { samples: number; beginNs: number; endNs: number; waits: number };
      const editor = new EngineService().take(trace);
      const pageSum = asked(trace, { kind: 'sum', scope: pageScope() });
      for (const weight of ['wall', 'cpu', 'wait'] as const)
        same(pageSum[weight], json.sum[weight], `the page's ${weight}`);
      same(editor.wallNs, json.sum.wall, 'wall in the editor');
      same(editor.cpuNs, json.sum.cpu, 'CPU in the editor');
      same(sum(snapshot.threads.map(({ gapNs }) => gapNs)), json.gapNs, 'gaps on the page');
      const samples = sum(snapshot.threads.map(({ sampleCount }) => sampleCount));
      assert.equal(samples, info.samples);
      assert.equal(json.samples, info.samples);
      assert.equal(snapshot.endNs - snapshot.beginNs, json.durationNs);
      assert.equal(info.endNs - info.beginNs, json.durationNs);
      const waits = sum(snapshot.threads.map(({ waits }) => waits.count));
      assert.equal(sum(json.waits.map(({ count }) => count)), waits);
      assert.equal(info.waits, waits);
      const hasIndex = (await new RecordingReader(sourceOf(bytes)).index()) !== undefined;
      if (hasIndex) assert.equal(await new RecordingReader(sourceOf(bytes)).lengthNs(), json.durationNs);
    });

    it('of each thread', () => {
      const { threads } = takeSnapshot(trace, { live: false });
      assert.equal(threads.length, report.threads.length);
      for (const row of report.threads) {
        const shown = threads.find(({ index }) => index === row.index)!;
        for (const figure of ['wallNs', 'cpuNs', 'waitNs', 'gapNs'] as const)
          same(shown[figure], row[figure], `${figure} of ${row.name}`);
        assert.equal(shown.sampleCount, row.samples);
        const waits = measure(trace, [row.index], request).waits;
        same(
          sum(shown.waits.end.map((end, at) => end - shown.waits.begin[at]!)),
          sum(waits.map(({ totalNs }) => totalNs)),
          `waits of ${row.name}`,
        );
      }
    });

    it('of each method', () => {
      const expected = reportMethods(report);
      const { methods } = trace;
      const { self, total, calls, method } = asked(trace, { kind: 'methods', scope: pageScope() });
      const onPage: ByName = new Map();
      method.forEach((one, row) =>
        add(onPage, methods.qualifiedName(one), [
          self.wall[row]!,
          total.wall[row]!,
          self.cpu[row]!,
          total.cpu[row]!,
          calls[row]!,
        ]),
      );
      sameByName(onPage, expected, 'the table of methods');

      const editor = new EngineService().take(trace);
      const inEditor: ByName = new Map();
      for (let row = 0; row < editor.count; row++) {
        add(inEditor, methods.qualifiedName(method[row]!), [
          editor.selfWallNs[row]!,
          editor.totalWallNs[row]!,
          editor.selfCpuNs[row]!,
          editor.totalCpuNs[row]!,
          calls[row]!,
        ]);
      }
      sameByName(inEditor, expected, 'the editor');

      const asCsv: ByName = new Map();
      const rows = text(written(writeMethodTable, trace)).trim().split('\r\n').slice(1);
      for (const line of rows) {
        const [, className, own, figures] = /^"(.*?)","(.*?)",".*?",".*?",\d+,([\d,]+)$/.exec(line)!;
        add(asCsv, className === '' ? own! : `${className}.${own}`, figures!.split(',').map(Number));
      }
      sameByName(asCsv, expected, 'CSV', trace.methods.count);

      for (const one of method) {
        const row = method.indexOf(one);
        const middle = asked(trace, { kind: 'neighbours', scope: pageScope(), weight: 'wall', method: one });
        same(middle.self, self.wall[row]!, 'self between callers and callees');
        same(middle.total, total.wall[row]!, 'total between callers and callees');
      }
    });

    it('of each tree', () => {
      const { wall } = report.sums.sum;
      const ofMethods = sum(report.methods.map(({ selfWallNs }) => selfWallNs));
      const scope = pageScope();
      for (const direction of ['down', 'up'] as const) {
        const tree = asked(trace, { kind: 'tree', scope, direction, weight: 'wall', path: [] });
        same(tree.sum, wall, `what shares are of, ${direction}`);
        same(sum(tree.total), ofMethods, `the tree ${direction}`);
      }
      const flame = asked(trace, { kind: 'flame', scope, weight: 'wall', least: 0, path: [] });
      same(sum(flame.self), ofMethods, 'the flame graph');
      // Each line is rounded.
      const lines = text(written(writeCollapsed, trace)).trim().split('\n').slice(1);
      const collapsed = sum(lines.map((line) => Number(/ (\d+)$/.exec(line)?.[1])));
      assert.ok(Math.abs(collapsed - ofMethods) <= lines.length, `collapsed: ${collapsed}, not ${ofMethods}`);
    });

    it('of each virtual thread', () => {
      const rows = asked(trace, { kind: 'messages', threads: [] });
      assert.equal(rows.isVirtual, report.virtualThreads.count > 0);
      if (!rows.isVirtual) return;
      assert.equal(rows.all, report.virtualThreads.count);
      assert.deepEqual(
        report.virtualThreads.top.map(({ id, cpuNs, wallNs, waitNs, waitedNs, waits, longestWaitNs }) => [
          id,
          cpuNs,
          wallNs,
          waitNs,
          waitedNs,
          waits,
          longestWaitNs,
        ]),
        Array.from({ length: rows.count }, (_, at) => [
          rows.id[at],
          rows.cpu[at],
          rows.wall[at],
          rows.wait[at],
          rows.waited[at],
          rows.waits[at],
          rows.longest[at],
        ]),
      );
      const { places } = rows;
      assert.deepEqual(
        report.virtualThreads.waits.map(({ kind, count, totalNs, longestNs }) => [
          kind,
          count,
          totalNs,
          longestNs,
        ]),
        Array.from({ length: places.count }, (_, at) => [
          places.kind[at],
          places.waits[at],
          places.total[at],
          places.longest[at],
        ]),
      );
      assert.deepEqual(
        [report.virtualThreads.leftOut, report.virtualThreads.leftOutNs],
        [places.leftOut, places.leftOutNs],
      );
    });

    it('in print', () => {
      const output = new PassThrough({ highWaterMark: 2 ** 24 });
      printReport(report, new Terminal(output, output, {}));
      const lines = String(output.read()).split('\n');
      const { cpu, wall } = report.sums.sum;
      for (const { name: method, selfCpuNs, selfWallNs } of report.methods) {
        const of = lines.filter((line) => line.endsWith(`  ${method}`));
        const says = (ns: number, all: number): void => {
          const cells = new RegExp(`(^|\\s)${formatNs(ns)}\\s+${formatShare(ns / all)}\\s`);
          assert.ok(
            of.some((line) => cells.test(line)),
            `${method}: ${String(cells)} is not in ${of.join('\n')}`,
          );
        };
        if (trace.info.hasCpu) says(selfCpuNs, cpu);
        says(selfWallNs, wall);
      }
    });

    it('of how far to trust it', () => {
      const status = trace.status && {
        ...trace.status,
        captureNs: 3e4,
        drainNs: 1e4,
        processCpuNs: 1e6,
        dropped: 7,
        effectiveIntervalNs: trace.info.syncIntervalNs * 1.04,
      };
      const loss = (reason: number, count: number) => ({ thread: 1, beginNs: 0, endNs: 1, count, reason });
      const known = { beginNs: 0, endNs: 0, agent: '' };
      const hooks = [2, 3].map((state) => ({ ...known, name: `hook ${state}`, state, why: 'no symbol' }));
      const losses = [loss(0, 2), loss(4, 3), loss(5, 1), loss(6, 50), loss(7, 60)];
      const variants: readonly Partial<Trace>[] = [
        {},
        { status },
        { status, losses, hooks },
        { losses, complete: false },
        { losses: [loss(6, 50), loss(7, 60)], problems: [{ offset: 1, what: 'damage' }] },
        { status: status && { ...status, effectiveIntervalNs: trace.info.syncIntervalNs * 1.06 } },
        {
          status: status && {
            ...status,
            tickNs: 4e6,
            sources: [0, 1, 2, 3].map((kind) => ({
              kind,
              askedNs: 1e6,
              effectiveNs: kind === 0 ? 1e6 : 4e6,
            })),
          },
        },
        { info: { ...trace.info, exact: true } },
        { status: status && { ...status, processCpuNs: 1e12 } },
      ];
      for (const change of variants) {
        const shown = { ...trace, ...change };
        const inReport = reportFacts(shown, sumScope(shown, wholeTrace));
        const onPage = pageFacts(takeSnapshot(shown, { live: false }));
        assert.deepEqual(told(onPage), told(inReport));
      }
    });
  });
}

interface Fact {
  readonly text: string;
  readonly isWarning?: boolean;
}

/** The numbers of each kind of fact, whatever words are around them; nothing where it says that there is none. */
function told(facts: readonly Fact[]): Record<string, unknown> {
  const one = (pattern: RegExp): Fact | undefined => facts.find(({ text }) => pattern.test(text));
  const shares = (fact: Fact | undefined): string[] => fact?.text.match(/(?:[<>] )?[\d.]+ %/g) ?? [];
  const gaps = one(/^gaps |without evidence/);
  const cost = one(/^overhead|^recording took/);
  const unsampled = one(/not sampled/);
  const sampled = facts.filter(({ text }) => /^sampled |^no waits shorter|^looked at/.test(text));
  const lost = facts.filter(({ text }) => /^[\d,]+ (captures )?lost/.test(text));
  const hooks = facts.filter(({ text }) => /hook/.test(text));
  return {
    // None is not worth a place on the page.
    gaps: shares(gaps).filter((share) => share !== '0 %'),
    areGapsLoud: gaps?.isWarning ?? false,
    cost: shares(cost),
    isCostLoud: cost?.isWarning ?? false,
    unsampled: shares(unsampled),
    isUnsampledLoud: unsampled?.isWarning ?? false,
    sampled: sampled.map(({ text }) => text.match(/[\d.,]+ [nµm]?s\b/g)),
    isWidened: sampled.map(({ isWarning }) => isWarning ?? false),
    lost: sum(lost.map(({ text }) => Number(/^[\d,]+/.exec(text)?.[0].replaceAll(',', '')))),
    isNothingLost: one(/nothing lost/) !== undefined,
    hooks: [
      ...hooks
        .map(({ text }) => text)
        .join()
        .matchAll(/hook \d/g),
    ].map(([hook]) => hook),
    isEstimated: one(/allocation.*estimate/) !== undefined,
    isCut: one(/no end|cut off/)?.isWarning ?? false,
    problems: /\d+/.exec(one(/wrong in the file|problems? in the file/)?.text ?? '')?.[0] ?? '',
  };
}
