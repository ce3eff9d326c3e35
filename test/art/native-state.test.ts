/**
 * A thread in native code is walked where it can be made Runnable for it. Where it cannot be, it is not walked, and that is counted.
 * Without a budget: each walk is to be tried, also on a busy machine, where one may cost what a second's budget allows.
 */
import assert from 'node:assert/strict';
import { LossReason, SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { waitsOf, mainThread } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { quitsWell, stopped, onEachArt } from '../rigs/art/with-art.js';

onEachArt('a thread in native code in the Android Runtime', (bench) => {
  const lostOf = (trace: Trace, reason: number): number =>
    trace.losses
      .filter((loss) => loss.thread === mainThread(trace).index && loss.reason === reason)
      .reduce((sum, { count }) => sum + count, 0);

  for (const engine of Object.keys(engines) as Engine[]) {
    it(`counts a thread as lost if it does not stop for an other-thread walk in time (${engine})`, async () => {
      const options = ['-XX:ThreadSuspendTimeout=20'];
      const app = await bench.running({ engine, app: 'NativeWaits', arguments: [0, 200], options });
      const session = await bench.record(app, { budgetPpm: 0 });
      await app.more('native', 6);
      const trace = await stopped(session);
      assert.ok(lostOf(trace, LossReason.SuspendTimeout) > 0);
      await app.more('native', 1);
      await quitsWell(app);
    });

    it(`has no stack, and a loss that is counted, while an exception is on its way (${engine})`, async () => {
      // It would end the app before the exception is Java's.
      const app = await bench.running({ engine, app: 'Refused', arguments: [0], checkJni: false });
      const session = await bench.record(app, { budgetPpm: 0 });
      // Not from the recording's begin: on a busy machine some are refused before the hook is in.
      const within = await app.more('refused', 5);
      const trace = await stopped(session);
      const main = mainThread(trace);
      const origin = Number(trace.info.startMonotonicNs);
      const told = app.truths('refused').map((truth) => truth.number('told') - origin);
      const most = told.filter((at) => 0 < at && at < trace.endNs).length + 1;
      const count = lostOf(trace, LossReason.WalkError);
      // The first may have begun before the hook was in, and the one after the last may not have been told yet.
      assert.ok(
        within.length - 1 <= count && count <= most,
        `${within.length} to ${most} refused, ${count} lost`,
      );
      assert.deepEqual(waitsOf(trace, main, SampleKind.LibraryLoad), []);
      await app.more('refused', 1);
      await quitsWell(app);
    });
  }
});
