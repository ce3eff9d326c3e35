/** What happens to the app when something goes wrong: it goes on. */
import assert from 'node:assert/strict';
import { copyFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { HookState, SampleKind } from '../../src/trace/model/kinds.js';
import { eventsOf, traceOf } from '../rigs/art/read-trace.js';
import { agentLibrary, walkMarker } from '../rigs/art/record.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { quitsWell, stopped, onEachArt } from '../rigs/art/with-art.js';
import { monotonicNs } from '../rigs/until.js';

onEachArt('an app that is recorded in the Android Runtime', (bench) => {
  const { running, record } = bench;

  for (const engine of Object.keys(engines) as Engine[]) {
    describe(`engine ${engine}`, () => {
      it('stops sampling, and not the app, when a walk meets a bad pointer', async () => {
        // Its own native does what CheckJNI ends an app for.
        const app = await running({ engine, app: 'BadPointer', arguments: [0], checkJni: false });
        const session = await record(app);
        const end = await session.ended;
        assert.equal(end.reason, 'fault', app.output());
        assert.match(end.message, /the app goes on/);
        assert.ok(app.truths('planted').every((truth) => truth.number('places') > 0));
        await app.more('planted', 5);
        const again = await record(app);
        await app.more('planted', 5);
        const walk = (await stopped(again)).hooks.find((hook) => hook.name === 'walk');
        assert.equal(walk?.state, HookState.Failed);
        assert.match(walk.why, /damaged memory/);
        await quitsWell(app);
      });

      it('walks nothing in an app that ended in the middle of a walk twice in a row, and says so', async () => {
        let app = await running({ engine, app: 'Jank', arguments: [0] });
        const marker = walkMarker('com.example.jank');
        let session = await record(app);
        await app.more('frame', 2);
        assert.equal((await readFile(marker)).length, 8);
        await app.kill();
        await session.ended;
        // Killed between two walks: that was not ours.
        app = await running({ engine, app: 'Jank', arguments: [0] });
        session = await record(app);
        await app.more('frame', 2);
        assert.ok((await stopped(session)).paths.count > 10);
        await assert.rejects(readFile(marker));

        // Killed in a walk, as it may happen to anybody.
        session = await record(app);
        await app.more('frame', 2);
        await app.kill(1);
        await session.ended;
        app = await running({ engine, app: 'Jank', arguments: [0] });
        session = await record(app);
        await app.more('frame', 2);
        // And again.
        await app.kill(1);
        const second = await traceOf((await session.ended).file);
        assert.equal(second.hooks.find((hook) => hook.name === 'walk')?.state, HookState.Installed);
        app = await running({ engine, app: 'Jank', arguments: [0] });
        session = await record(app);
        await app.more('frame', 5);
        const trace = await stopped(session);
        const walk = trace.hooks.find((hook) => hook.name === 'walk');
        assert.equal(walk?.state, HookState.Failed);
        assert.ok(walk.why.includes(marker), walk.why);
        assert.ok(trace.paths.count <= 1);
        await rm(marker);
      });

      it('leaves allocations and collections to who listens to them already', async () => {
        const app = await running({ engine, app: 'Storm', arguments: [0, 4, 5000] });
        const first = await record(app);
        // Another profiler in the same app: a second copy of the agent is one.
        const copy = path.join(bench.folder, 'libother.so');
        await copyFile(agentLibrary, copy);
        const door = await bench.door(() => app);
        app.system(`attach-agent ${door.agent.replace(agentLibrary, copy)}`);
        const second = await door.session();
        await app.more('allocations', 3);
        const other = await stopped(second);
        for (const name of ['allocation', 'gc']) {
          const hook = other.hooks.find((each) => each.name === name);
          assert.deepEqual([hook?.state, hook?.why], [HookState.Failed, 'somebody else listens in this app']);
        }
        const since = monotonicNs();
        await app.more('allocations', 3);
        const trace = await stopped(first);
        // Each new thread's first allocation is captured.
        const late = trace.threads.filter(
          ({ beginNs }) => beginNs > since - Number(trace.info.startMonotonicNs),
        );
        const types = late.flatMap((thread) => eventsOf(trace, thread, SampleKind.Allocation));
        assert.ok(types.some(({ type }) => type === 'sample.Storm$Droplet'));
        await app.more('allocations', 1);
        await quitsWell(app);
      });

      it('finds the main thread in an app whose threads come and go', async () => {
        const app = await running({ engine, app: 'Storm', arguments: [0, 8, 1] });
        await app.more('allocations', 20);
        const session = await record(app);
        await app.more('allocations', 3);
        const gc = (await stopped(session)).hooks.find((hook) => hook.name === 'gc');
        assert.equal(gc?.state, HookState.Removed, gc?.why);
        await quitsWell(app);
      });

      it('lets the app go on when its recording is given up', async () => {
        const app = await running({ engine, app: 'Jank', arguments: [0] });
        const session = await record(app);
        await app.more('frame', 2);
        await session.cancel();
        await app.more('frame', 5);
        const again = await record(app);
        await app.more('frame', 2);
        await stopped(again);
        await quitsWell(app);
      });
    });
  }
});
