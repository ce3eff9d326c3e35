/** For a suite: the runtime, a folder for recordings, and apps that are gone when a test ends, whatever became of it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Trace } from '../../../src/trace/model/trace.js';
import type { RecordOptions, Session } from '../../../src/targets/target.js';
import { keepPairs } from './pairs.js';
import { findMethod, traceOf } from './read-trace.js';
import { assertCpuWithinWall } from '../cpu-within-wall.js';
import { recordOptions } from '../record-options.js';
import { waitLimitMs } from '../wait-limit.js';
import { forgetWalks, openDoor, recordApp, type AgentDoor } from './record.js';
import {
  type Android,
  androids,
  type AppOptions,
  type ArtApp,
  type ArtRuntime,
  artRuntime,
  startApp,
} from './runtime.js';
import { strictly } from '../kinds.js';

const patience = (): AbortSignal => AbortSignal.timeout(waitLimitMs);

export class ArtBench {
  runtime!: ArtRuntime;

  constructor(readonly android: Android) {}

  readonly #apps: ArtApp[] = [];
  #files = 0;
  folder = '';

  /** A name for the next recording. */
  readonly file = (): string => path.join(this.folder, `${++this.#files}.btrace`);

  readonly start = (options: AppOptions, runtime = this.runtime): ArtApp => {
    const app = startApp(runtime, options);
    this.#apps.push(app);
    return app;
  };

  /** Once it does what it is there for. */
  readonly running = async (options: AppOptions, runtime = this.runtime): Promise<ArtApp> => {
    const app = this.start(options, runtime);
    await app.until(/^started /m);
    return app;
  };

  readonly record = (app: ArtApp, changes: Partial<RecordOptions> = {}): Promise<Session> =>
    recordApp(app, recordOptions(this.file(), changes), patience());

  /** For an app that is launched with the agent. */
  readonly door = (app: () => ArtApp, changes: Partial<RecordOptions> = {}): Promise<AgentDoor> =>
    openDoor(recordOptions(this.file(), changes), app, patience());

  async begin(): Promise<void> {
    this.runtime = await artRuntime(this.android);
    this.folder = await mkdtemp(path.join(tmpdir(), 'btrace-art-'));
  }

  async endTest(): Promise<void> {
    for (const app of this.#apps.splice(0)) await app.kill();
    await forgetWalks(); // one may have been in the middle of one
  }

  async end(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** A suite that runs on each Android Runtime there is. `suite` registers its tests; the bench can be used once they run. */
export function onEachArt(title: string, suite: (bench: ArtBench) => void): Mocha.Suite[] {
  return androids.map((android) =>
    describe(`${title} (Android ${android})`, () => {
      const bench = new ArtBench(android);
      before(() => bench.begin());
      afterEach(() => bench.endTest());
      after(() => bench.end());
      suite(bench);
    }),
  );
}

/** The same, with one engine on each: for what depends on the engine or the runtime, and not on both at once. */
export function onArtPairs(title: string, suite: (bench: ArtBench) => void): void {
  for (const [at, registered] of onEachArt(title, suite).entries())
    keepPairs(registered, androids[at]!, true);
}

/** Ends an app as it ends itself. Whatever was in it, it must not crash: the message shows how it ended and what it said. */
export async function quitsWell(app: ArtApp): Promise<void> {
  const { code, signal } = await app.quit();
  strictly('harm', () => {
    assert.equal(code, 0, `the app ended with ${signal ?? `code ${code}`}:\n${app.output()}`);
  });
}

/** Ends a recording in order, and reads it. What holds of each is asked of it. */
export async function stopped(session: Session): Promise<Trace> {
  const end = await session.stop();
  assert.deepEqual([end.reason, end.message], ['stopped', '']);
  const trace = await traceOf(end.file);
  assertCpuWithinWall(trace);
  // ART's own trampolines are no methods.
  assert.equal(findMethod(trace, '<runtime method>'), -1);
  return trace;
}
