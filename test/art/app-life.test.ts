/** What happens to the app when something goes wrong: it goes on. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Trace } from '../../src/trace/model/trace.js';
import type { Session } from '../../src/targets/target.js';
import { traceOf } from '../rigs/art/read-trace.js';
import { forgetWalks, recordApp, recordOptions, walkMarker } from '../rigs/art/record.js';
import {
  type AppOptions,
  type ArtApp,
  type ArtRuntime,
  type Engine,
  artRuntime,
  engines,
  startApp,
} from '../rigs/art/runtime.js';

const failed = 3;

describe('an app that is recorded in the Android Runtime', () => {
  let runtime: ArtRuntime;
  let folder: string;
  let app: ArtApp;
  let recordings = 0;

  before(async () => {
    runtime = await artRuntime();
    folder = await mkdtemp(path.join(tmpdir(), 'btrace-art-life-'));
  });
  after(() => rm(folder, { recursive: true }));
  afterEach(async () => {
    await app.kill();
    await forgetWalks(); // it may have been in the middle of one
  });

  const patience = () => AbortSignal.timeout(20_000);
  const file = () => path.join(folder, `${++recordings}.btrace`);

  const running = async (options: AppOptions): Promise<ArtApp> => {
    app = startApp(runtime, options);
    await app.until(/^started /m);
    return app;
  };

  const record = () => recordApp(app, recordOptions(file()), patience());

  const stopped = async (session: Session): Promise<Trace> => {
    const end = await session.stop();
    assert.deepEqual([end.reason, end.message], ['stopped', '']);
    return traceOf(end.file);
  };

  for (const engine of Object.keys(engines) as Engine[]) {
    describe(`engine ${engine}`, () => {
      it('stops sampling, and not the app, when a walk meets a bad pointer', async () => {
        // Its own native does what CheckJNI ends an app for.
        await running({ engine, app: 'BadPointer', arguments: [0], checkJni: false });
        const session = await record();
        const end = await session.ended;
        assert.equal(end.reason, 'fault', app.output());
        assert.match(end.message, /the app goes on/);
        assert.ok(app.truths('planted').every((truth) => truth.number('places') > 0));
        await app.more('planted', 5);
        const again = await record();
        await app.more('planted', 5);
        const walk = (await stopped(again)).hooks.find((hook) => hook.name === 'walk');
        assert.equal(walk?.state, failed);
        assert.match(walk.why, /damaged memory/);
        assert.deepEqual(await app.quit(), { code: 0, signal: null }, app.output());
      });

      it('walks nothing in an app that ended in the middle of a walk the last time, and says so', async () => {
        await running({ engine, app: 'Jank', arguments: [0] });
        const marker = walkMarker('com.example.jank');
        let session = await record();
        await app.more('frame', 2);
        assert.equal((await readFile(marker)).length, 4);
        await app.kill();
        await session.ended;
        // Killed between two walks: that was not ours.
        await running({ engine, app: 'Jank', arguments: [0] });
        session = await record();
        await app.more('frame', 2);
        assert.ok((await stopped(session)).paths.count > 10);
        await assert.rejects(readFile(marker));

        await writeFile(marker, Uint8Array.of(1, 0, 0, 0));
        session = await record();
        await app.more('frame', 5);
        const trace = await stopped(session);
        const walk = trace.hooks.find((hook) => hook.name === 'walk');
        assert.equal(walk?.state, failed);
        assert.ok(walk.why.includes(marker), walk.why);
        assert.ok(trace.paths.count <= 1);
        await rm(marker);
      });

      it('lets the app go on when the desktop goes away', async () => {
        await running({ engine, app: 'Jank', arguments: [0] });
        const aborted = new AbortController();
        const session = await recordApp(app, recordOptions(file()), aborted.signal);
        await app.more('frame', 2);
        await session.cancel();
        await app.more('frame', 5);
        const again = await record();
        await app.more('frame', 2);
        await stopped(again);
        assert.deepEqual(await app.quit(), { code: 0, signal: null }, app.output());
      });
    });
  }
});
