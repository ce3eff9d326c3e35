/**
 * npm run bench:lags: what the lag watch costs a JVM program that handles 60 messages a second, and how large its files are. Modes take turns,
 * because the machine's speed changes more than the watch costs. CPU time is the kernel's, of each thread; "own threads" are the agent's.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { buildInApp, inAppJar } from '../../scripts/build-in-app.mjs';
import { root } from '../../scripts/setup.mjs';
import { mainJdk } from '../rigs/jvm/programs.js';

const modes = [
  ['not watched', -1],
  ['watched, no stacks', 0],
  ['watched, a stack each 50 ms', 50],
] as const;
const rounds = process.argv.includes('--quick') ? 1 : 4;
const settleMs = 4000;
const measuredMs = 10_000;

interface Use {
  readonly cpuNs: number;
  /** How often it has gone to sleep. */
  readonly sleeps: number;
}

/** Of each thread that the agent has, by its name, and of all threads together as "process". */
function useOf(pid: number): Map<string, Use> {
  const uses = new Map<string, Use>();
  const add = (name: string, cpuNs: number, sleeps: number) => {
    const before = uses.get(name);
    uses.set(name, { cpuNs: cpuNs + (before?.cpuNs ?? 0), sleeps: sleeps + (before?.sleeps ?? 0) });
  };
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const read = (what: string) => readFileSync(`/proc/${pid}/task/${tid}/${what}`, 'utf8');
    try {
      const cpuNs = Number(read('schedstat').split(' ')[0]);
      const sleeps = Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(read('status'))?.[1]);
      const name = read('comm').trim();
      add('process', cpuNs, sleeps);
      if (!name.startsWith('btrace')) continue;
      add('own threads', cpuNs, sleeps);
      add(name, cpuNs, sleeps);
    } catch {
      // It has ended.
    }
  }
  return uses;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const folder = mkdtempSync(path.join(tmpdir(), 'btrace-bench-lags-'));
try {
  const failed = await buildInApp();
  if (failed !== undefined) throw new Error(failed);
  const jdk = path.join(mainJdk().home, 'bin');
  const sources = ['Watched', 'Worker'].map((name) => path.join(root, `test/rigs/jvm/in-app/${name}.java`));
  execFileSync(path.join(jdk, 'javac'), ['-cp', inAppJar, '-d', folder, ...sources]);
  const agent = path.join(root, 'build/native/host/libbtrace-agent.so');
  const start = async (stackMs: number, threadsBeside: number) => {
    const args = ['-cp', `${inAppJar}:${folder}`, 'Watched', agent, folder, `${stackMs}`, `${threadsBeside}`];
    const child = spawn(path.join(jdk, 'java'), args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface(child.stdout);
    await once(lines, 'line');
    await delay(settleMs);
    const end = async () => {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    };
    return { child, lines, end };
  };

  const figures = modes.map(() => new Map<string, { percents: number[]; sleeps: number[] }>());
  for (let round = 0; round < rounds; round++)
    for (const [at, [, stackMs]] of modes.entries()) {
      const { child, end } = await start(stackMs, 0);
      const before = useOf(child.pid ?? 0);
      const begin = performance.now();
      await delay(measuredMs);
      const after = useOf(child.pid ?? 0);
      const seconds = (performance.now() - begin) / 1e3;
      for (const [name, { cpuNs, sleeps }] of after) {
        const { percents, sleeps: perSecond } = figures[at]?.get(name) ?? { percents: [], sleeps: [] };
        figures[at]?.set(name, { percents, sleeps: perSecond });
        percents.push((cpuNs - (before.get(name)?.cpuNs ?? 0)) / seconds / 1e7);
        perSecond.push((sleeps - (before.get(name)?.sleeps ?? 0)) / seconds);
      }
      await end();
    }
  console.log(`CPU time of one core, median of ${rounds} (least to most); how often a second it woke:`);
  for (const [at, [name]] of modes.entries()) {
    console.log(name);
    for (const [thread, { percents, sleeps }] of figures[at] ?? []) {
      const range = `${Math.min(...percents).toFixed(3)} to ${Math.max(...percents).toFixed(3)}`;
      console.log(
        `  ${thread.padEnd(16)} ${median(percents).toFixed(3)} % (${range}); ${median(sleeps).toFixed(1)}`,
      );
    }
  }

  console.log('size of a lag file:');
  for (const [threadsBeside, stackMs] of [
    [0, 0],
    [0, 50],
    [50, 50],
    [200, 50],
  ] as const) {
    const { child, lines, end } = await start(stackMs, threadsBeside);
    await delay(measuredMs); // the ring is full then
    child.stdin.write('x');
    // None comes if the machine was so busy that another lag had the same stack before.
    await Promise.race([once(lines, 'line'), delay(measuredMs)]);
    const file = readdirSync(folder)
      .filter((name) => name.endsWith(`-${child.pid}.btrace`))
      .sort()
      .at(-1);
    const kilobytes = file === undefined ? 'no' : (statSync(path.join(folder, file)).size / 1e3).toFixed(0);
    console.log(
      `  ${threadsBeside} threads work beside, ${stackMs > 0 ? 'stacks' : 'no stacks'}: ${kilobytes} KB`,
    );
    await end();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
