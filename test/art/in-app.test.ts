/** An app that has the agent as a library of its own records itself: not debuggable, no desktop, real ART. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { tellingPath } from '../../src/trace/assemble/own-counters.js';
import { EndReason, HookState, SampleKind } from '../../src/trace/model/kinds.js';
import type { ThreadTrack, Trace } from '../../src/trace/model/trace.js';
import { cpuWithin, findMethod, mainThread, methodNamed, traceOf } from '../rigs/art/read-trace.js';
import { agentLibrary } from '../rigs/art/record.js';
import { stackOf } from '../rigs/stacks.js';
import { onArtPairs } from '../rigs/art/with-art.js';
import { until } from '../rigs/until.js';

onArtPairs('an app with the agent as its own library', (bench) => {
  const open = (name: string): Promise<Trace> => traceOf(path.join(bench.folder, name));

  for (const engine of ['interpreter', 'quick'] as const)
    it(`records itself, keeps a ring, and says what cannot be done (${engine})`, async () => {
      const app = bench.start({
        engine,
        app: 'InApp',
        debuggable: false,
        arguments: [50, agentLibrary, bench.folder],
      });
      assert.deepEqual(await app.ended, { code: 0, signal: null }, app.output());
      const done = (what: string) => app.truths(what).map((truth) => truth.number('done'));
      const said = (what: string) => new RegExp(`^problem of ${what}: (.*)$`, 'm').exec(app.output())?.[1];
      assert.deepEqual(done('loaded'), [1], app.output());
      assert.deepEqual(
        ['nowhere', 'start', 'stop', 'ring', 'dump', 'again'].map((what) => done(what).join()),
        ['0', '1', '1,1', '1', '1', '1'],
        app.output(),
      );
      assert.match(said('nowhere') ?? '', /libbtrace-agent\.so was not loaded: .*nonexistent/);
      assert.equal(said('twice'), 'a recording is being made already');
      assert.equal(said('missing'), 'the file could not be made');
      assert.equal(said('idle'), 'nothing is recorded');
      const recording = (what: string) => app.truths(what).map((truth) => truth.number('recording'));
      assert.deepEqual(['early', 'start', 'stop', 'ring', 'end'].map(recording), [
        [0],
        [1],
        [0, 0],
        [1],
        [0],
      ]);
      // 20 rounds: what the app used by its own clock, and what it did by name.
      const whole = await open('whole.btrace');
      assert.deepEqual([whole.problems, whole.complete, whole.endReason], [[], true, EndReason.Stopped]);
      assert.deepEqual([whole.info.targetName, whole.info.pid], ['com.example.inapp', app.pid]);
      assert.ok(whole.hooks.every(({ state }) => state !== HookState.Failed));
      const main = mainThread(whole);
      // Two of the 20 pay, 40 ms each.
      const ms = cpuWithin(whole, main, methodNamed(whole, 'sample.InApp.pay')) / 1e6;
      assert.ok(ms > 80 * 0.75 && ms < 80 * 1.25, `${ms} ms of 80`);
      const [counter] = whole.counters.filter(({ name }) => name === 'check-outs');
      assert.deepEqual([...(counter?.value ?? [])], [1, 2]);
      const told = main.events.object.findIndex(
        (object, row) => object > 0 && main.events.kind[row] === SampleKind.Marker,
      );
      assert.match(stackOf(whole, tellingPath(whole, main.events.path[told]!)), /^sample\.InApp\.checkOut/);
      assert.deepEqual(markers(whole, main), ['check-out é🛒 9', 'check-out é🛒 19']);
      // A bound on its size ends it, a little over the bound.
      const small = await open('small.btrace');
      assert.deepEqual([done('full'), small.complete, small.endReason], [[1], true, EndReason.Limit]);
      // The ring goes on after the dump, and both open alone, with names.
      for (const [name, reason, last] of [
        ['dump.btrace', EndReason.Dumped, 39],
        ['ring.btrace', EndReason.Stopped, 39],
      ] as const) {
        const trace = await open(name);
        assert.deepEqual([trace.problems, trace.complete, trace.endReason], [[], true, reason], name);
        const thread = mainThread(trace);
        assert.ok(cpuWithin(trace, thread, methodNamed(trace, 'sample.InApp.pay')) / 1e6 > 60, name);
        assert.deepEqual(markers(trace, thread), ['check-out é🛒 29', `check-out é🛒 ${last}`], name);
      }
    });

  for (const engine of ['interpreter', 'quick'] as const)
    it(`leaves a recording that opens when the app is killed in it (${engine})`, async () => {
      const app = bench.start({
        engine, // debuggable, so that ART checks our use of JNI
        app: 'InApp',
        arguments: [0, agentLibrary, bench.folder],
      });
      await app.until(/^truth start done=1/m);
      await until('the file tells of a payment', hasPaid);
      await app.kill();
      const trace = await open('whole.btrace');
      assert.deepEqual([trace.problems, trace.complete], [[], false]);
      assert.ok(await hasPaid());
    });

  for (const engine of ['interpreter', 'quick'] as const)
    it(`ends its recording where the storage is full, and works on (${engine})`, async () => {
      const app = bench.start({ engine, app: 'InApp', arguments: [0, agentLibrary, bench.folder] });
      await app.until(/^truth start done=1/m);
      await until('the file tells of a payment', hasPaid);
      app.leaveStorage((await stat(path.join(bench.folder, 'whole.btrace'))).size + 1000);
      await app.until(/^truth over done=0 recording=0/m);
      await app.until(/^problem of over: the file could not be written/m);
      await app.more('round', 2);
      await app.kill();
      // It ends in the middle of a chunk, which had no room.
      const trace = await open('whole.btrace');
      assert.ok(!trace.complete);
      assert.ok(
        trace.problems.every(({ what }) => /end/.test(what)),
        JSON.stringify(trace.problems),
      );
      assert.ok(await hasPaid());
    });

  async function hasPaid(): Promise<boolean> {
    const trace = await open('whole.btrace');
    const pay = findMethod(trace, 'sample.InApp.pay');
    return pay >= 0 && cpuWithin(trace, mainThread(trace), pay) > 0;
  }
});

function markers(trace: Trace, { events }: ThreadTrack): string[] {
  const found: string[] = [];
  for (let row = 0; row < events.count; row++)
    if (events.kind[row] === SampleKind.Marker && events.object[row] === 0)
      found.push(trace.text(events.text[row]!));
  return found;
}
