// The agent's cost in the real Android Runtime, against ART's own profilers in the same run: npm run bench:art -- [--quick]
// One line a figure (figure.ts); ratios come from one run, so they travel between machines.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { words } from '../../scripts/words.mjs';
import { decodeRecording } from '../../src/trace/assemble/decode.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import type { RecordOptions } from '../../src/targets/target.js';
import { recordApp } from '../rigs/art/record.js';
import { recordOptions } from '../rigs/record-options.js';
import { isQuick, say } from './figure.js';
import {
  type ArtApp,
  type ArtRuntime,
  type Engine,
  artRuntime,
  engines,
  startApp,
} from '../rigs/art/runtime.js';

const build = path.join(root, 'build/native/host');

/** What each figure must not exceed. */
const targets: Record<string, number> = {
  'record-interpreter': 2, // shadow frames: the walk itself is four times faster there
  'record-quick': 1.3,
  'allocation-gate-closed-interpreter': 40,
  'allocation-gate-closed-quick': 40,
  'share-of-tracing-interpreter': 0.2,
  'share-of-tracing-quick': 0.2,
  'share-of-sampling-interpreter': 1,
  'share-of-sampling-quick': 1,
  'spent-share-of-sampling-interpreter': 1,
  'spent-share-of-sampling-quick': 1,
};

