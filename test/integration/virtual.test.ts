/**
 * Virtual threads of a real program: three that do work in a known ratio, in one and the same stack, on two carriers. They have no
 * clock of their own, but units of work that cost the same: shares of CPU time within 3 points of those of units.
 */
import assert from 'node:assert/strict';
import {
  HookState,
  methodFigures,
  SampleFlag,
  SampleKind,
  sumScope,
  type Trace,
  wholeTrace,
} from '../../src/trace/index.js';
import { isCarrier, virtualThreadFigures } from '../../src/trace/measure/virtual-threads.js';
import type { RecordOptions, SessionStatus } from '../../src/targets/target.js';
import { JavaProgram, type Jdk, jdks } from '../rigs/jvm/programs.js';
import { Truth } from '../rigs/jvm/truth.js';
import { decodeFile, Recordings } from './recordings.js';

const shareTolerance = 0.03;
/** Enough interrupts that chance is far below the tolerance, on a busy machine as well. */
const cpuNs = 6e9;
const isEnough = ({ processCpuNs }: SessionStatus): boolean => processCpuNs >= cpuNs;
const often = { asyncIntervalNs: 4e6, budgetPpm: 0 };
const edgeNs = 150e6;
const waitToleranceNs = 2e6;

const firstWith = 21;
/** Before that one that waits for a monitor, or in `Object.wait`, keeps its carrier. */
const firstUnpinned = 24;

for (const jdk of jdks()) {
  const version = parseInt(jdk.version);

  describe(`virtual threads, JDK ${jdk.version}`, () => {
    const recordings = new Recordings();
    let trace: Trace;
    let truth: Truth;
    before(async () => ({ trace, truth } = await recorded(recordings, jdk, 'virtual', isEnough, often)));
    after(() => recordings.remove());

    const hook = (name: string) => trace.hooks.find((one) => one.name === name);

    if (version < firstWith) {
      it('are not mentioned when there are none', () => {
        assert.deepEqual(
          trace.hooks.filter(({ name }) => /virtual/i.test(name)),
          [],
        );
        assert.equal(virtualThreadFigures(trace, wholeTrace).all, 0);
      });
      return;
    }

    it('have waits without a waker, and the recording says so', () => {
      assert.equal(hook('VirtualThread.park')?.state, HookState.Removed);
      assert.equal(hook('VirtualThread.unpark')?.state, HookState.Missing);
      assert.match(hook('VirtualThread.unpark')?.why ?? '', /who ends a virtual thread’s wait is not seen/);
      // What a carrier does while one waits for a lock is no wait of the carrier's.
      if (version < firstUnpinned) return;
      for (const { waits } of trace.threads.filter(isCarrier)) {
        for (let row = 0; row < waits.count; row++) assert.notEqual(waits.kind[row], SampleKind.Monitor);
      }
    });

    it('have whole stacks of their own, which count for no carrier', () => {
      const carriers = trace.threads.filter(isCarrier).map(({ index }) => index);
      const sums = sumScope(trace, { ...wholeTrace, threads: carriers });
      const figures = methodFigures(sums, trace.methods.count);
      const cpu = new Map<string, number>();
      for (let row = 0; row < figures.count; row++)
        cpu.set(trace.methods.qualifiedName(figures.method[row]!), figures.total.cpu[row]!);
      const all = sums.sum.cpu - sums.gap.cpu;
      const share = (name: string): number => (cpu.get(name) ?? 0) / all;
      assert.ok(share('Work.grind') > 0.5, `Work.grind has ${share('Work.grind')}`);
      // Each of its callers is there as often, to the first, or said to be out of sight.
      const away = share('[callers that are not back on the carrier]');
      for (const caller of ['Work.units', 'Work.turn', 'java.lang.VirtualThread.run']) {
        assert.ok(share(caller) + away >= share('Work.grind') - 1e-6, `${caller} has ${share(caller)}`);
        assert.ok(share(caller) > 0.05, `${caller} has ${share(caller)}`);
      }
      assert.ok(share('java.util.concurrent.ForkJoinWorkerThread.run') < 0.3);
    });

    it('have the shares of the CPU time that they have of the work', () => {
      const origin = Number(trace.info.startMonotonicNs);
      const scope = { threads: [], beginNs: trace.beginNs + edgeNs, endNs: trace.endNs - edgeNs };
      const units = truth.unitsById(scope.beginNs + origin, scope.endNs + origin);
      assert.equal(units.size, 3);
      const { all, id, cpu, wall, thread } = virtualThreadFigures(trace, scope);
      assert.ok(all >= 3, `${all} were seen`);
      const sumUnits = [...units.values()].reduce((sum, one) => sum + one, 0);
      const rows = [...id.keys()].filter((row) => units.has(id[row]!));
      const sumCpu = rows.reduce((sum, row) => sum + cpu[row]!, 0);
      assert.equal(rows.length, 3);
      for (const row of rows) {
        const [share, truly] = [cpu[row]! / sumCpu, units.get(id[row]!)! / sumUnits];
        assert.ok(Math.abs(share - truly) <= shareTolerance, `#${id[row]} has ${share}, truly ${truly}`);
        assert.ok(cpu[row]! <= wall[row]! + 1e5);
        assert.ok(isCarrier(trace.threads.find(({ index }) => index === thread[row])!));
      }
    });

    it('are seen without damage or loss', () => {
      assert.deepEqual(trace.problems, []);
      assert.ok(hook('virtual threads')?.state === HookState.Removed);
      const lost = trace.losses.reduce((sum, { count }) => sum + count, 0);
      assert.ok((trace.status?.dropped ?? 0) <= lost);
    });
  });
}

