/**
 * npm run soak: walks in a signal handler, as often as the agent allows, through a program that makes them hard, with each
 * collector and compiler of each JDK there is. What must hold is that the program never notices.
 */
import assert from 'node:assert/strict';
import { HookState, SampleKind } from '../../src/trace/index.js';
import { decodeFile, Recordings } from '../integration/recordings.js';
import { knows } from '../rigs/jvm/collectors.js';
import { JavaProgram, jdks } from '../rigs/jvm/programs.js';

const seconds = Number(process.env['BTRACE_STORM_SECONDS'] ?? 5);

/** The JVM itself warns of threads that wait long for a collection; what is printed here shall be of us. */
const quiet = [
  '-XX:+IgnoreUnrecognizedVMOptions',
  '-XX:+EnableDynamicAgentLoading',
  '-Xlog:disable',
  '-Xlog:all=error',
];

const ways: readonly (readonly string[])[] = [
  ['-XX:+UseSerialGC'],
  ['-XX:+UseParallelGC'],
  ['-XX:+UseG1GC'],
  ['-XX:+UseZGC'],
  ['-XX:+UseZGC', '-XX:+ZGenerational'],
  ['-XX:+UseShenandoahGC'],
  ['-XX:TieredStopAtLevel=1'],
  ['-XX:-TieredCompilation'],
  ['-Xint'],
  ['-XX:+UseCompactObjectHeaders'],
  ['-XX:-UseCompressedOops'],
  ['-XX:-UseCompressedClassPointers'],
  ['-Xshare:off'],
  ['-XX:+PreserveFramePointer'], // methods begin as the JVM's own code does
];

for (const jdk of jdks()) {
  describe(`walks in a signal handler, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    beforeEach(() => (recordings = new Recordings()));
    afterEach(() => recordings.remove());

    for (const way of ways) {
      it(way.join(' '), async function () {
        if (!knows(jdk, way)) this.skip();
        this.timeout(seconds * 1000 + 120_000);
        const program = await JavaProgram.start('storm', {
          jdk,
          vmArgs: ['-Xmx512m', ...quiet, ...way],
        });
        try {
          const session = await recordings.start(program.pid, {
            maxDurationMs: seconds * 1000,
            syncIntervalNs: 100_000,
            asyncIntervalNs: 1_000_000,
            budgetPpm: 0,
          });
          const { reason, file } = await session.ended;
          assert.equal(reason, 'limit', program.output);
          assert.equal(await program.end(), 0, program.output);
          assert.equal(program.output, 'ready\n');
          const trace = decodeFile(file);
          assert.deepEqual(trace.problems, []);
          const walked = trace.status?.costs.find(({ kind }) => kind === SampleKind.CpuTimer)?.count ?? 0;
          assert.ok(walked > 0, 'no walk in a signal handler at all');
          const known = trace.hooks.find(({ name }) => name === 'known stacks');
          assert.equal(known?.state, HookState.Removed, known?.why);
          console.log(`        ${walked} walks; ${known.why}`);
        } finally {
          await program.kill();
        }
      });
    }
  });
}
