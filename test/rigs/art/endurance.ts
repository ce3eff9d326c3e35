/** An app that does everything at once, recorded again and again and then for long: what CI does briefly and the soak at length. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { traceOf } from './read-trace.js';
import type { ArtApp, Engine } from './runtime.js';
import { type ArtBench, quitsWell } from './with-art.js';
import { anyMoment, until } from '../until.js';

export interface Endurance {
  readonly engine: Engine;
  readonly cycles: number;
  readonly loadMs: number;
}

/** The app's main thread storms on with 50 threads that allocate, and new ones each round. */
const storm = { app: 'Storm', arguments: [0, 50, 1000] } as const;

export async function endure(bench: ArtBench, { engine, cycles, loadMs }: Endurance): Promise<void> {
  const app = await bench.running({ engine, ...storm });
  let early: Held | undefined;
  for (let cycle = 0; cycle < cycles; cycle++) {
    await recordFor(bench, app, () => app.more('allocations', 1));
    if (cycle === Math.min(5, cycles >> 1)) early = await held(app);
  }
  if (early) assertNoMore(await held(app), early);
  if (loadMs > 0)
    await recordFor(bench, app, () =>
      Promise.race([anyMoment(loadMs), app.ended.then(() => assert.fail(app.output()))]),
    );
  if (early) assertNoMore(await held(app), early);
  await quitsWell(app);
}

async function recordFor(bench: ArtBench, app: ArtApp, during: () => Promise<unknown>): Promise<void> {
  const session = await bench.record(app);
  // What is looked for afterwards can be seen.
  assert.ok(agentThreads(app) > 0);
  await during();
  const end = await session.stop();
  assert.equal(end.reason, 'stopped', end.message);
  // A minute under load has 40 MB, which take GB to decode: of that one it is asked that it ended in order.
  if ((await stat(end.file)).size < 10e6) assert.deepEqual((await traceOf(end.file)).problems, []);
  await rm(end.file);
}

interface Held {
  readonly files: number;
  readonly agentThreads: number;
  readonly mappings: number;
  /** Private memory: C's heap, and what the agent did not give back. Without the runtime's own heap, which grows as it likes. */
  readonly bytes: number;
}

/** By the name that the agent gives them. */
function agentThreads({ pid }: ArtApp): number {
  return readdirSync(`/proc/${pid}/task`).filter((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').startsWith('btrace');
    } catch {
      return false; // it has ended
    }
  }).length;
}

/** What the agent could leave behind, once its threads have gone. */
async function held(app: ArtApp): Promise<Held> {
  await until('the agent’s threads end', () => agentThreads(app) === 0);
  return {
    files: readdirSync(`/proc/${app.pid}/fd`).length,
    agentThreads: agentThreads(app),
    // The agent's memory is mapped in large pieces of its own: one that is not given back is at least a mapping more.
    mappings: readFileSync(`/proc/${app.pid}/maps`, 'utf8').split('\n').length,
    bytes: privateBytes(app),
  };
}

/** Above 4 GB: below lies ART's heap, whose references have 32 bits. */
function privateBytes({ pid }: ArtApp): number {
  let isAbove = false;
  let kB = 0;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const begin = /^([\da-f]+)-/.exec(line)?.[1];
    if (begin !== undefined) isAbove = Number.parseInt(begin, 16) >= 2 ** 32;
    else if (isAbove && line.startsWith('Anonymous:')) kB += Number(/\d+/.exec(line)?.[0]);
  }
  return 1024 * kB;
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
