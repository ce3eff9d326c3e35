/** An app that does everything at once, recorded again and again and then for long: what CI does briefly and the soak at length. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { decodeRecording } from '../../../src/trace/build/decode.js';
import { recordApp, recordOptions } from './record.js';
import { type ArtApp, type ArtRuntime, type Engine, startApp } from './runtime.js';

export interface Endurance {
  readonly engine: Engine;
  readonly cycles: number;
  readonly loadMs: number;
  /** For the recordings; each is deleted when it has been looked at. */
  readonly folder: string;
}

/** The app's main thread storms on with 50 threads that allocate, and new ones each round. */
const storm = { app: 'Storm', arguments: [0, 50, 1000] } as const;

export async function endure(runtime: ArtRuntime, options: Endurance): Promise<void> {
  const app = startApp(runtime, { engine: options.engine, ...storm });
  try {
    await app.until(/^started /m);
    let early: Held | undefined;
    for (let cycle = 0; cycle < options.cycles; cycle++) {
      await recordFor(app, options, cycle, () => app.more('allocations', 1));
      if (cycle === Math.min(5, options.cycles >> 1)) early = await held(app);
    }
    if (early) assertNoMore(await held(app), early);
    if (options.loadMs > 0)
      await recordFor(app, options, options.cycles, () =>
        Promise.race([wait(options.loadMs), app.ended.then(() => assert.fail(app.output()))]),
      );
    if (early) assertNoMore(await held(app), early);
    assert.deepEqual(await app.quit(), { code: 0, signal: null }, app.output());
  } finally {
    await app.kill();
  }
}

async function recordFor(
  app: ArtApp,
  { engine, folder }: Endurance,
  number: number,
  during: () => Promise<unknown>,
): Promise<void> {
  const file = path.join(folder, `${engine}-${number}.btrace`);
  const session = await recordApp(app, recordOptions(file), AbortSignal.timeout(20_000));
  await during();
  const end = await session.stop();
  assert.equal(end.reason, 'stopped', end.message);
  // The long one has hundreds of MB.
  if ((await stat(file)).size < 10e6)
    assert.deepEqual(decodeRecording(await readFile(file)).trace().problems, []);
  await rm(file);
}

interface Held {
  readonly files: number;
  readonly agentThreads: number;
  readonly mappings: number;
  /** Private memory: the app's heap, which it keeps small, C's, and what the agent did not give back. */
  readonly bytes: number;
}

/** What the agent could leave behind, once its threads have gone. */
async function held(app: ArtApp): Promise<Held> {
  const agentThreads = () =>
    readdirSync(`/proc/${app.pid}/task`).filter((task) => {
      try {
        return readFileSync(`/proc/${app.pid}/task/${task}/comm`, 'utf8').startsWith('btrace');
      } catch {
        return false; // it has ended
      }
    }).length;
  for (let turn = 0; turn < 500 && agentThreads() > 0; turn++) await wait(10);
  return {
    files: readdirSync(`/proc/${app.pid}/fd`).length,
    agentThreads: agentThreads(),
    // The agent's memory is mapped in large pieces of its own: one that is not given back is at least a mapping more.
    mappings: readFileSync(`/proc/${app.pid}/maps`, 'utf8').split('\n').length,
    bytes: 1024 * Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${app.pid}/status`, 'utf8'))?.[1]),
  };
}

function assertNoMore(now: Held, early: Held): void {
  assert.equal(now.agentThreads, 0);
  assert.equal(now.files, early.files);
  // The app's own threads come and go with two mappings each.
  const room = 400;
  // The agent's part alone, by default 32 MB at most, does not fit in here.
  const bytes = 16e6;
  assert.ok(now.bytes <= early.bytes + bytes, `${early.bytes} bytes, then ${now.bytes}`);
  assert.ok(now.mappings <= early.mappings + room, `${early.mappings} mappings, then ${now.mappings}`);
}