function report(name: string, value: number, unit: string): void {
  const most = targets[name];
  say(`art.${name}`, value, unit, most === undefined ? undefined : ['<=', most]);
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

function compile(): void {
  execFileSync('cmake', ['--preset', 'host', '-S', path.join(root, 'native-agent')], {
    cwd: root,
    stdio: 'ignore',
  });
  for (const target of ['btrace-agent', 'btrace-bench-art'])
    execFileSync(
      'cmake',
      ['--build', build, '--target', target, '--parallel', String(availableParallelism())],
      {
        stdio: 'ignore',
      },
    );
}

/** Inside the runtime: one walk, one capture, one allocation at a time. */
async function captures(runtime: ArtRuntime, engine: Engine): Promise<void> {
  const library = path.join(build, 'libbtrace-bench-art.so');
  const app = startApp(runtime, { engine, app: 'Bench', arguments: [1, library, isQuick ? 40 : 300] });
  const end = await app.ended;
  if (end.code !== 0)
    throw new Error(`The app of the bench ended with ${end.code ?? end.signal}:\n${app.output()}`);
  for (const [, name = '', value = '', unit = ''] of app.output().matchAll(/^measured (\S+) (\S+) (\S+)$/gm))
    report(`${name}-${engine}`, Number(value), unit);
}

/** CPU time of the app's threads so far, in ns; those of the agent and of ART's profilers are among them. */
function cpuOf(app: ArtApp, name = ''): number {
  let sum = 0;
  for (const task of readdirSync(`/proc/${app.pid}/task`)) {
    const of = (file: string) => readFileSync(`/proc/${app.pid}/task/${task}/${file}`, 'utf8');
    try {
      if (of('comm').startsWith(name)) sum += Number(of('schedstat').split(' ')[0]);
    } catch (error) {
      // One of the session before, that has just ended.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return sum;
}

interface Cost {
  /** CPU time a round of the app's work takes, with everything that runs in its process. */
  readonly round: number;
  /** Share of it that is spent on the profiling. */
  readonly spent: number;
}

/** `profiler`: what the names of the profiler's threads begin with. */
async function cost(app: ArtApp, rounds: number, profiler: string): Promise<Cost> {
  await app.more('work', 1);
  const [begin, beginSpent] = [cpuOf(app), cpuOf(app, profiler)];
  const done = await app.more('work', rounds);
  const taken = cpuOf(app) - begin;
  return { round: taken / done.length, spent: (cpuOf(app, profiler) - beginSpent) / taken };
}

/** Share of the process's CPU time that captures at points took in the app's own threads, as the agent has it. */
function spentAtPoints({ status }: Trace): number {
  if (!status) throw new Error('The agent did not tell what captures cost.');
  const atPoints = status.costs.filter(({ kind }) => kind !== SampleKind.ExternalSampler);
  return atPoints.reduce((sum, { totalNs }) => sum + totalNs, 0) / status.processCpuNs;
}

const agentThreads = 'btrace';
const samplingThread = 'Sampling Profil'; // as much of its name as the kernel keeps

/**
 * The same app plain, recorded, and under ART's two profilers, in turns; what each adds to a round's CPU time. "Equal rate": a
 * sample each millisecond, on both sides and without the budget that would hold ours back. What a round takes swings by more than a
 * sampler adds; what is spent in the samplers' own threads, and in ours at points, does not.
 */
async function slowdowns(runtime: ArtRuntime, engine: Engine): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const app = startApp(runtime, { engine, app: 'Steady', arguments: [0] });
  const patience = () => AbortSignal.timeout(30_000);
  const rounds = isQuick ? 50 : 300;
  type How = 'recording' | 'recordingEachMs' | 'sampling' | 'tracing';
  const each = (): Record<How, number[]> => ({
    recording: [],
    recordingEachMs: [],
    sampling: [],
    tracing: [],
  });
  const [added, spent] = [each(), each()];
  const bytes: number[] = [];
  let files = 0;
  const recorded = async (options: Partial<RecordOptions>): Promise<Cost> => {
    const file = path.join(folder, `${++files}.btrace`);
    const session = await recordApp(app, recordOptions(file, options), patience());
    const during = await cost(app, rounds, agentThreads);
    await session.stop();
    const content = readFileSync(file);
    const trace = decodeRecording(content).trace();
    const samples = trace.threads.reduce((sum, thread) => sum + thread.intervals.count, 0);
    bytes.push(content.length / samples);
    return { ...during, spent: during.spent + spentAtPoints(trace) };
  };
  const profiled = async (intervalUs: number, rounds: number): Promise<Cost> => {
    app.system(`profile start ${path.join(folder, `${++files}.trace`)} ${intervalUs}`);
    const during = await cost(app, rounds, samplingThread);
    app.system('profile stop');
    return during;
  };
  try {
    await app.until(/^started /m);
    const bare = async () => (await cost(app, rounds, agentThreads)).round;
    await bare();
    for (let turn = 0; turn < (isQuick ? 1 : 7); turn++) {
      const before = await bare();
      const during = {
        recording: await recorded({}),
        recordingEachMs: await recorded({ budgetPpm: 0, asyncIntervalNs: 1_000_000 }),
        sampling: await profiled(1000, rounds),
        tracing: await profiled(0, Math.ceil(rounds / 30)), // some fifty times slower
      };
      const plain = (before + (await bare())) / 2;
      for (const [how, taken] of Object.entries(during) as [How, Cost][]) {
        added[how].push(taken.round / plain - 1);
        spent[how].push(taken.spent);
      }
    }
  } finally {
    await app.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  const percent = (values: number[]) => median(values) * 100;
  report(`slowdown-recording-${engine}`, percent(added.recording), '%');
  report(`slowdown-recording-each-ms-${engine}`, percent(added.recordingEachMs), '%');
  report(`slowdown-sampling-${engine}`, percent(added.sampling), '%');
  report(`slowdown-tracing-${engine}`, percent(added.tracing), '%');
  report(`share-of-sampling-${engine}`, median(added.recordingEachMs) / median(added.sampling), 'x');
  report(`spent-recording-${engine}`, percent(spent.recording), '%');
  report(`spent-recording-each-ms-${engine}`, percent(spent.recordingEachMs), '%');
  report(`spent-sampling-${engine}`, percent(spent.sampling), '%');
  report(`spent-share-of-sampling-${engine}`, median(spent.recordingEachMs) / median(spent.sampling), 'x');
  report(`share-of-tracing-${engine}`, median(added.recording) / median(added.tracing), 'x');
  report(`bytes-a-sample-${engine}`, median(bytes), 'bytes');
}

const crowdThreads = 64;

/** Threads that all work, far more than there are processors: how often each is seen, and the agent's share of the CPU time. */
async function crowd(runtime: ArtRuntime, engine: Engine): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const app = startApp(runtime, { engine, app: 'Crowd', arguments: [0, crowdThreads] });
  try {
    await app.until(/^started /m);
    const options = recordOptions(path.join(folder, 'crowd.btrace'));
    const session = await recordApp(app, options, AbortSignal.timeout(60_000));
    const begin = cpuOf(app);
    const agent = cpuOf(app, agentThreads);
    await app.more('crowd', isQuick ? 30 : 200);
    report(`crowd-cost-${engine}`, ((cpuOf(app, agentThreads) - agent) / (cpuOf(app) - begin)) * 100, '%');
    const { file } = await session.stop();
    const trace = decodeRecording(readFileSync(file)).trace();
    const counts = trace.threads
      .filter(({ name, sampleCount }) => name.startsWith('one-') && sampleCount > 0)
      .map(({ sampleCount }) => sampleCount);
    report(`crowd-unseen-${engine}`, crowdThreads - counts.length, 'threads');
    // One that was never seen is not in the recording: its interval is at least as long as that.
    while (counts.length < crowdThreads) counts.push(1);
    report(`crowd-interval-${engine}`, trace.endNs / 1e6 / median(counts), 'ms');
    report(`crowd-longest-interval-${engine}`, trace.endNs / 1e6 / Math.min(...counts), 'ms');
  } finally {
    await app.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

words(import.meta.url, { flags: ['quick'] });
compile();
const runtime = await artRuntime();
for (const engine of Object.keys(engines) as Engine[]) {
  await captures(runtime, engine);
  await slowdowns(runtime, engine);
  await crowd(runtime, engine);
}
