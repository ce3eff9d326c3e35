/** Threads that are Java's for a while: when each ended, and that nobody is taken for one that has its id now. */
import assert from 'node:assert/strict';
import { HookState } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { runtimeWithout } from '../rigs/art/hidden-runtime.js';
import { findMethod, pathHas } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, withArt } from '../rigs/art/with-art.js';

/** Those that the app's work is on the stack of: by their names. */
function workersOf(trace: Trace): string[] {
  const work = findMethod(trace, 'sample.Visitors$Heir.run');
  return trace.threads
    .filter(({ intervals }) =>
      intervals.path.subarray(0, intervals.count).some((at) => pathHas(trace, at, work)),
    )
    .map(({ name }) => name);
}

describe('threads that come and go in the Android Runtime', () => {
  const bench = withArt();
  const hookOf = (trace: Trace) => trace.hooks.find(({ name }) => name === 'threads')?.state;

  for (const engine of Object.keys(engines) as Engine[]) {
    describe(`engine ${engine}`, () => {
      it('are known to have ended, also those that were there before and captured nothing themselves', async () => {
        const app = await bench.running({ engine, app: 'Visitors', arguments: [0, 1, 15] });
        const session = await bench.record(app);
        await app.more('left', 56); // all that were there, and some that have come since
        const left = new Map(app.truths('left').map((truth) => [truth.number('tid'), truth]));
        const trace = await stopped(session);
        const origin = Number(trace.info.startMonotonicNs);
        const ended = trace.threads.filter(({ name, tid }) => name === 'visitor' && left.has(tid));
        assert.ok(
          ended.some(({ beginNs }) => beginNs === 0),
          'one that was there before',
        );
        for (const { tid, endNs } of ended) {
          const truth = left.get(tid)!;
          const end = origin + endNs;
          assert.ok(truth.number('asked') < end && end < truth.number('left'), `${tid} ended at ${end}`);
        }
        assert.deepEqual([...new Set(workersOf(trace))], ['heir']);
      });

      it('are not taken for others, nor the agent for one of them, where ART does not tell of their end', async () => {
        const runtime = await runtimeWithout(/ThreadLifecycleCallback/, bench.runtime, bench.folder);
        let app = await bench.running({ engine, app: 'Visitors', arguments: [0, 1, 15] }, runtime);
        const session = await bench.record(app);
        await app.more('left', 24);
        const trace = await stopped(session);
        assert.equal(hookOf(trace), HookState.Missing);
        assert.ok(!workersOf(trace).includes('visitor'));
        await app.kill();

        // The agent's own threads come while others go: ART ends the process of a thread that suspends itself.
        app = await bench.running({ engine, app: 'Visitors', arguments: [0, 50] }, runtime);
        for (let start = 0; start < 25; start++) {
          const short = await bench.record(app);
          await app.more('round', 1);
          assert.equal((await short.stop()).reason, 'stopped', app.output());
        }
        await app.more('round', 2);
      });
    });
  }
});
