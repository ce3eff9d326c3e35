/** What runs in code that the JVM has of its own is seen as it is interrupted, in the method that called it, not at some later place. */
import assert from 'node:assert/strict';
import { SampleKind } from '../../src/trace/index.js';
import { JavaProgram, oneJdk } from '../rigs/jvm/programs.js';
import { cpuOf, decodeFile, Recordings, threadNamed, totalCpu } from './recordings.js';

/** By which interrupts that come late move a share (docs/MEASURES.md, "Unseen work"). */
const lateShare = 0.02;
/** Standard deviations of a share among so many interrupts: beyond these by chance in 2 of 10 million, 6 for three shares. */
const deviations = 5.2;

for (const jdk of oneJdk('newest')) {
  describe(`code of the JVM's own, JDK ${jdk.version}`, () => {
    it('is walked from the method that called it, and counts there', async () => {
      const recordings = new Recordings();
      const quiet = ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+EnableDynamicAgentLoading'];
      const program = await JavaProgram.start('stubs', { jdk, vmArgs: quiet });
      try {
        const session = await recordings.start(program.pid, { asyncIntervalNs: 1e6 });
        session.onStatus(({ processCpuNs }) => {
          if (processCpuNs > 2e9) void session.stop();
        });
        const trace = decodeFile((await session.ended).file);
        assert.deepEqual(trace.problems, []);
        assert.equal(await program.end(), 0, program.output);
        const used = /^used (\d+) (\d+) (\d+)$/m.exec(program.output)!.slice(1).map(Number);
        const all = used.reduce((sum, ns) => sum + ns, 0);
        const worker = threadNamed(trace, 'worker');
        const total = totalCpu(trace, worker);
        const told = `truly ${used.join(', ')}, of ${cpuOf(worker)}: ${[...total].join(' ')}`;
        // Each walk by the external sampler costs the program a stop at its next safepoint. On a busy machine it also walks who waits for
        // a processor, and seems to stand: such a sample is no interrupt, so that the CPU time before it counts with the next one.
        let standing = 0;
        for (const { intervals } of trace.threads)
          for (const [row, other] of intervals.countsWith.subarray(0, intervals.count).entries())
            if (other > 0) standing += intervals.samples[row]!;
        const count = (kind: number) => trace.status!.costs.find((cost) => cost.kind === kind)?.count ?? 0;
        const [here, external] = [count(SampleKind.CpuTimer), count(SampleKind.ExternalSampler)];
        const seen = `${here} here, ${external} external, ${standing} of them of who stood`;
        for (const [i, name] of ['sines', 'copies', 'checksums'].entries()) {
          const share = (total.get(`Stubs.${name}`) ?? 0) / cpuOf(worker);
          const trueShare = used[i]! / all;
          const most = lateShare + deviations * Math.sqrt((trueShare * (1 - trueShare)) / here);
          assert.ok(Math.abs(share - trueShare) < most, `${name}: ${told}`);
        }
        assert.ok(here > 100 && external - standing < 0.1 * here, seen);
      } finally {
        await program.kill();
        recordings.remove();
      }
    });
  });
}
