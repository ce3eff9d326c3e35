// What recording at the defaults costs programs of several kinds, and which intervals it keeps: npm run bench:budget -- [--quick] [--turns N] [--program NAME] [--agent FOLDER]
// Each program runs in turns: alone, recorded by BTrace, alone, recorded by Java Flight Recorder (its profile settings),
// which is the profiler that every JDK has. Then all of it again with busy loops beside it. One line a figure (figure.ts).
// Costs are by CPU clocks, so that they hold on a busy machine, too; `load` says how busy it was besides.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { find, root } from '../../scripts/setup.mjs';
import { words } from '../../scripts/words.mjs';
import { LocalTargets } from '../../src/targets/local/local-targets.js';
import { decodeRecording, SourceKind, type Trace } from '../../src/trace/index.js';
import { recordOptions } from '../rigs/record-options.js';
import { isQuick, say } from './figure.js';

const programs = ['idle', 'server', 'compiler', 'busy', 'sleeping'] as const;
const {
  program: only,
  agent,
  turns: asked,
} = words(import.meta.url, { flags: ['quick'], values: ['program', 'agent', 'turns'] });
const turns = asked === undefined ? (isQuick ? 1 : 4) : Number(asked);
const turnMs = isQuick ? 1200 : 4000;
const warmMs = isQuick ? 500 : 4000;

const java = (tool: string): string => path.join(find('jdk')?.at ?? '', 'bin', tool);
const classes = path.join(root, 'build/jvm/budget');
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

interface Used {
  readonly operations: number;
  readonly cpuNs: number;
  readonly lengthNs: number;
}

class Program {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(name: string) {
    const child = spawn(java('java'), ['-Xmx512m', '-cp', classes, 'Budget', name], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async #ask(): Promise<Used> {
    this.#child.stdin?.write('\n');
    const answer: IteratorResult<string, undefined> = await this.#answers.next();
    const [operations = 0, cpuNs = 0] = (answer.value ?? '').split(' ').map(Number);
    return { operations, cpuNs, lengthNs: performance.now() * 1e6 };
  }

  async use(ms: number): Promise<Used> {
    const before = await this.#ask();
    await wait(ms);
    const after = await this.#ask();
    return {
      operations: after.operations - before.operations,
      cpuNs: after.cpuNs - before.cpuNs,
      lengthNs: after.lengthNs - before.lengthNs,
    };
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

/** Of one core: CPU time beyond what the program uses alone, for as much work; of one that waits, in as much time. */
function extra(alone: readonly Used[], recorded: Used): number {
  const each = ({ cpuNs, operations, lengthNs }: Used): number =>
    cpuNs / (recorded.operations > 0 && cpuNs > lengthNs / 2 ? operations : lengthNs);
  const usual = alone.reduce((sum, used) => sum + each(used), 0) / alone.length;
  return ((1 - usual / each(recorded)) * recorded.cpuNs) / recorded.lengthNs;
}

interface Turn {
  readonly extra: number;
  readonly slowdown: number;
}

const slower = (alone: readonly Used[], recorded: Used): number => {
  const usual = alone.reduce((sum, used) => sum + used.cpuNs / used.operations, 0) / alone.length;
  return recorded.cpuNs / recorded.operations / usual - 1;
};

async function inTurns(program: Program, record: () => Promise<Used>): Promise<Turn[]> {
  const made: Turn[] = [];
  let before = await program.use(turnMs);
  for (let turn = 0; turn < turns; turn++) {
    const recorded = await record();
    const after = await program.use(turnMs);
    made.push({ extra: extra([before, after], recorded), slowdown: slower([before, after], recorded) });
    before = after;
  }
  return made;
}

async function recorded(program: Program, file: string): Promise<{ used: Used; trace: Trace }> {
  const local = new LocalTargets({ agentRoots: [agent ?? root], log: () => undefined });
  const session = await (await local.find(program.pid)).start(recordOptions(file));
  await wait(isQuick ? 500 : 2500); // names of what is there go out once
  const used = await program.use(turnMs);
  await session.stop();
  await session.ended;
  return { used, trace: decodeRecording(readFileSync(file)).trace() };
}

function sayKept(name: string, traces: readonly Trace[]): void {
  for (const [word, kind] of [
    ['cpu', SourceKind.CpuTime],
    ['points', SourceKind.Points],
    ['external', SourceKind.ExternalSampler],
    ['waits', SourceKind.Waits],
  ] as const) {
    const kept = traces.flatMap(({ status }) => status?.sources?.filter((one) => one.kind === kind) ?? []);
    if (kept.length === 0) continue;
    say(
      `${name}.kept.${word}`,
      median(kept.map(({ askedNs, effectiveNs: effectiveNs }) => effectiveNs / askedNs)),
      'x',
      ['<=', 1.05],
    );
  }
  const share = ({ status, beginNs, endNs }: Trace): number =>
    ((status?.captureNs ?? 0) + (status?.drainNs ?? 0)) / (endNs - beginNs);
  say(`${name}.cost`, median(traces.map(share)) * 100, '%core', ['<=', 1]);
}

async function measure(kind: (typeof programs)[number], beside: string): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'budget-'));
  const program = new Program(kind);
  const name = `budget.${kind}${beside}`;
  try {
    await program.use(warmMs);
    const traces: Trace[] = [];
    const ours = await inTurns(program, async () => {
      const { used, trace } = await recorded(program, path.join(folder, `${traces.length}.btrace`));
      traces.push(trace);
      return used;
    });
    const jfr = (...args: string[]): void =>
      void execFileSync(java('jcmd'), [String(program.pid), ...args], { stdio: 'ignore' });
    const theirs = await inTurns(program, async () => {
      jfr('JFR.start', 'name=bench', 'settings=profile');
      await wait(isQuick ? 500 : 2500);
      const used = await program.use(turnMs);
      jfr('JFR.stop', 'name=bench');
      return used;
    });
    sayKept(name, traces);
    for (const [who, made] of [
      ['btrace', ours],
      ['jfr', theirs],
    ] as const) {
      say(`${name}.extra.${who}`, median(made.map((turn) => turn.extra)) * 100, '%core');
      if (kind === 'compiler' || kind === 'busy' || kind === 'server')
        say(`${name}.slowdown.${who}`, median(made.map((turn) => turn.slowdown)) * 100, '%');
    }
    say(`${name}.load`, loadavg()[0] ?? NaN, 'x');
  } finally {
    program.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

mkdirSync(classes, { recursive: true });
execFileSync(java('javac'), ['-d', classes, path.join(root, 'native-agent/bench/Budget.java')]);
const chosen = programs.filter((kind) => only === undefined || only === kind);
for (const kind of chosen) await measure(kind, '');
const loops = Array.from({ length: availableParallelism() }, () =>
  spawn(process.execPath, ['-e', 'for (const until = Date.now() + 600_000; Date.now() < until; );'], {
    stdio: 'ignore',
  }),
);
try {
  for (const kind of chosen) await measure(kind, '.busy-machine');
} finally {
  for (const loop of loops) loop.kill();
}
