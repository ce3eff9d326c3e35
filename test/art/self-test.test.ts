/** An Android Runtime whose walk is not what its name says: the first walk of a stack that is known shows it, and nothing of the app is walked. */
import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { HookState, SampleKind } from '../../src/trace/model/kinds.js';
import { runtimeWhere } from '../rigs/art/hidden-runtime.js';
import { walkMarker } from '../rigs/art/record.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { onArtPairs, onEachArt, quitsWell, stopped } from '../rigs/art/with-art.js';

/** Both take a visitor and a flag. The second visits nothing. */
const seesNothing = {
  name: '_ZN3art12StackVisitor9WalkStackILNS0_16CountTransitionsE0EEEvb',
  does: '_ZNK3art12StackVisitor8GetDexPcEb',
};

onEachArt('the agent in an Android Runtime that walks otherwise', (bench) => {
  for (const engine of Object.keys(engines) as Engine[])
    it(`walks nothing but a stack that is known, says so, and leaves the app as it was (${engine})`, async () => {
      const runtime = await runtimeWhere(seesNothing, bench.runtime, bench.folder);
      const app = await bench.running({ engine, app: 'Jank', arguments: [0] }, runtime);
      const session = await bench.record(app);
      await app.more('frame', 5);
      const trace = await stopped(session);
      const walk = trace.hooks.find(({ name }) => name === 'walk');
      assert.deepEqual(
        [walk?.state, walk?.why],
        [HookState.Failed, 'a stack that is known was not walked as it stands'],
      );
      // What captures is not even put in.
      const hooks = trace.hooks.map(({ name }) => name);
      assert.deepEqual(hooks, ['libart', 'notify', 'walk', 'external sampler']);
      assert.deepEqual(trace.threads, []);
      // Nothing was met in the middle of a walk: the next recording may try again.
      await assert.rejects(access(walkMarker('com.example.jank')), { code: 'ENOENT' });
      await app.more('frame', 2);
      await quitsWell(app);
    });
});

/** Each takes a listener, which the second gives another place: it is called when something else happens. */
const listeners = {
  allocation: {
    name: '_ZN3art2gc4Heap21SetAllocationListenerEPNS0_18AllocationListenerE',
    does: '_ZN3art2gc4Heap18SetGcPauseListenerEPNS0_15GcPauseListenerE',
  },
  monitor: {
    name: '_ZN3art16RuntimeCallbacks18AddMonitorCallbackEPNS_15MonitorCallbackE',
    does: '_ZN3art16RuntimeCallbacks15AddParkCallbackEPNS_12ParkCallbackE',
  },
  park: {
    name: '_ZN3art16RuntimeCallbacks15AddParkCallbackEPNS_12ParkCallbackE',
    does: '_ZN3art16RuntimeCallbacks18AddMonitorCallbackEPNS_15MonitorCallbackE',
  },
  'class load': {
    name: '_ZN3art16RuntimeCallbacks20AddClassLoadCallbackEPNS_17ClassLoadCallbackE',
    does: '_ZN3art16RuntimeCallbacks18AddMonitorCallbackEPNS_15MonitorCallbackE',
  },
  threads: {
    name: '_ZN3art16RuntimeCallbacks26AddThreadLifecycleCallbackEPNS_23ThreadLifecycleCallbackE',
    does: '_ZN3art16RuntimeCallbacks18AddMonitorCallbackEPNS_15MonitorCallbackE',
  },
};

onArtPairs('the agent in an Android Runtime that calls listeners otherwise', (bench) => {
  for (const [hook, swapped] of Object.entries(listeners))
    it(`does not believe what is told at the point *${hook}*, says so, and records without`, async () => {
      const runtime = await runtimeWhere(swapped, bench.runtime, bench.folder);
      const app = await bench.running({ engine: 'quick', app: 'Jank', arguments: [0] }, runtime);
      const session = await bench.record(app);
      await app.more('frame', 5);
      const trace = await stopped(session);
      const told = trace.hooks.find(({ name }) => name === hook);
      assert.equal(told?.state, HookState.Failed);
      assert.match(told.why, /^this ART does not (call it|tell the listener of an allocation) as it should$/);
      // No other is lost by it, but the one whose place it took.
      const failed = trace.hooks.filter(({ state }) => state === HookState.Failed).map(({ name }) => name);
      assert.deepEqual(failed, hook === 'allocation' ? [hook, 'gc'] : [hook]);
      assert.ok(trace.paths.count > 0);
      await app.more('frame', 2);
      await quitsWell(app);
    });

  it('does not take for pauses what comes while threads run, and says so', async () => {
    const { name, does } = listeners.allocation;
    const runtime = await runtimeWhere({ name: does, does: name }, bench.runtime, bench.folder);
    const app = await bench.running({ engine: 'quick', app: 'Jank', arguments: [0] }, runtime);
    const session = await bench.record(app, { kinds: [SampleKind.Gc, SampleKind.Message] });
    await app.more('frame', 5);
    const trace = await stopped(session);
    const told = trace.hooks.find((hook) => hook.name === 'gc');
    assert.deepEqual(
      [told?.state, told?.why],
      [HookState.Failed, 'what this ART tells the listener of are no pauses'],
    );
    await quitsWell(app);
  });
});

onEachArt('the agent in an Android Runtime as it is', (bench) => {
  it('believes each of its listeners', async () => {
    const app = await bench.running({ engine: 'quick', app: 'Jank', arguments: [0] });
    for (let times = 0; times < 2; times++) {
      const session = await bench.record(app);
      await app.more('frame', 5);
      const states = (await stopped(session)).hooks.filter(({ name }) => name in listeners || name === 'gc');
      assert.equal(states.length, 6);
      for (const { name, state, why } of states) assert.equal(state, HookState.Removed, `${name}: ${why}`);
    }
    await quitsWell(app);
  });
});
