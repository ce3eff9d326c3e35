/** A thread in native code is walked where it can be made Runnable for it. Where it cannot be, it is not walked, and that is counted. */
import assert from 'node:assert/strict';
import { LossReason, SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { blocksOf, mainThread } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, withArt } from '../rigs/art/with-art.js';

describe('a thread in native code in the Android Runtime', () => {
  const bench = withArt();

  const lostOf = (trace: Trace, reason: number): number =>
    trace.losses
      .filter((loss) => loss.thread === mainThread(trace).index && loss.reason === reason)
      .reduce((sum, { count }) => sum + count, 0);

  for (const engine of Object.keys(engines) as Engine[]) {
    it(`is lost to who would walk it from outside when it does not stand still in time (${engine})`, async () => {
      const options = ['-XX:ThreadSuspendTimeout=20'];
      const app = await bench.running({ engine, app: 'NativeWaits', arguments: [0, 200], options });
      const session = await bench.record(app);
      await app.more('native', 6);
      const trace = await stopped(session);
      assert.ok(lostOf(trace, LossReason.SuspendTimeout) > 0);
      await app.more('native', 1);
      assert.deepEqual(await app.quit(), { code: 0, signal: null }, app.output());
    });

    it(`has no stack, and a loss that is counted, while an exception is on its way (${engine})`, async () => {
      // It would end the app before the exception is Java's.
      const app = await bench.running({ engine, app: 'Refused', arguments: [0], checkJni: false });
      const session = await bench.record(app);
      await app.more('refused', 4);
      const trace = await stopped(session);
      const main = mainThread(trace);
      const origin = Number(trace.info.startMonotonicNs);
      const told = app.truths('refused').map((truth) => truth.number('told') - origin);
      const refused = told.filter((at) => 0 < at && at < trace.endNs).length;
      const count = lostOf(trace, LossReason.WalkError);
      // The first may have begun before, the last may not have been told yet.
      assert.ok(refused >= 4 && Math.abs(count - refused) <= 1, `${refused} refused, ${count} lost`);
      assert.deepEqual(blocksOf(trace, main, SampleKind.LibraryLoad), []);
      await app.more('refused', 1);
      assert.deepEqual(await app.quit(), { code: 0, signal: null }, app.output());
    });
  }
});