const waitsSeen = ({ costs }: SessionStatus): number =>
  costs.find(({ kind }) => kind === SampleKind.OffCarrierWait)?.count ?? 0;

/** Names of a path, innermost first. */
function namesOf({ paths, methods }: Trace, path: number): string[] {
  const names: string[] = [];
  for (let at = path; at !== 0; at = paths.parent[at]!) names.push(methods.qualifiedName(paths.method[at]!));
  return names;
}

/** What is the innermost frame of a wait, or among them. */
const standsIn: Record<string, (names: readonly string[]) => boolean> = {
  SLEEP: (names) => names.includes('java.lang.Thread.sleep'),
  PARK: (names) => names.includes('java.util.concurrent.locks.LockSupport.parkNanos'),
  WAIT: (names) => names[0] === 'java.lang.Object.wait0',
  MONITOR: (names) => names[0]!.startsWith('Virtual.lambda$'),
};

for (const jdk of jdks().filter(({ version }) => parseInt(version) >= firstWith)) {
  const isUnpinned = parseInt(jdk.version) >= firstUnpinned;

  describe(`waits of virtual threads, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    beforeEach(() => (recordings = new Recordings()));
    afterEach(() => recordings.remove());

    it('have their true places and lengths, and count for no carrier', async () => {
      const { trace, truth } = await recorded(
        recordings,
        jdk,
        'virtual-waits',
        (status) => waitsSeen(status) > 1200,
        { budgetPpm: 0 }, // a busy machine would have no room for some of them
      );
      const waits = trace.offCarrierWaits!;
      const origin = Number(trace.info.startMonotonicNs);
      assert.deepEqual(trace.problems, []);
      assert.equal(waits.leftOut, 0);
      for (const kind of isUnpinned ? ['SLEEP', 'PARK', 'WAIT', 'MONITOR'] : ['SLEEP', 'PARK']) {
        const thread = truth.waits.find((wait) => wait.kind === kind)!.thread;
        const of = Array.from(waits.id.subarray(0, waits.count).keys()).filter(
          (row) => `#${waits.id[row]}` === thread && waits.flags[row] === 0,
        );
        const begin = origin + trace.beginNs + edgeNs;
        const known = truth
          .waitsOf(thread, kind, begin, origin + trace.endNs - edgeNs)
          .filter((wait) => wait.end - wait.begin > 2 * waitToleranceNs);
        let right = 0;
        for (const wait of known) {
          const row = of.find((at) => {
            const middle = origin + (waits.begin[at]! + waits.end[at]!) / 2;
            return middle > wait.begin && middle < wait.end;
          });
          if (row === undefined) continue;
          const [lasted, truly] = [waits.end[row]! - waits.begin[row]!, wait.end - wait.begin];
          // Between its look at the clock and its wait a thread may have had to let others run.
          if (Math.abs(lasted - truly) <= Math.max(waitToleranceNs, truly / 20)) right++;
          const names = namesOf(trace, waits.path[row]!);
          assert.ok(standsIn[kind]!(names), `${kind} in ${names.join(' < ')}`);
        }
        assert.ok(known.length > 20, `${known.length} waits ${kind}`);
        assert.ok(right >= 0.9 * known.length, `of ${known.length} waits ${kind} ${right} are right`);
      }
      const open = Array.from(waits.flags.subarray(0, waits.count).keys()).filter(
        (row) => (waits.flags[row]! & SampleFlag.OpenWait) !== 0,
      );
      assert.ok(open.length > 0, 'nobody waits at the end');
      for (const row of open) assert.equal(waits.end[row], waits.end[open[0]!]);
      if (!isUnpinned) {
        assertWaitsOnCarriers(trace, truth);
        return;
      }
      for (const { waits } of trace.threads.filter(isCarrier)) {
        for (let row = 0; row < waits.count; row++)
          assert.ok(waits.kind[row] === SampleKind.Park || waits.kind[row] === SampleKind.Gc);
      }
    });

    it('have bounded memory and cost when ten thousand wait at once', async () => {
      // All have waited once, or as much was left out.
      const isEnough = (status: SessionStatus) =>
        status.elapsedMs > 4000 && (waitsSeen(status) > 10_000 || status.processCpuNs > 2.5e9);
      const { trace } = await recorded(recordings, jdk, 'virtual-crowd', isEnough);
      const waits = trace.offCarrierWaits!;
      assert.deepEqual(trace.problems, []);
      const lost = trace.losses.reduce((sum, { count }) => sum + count, 0);
      assert.ok(waits.count + waits.leftOut + lost >= 9_998, `${waits.count} and ${waits.leftOut} left out`);
      assert.ok(trace.status!.memoryBytes < 32 * 2 ** 20, `${trace.status!.memoryBytes} bytes`);
      let ended = 0;
      let short = 0;
      for (let row = 0; row < waits.count; row++) {
        const names = namesOf(trace, waits.path[row]!);
        if (waits.flags[row] !== 0 || !names.includes('java.lang.Thread.sleep')) continue;
        ended++;
        if (waits.end[row]! - waits.begin[row]! < 490e6) short++;
      }
      // One that is put aside before it leaves its carrier has the less to wait.
      assert.ok(short <= 0.05 * ended, `of ${ended} are ${short} too short`);
      assert.ok(ended > 100, `${ended} have ended`);
    });
  });
}

