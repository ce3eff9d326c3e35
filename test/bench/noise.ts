/**
 * npm run bench:noise [-- --quick]: how sure a comparison of two sets of runs is, on real recordings. A program is started 40 times, and 20 times
 * with a step that waits 10 ms longer. Sets of 10 are drawn from these: 200 pairs of equal sets, in which nothing is worse, and 20 pairs in
 * which the step is. Takes five minutes; with --quick, 12 and 6 starts and sets of 3, half of one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { launch } from '../../src/targets/local/launch.js';
import { compareRuns, type RunProblem } from '../../src/trace/compare/run-sets.js';
import { errorOfDifference, meanOf } from '../../src/trace/compare/student.js';
import { sumScope } from '../../src/trace/measure/sums.js';
import { wholeTrace } from '../../src/trace/measure/scope.js';
import { decodeRecording, type Trace } from '../../src/trace/index.js';
import { Random } from '../../src/trace/synth/random.js';
import { compile, mainJdk } from '../rigs/jvm/programs.js';
import { recordOptions } from '../rigs/record-options.js';
import { isQuick, say } from './figure.js';

const [equalStarts, worseStarts, setSize] = isQuick ? [12, 6, 3] : [40, 20, 10];
const [equalPairs, worsePairs] = isQuick ? [20, 5] : [200, 20];
const longerMs = 10;
const step = 'ShopStart.openConnection';

const folder = mkdtempSync(path.join(tmpdir(), 'btrace-bench-noise-'));
let files = 0;

async function started(longer: number): Promise<Trace> {
  const { session, exit } = await launch(
    [path.join(mainJdk().home, 'bin/java'), '-cp', compile('planted'), 'ShopStart', String(longer)],
    recordOptions(path.join(folder, `${(files += 1)}.btrace`)),
    {
      agentRoots: [root],
      run: async ({ args, env }) => {
        const child = spawn(args[0] ?? '', args.slice(1), { env, stdio: 'ignore' });
        const ended = once(child, 'exit').then(([code]) => Number(code));
        await once(child, 'spawn');
        return { exit: ended, kill: (signal) => void child.kill(signal) };
      },
    },
    AbortSignal.timeout(60_000),
  );
  const { file } = await session.ended;
  if ((await exit) !== 0) throw new Error('the program failed');
  return decodeRecording(readFileSync(file)).trace();
}

const random = new Random(7);

/** So many of them, each once, in random order. */
function drawn<One>(from: readonly One[], count: number): One[] {
  const left = [...from];
  return Array.from(
    { length: count },
    () => left.splice(Math.floor(random.next() * left.length), 1)[0] as One,
  );
}

const deviationOf = (values: readonly number[]): number =>
  errorOfDifference(values, []) * Math.sqrt(values.length);

/** How long the planted step took in a run. */
function stepNs(trace: Trace): number {
  const { paths, methods } = trace;
  const { wall } = sumScope(trace, wholeTrace, 'times').self;
  const isIn = new Uint8Array(paths.count);
  let sum = 0;
  for (let at = 1; at < paths.count; at++) {
    const isHere = methods.qualifiedName(paths.method[at] as number) === step;
    isIn[at] = isHere || isIn[paths.parent[at] as number] === 1 ? 1 : 0;
    if (isIn[at] === 1) sum += wall[at] as number;
  }
  return sum;
}

const isStep = ({ chain }: RunProblem): boolean => chain.includes(step);
const shown = ({ kind, chain, before, after, noise }: RunProblem): string =>
  `${kind} ${chain.join(' > ')}: ${before / 1e6} ms, then ${after / 1e6} ms ± ${noise / 1e6}`;

try {
  setPriority(-15);
} catch {
  console.log('bench noise: without the right to a higher priority, other programs make it noisier');
}
try {
  await started(0); // the machine reads the files of the JVM once
  const equal: Trace[] = [];
  const worse: Trace[] = [];
  const perWorse = equalStarts / worseStarts;
  // In turns: what the machine does meanwhile is the same for both.
  for (let at = 0; at < equalStarts; at++) {
    equal.push(await started(0));
    if ((at + 1) % perWorse === 0) worse.push(await started(longerMs));
  }
  const lengths = equal.map(({ beginNs, endNs }) => (endNs - beginNs) / 1e6);
  say('noise.load', loadavg()[0], 'processes');
  say('noise.start', meanOf(lengths), 'ms');
  say('noise.start-deviation', deviationOf(lengths), 'ms');

  for (const [name, runs] of [
    ['step', equal],
    ['step-planted', worse],
  ] as const) {
    const figures = runs.map((trace) => stepNs(trace) / 1e6);
    say(`noise.${name}`, meanOf(figures), 'ms');
    say(`noise.${name}-deviation`, deviationOf(figures), 'ms');
  }

  let alarms = 0;
  for (let pair = 0; pair < equalPairs; pair++) {
    const both = drawn(equal, setSize * 2);
    const { problems } = compareRuns(both.slice(0, setSize), both.slice(setSize));
    if (problems.length === 0) continue;
    alarms++;
    console.log(`  pair ${pair}: ${problems.map(shown).join('\n    ')}`);
  }
  say('noise.equal-pairs', equalPairs, 'pairs');
  say('noise.alarms', alarms, 'pairs', ['<=', 0]);

  let [found, others] = [0, 0];
  for (let pair = 0; pair < worsePairs; pair++) {
    const { problems } = compareRuns(drawn(equal, setSize), drawn(worse, setSize));
    if (problems.some(isStep)) found++;
    const beside = problems.filter((one) => !isStep(one) && !one.chain.at(-1)?.startsWith('ShopStart.main'));
    if (beside.length > 0) others++;
    for (const one of beside) console.log(`  beside the step: ${shown(one)}`);
  }
  say('noise.planted', longerMs, 'ms');
  say('noise.found', found / worsePairs, 'of 1', ['>=', 0.95]);
  say('noise.found-beside', others, 'pairs', ['<=', 0]);
} finally {
  rmSync(folder, { recursive: true });
}
