// Threads that are suspended, walked and resumed, whatever they are at: the agent's own code for that, in a program of
// Darwin, with both kinds of fixups.
import assert from 'node:assert/strict';
import {
  type DarwinMachine,
  darwinMachines,
  darwinProgram,
  type Fixups,
  runDarwin,
  whyNoDarwin,
} from '../rigs/darwin/darwin.js';
import { wide } from '../rigs/scale.js';
import { strictly } from '../rigs/kinds.js';

const cycles = wide ? 1000 : 100;

interface Said {
  readonly walked: number;
  readonly whole: number;
  readonly rooted: number;
  /** Walks that found more than 100 frames: two of the 16 threads are that deep. */
  readonly deep: number;
  readonly slowestRounds: number;
}

for (const machine of Object.keys(darwinMachines) as DarwinMachine[]) {
  for (const fixups of ['chained', 'classic'] as Fixups[]) {
    describe(`walks of suspended threads, ${machine}, ${fixups} fixups`, function () {
      before(function () {
        if (whyNoDarwin(machine) !== undefined) this.skip();
      });

      it(`walks each of 16 threads in turn, ${cycles} times in all, and all go on`, async () => {
        const program = darwinProgram('cycles', machine, fixups, ['os/darwin/stopped_thread.cc']);
        const run = runDarwin(machine, program, [String(cycles)]);
        const { code, out } = await run.ended;
        strictly('harm', () => {
          assert.equal(code, 0, out);
        });
        const said = JSON.parse(out) as Said;
        assert.equal(said.walked, cycles);
        assert.ok(said.slowestRounds > 0, out);
        assert.ok(said.deep >= cycles * 0.06, out);
        // glibc's functions, which stand for libSystem's here, keep no frame pointers on x86-64.
        assert.ok(said.rooted >= cycles * (machine === 'arm64' ? 0.8 : 0.4), out);
      });
    });
  }
}
