/** An Android Runtime that does not tell of waits itself, as that of Android 8: its natives are stood in for. */
import assert from 'node:assert/strict';
import { HookState, SampleKind } from '../../src/trace/model/kinds.js';
import { runtimeWithout } from '../rigs/art/hidden-runtime.js';
import { assertSlowFrames, waitsOf, waitsWithin, mainThread } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, onEachArt } from '../rigs/art/with-art.js';

onEachArt('the agent in an Android Runtime without callbacks for waits', (bench) => {
  const runtime = () => runtimeWithout(/(Monitor|Park)Callback/, bench.runtime, bench.folder);

  for (const engine of Object.keys(engines) as Engine[]) {
    describe(`engine ${engine}`, () => {
      it('says which hooks there are, sees sleeps, and takes them out again', async () => {
        const app = await bench.running({ engine, app: 'Jank', arguments: [0] }, await runtime());
        const session = await bench.record(app);
        await app.more('frame', 25);
        const states = session.status().hooks;
        for (const [name, state] of [
          ['monitor', HookState.Missing],
          ['park', HookState.Missing],
          ['wait', HookState.Installed],
          ['sleep', HookState.Installed],
        ] as const)
          assert.equal(states.find((hook) => hook.name === name)?.state, state, name);
        const trace = await stopped(session);
        for (const name of ['wait', 'sleep'])
          assert.equal(trace.hooks.find((hook) => hook.name === name)?.state, HookState.Removed);
        const sleeps = waitsOf(trace, mainThread(trace), SampleKind.Sleep);
        assert.ok(sleeps.length >= 3);
        for (const sleep of sleeps) assert.match(sleep.stack, /^java\.lang\.Thread\.sleep /);
        assert.equal(waitsOf(trace, mainThread(trace), SampleKind.Wait).length, 0);
        assertSlowFrames(trace, app);
        await app.more('frame', 2);
      });

      it('links a wait to who notified', async () => {
        const app = await bench.running({ engine, app: 'WaitNotify', arguments: [0] }, await runtime());
        // Each wait is judged: on a busy machine a budget leaves some out.
        const session = await bench.record(app, { budgetPpm: 0 });
        const truths = await app.more('wait', 6);
        const trace = await stopped(session);
        const waits = waitsOf(trace, mainThread(trace), SampleKind.Wait);
        for (const [wait, truth] of waitsWithin(waits, truths)) {
          assert.equal(wait.type, 'sample.WaitNotify$Mailbox');
          assert.match(wait.stack, /^java\.lang\.Object\.wait < /);
          assert.equal(wait.waker, truth.number('waker'));
        }
        await app.more('wait', 2);
      });

      it('links a wait to who notified soon after its begin', async () => {
        const app = await bench.running({ engine, app: 'NotifySoon', arguments: [0] }, await runtime());
        const session = await bench.record(app, { budgetPpm: 0 });
        const truths = await app.more('soon', 6);
        const trace = await stopped(session);
        const waits = waitsOf(trace, mainThread(trace), SampleKind.Wait);
        for (const [wait, truth] of waitsWithin(waits, truths))
          assert.equal(wait.waker, truth.number('waker'));
        await app.more('soon', 2);
      });
    });
  }
});
