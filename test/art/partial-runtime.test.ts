/** An Android Runtime that has only a part of what a feature needs: that feature is off and says so, all others work. */
import assert from 'node:assert/strict';
import { HookState, SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { runtimeWithFullTable, runtimeWithout } from '../rigs/art/hidden-runtime.js';
import { eventsOf, mainThread } from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, withArt } from '../rigs/art/with-art.js';

describe('the agent in an Android Runtime that hides some functions', () => {
  const bench = withArt();

  async function recordedWithout(
    functions: RegExp,
    engine: Engine,
  ): Promise<{ trace: Trace; outside: number }> {
    const runtime = await runtimeWithout(functions, bench.runtime, bench.folder);
    const app = await bench.running({ engine, app: 'Jank', arguments: [0] }, runtime);
    const session = await bench.record(app);
    await app.more('frame', 25);
    const trace = await stopped(session);
    await app.more('frame', 2);
    const { costs } = session.status();
    return { trace, outside: costs.find(({ kind }) => kind === SampleKind.AsyncOutside)?.count ?? 0 };
  }
  for (const engine of Object.keys(engines) as Engine[])
    it(`finds in the file's full table of symbols what is not exported (${engine})`, async () => {
      const runtime = await runtimeWithFullTable(bench.runtime, bench.folder);
      const app = await bench.running({ engine, app: 'Jank', arguments: [0] }, runtime);
      const session = await bench.record(app);
      await app.more('frame', 25);
      const trace = await stopped(session);
      assert.deepEqual(hooksIn(trace, HookState.Missing), []);
      const libart = trace.hooks.find(({ name }) => name === 'libart')?.why ?? '';
      // As of any whole runtime of this version: what other versions ask for by other names.
      assert.doesNotMatch(libart, /gnu_debugdata|WalkStack|SuspendThreadByThreadId/);
      assert.ok(mainThread(trace).sampleCount > 10);
      const { costs } = session.status();
      assert.ok((costs.find(({ kind }) => kind === SampleKind.AsyncOutside)?.count ?? 0) > 0);
    });
  const hooksIn = ({ hooks }: Trace, state: number) =>
    hooks.flatMap((hook) => (hook.state === state ? [[hook.name, hook.why]] : []));

  for (const engine of Object.keys(engines) as Engine[])
    it(`puts nothing in that it could not take out again (${engine})`, async () => {
      const { trace, outside } = await recordedWithout(
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
      assert.ok(outside > 0);
      assert.ok(mainThread(trace).sampleCount > 10);
    });

  for (const engine of Object.keys(engines) as Engine[])
    it(`sees threads at points only where no other can be suspended alone (${engine})`, async () => {
      const { trace, outside } = await recordedWithout(/SuspendThreadByThreadId/, engine);
      const missing = hooksIn(trace, HookState.Missing);
      assert.ok(
        missing.some(([name, why]) => name === 'other threads' && /seen at points only/.test(why ?? '')),
      );
      assert.equal(outside, 0);
      assert.ok(mainThread(trace).sampleCount > 10);
    });
});