/** Of one that keeps its carrier the wait is the carrier's, and said to be its own. */
function assertWaitsOnCarriers(trace: Trace, truth: Truth): void {
  const origin = Number(trace.info.startMonotonicNs);
  const scope = { threads: [], beginNs: trace.beginNs + edgeNs, endNs: trace.endNs - edgeNs };
  const { id, wait } = virtualThreadFigures(trace, scope);
  for (const kind of ['WAIT', 'MONITOR']) {
    const thread = truth.waits.find((wait) => wait.kind === kind)!.thread;
    const truly = truth
      .waitsOf(thread, kind, origin + scope.beginNs, origin + scope.endNs)
      .reduce((sum, wait) => sum + wait.end - wait.begin, 0);
    const seen = wait[[...id].findIndex((one) => `#${one}` === thread)] ?? 0;
    assert.ok(Math.abs(seen - truly) <= 0.1 * truly, `${kind}: ${seen} ns, truly ${truly}`);
  }
}

/** Until `isEnough`, at most 40 s. */
async function recorded(
  recordings: Recordings,
  jdk: Jdk,
  part: string,
  isEnough: (status: SessionStatus) => boolean,
  more: Partial<RecordOptions> = {},
): Promise<{ trace: Trace; truth: Truth }> {
  const file = recordings.file('truth.txt');
  const hasThem = parseInt(jdk.version) >= firstWith;
  // Each of those that wait at once may keep one.
  const carriers = part === 'virtual-waits' && parseInt(jdk.version) < firstUnpinned ? 6 : 2;
  const program = await JavaProgram.start('truth', {
    jdk,
    args: [file, part],
    vmArgs: [
      '-XX:+IgnoreUnrecognizedVMOptions',
      '-XX:+EnableDynamicAgentLoading',
      `-Djdk.virtualThreadScheduler.parallelism=${carriers}`,
    ],
  });
  try {
    const session = await recordings.start(program.pid, { maxDurationMs: hasThem ? 40_000 : 200, ...more });
    session.onStatus((status) => {
      if (isEnough(status)) void session.stop();
    });
    const trace = decodeFile((await session.ended).file);
    assert.equal(await program.end(), 0, program.output);
    return { trace, truth: new Truth(file) };
  } finally {
    await program.kill();
  }
}
