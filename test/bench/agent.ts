// The agent's cost, measured in a real JVM: npm run bench:agent -- [--quick]
// One line a figure (figure.ts); ratios come from one run, so they travel between machines.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { find, root } from '../../scripts/setup.mjs';
import { words } from '../../scripts/words.mjs';
import { LocalTargets } from '../../src/targets/local/local-targets.js';
import { recordOptions } from '../rigs/record-options.js';
import { isQuick, say, type Target } from './figure.js';

const java = (tool: string): string => path.join(find('jdk')?.at ?? '', 'bin', tool);
const sources = path.join(root, 'native-agent/bench');
const build = path.join(root, 'build/native/host');
const classes = path.join(root, 'build/jvm/bench');

const targets: Record<string, Target> = {
  'gate-closed': ['<=', 20],
  'stack-table-insert': ['<=', 150],
  'bytes-a-sample': ['<=', 16],
  'record-depth-20': ['<=', 1.15],
  'record-depth-40': ['<=', 1.15],
  'record-depth-80': ['<=', 1.15],
  'record-counters-depth-20': ['<=', 1.6],
  'record-counters-depth-40': ['<=', 1.4],
  slowdown: ['<=', 1],
};

function report(name: string, value: number, unit: string): void {
  say(`agent.${name}`, value, unit, targets[name]);
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

function compile(): void {
  execFileSync('cmake', ['-S', path.join(root, 'native-agent'), '-B', build], { stdio: 'ignore' });
  const parallel = String(availableParallelism());
  for (const target of ['btrace-agent', 'btrace-bench']) {
    execFileSync('cmake', ['--build', build, '--target', target, '--parallel', parallel], {
      stdio: 'ignore',
    });
  }
  mkdirSync(classes, { recursive: true });
  const files = readdirSync(sources).filter((name) => name.endsWith('.java'));
  execFileSync(java('javac'), ['-d', classes, ...files.map((name) => path.join(sources, name))]);
}

function captures(): void {
  const library = path.join(build, 'libbtrace-bench.so');
  const args = ['-cp', classes, 'Bench', library, ...(isQuick ? ['--quick'] : [])];
  const text = execFileSync(java('java'), args, { encoding: 'utf8' });
  for (const line of text.trim().split('\n')) {
    const [name = '', value = '', unit = ''] = line.split(' ');
    report(name, Number(value), unit);
  }
}

class Worker {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor() {
    const child = spawn(java('java'), ['-cp', classes, 'Throughput'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async #ask(): Promise<{ operations: number; cpuNs: number }> {
    this.#child.stdin?.write('\n');
    const answer: IteratorResult<string, undefined> = await this.#answers.next();
    const [operations = 0, cpuNs = 0] = (answer.value ?? '').split(' ').map(Number);
    return { operations, cpuNs };
  }

  /** CPU ns an operation took, over so long. Its own CPU time: what else runs on the machine does not count. */
  async cost(ms: number): Promise<number> {
    const before = await this.#ask();
    await wait(ms);
    const after = await this.#ask();
    return (after.cpuNs - before.cpuNs) / (after.operations - before.operations);
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

/** The same worker with and without a recording, in turns: the median of the pairs. */
async function slowdown(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const worker = new Worker();
  try {
    await worker.cost(3000); // the compiler is done with it
    const local = new LocalTargets({ agentRoots: [root], log: () => undefined });
    const ratios: number[] = [];
    for (let pair = 0; pair < (isQuick ? 3 : 12); pair++) {
      const before = await worker.cost(700);
      const target = await local.find(worker.pid);
      const session = await target.start(recordOptions(path.join(folder, `${pair}.btrace`)));
      await wait(2500); // the agent has found the interval that its budget allows
      const during = await worker.cost(700);
      await session.stop();
      const after = await worker.cost(700);
      ratios.push(during / ((before + after) / 2));
    }
    report('slowdown', (median(ratios) - 1) * 100, '%');
  } finally {
    worker.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

words(import.meta.url, { flags: ['quick'] });
compile();
captures();
await slowdown();
