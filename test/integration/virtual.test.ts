/**
 * Virtual threads of a real program: three that do work in a known ratio, in one and the same stack, on two carriers. They have no
 * clock of their own, but units of work that cost the same: shares of CPU time within 3 points of those of units.
 */
import assert from 'node:assert/strict';
import {
  HookState,
  methodFigures,
  SampleKind,
  sumScope,
  type Trace,
  wholeTrace,
} from '../../src/trace/index.js';
import { isCarrier, virtualThreadFigures } from '../../src/trace/measure/virtual-threads.js';
import { JavaProgram, type Jdk, jdks } from '../rigs/jvm/programs.js';
import { Truth } from '../rigs/jvm/truth.js';
import { decodeFile, Recordings } from './recordings.js';

const SHARE_TOLERANCE = 0.03;
/** 10 ms an interrupt: enough that chance is far below the tolerance. */
const CPU_NS = 6e9;
const EDGE_NS = 150e6;

const firstWith = 21;
const firstTold = 24;

for (const jdk of jdks()) {
  const version = parseInt(jdk.version);

  describe(`virtual threads, JDK ${jdk.version}`, () => {
    const recordings = new Recordings();
    let trace: Trace;
    let truth: Truth;
    before(async () => ({ trace, truth } = await recorded(recordings, jdk)));
    after(() => recordings.remove());

    const hook = (name: string) => trace.hooks.find((one) => one.name === name);

    if (version < firstWith) {
      it('are not spoken of where there are none', () => {
        assert.deepEqual(
          trace.hooks.filter(({ name }) => /virtual/i.test(name)),
          [],
        );
        assert.equal(virtualThreadFigures(trace, wholeTrace).all, 0);
      });
      return;
    }

    it('have waits that nobody sees, which is said', () => {
      assert.equal(hook('VirtualThread.park')?.state, HookState.Missing);
      assert.match(hook('VirtualThread.park')?.why ?? '', /not seen while they are unmounted/);
      // What a carrier does while one waits for a lock is no wait of the carrier's.
      for (const { blocks } of trace.threads.filter(isCarrier)) {
        for (let row = 0; row < blocks.count; row++) assert.notEqual(blocks.kind[row], SampleKind.Monitor);
      }
    });

    it('have stacks of their own, whole, and what they do is no carrier’s', () => {
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

    if (version < firstTold) {
      it('are not told apart, which is said', () => {
        assert.equal(hook('virtual threads')?.state, HookState.Missing);
        assert.match(hook('virtual threads')?.why ?? '', /not seen before JDK 24/);
      });
      return;
    }

    it('have the shares of the CPU time that they have of the work', () => {
      const origin = Number(trace.info.startMonotonicNs);
      const scope = { threads: [], beginNs: trace.beginNs + EDGE_NS, endNs: trace.endNs - EDGE_NS };
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
        assert.ok(Math.abs(share - truly) <= SHARE_TOLERANCE, `#${id[row]} has ${share}, truly ${truly}`);
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

async function recorded(recordings: Recordings, jdk: Jdk): Promise<{ trace: Trace; truth: Truth }> {
  const file = recordings.file('truth.txt');
  const hasThem = parseInt(jdk.version) >= firstWith;
  const program = await JavaProgram.start('truth', {
    jdk,
    args: [file, 'virtual'],
    vmArgs: [
      '-XX:+IgnoreUnrecognizedVMOptions',
      '-XX:+EnableDynamicAgentLoading',
      '-Djdk.virtualThreadScheduler.parallelism=2',
    ],
  });
  try {
    const session = await recordings.start(program.pid, { maxDurationMs: hasThem ? 40_000 : 200 });
    session.onStatus(({ processCpuNs }) => {
      if (processCpuNs >= CPU_NS) void session.stop();
    });
    const trace = decodeFile((await session.ended).file);
    assert.equal(await program.end(), 0, program.output);
    return { trace, truth: new Truth(file) };
  } finally {
    await program.kill();
  }
}
