/** What a recording says at once, against slow sums over the same intervals and waits. */
import assert from 'node:assert/strict';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { hotMethods, largest } from '../../../src/trace/measure/hot-methods.js';
import { overviewOf, type Overview } from '../../../src/trace/measure/overview.js';
import { questionOf } from '../../../src/trace/measure/question.js';
import { heldUp, isIdle } from '../../../src/trace/measure/rest.js';
import { type Scope, wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { IntervalState, type Trace } from '../../../src/trace/model/trace.js';
import { generateTrace } from '../../page/generated-trace.js';
import { endNs, lockedRecording, second, type Waiting } from './locked-recording.js';

const options = { samples: 3000, threads: 5, depth: 14, methods: 120, seed: 3 };
const trace = generateTrace(options);
const isMyCode = Uint8Array.from({ length: trace.methods.count }, (_, method) =>
  trace.methods.className(method).startsWith('com.acme.net.') ? 1 : 0,
);

function overview(of: Trace, scope: Scope = wholeTrace, own = isMyCode): Overview {
  return overviewOf(of, scope, sumScope(of, scope, 'times'), { isMyCode: own, mostRows: 5, points: 40 });
}

function recorded(waiting: readonly Waiting[]): Trace {
  const decoder = new RecordingDecoder();
  decoder.append(lockedRecording(waiting));
  decoder.finish();
  return decoder.trace();
}

/** Walks up from each interval, one after the other. */
function slowOwners(): { own: Map<number, number>; called: Map<string, number>; other: Map<number, number> } {
  const own = new Map<number, number>();
  const called = new Map<string, number>();
  const other = new Map<number, number>();
  const { parent, method } = trace.paths;
  const add = <K>(to: Map<K, number>, key: K, ns: number): unknown => to.set(key, (to.get(key) ?? 0) + ns);
  for (const { intervals } of trace.threads) {
    for (let row = 0; row < intervals.count; row++) {
      if (intervals.state[row] === IntervalState.Gap) continue;
      const ns = intervals.cpu[row]!;
      let path = intervals.path[row]!;
      let below = 0;
      if (path === 0) continue;
      let entry = path;
      while (parent[entry]! > 0) entry = parent[entry]!;
      while (path !== 0 && isMyCode[method[path]!] !== 1) [below, path] = [path, parent[path]!];
      if (path === 0) {
        add(other, method[entry]!, ns);
        continue;
      }
      add(own, method[path]!, ns);
      if (below !== 0) add(called, `${method[path]!} ${method[below]!}`, ns);
    }
  }
  return { own, called, other };
}

const near = (one: number, other: number): void =>
  assert.ok(Math.abs(one - other) <= Math.max(1, other * 1e-9), `${one} for ${other}`);

describe('the overview', () => {
  it('gives own methods what the libraries used that they called, and says which', () => {
    const { own, called, other } = slowOwners();
    const hot = hotMethods(trace, sumScope(trace, wholeTrace), 'cpu', isMyCode, 8);
    assert.ok(hot.isMyCode);
    const wanted = [...own].sort((a, b) => b[1] - a[1]).slice(0, 8);
    assert.deepEqual(
      hot.rows.map(({ method }) => method),
      wanted.map(([method]) => method),
    );
    for (const [at, row] of hot.rows.entries()) {
      near(row.value, wanted[at]![1]);
      const calls = [...called].filter(([key]) => key.startsWith(`${row.method} `));
      const most = calls.sort((a, b) => b[1] - a[1])[0];
      assert.equal(row.called, most === undefined ? -1 : Number(most[0].split(' ')[1]));
      near(row.calledValue, most?.[1] ?? 0);
    }
    near(
      hot.own,
      [...own.values()].reduce((sum, ns) => sum + ns, 0),
    );
    const rest = [...other].sort((a, b) => b[1] - a[1]);
    assert.ok(rest.length > 0);
    assert.equal(hot.others[0]?.method, rest[0]?.[0]);
    near(hot.others[0]?.value ?? 0, rest[0]?.[1] ?? 0);
  });

  it('lists all methods where nothing is anybody’s own', () => {
    const hot = hotMethods(trace, sumScope(trace, wholeTrace), 'cpu', new Uint8Array(trace.methods.count), 3);
    assert.deepEqual([hot.isMyCode, hot.own, hot.others], [false, 0, []]);
    const self = new Float64Array(trace.methods.count);
    const { cpu } = sumScope(trace, wholeTrace).self;
    for (let path = 1; path < trace.paths.count; path++) self[trace.paths.method[path]!]! += cpu[path]!;
    near(hot.rows[0]!.value, Math.max(...self));
  });

  it('has the largest first, and no more than were asked for', () => {
    assert.deepEqual(largest(Float64Array.of(3, 0, 9, 1, 9, -2, 4), 3), [2, 4, 6]);
    assert.deepEqual(largest(Float64Array.of(0, 0), 3), []);
  });

  it('has all CPU time of the threads in scope in groups and pictures', () => {
    for (const scope of [wholeTrace, { threads: [1, 3], beginNs: 1e8, endNs: 4e8 }]) {
      const { groups, activity, cpuNs, beginNs, endNs: end } = overview(trace, scope);
      near(
        groups.reduce((sum, group) => sum + group.cpuNs, 0),
        cpuNs,
      );
      const drawn = activity.reduce((sum, cores) => sum + cores, 0) * ((end - beginNs) / activity.length);
      assert.ok(Math.abs(drawn - cpuNs) < cpuNs * 1e-4, `${drawn} for ${cpuNs}`);
      assert.ok(groups[0]!.isMain);
    }
    assert.deepEqual(
      overview(trace)
        .groups.map(({ name }) => name)
        .sort(),
      ['OkHttp dispatcher 2', 'main', 'worker-*'],
    );
  });

  it('tells of waits for a lock who had it, where, how often and which was the longest', () => {
    const { waits, waitCount } = overview(
      recorded([{ owner: 3, beginNs: 4 * second }, { owner: 3 }, { owner: 0, kind: SampleKind.Park }]),
    );
    assert.equal(waitCount, 1);
    const [wait] = waits;
    const { kind, type, owner, count, totalNs, longestNs, thread, beginNs, isOpen } = wait!;
    assert.deepEqual(
      { kind, type, owner, count, totalNs, longestNs, thread, beginNs, isOpen },
      {
        kind: SampleKind.Monitor,
        type: 'java.lang.Object',
        owner: 3,
        count: 2,
        totalNs: 2 * endNs - 5 * second,
        longestNs: endNs - second,
        thread: 2,
        beginNs: second,
        isOpen: true,
      },
    );
  });

  it('asks for CPU time unless the program waited for longer, or did nothing', () => {
    const lengthNs = 10 * second;
    assert.equal(questionOf({ lengthNs, cpuNs: 3 * second, askedNs: second }, true), 'cpu');
    assert.equal(questionOf({ lengthNs, cpuNs: 3 * second, askedNs: 4 * second }, true), 'waits');
    assert.equal(questionOf({ lengthNs, cpuNs: second / 10, askedNs: 0 }, true), 'waits');
    assert.equal(questionOf({ lengthNs, cpuNs: 3 * second, askedNs: 0 }, false), 'waits');
  });
});

describe('a thread', () => {
  const waits = (kind: number, flags = 0, owner = 0) => ({
    count: 1,
    begin: Float64Array.of(0),
    end: Float64Array.of(9 * second),
    kind: Uint8Array.of(kind),
    owner: Uint32Array.of(owner),
    type: Uint32Array.of(0),
    flags: Uint16Array.of(flags),
  });
  const times = { wallNs: 9 * second, cpuNs: 1e6, waitNs: 9 * second, gapNs: 0 };
  const idles = (of: ReturnType<typeof waits>, isMain = false, used = 1e6): boolean =>
    isIdle(
      { ...times, cpuNs: used },
      heldUp(of, isMain, () => ''),
      isMain,
    );

  it('is idle that only rested, or listened', () => {
    assert.ok(idles(waits(SampleKind.Park, SampleFlag.OpenWait)));
    assert.ok(idles(waits(SampleKind.Sleep)));
    assert.ok(idles(waits(SampleKind.Io, SampleFlag.OpenWait)));
  });

  it('is not that worked, or waited for a lock, also for one that never came', () => {
    assert.ok(!idles(waits(SampleKind.Sleep), false, 2e8));
    assert.ok(!idles(waits(SampleKind.Monitor)));
    assert.ok(!idles(waits(SampleKind.Monitor, SampleFlag.OpenWait)));
    assert.ok(!idles(waits(SampleKind.Park, SampleFlag.OpenWait, 7)));
    assert.ok(!idles(waits(SampleKind.Io)));
  });

  it('is never idle as the main one', () => {
    assert.ok(!idles(waits(SampleKind.Wait, SampleFlag.OpenWait), true));
  });
});
