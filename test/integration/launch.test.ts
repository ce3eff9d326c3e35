import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { type AgentCommand, launch, type RunningCommand } from '../../src/targets/local/launch.js';
import { EndReason, SampleKind } from '../../src/trace/index.js';
import { compile, oneJdk, mainClasses } from '../rigs/jvm/programs.js';
import { stackOf } from '../rigs/stacks.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { decodeFile, Recordings, threadNamed, totalCpu } from './recordings.js';
import { spawned } from './spawned.js';

/** Longer than the program lives, also where a JVM needs half a second to begin. */
const busyMs = 1500;

for (const jdk of oneJdk('oldest')) {
  describe(`a program that is started with the agent in it, JDK ${jdk.version}`, () => {
    const recordings = new Recordings();
    after(() => recordings.remove());

    it('is recorded from its first moment, though it is short and the desktop has other things to do', async () => {
      const command = [path.join(jdk.home, 'bin/java'), '-cp', compile('moment'), mainClasses.moment, 'ask'];
      const run = async (started: AgentCommand): Promise<RunningCommand> => {
        const running = await spawned(started);
        // The agent calls back meanwhile, and nobody answers.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
        return running;
      };
      const { session, exit } = await launch(
        command,
        recordings.options(),
        { agentRoots: [root], run },
        AbortSignal.timeout(waitLimitMs),
      );
      const { file } = await session.ended;
      assert.equal(await exit, 0);
      const trace = decodeFile(file);
      assert.equal(trace.endReason, EndReason.TargetExited);
      const ms = (totalCpu(trace, threadNamed(trace, 'main')).get('Moment.main') ?? 0) / 1e6;
      assert.ok(ms > 30, `Moment.main has ${ms} ms of CPU time, of 100 or so`);
      // The library that reads from sockets is loaded while the program is recorded.
      const { waits } = threadNamed(trace, 'main');
      const reads = Array.from(waits.kind.keys()).filter(
        (row) => waits.kind[row] === SampleKind.Io && waits.end[row]! - waits.begin[row]! > 40e6,
      );
      assert.equal(reads.length, 1, `the answer took 100 ms, and ${reads.length} waits are as long`);
      assert.match(stackOf(trace, waits.path[reads[0]!]!), / < Moment\.ask < Moment\.main$/);
    });
  });
}
