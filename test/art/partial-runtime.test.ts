/** An Android Runtime that has only a part of what a feature needs: that feature is off and says so, all others work. */
import assert from 'node:assert/strict';
import { HookState, SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { runtimeWithFullTable, runtimeWithout } from '../rigs/art/hidden-runtime.js';
import { waitsOf, waitsWithin, eventsOf, mainThread } from '../rigs/art/read-trace.js';
import { type AppOptions, type ArtRuntime, type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, onArtPairs } from '../rigs/art/with-art.js';

onArtPairs('the agent in an Android Runtime that hides some functions', (bench) => {
  async function recordedIn(
    runtime: ArtRuntime,
    options: Pick<AppOptions, 'engine' | 'notLookedUp'>,
  ): Promise<{ trace: Trace; external: number }> {
    const app = await bench.running({ ...options, app: 'Jank', arguments: [0] }, runtime);
    const session = await bench.record(app);
    await app.more('frame', 25);
    const trace = await stopped(session);
    await app.more('frame', 2);
    const { costs } = session.status();
    return { trace, external: costs.find(({ kind }) => kind === SampleKind.ExternalSampler)?.count ?? 0 };
  }
  const recordedWithout = async (
    functions: RegExp,
    engine: Engine,
  ): Promise<{ trace: Trace; external: number }> =>
    recordedIn(await runtimeWithout(functions, bench.runtime, bench.folder), { engine });
  const hooksIn = ({ hooks }: Trace, state: number) =>
    hooks.flatMap((hook) => (hook.state === state ? [[hook.name, hook.why]] : []));

  for (const engine of Object.keys(engines) as Engine[])
    it(`finds in the file's full table of symbols what is not exported (${engine})`, async () => {
      const runtime = await runtimeWithFullTable(bench.runtime, bench.folder);
      const { trace, external } = await recordedIn(runtime, { engine });
      assert.deepEqual(hooksIn(trace, HookState.Missing), []);
      const libart = trace.hooks.find(({ name }) => name === 'libart')?.why ?? '';
      assert.match(libart, /^build id [0-9a-f]+$/);
      assert.ok(mainThread(trace).sampleCount > 10);
      assert.ok(external > 0);
    });

  for (const engine of Object.keys(engines) as Engine[])
    it(`puts nothing in that it could not take out again (${engine})`, async () => {
      const { trace, external } = await recordedWithout(
        /Remove(Allocation|GcPause)Listener|RemoveParkCallback/,
        engine,
      );
      assert.deepEqual(hooksIn(trace, HookState.Missing), [
        ['park', 'this ART has no such callback'],
        ['allocation', 'this ART does not export it'],
        ['gc', 'this ART does not export it'],
      ]);
      assert.deepEqual(hooksIn(trace, HookState.Installed), []);
      assert.deepEqual(eventsOf(trace, mainThread(trace), SampleKind.Allocation), []);
      assert.ok(external > 0);
      assert.ok(mainThread(trace).sampleCount > 10);
    });

  for (const engine of Object.keys(engines) as Engine[])
    it(`sees threads at points only where no other can be suspended alone (${engine})`, async () => {
      const { trace, external } = await recordedWithout(/SuspendThreadByThreadId/, engine);
      const missing = hooksIn(trace, HookState.Missing);
      assert.ok(
        missing.some(([name, why]) => name === 'other threads' && /seen at points only/.test(why ?? '')),
      );
      assert.equal(external, 0);
      assert.ok(mainThread(trace).sampleCount > 10);
    });

  for (const engine of Object.keys(engines) as Engine[])
    it(`names who released a lock where its owner is hidden (${engine})`, async () => {
      const runtime = await runtimeWithout(/GetOwnerThreadId/, bench.runtime, bench.folder);
      const app = await bench.running({ engine, app: 'Contention', arguments: [0] }, runtime);
      const session = await bench.record(app, { budgetPpm: 0 });
      const truths = await app.more('monitor', 6);
      const trace = await stopped(session);
      const hook = trace.hooks.find(({ name }) => name === 'monitor');
      assert.deepEqual(
        [hook?.state, hook?.why],
        [HookState.Removed, 'without owners: this ART hides who has a monitor'],
      );
      const waits = waitsOf(trace, mainThread(trace), SampleKind.Monitor);
      for (const [{ owner, type }, truth] of waitsWithin(waits, truths)) {
        const tid = trace.threads.find(({ index }) => index === owner)?.tid;
        assert.deepEqual([tid, type], [truth.number('owner'), 'sample.Contention$Cache']);
      }
    });

  for (const engine of Object.keys(engines) as Engine[])
    it(`lets a native alone that was not looked up yet (${engine})`, async () => {
      const { trace } = await recordedIn(bench.runtime, { engine, notLookedUp: 'java/lang/Runtime' });
      assert.deepEqual(hooksIn(trace, HookState.Missing), [
        ['library load', 'the original has not been looked up yet'],
      ]);
      assert.ok(mainThread(trace).sampleCount > 10);
    });
});
