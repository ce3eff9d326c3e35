/** Threads of an app that wait for each other: who has what, though no wait of theirs ever ends. */
import assert from 'node:assert/strict';
import { lockWaitsAtEnd, SampleFlag, type LockWait } from '../../src/trace/index.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { waitsOf, mainThread } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, onEachArt } from '../rigs/art/with-art.js';

onEachArt('a deadlock in the Android Runtime', ({ running, record }) => {
  function waitOf(trace: Trace, { thread, owner, row: block, method, isEstimated }: LockWait) {
    const of = (index: number) => trace.threads.find((one) => one.index === index);
    const { waits } = of(thread)!;
    return {
      waits: of(thread)?.tid,
      owner: of(owner)?.tid,
      for: trace.className(waits.type[block]!),
      in: trace.methods.qualifiedName(method),
      isEstimated,
      openWait: (waits.flags[block]! & SampleFlag.OpenWait) !== 0,
      end: waits.end[block],
    };
  }

  for (const engine of Object.keys(engines) as Engine[])
    it(`names who waits for whom, and where (${engine})`, async () => {
      const app = await running({ engine, app: 'Deadlock', arguments: [0] });
      const session = await record(app);
      await app.more('deadlock', 5);
      const trace = await stopped(session);
      // The main thread sleeps nearly all the time, at the end too, which for ART is a wait.
      assert.deepEqual(waitsOf(trace, mainThread(trace), SampleKind.Wait), []);
      const { deadlocks } = lockWaitsAtEnd(trace);
      // ART tries a lock again and again, and lets others run in between, before it says that it waits: on a busy machine that lasts.
      const pairs = new Map(
        app.truths('deadlock').flatMap((pair) => {
          const [left, right] = [pair.number('left'), pair.number('right')];
          return [[left, right] as const, [right, left] as const];
        }),
      );
      const told = deadlocks
        .map((circle) => circle.map((wait) => waitOf(trace, wait)))
        .filter((circle) => circle.some(({ waits }) => pairs.has(waits ?? 0)));
      assert.ok(told.length > 0, app.output());
      for (const circle of told) {
        const wait = (waits = 0) => ({
          waits,
          owner: pairs.get(waits),
          for: 'sample.Deadlock$Account',
          in: 'sample.Deadlock$Transfer.deposit',
          isEstimated: true,
          openWait: true,
          end: trace.endNs,
        });
        assert.deepEqual(circle, [wait(circle[0]?.waits), wait(circle[0]?.owner)]);
      }
    });
});
