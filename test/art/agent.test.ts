/** The real agent in the real Android Runtime: what it records against what the app itself measured, on both engines. */
import assert from 'node:assert/strict';
import { HookState, SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import type { Session } from '../../src/targets/target.js';
import {
  assertBetween,
  assertSlowFrames,
  blocksOf,
  cpuWithin,
  endedAt,
  eventsOf,
  mainThread,
  messagesWithin,
  methodNamed,
  near,
  shareOfEvidence,
  traceOf,
} from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, withArt } from '../rigs/art/with-art.js';
import { stacksOf } from '../rigs/stacks.js';

describe('the agent in the Android Runtime', () => {
  const { start, running, record, door: openDoor } = withArt();

  for (const engine of Object.keys(engines) as Engine[]) {
    describe(`engine ${engine}`, () => {
      it('puts its hooks in and takes them out again', async () => {
        const app = await running({ engine, app: 'Jank', arguments: [0] });
        const session = await record(app);
        await app.more('frame', 2);
        const states = (hooks: Trace['hooks']) =>
          Object.fromEntries(hooks.map((hook) => [hook.name, hook.state]));
        const names =
          'libart walk monitor park threads phase allocation gc message notify notifyAll unpark outside'.split(
            ' ',
          );
        names.push('class load', 'thread start', 'library load', 'other threads');
        const all = (state: number) => Object.fromEntries(names.map((name) => [name, state]));
        assert.deepEqual(states(session.status().hooks), all(HookState.Installed));
        // All that is asked for is there, each in the variant of this version.
        const libart = session.status().hooks.find(({ name }) => name === 'libart');
        assert.match(libart?.why ?? '', /^build id [0-9a-f]+$/);
        const trace = await stopped(session);
        assert.deepEqual(states(trace.hooks), all(HookState.Removed));
        assert.equal(trace.info.targetName, 'com.example.jank');
        assert.equal(trace.info.runtime, 'ART');
        await app.more('frame', 2);
      });

      it('gives the CPU time of slow frames to the method that used it, by its name, file and line', async () => {
        const app = await running({ engine, app: 'Jank', arguments: [0] });
        const session = await record(app);
        await app.more('frame', 40);
        const trace = await stopped(session);
        assertSlowFrames(trace, app);
        const method = methodNamed(trace, 'sample.Jank.bindFeed');
        assert.equal(trace.methods.file(method), 'Jank.java');
        assert.equal(trace.methods.firstLine(method), 27);
        assert.equal(trace.methods.signature(method), '()V');
      });

      it('gives methods shorter than any interval their shares', async () => {
        const app = await running({ engine, app: 'ShortMethods', arguments: [0] });
        const session = await record(app);
        const truths = await app.more('short', 15);
        const trace = await stopped(session);
        const main = mainThread(trace);
        const share = (of: (name: string) => number) => of('parse') / (of('parse') + of('render'));
        const truly = share((name) => truths.reduce((sum, truth) => sum + truth.number(name), 0));
        const seen = share((name) =>
          cpuWithin(trace, main, methodNamed(trace, `sample.ShortMethods.${name}`)),
        );
        // Six standard deviations of as many samples as there were.
        const chance = Math.sqrt((truly * (1 - truly)) / main.intervals.count);
        assertBetween(seen, truly - 6 * chance, truly + 6 * chance);
      });

      it('splits equal stacks by message', async () => {
        const app = await running({ engine, app: 'Jank', arguments: [0] });
        const before = app.truths('frame').length;
        const session = await record(app);
        await app.more('frame', 12);
        const trace = await stopped(session);
        const messages = messagesWithin(trace, mainThread(trace), methodNamed(trace, 'sample.Jank.doFrame'));
        // Each frame is a message, and one may be under way; not each is captured on a busy machine.
        assertBetween(messages.size, 6, app.truths('frame').length - before + 1);
      });

      it('knows who held a contended monitor', async () => {
        const app = await running({ engine, app: 'Contention', arguments: [0] });
        const session = await record(app);
        const truths = await app.more('monitor', 4);
        const trace = await stopped(session);
        const waits = blocksOf(trace, mainThread(trace), SampleKind.Monitor);
        for (const truth of truths.slice(1, 4)) {
          const wait = endedAt(waits, truth.number('end'));
          assert.ok(near(wait.begin, truth.number('begin')), `${wait.begin}, not ${truth.number('begin')}`);
          assert.equal(trace.threads.find(({ index }) => index === wait.owner)?.tid, truth.number('owner'));
          assert.equal(wait.type, 'sample.Contention$Cache');
          assert.match(wait.stack, /^sample\.Contention\.enterCache < sample\.Contention\.round </);
        }
      });

      it('links a wait to who notified, and a park to who unparked', async () => {
        let app = await running({ engine, app: 'WaitNotify', arguments: [0] });
        let session = await record(app);
        let truths = await app.more('wait', 4);
        let trace = await stopped(session);
        const waits = blocksOf(trace, mainThread(trace), SampleKind.Wait);
        for (const truth of truths.slice(1, 4)) {
          const wait = endedAt(waits, truth.number('end'));
          assert.equal(wait.type, 'sample.WaitNotify$Mailbox');
          assert.equal(wait.waker, truth.number('waker'));
        }
        await app.kill();

        app = await running({ engine, app: 'Parking', arguments: [0] });
        session = await record(app);
        truths = await app.more('park', 4);
        trace = await stopped(session);
        const parks = blocksOf(trace, mainThread(trace), SampleKind.Park);
        for (const truth of truths.slice(1, 4)) {
          assert.equal(endedAt(parks, truth.number('entered')).waker, truth.number('waker'));
          assert.equal(endedAt(parks, truth.number('end')).waker, truth.number('waker'));
        }
      });

      it('tells sleeping from waiting', async () => {
        const app = await running({ engine, app: 'Jank', arguments: [0] });
        const session = await record(app);
        await app.more('frame', 4);
        const trace = await stopped(session);
        const sleeps = blocksOf(trace, mainThread(trace), SampleKind.Sleep);
        assert.ok(sleeps.length >= 3);
        for (const sleep of sleeps) assert.match(sleep.stack, /^java\.lang\.Thread\.sleep /);
        assert.deepEqual(blocksOf(trace, mainThread(trace), SampleKind.Wait), []);
      });

      it('counts every allocation in a storm of many threads', async () => {
        const app = await running({ engine, app: 'Storm', arguments: [0, 8, 20_000] });
        const session = await record(app);
        await app.more('allocations', 3);
        const trace = await stopped(session);
        const clouds = trace.threads.filter(
          (thread) => thread.name.startsWith('cloud-') && thread.endNs > 0 && thread.beginNs > 0,
        );
        assert.ok(clouds.length >= 8, `${clouds.length} threads`);
        // From a thread's first sample to its last: what came before and after is in no interval.
        const counted = clouds.map(({ intervals }) =>
          intervals.allocations.subarray(0, intervals.count).reduce((a, b) => a + b, 0),
        );
        assertBetween(Math.max(...counted), 10_000, 20_000);
        const types = new Set<string>();
        for (const cloud of clouds)
          for (let row = 0; row < cloud.events.count; row++)
            types.add(trace.className(cloud.events.type[row]!));
        assert.ok(types.has('sample.Storm$Droplet'), [...types].join());
      });

      it('keeps deep stacks whole, and both ends of the deepest', async () => {
        let app = await running({ engine, app: 'DeepStacks', arguments: [0, 1000] });
        let session = await record(app);
        await app.more('depth', 3);
        const depth = (trace: Trace) => Math.max(...trace.paths.depth.subarray(0, trace.paths.count));
        assertBetween(depth(await stopped(session)), 1000, 1030);
        await app.kill();

        app = await running({ engine, app: 'DeepStacks', arguments: [0, 6000] });
        // A walk of so many frames is dear: the budget would allow a few in the whole run.
        session = await record(app, { budgetPpm: 0 });
        await app.more('depth', 5);
        const trace = await stopped(session);
        const stacks = stacksOf(trace, mainThread(trace));
        const deep = stacks
          .map((stack) => stack.split(' < '))
          // Down there, and not on the way.
          .filter((stack) => stack.includes('sample.Cpu.burn'));
        assert.ok(deep.length > 0, `${stacks.length} intervals`);
        for (const stack of deep) {
          assert.equal(stack.length, 4096);
          assert.equal(stack.indexOf('sample.DeepStacks.descend'), stack.indexOf('sample.Cpu.burn') + 1);
          assert.equal(stack.at(-1), 'android.app.ActivityThread.main');
        }
      });

      it('sees from outside what waits in native code', async () => {
        const app = await running({ engine, app: 'NativeWaits', arguments: [0] });
        const session = await record(app);
        await app.more('native', 15);
        // However seldom the sampler gets a processor.
        while (walksOf(session) < 20) await app.more('native', 1);
        const trace = await stopped(session);
        const main = mainThread(trace);
        for (const name of ['sample.NativeWaits.sleepInNative', 'sample.NativeWaits.pollInNative'])
          assertBetween(shareOfEvidence(trace, main, methodNamed(trace, name)), 0.2, 0.8);
      });

      it('counts collections while the heap is under pressure', async () => {
        const app = await running({ engine, app: 'GcPressure', arguments: [0] });
        const session = await record(app);
        await app.more('gc', 5);
        const trace = await stopped(session);
        const pauses = trace.threads.flatMap((thread) => blocksOf(trace, thread, SampleKind.Gc));
        assert.ok(pauses.length >= 5, `${pauses.length} pauses`);
        assert.equal(trace.problems.length, 0);
      });

      it('records a launch from its first message', async () => {
        const door = await openDoor(() => app);
        const app = start({
          engine,
          app: 'Startup',
          options: ['-Xplugin:libopenjdkjvmti.so', `-agentpath:${door.agent}`],
        });
        const session = await door.session();
        const end = await session.ended;
        assert.equal(end.reason, 'target-exited');
        assert.deepEqual(await app.ended, { code: 0, signal: null }, app.output());
        const trace = await traceOf(end.file);
        const main = mainThread(trace);
        const expectedMs = {
          'sample.Startup.openDatabase': 20,
          'sample.Startup$CreateActivity.inflate': 24,
          'sample.Startup$FirstFrame.draw': 10,
        };
        // Which classes are sampled is a matter of time; those that are have their own name.
        for (const { type } of eventsOf(trace, main, SampleKind.ClassLoad)) assert.match(type, /^[\w.$]+$/);
        for (const [name, ms] of Object.entries(expectedMs))
          assertBetween(cpuWithin(trace, main, methodNamed(trace, name)) / 1e6, ms * 0.8, ms * 1.2 + 1);
      });

      it('sees a library being loaded', async () => {
        const app = await running({ engine, app: 'NativeWaits', arguments: [0] });
        const session = await record(app);
        await app.more('native', 3);
        const trace = await stopped(session);
        const loads = blocksOf(trace, mainThread(trace), SampleKind.LibraryLoad);
        assert.ok(loads.length >= 1);
        for (const { stack } of loads)
          assert.match(
            stack,
            /^java\.lang\.Runtime\.nativeLoad < .*System\.loadLibrary < sample\.NativeWaits\.round </,
          );
      });

      it('knows who created a thread, and where', async () => {
        const app = await running({ engine, app: 'Storm', arguments: [0, 3, 2000] });
        const session = await record(app);
        await app.more('allocations', 4);
        const trace = await stopped(session);
        const main = mainThread(trace);
        // One that was created before the recording and began in it has nobody.
        const clouds = trace.threads.filter(({ name, creator }) => name.startsWith('cloud-') && creator > 0);
        assert.ok(clouds.length >= 3);
        for (const cloud of clouds) assert.equal(cloud.creator, main.index);
        const starts = eventsOf(trace, main, SampleKind.ThreadStart);
        assert.ok(starts.length >= 3);
        for (const { stack } of starts)
          assert.match(
            stack,
            /^java\.lang\.Thread\.nativeCreate < java\.lang\.Thread\.start < sample\.Storm\.round </,
          );
      });
    });
  }
});

/** From outside, of all threads. */
function walksOf(session: Session): number {
  return session.status().costs.find(({ kind }) => kind === SampleKind.AsyncOutside)?.count ?? 0;
}
