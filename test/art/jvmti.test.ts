/** How other threads are walked where there is JVMTI, as in debuggable apps: it is asked first, and what it cannot tell comes as ever. */
import assert from 'node:assert/strict';
import { HookState, LossReason, SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { runtimeWithout } from '../rigs/art/hidden-runtime.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, onArtPairs } from '../rigs/art/with-art.js';

onArtPairs('the agent beside JVMTI', (bench) => {
  async function recorded(
    engine: Engine,
    jvmti: 'answers' | 'fails' | undefined,
    hidden?: RegExp,
  ): Promise<{ trace: Trace; external: number; how: string }> {
    const runtime = hidden && (await runtimeWithout(hidden, bench.runtime, bench.folder));
    const app = await bench.running(
      { engine, app: 'Jank', arguments: [0], ...(jvmti && { jvmti }) },
      runtime,
    );
    const session = await bench.record(app);
    const walked = (): number =>
      session.status().costs.find(({ kind }) => kind === SampleKind.ExternalSampler)?.count ?? 0;
    // The first looks of a recording come before its threads are known to JVMTI; on a busy machine that lasts.
    do await app.more('frame', 25);
    while (walked() < 10);
    const trace = await stopped(session);
    await app.more('frame', 2);
    const external = walked();
    const hook = trace.hooks.find(({ name }) => name === 'other threads');
    return { trace, external, how: hook?.state === HookState.Removed ? hook.why : '' };
  }

  /** Stacks that are Thread.run alone: nothing but the stand-in says so. */
  function answered(trace: Trace): number {
    const { depth, method } = trace.paths;
    const isRun = (path: number): boolean =>
      depth[path] === 1 && trace.methods.qualifiedName(method[path]!) === 'java.lang.Thread.run';
    return trace.threads.reduce(
      (rows, { intervals: { path, count } }) => rows + path.subarray(0, count).filter(isRun).length,
      0,
    );
  }

  for (const engine of Object.keys(engines) as Engine[]) {
    it(`asks it, though one thread could be suspended alone (${engine})`, async () => {
      const { trace, external, how } = await recorded(engine, 'answers');
      assert.equal(how, 'by JVMTI');
      assert.ok(external > 0);
      assert.ok(answered(trace) > 0);
    });

    it(`walks by itself what that cannot tell (${engine})`, async () => {
      const { trace, external } = await recorded(engine, 'fails');
      assert.ok(external > 0);
      assert.equal(answered(trace), 0);
      // On a busy machine a thread may meet its record where the agent holds it: counted, and nothing to do with JVMTI.
      assert.deepEqual(
        trace.losses.filter(({ reason }) => reason !== LossReason.BufferFull),
        [],
      );
    });

    it(`has it alone where one thread cannot be suspended alone (${engine})`, async () => {
      const { trace, external, how } = await recorded(engine, 'answers', /SuspendThreadByThreadId/);
      assert.equal(how, 'by JVMTI');
      assert.ok(external > 0);
      assert.ok(answered(trace) > 0);
    });

    it(`suspends one thread alone where there is none (${engine})`, async () => {
      const { trace, external, how } = await recorded(engine, undefined);
      assert.equal(how, 'suspended by id');
      assert.ok(external > 0);
      assert.equal(answered(trace), 0);
    });
  }
});
