/** For a suite: the runtime, a folder for recordings, and apps that are gone when a test ends, whatever became of it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Trace } from '../../../src/trace/model/trace.js';
import type { RecordOptions, Session } from '../../../src/targets/target.js';
import { findMethod, traceOf } from './read-trace.js';
import { assertCpuWithinWall } from '../cpu-within-wall.js';
import { recordOptions } from '../record-options.js';
import { forgetWalks, openDoor, recordApp, type AgentDoor } from './record.js';
import { type AppOptions, type ArtApp, type ArtRuntime, artRuntime, startApp } from './runtime.js';

const patience = (): AbortSignal => AbortSignal.timeout(20_000);

export class ArtBench {
  runtime!: ArtRuntime;
  private readonly apps: ArtApp[] = [];
  private files = 0;
  folder = '';

  /** A name for the next recording. */
  readonly file = (): string => path.join(this.folder, `${++this.files}.btrace`);

  readonly start = (options: AppOptions, runtime = this.runtime): ArtApp => {
    const app = startApp(runtime, options);
    this.apps.push(app);
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
  readonly door = (app: () => ArtApp): Promise<AgentDoor> =>
    openDoor(recordOptions(this.file()), app, patience());

  async begin(): Promise<void> {
    this.runtime = await artRuntime();
    this.folder = await mkdtemp(path.join(tmpdir(), 'btrace-art-'));
  }

  async endTest(): Promise<void> {
    for (const app of this.apps.splice(0)) await app.kill();
    await forgetWalks(); // one may have been in the middle of one
  }

  async end(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** Registers the hooks; the bench can be used once the tests run. */
export function withArt(): ArtBench {
  const bench = new ArtBench();
  before(() => bench.begin());
  afterEach(() => bench.endTest());
  after(() => bench.end());
  return bench;
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
