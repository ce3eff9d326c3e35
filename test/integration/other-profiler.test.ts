/** Beside another profiler: its handler is interrupted at each tick that both have, and is no part of the program. */
import assert from 'node:assert/strict';
import { JavaProgram, oneJdk, neighbour } from '../rigs/jvm/programs.js';
import { SampleKind } from '../../src/trace/index.js';
import { cpuOf, decodeFile, Recordings, selfCpu, threadNamed } from './recordings.js';

/** What threads of their own use in another profiler's handler: 0.3 ms of each 10 ms are not ours to hide. */
const mostInHandler = 0.02;
/** As long as a second of CPU time takes on the machine. */
const leastWalks = 100;

for (const jdk of oneJdk('newest')) {
  describe(`beside another profiler, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    beforeEach(() => (recordings = new Recordings()));
    afterEach(() => recordings.remove());

    it('shows the program where both timers expire at once', async () => {
      const program = await JavaProgram.start('gale', {
        jdk,
        vmArgs: [`-agentpath:${neighbour()}=profile`],
        args: ['1', 'calculate'],
      });
      try {
        const session = await recordings.start(program.pid, { asyncIntervalNs: 10_000_000 });
        session.onStatus(({ costs }) => {
          const walked = costs.find(({ kind }) => kind === SampleKind.CpuTimer)?.count ?? 0;
          if (walked >= leastWalks) void session.stop();
        });
        const trace = decodeFile((await session.ended).file);
        const thread = threadNamed(trace, 'calculate');
        const selves = [...selfCpu(trace, thread)];
        const shown = selves.map(([name, ns]) => `${name} ${(ns / 1e6).toFixed(1)} ms`).join('\n');
        const inHandler = selves
          .filter(([name]) => /neighbour/.test(name))
          .reduce((sum, [, ns]) => sum + ns, 0);
        assert.ok(inHandler <= cpuOf(thread) * mostInHandler, shown);
        const calculating = selves
          .filter(([name]) => /^Gale\./.test(name))
          .reduce((sum, [, ns]) => sum + ns, 0);
        assert.ok(calculating >= cpuOf(thread) * 0.9, shown);
      } finally {
        await program.kill();
      }
    });
  });
}
