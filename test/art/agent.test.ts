/** The real agent in the real Android Runtime: what it records against what the app itself measured, on both engines. */
import assert from 'node:assert/strict';
import { HookState, LinkCertainty, SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import type { Session } from '../../src/targets/target.js';
import {
  assertBetween,
  assertSlowFrames,
  waitsOf,
  waitsWithin,
  cpuWithin,
  eventsOf,
  mainThread,
  messagesWithin,
  methodNamed,
  pathHas,
  shareOfEvidence,
  traceOf,
} from '../rigs/art/read-trace.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, onEachArt } from '../rigs/art/with-art.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { stackOf, stacksOf } from '../rigs/stacks.js';

/** On a busy machine a budget leaves out what is judged one by one. */
const everyWait = { budgetPpm: 0 };

onEachArt('the agent in the Android Runtime', ({ start, running, record, door: openDoor }) => {
  for (const engine of Object.keys(engines) as Engine[]) {
    describe(`engine ${engine}`, () => {
      it('puts its hooks in and takes them out again', async () => {
        const app = await running({ engine, app: 'Jank', arguments: [0] });
        const session = await record(app);
        await app.more('frame', 2);
        const states = (hooks: Trace['hooks']) =>
          Object.fromEntries(hooks.map((hook) => [hook.name, hook.state]));
        const names =
          'libart walk monitor park threads phase allocation gc message notify notifyAll unpark'.split(' ');
        names.push(
          'external sampler',
          'class load',
          'thread start',
          'native thread start',
          'native threads',
          'library load',
          'other threads',
          'monitor release',
        );
        const all = (state: number) => Object.fromEntries(names.map((name) => [name, state]));
        assert.deepEqual(states(session.status().hooks), all(HookState.Installed));
        // All that is asked for is there, each in the variant of this version.
        const libart = session.status().hooks.find(({ name }) => name === 'libart');
        assert.match(libart?.why ?? '', /^build id [0-9a-f]+$/);
        const trace = await stopped(session);
        assert.deepEqual(states(trace.hooks), all(HookState.Removed));
        // At the start and at the end, each some µs at least.
        assert.ok((trace.status?.stoppedNs ?? 0) > 1000, `${trace.status?.stoppedNs} ns`);
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
        const truths = await app.more('short', 16);
        const trace = await stopped(session);
        const { intervals } = mainThread(trace);
        // From the first one's end to the last one's: before, hooks may still go in.
        const [from, to] = [truths[0]!, truths.at(-1)!].map(
          (truth) => truth.number('told') - Number(trace.info.startMonotonicNs),
        ) as [number, number];
        const methods = ['parse', 'render'].map((name) => methodNamed(trace, `sample.ShortMethods.${name}`));
        let [parsed, all, squares] = [0, 0, 0];
        for (let row = 0; row < intervals.count; row++) {
          if (intervals.begin[row]! < from || intervals.end[row]! > to) continue;
          const at = methods.findIndex((method) => pathHas(trace, intervals.path[row]!, method));
          if (at < 0) continue;
          const cpu = intervals.cpu[row]!;
          if (at === 0) parsed += cpu;
          all += cpu;
          squares += cpu * cpu;
        }
        const truly = (name: string) => truths.slice(1).reduce((sum, truth) => sum + truth.number(name), 0);
        const sum = truly('parse') + truly('render') + truly('between');
        // What the looks at the clock cost between them may count for either.
        const [least, most] = [truly('parse') / sum, (truly('parse') + truly('between')) / sum];
        // Six standard deviations of as many samples as there were. A busy machine has fewer, some of which stand for more.
        const chance = Math.sqrt(most * (1 - most) * squares) / all;
        assertBetween(parsed / all, least - 6 * chance, most + 6 * chance);
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
        const session = await record(app, everyWait);
        const truths = await app.more('monitor', 6);
        const trace = await stopped(session);
        for (const [wait, truth] of waitsWithin(
          waitsOf(trace, mainThread(trace), SampleKind.Monitor),
          truths,
        )) {
          assert.equal(trace.threads.find(({ index }) => index === wait.owner)?.tid, truth.number('owner'));
          assert.equal(wait.type, 'sample.Contention$Cache');
          assert.match(wait.stack, /^sample\.Contention\.enterCache < sample\.Contention\.round </);
        }
      });

      it('knows who released a contended monitor, and where', async () => {
        const app = await running({ engine, app: 'Contention', arguments: [0] });
        const session = await record(app, everyWait);
        const truths = await app.more('monitor', 6);
        const trace = await stopped(session);
        const { links } = trace;
        for (const [{ link }, truth] of waitsWithin(
          waitsOf(trace, mainThread(trace), SampleKind.Monitor),
          truths,
        )) {
          assert.ok(link >= 0, 'somebody released it');
          assert.equal(links.certainty[link], LinkCertainty.Observed);
          const waker = trace.threads.find(({ index }) => index === links.waker[link])!;
          assert.equal(waker.tid, truth.number('owner'));
          const stacks = Array.from({ length: waker.events.count }, (_, at) => at)
            .filter((at) => waker.events.kind[at] === SampleKind.MonitorRelease)
            .map((at) => stackOf(trace, waker.events.path[at]!));
          assert.equal(stacks.length, 1);
          assert.match(stacks[0]!, /^sample\.Contention\$Holder\.run </);
        }
      });

      it('links a wait to who notified, and a park to who unparked', async () => {
        let app = await running({ engine, app: 'WaitNotify', arguments: [0] });
        let session = await record(app, everyWait);
        let truths = await app.more('wait', 6);
        let trace = await stopped(session);
        const waits = waitsOf(trace, mainThread(trace), SampleKind.Wait);
        for (const [wait, truth] of waitsWithin(waits, truths)) {
          assert.equal(wait.type, 'sample.WaitNotify$Mailbox');
          assert.equal(wait.waker, truth.number('waker'));
        }
        await app.kill();

        app = await running({ engine, app: 'Parking', arguments: [0] });
        session = await record(app, everyWait);
        truths = await app.more('park', 6);
        trace = await stopped(session);
        const parks = waitsOf(trace, mainThread(trace), SampleKind.Park);
        for (const [begin, end] of [
          ['begin', 'entered'],
          ['entered', 'end'],
        ] as const)
          for (const [wait, truth] of waitsWithin(parks, truths, begin, end))
            assert.equal(wait.waker, truth.number('waker'));
      });

      it('tells sleeping from waiting', async () => {
        const app = await running({ engine, app: 'Jank', arguments: [0] });
        const session = await record(app, everyWait);
        await app.more('frame', 4);
        const trace = await stopped(session);
        const sleeps = waitsOf(trace, mainThread(trace), SampleKind.Sleep);
        assert.ok(sleeps.length >= 3);
        for (const sleep of sleeps) assert.match(sleep.stack, /^java\.lang\.Thread\.sleep /);
        assert.deepEqual(waitsOf(trace, mainThread(trace), SampleKind.Wait), []);
      });

      it('counts every allocation in a storm of many threads', async () => {
        const app = await running({ engine, app: 'Storm', arguments: [0, 8, 20_000] });
        const session = await record(app, everyWait);
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
        assert.equal(Math.max(...deep.map(({ length }) => length)), 4096);
        for (const stack of deep) {
          // Between two samples with different leaves the thread was in what both have in common.
          assertBetween(stack.length, 4094, 4096);
          assert.equal(stack.indexOf('sample.DeepStacks.descend'), stack.indexOf('sample.Cpu.burn') + 1);
          assert.equal(stack.at(-1), 'android.app.ActivityThread.main');
        }
      });

      it('samples waits in native code by the external sampler', async () => {
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
        // Pauses are shorter than any interval: each is captured only where there is none.
        const session = await record(app, { syncIntervalNs: 0, budgetPpm: 0 });
        // One may have begun before, and one that is asked for while another goes on may be the same.
        await app.more('gc', 10);
        const trace = await stopped(session);
        const pauses = trace.threads.flatMap((thread) => waitsOf(trace, thread, SampleKind.Gc));
        assert.ok(pauses.length >= 5, `${pauses.length} pauses`);
        assert.equal(trace.problems.length, 0);
      });

      it('shows which allocations waited for the collector', async () => {
        const app = await running({ engine, app: 'Storm', arguments: [0, 8, 100_000] });
        const session = await record(app, { budgetPpm: 0 });
        await app.more('allocations', 8);
        const trace = await stopped(session);
        const of = (kind: number) => trace.threads.flatMap((thread) => waitsOf(trace, thread, kind));
        const [pauses, waits] = [of(SampleKind.Gc), of(SampleKind.GcWait)];
        assert.ok(waits.length > 0, `none, and ${pauses.length} pauses`);
        // The main thread allocates, too: the threads that do nothing else.
        for (const { stack } of waits)
          assert.match(stack, /^sample\.Storm(?:\$Cloud\.rain|\.round) < |^java\.lang\./);
        const inRain = waits.filter(({ stack }) => stack.startsWith('sample.Storm$Cloud.rain'));
        assert.ok(inRain.length > waits.length / 2, `${inRain.length} of ${waits.length}`);
        // Within an interval of another one a pause of the collector has no row.
        const apart = waits.filter(
          (wait) => !pauses.some(({ begin, end }) => begin < wait.end && end > wait.begin),
        );
        assert.ok(apart.length <= 1 + waits.length / 20, `${apart.length} of ${waits.length}`);
      });

      it('records a launch from its first message', async () => {
        const door = await openDoor(() => app, everyWait);
        const app = start({
          engine,
          app: 'Startup',
          options: ['-Xplugin:libopenjdkjvmti.so', `-agentpath:${door.agent},wait=${waitLimitMs}`],
        });
        const session = await door.session();
        const end = await session.ended;
        assert.equal(end.reason, 'target-exited');
        assert.deepEqual(await app.ended, { code: 0, signal: null }, app.output());
        const trace = await traceOf(end.file);
        const main = mainThread(trace);
        const burnt = {
          onCreate: { 'sample.Startup.initCrashReporter': 10, 'sample.Startup.openDatabase': 20 },
          createActivity: { 'sample.Startup$CreateActivity.inflate': 24 },
          firstFrame: { 'sample.Startup$FirstFrame.draw': 10 },
        };
        // The agent's own, by which it holds the app until it is recorded, are none of the app's.
        for (const { stack } of waitsOf(trace, main, SampleKind.Sleep)) assert.match(stack, / < sample\./);
        // Which classes are sampled is a matter of time; those that are have their own name.
        for (const { type } of eventsOf(trace, main, SampleKind.ClassLoad)) assert.match(type, /^[\w.$]+$/);
        for (const [message, methods] of Object.entries(burnt)) {
          let sumMs = 0;
          for (const [name, ms] of Object.entries(methods)) {
            const cpuMs = cpuWithin(trace, main, methodNamed(trace, name)) / 1e6;
            assert.ok(cpuMs >= ms * 0.8, `${name}: ${cpuMs} ms`);
            sumMs += cpuMs;
          }
          // On a busy machine its clock may count more for a thread than it asks for.
          const truth = app.truths('message').find((one) => one.text('name') === message);
          const trulyMs = truth!.number('cpu') / 1e6;
          assert.ok(sumMs <= trulyMs * 1.2 + 1, `${message}: ${sumMs} ms, truly ${trulyMs}`);
        }
      });

      it('sees a library being loaded', async () => {
        const app = await running({ engine, app: 'NativeWaits', arguments: [0] });
        const session = await record(app, everyWait);
        await app.more('native', 3);
        const trace = await stopped(session);
        const loads = waitsOf(trace, mainThread(trace), SampleKind.LibraryLoad);
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
        await app.more('allocations', 100); // a round takes a millisecond, and hooks go in one after the other
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

/** By the external sampler, of all threads. */
function walksOf(session: Session): number {
  return session.status().costs.find(({ kind }) => kind === SampleKind.ExternalSampler)?.count ?? 0;
}
