/** An Android Runtime whose walk is not what its name says: the first walk of a stack that is known shows it, and nothing of the app is walked. */
import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { HookState } from '../../src/trace/model/kinds.js';
import { runtimeWhere } from '../rigs/art/hidden-runtime.js';
import { walkMarker } from '../rigs/art/record.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, withArt } from '../rigs/art/with-art.js';

/** Both take a visitor and a flag. The second visits nothing. */
const seesNothing = {
  name: '_ZN3art12StackVisitor9WalkStackILNS0_16CountTransitionsE0EEEvb',
  does: '_ZNK3art12StackVisitor8GetDexPcEb',
};

describe('the agent in an Android Runtime that walks otherwise', () => {
  const bench = withArt();

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
      assert.deepEqual(hooks, ['libart', 'notify', 'walk', 'outside']);
      assert.deepEqual(trace.threads, []);
      // Nothing was met in the middle of a walk: the next recording may try again.
      await assert.rejects(access(walkMarker('com.example.jank')), { code: 'ENOENT' });
      await app.more('frame', 2);
      assert.deepEqual(await app.quit(), { code: 0, signal: null }, app.output());
    });
});
