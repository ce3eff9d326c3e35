/**
 * npm run soak -- art: what is hard for an agent, done to each Android Runtime on each engine while it is recorded as densely as can be,
 * started and stopped over and over. What must hold is that the app never notices. A failure leaves its recording and the
 * app's output in artefacts/.
 */
import assert from 'node:assert/strict';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import type { Session } from '../../src/targets/target.js';
import { traceOf } from '../rigs/art/read-trace.js';
import { type ArtApp, type Engine, engines } from '../rigs/art/runtime.js';
import { quitsWell, onEachArt } from '../rigs/art/with-art.js';

const seconds = Number(process.env['BTRACE_STORM_SECONDS'] ?? 2);
const apps = path.join(root, 'test/rigs/art/dex/apps.dex');

interface Storm {
  readonly name: string;
  readonly app: string;
  readonly arguments: readonly (string | number)[];
  /** What the app tells each round. */
  readonly truth: string;
  /** Where walks are so deep that the app would come to nothing else. */
  readonly syncIntervalNs?: number;
  /** How the app ends while it is recorded; default: it is asked to after the last recording. */
  readonly end?: 'exits' | 'is killed';
}

const plugins = [apps, 'sample.PluginA', apps, 'sample.PluginB'];
const storms: readonly Storm[] = [
  { name: 'allocation', app: 'Storm', arguments: [0, 16, 20_000], truth: 'allocations' },
  { name: 'class loading', app: 'Plugins', arguments: [0, ...plugins], truth: 'plugin' },
  { name: 'thread churn', app: 'Storm', arguments: [0, 50, 20], truth: 'allocations' },
  { name: 'threads of native code', app: 'Visitors', arguments: [0, 50], truth: 'round' },
  { name: 'collections', app: 'GcPressure', arguments: [0], truth: 'gc' },
  { name: 'stack overflow', app: 'Overflow', arguments: [0], truth: 'overflow', syncIntervalNs: 20_000_000 },
  { name: 'exit while recording', app: 'Storm', arguments: [0, 8, 2000], truth: 'allocations', end: 'exits' },
  { name: 'kill -9', app: 'Storm', arguments: [0, 8, 2000], truth: 'allocations', end: 'is killed' },
];

/** Each interval is as short as it may be, and no budget widens it. */
const dense = { syncIntervalNs: 0, asyncIntervalNs: 1_000_000, budgetPpm: 0 };

onEachArt('a storm in the Android Runtime', (bench) => {
  const left: { app?: ArtApp; session?: Session; file?: string } = {};

  afterEach(async function () {
    if (!this.currentTest?.isFailed()) return;
    const name = this.currentTest.fullTitle().replace(/\W+/g, '-');
    await mkdir(path.join(root, 'artefacts'), { recursive: true });
    await writeFile(path.join(root, `artefacts/${name}.txt`), left.app?.output() ?? '');
    if (left.file)
      await copyFile(left.file, path.join(root, `artefacts/${name}.btrace`)).catch(() => undefined);
  });

  /** What was written is a recording, whatever became of the app. */
  async function ended(
    session: Session,
    end: ReturnType<Session['stop']>,
    reasons: readonly string[],
  ): Promise<void> {
    const { reason, message, file } = await end;
    left.file = file;
    assert.ok(reasons.includes(reason), `${reason}: ${message}`);
    for (const { name, why, state } of session.status().hooks)
      assert.ok(!/damage|fault/.test(why), `${name} (${state}): ${why}`);
    if (session.status().fileBytes < 10e6) assert.deepEqual((await traceOf(file)).problems, []);
  }

  for (const engine of Object.keys(engines) as Engine[])
    for (const storm of storms)
      it(`of ${storm.name} goes on as if nobody recorded it (${engine})`, async function () {
        this.timeout(60_000 + seconds * 10_000);
        const until = performance.now() + seconds * 1000;
        do {
          const app = (left.app = await bench.running({
            engine,
            app: storm.app,
            arguments: storm.arguments,
          }));
          do {
            const session = await bench.record(app, {
              ...dense,
              ...(storm.syncIntervalNs !== undefined && { syncIntervalNs: storm.syncIntervalNs }),
            });
            await app.more(storm.truth, 2);
            if (!storm.end) {
              await ended(session, session.stop(), ['stopped']);
              continue;
            }
            const end = storm.end === 'exits' ? await app.quit() : await app.kill();
            assert.deepEqual(
              end,
              storm.end === 'exits' ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
            );
            await ended(session, session.ended, ['target-exited', 'connection-lost']);
          } while (!storm.end && performance.now() < until);
          if (!storm.end) {
            await app.more(storm.truth, 2);
            await quitsWell(app);
          }
        } while (storm.end && performance.now() < until);
      });
});
