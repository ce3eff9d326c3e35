import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { type AgentCommand, launch, type RunningCommand } from '../../src/targets/local/launch.js';
import { EndReason, HookState, LossReason, SampleKind, type Trace } from '../../src/trace/index.js';
import { wholeTrace } from '../../src/trace/measure/scope.js';
import { sumScope } from '../../src/trace/measure/sums.js';
import { NativePrograms, type Truth, truthExit } from '../rigs/native/programs.js';
import { wide } from '../rigs/scale.js';
import { stackOf } from '../rigs/stacks.js';
import { cpuOf, decodeFile, Recordings, threadNamed, totalCpu } from './recordings.js';
import { strictly } from '../rigs/kinds.js';

const programs = new NativePrograms();
after(() => programs.remove());

/** Longer than the program takes on a busy machine. */
const limitMs = 60_000;
/** EOWNERDEAD of Linux. */
const ownerDied = 130;

interface Recorded {
  readonly trace: Trace;
  readonly truth: Truth;
  readonly exit: number;
}

interface RecordedProgram {
  readonly trace: Trace;
  readonly output: string;
  readonly exit: number;
}

async function recordProgram(
  recordings: Recordings,
  program: string | readonly string[],
  options: Parameters<Recordings['options']>[0],
): Promise<RecordedProgram> {
  let output = '';
  const run = async ({ args, env }: AgentCommand): Promise<RunningCommand> => {
    const child = spawn(args[0]!, args.slice(1), { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.on('data', (text) => (output += String(text)));
    const exit = once(child, 'close').then(([code]) => Number(code));
    await once(child, 'spawn');
    return { exit, kill: (signal) => void child.kill(signal) };
  };
  const { session, exit } = await launch(
    typeof program === 'string' ? [program] : program,
    recordings.options(options),
    { agentRoots: [root], run },
    AbortSignal.timeout(limitMs),
  );
  const { file } = await session.ended;
  const code = await exit;
  return { trace: decodeFile(file), output, exit: code };
}

async function recordTruth(recordings: Recordings, flags: readonly string[]): Promise<Recorded> {
  const { trace, output, exit } = await recordProgram(recordings, programs.compile('inside', flags), {
    asyncIntervalNs: 4_000_000,
    budgetPpm: 0,
  });
  return { trace, truth: JSON.parse(output) as Truth, exit };
}

/** Without the image that each function is in. */
const functionsOf = (trace: Trace, path: number): string =>
  stackOf(trace, path).replaceAll(/ \([^()]*\)(?= <|$)/g, '');

/** The longest wait of a kind, with its stack, in this function or in any. */
function longestWait(
  { trace }: Recorded,
  thread: string,
  kind: number,
  name = '',
): { ns: number; stack: string; row: number } {
  const { waits } = threadNamed(trace, thread);
  const [row] = Array.from(waits.kind.keys())
    .filter((at) => waits.kind[at] === kind && functionsOf(trace, waits.path[at]!).includes(name))
    .sort((a, b) => waits.end[b]! - waits.begin[b]! - (waits.end[a]! - waits.begin[a]!));
  assert.ok(row !== undefined, `${thread} has a wait of kind ${kind}`);
  return { ns: waits.end[row]! - waits.begin[row]!, stack: functionsOf(trace, waits.path[row]!), row };
}

/**
 * The program reads its clock before and after: what is recorded lies in between. Before the second time the agent takes the stack, the
 * first time at the cost of some ms, and on a busy machine the thread may be put aside there. That takes no half of a wait.
 */
function isWithin(ns: number, truth: number, what: string): void {
  assert.ok(ns <= truth && ns >= truth / 2, `${what}: ${ns / 1e6} ms recorded, ${truth / 1e6} ms true`);
}

const builds: readonly (readonly string[])[] = [
  ['-O2', '-fomit-frame-pointer'],
  ...(wide
    ? [['-O0'], ['-O2', '-no-pie', '-fno-omit-frame-pointer'], ['-O2', '-g', '-static-libstdc++']]
    : []),
];

for (const flags of builds) {
  describe(`a program without a runtime, built with ${flags.join(' ')}`, function () {
    const recordings = new Recordings();
    let recorded: Recorded;

    before(async function () {
      if (process.platform !== 'linux') this.skip();
      recorded = await recordTruth(recordings, flags);
    });
    after(() => recordings.remove());

    it('runs as it would alone', () => {
      strictly('harm', () => {
        assert.equal(recorded.exit, truthExit);
      });
      assert.equal(recorded.trace.endReason, EndReason.TargetExited);
      assert.deepEqual(recorded.truth.environment, { preload: 0, options: 0 });
    });

    it('has locks of dead owners, children and cancelled threads as it would alone', () => {
      const { robust, forkedNs, cancelled } = recorded.truth.behaviour;
      strictly('harm', () => {
        assert.equal(robust, ownerDied);
      });
      assert.ok(forkedNs < 1.5e9, `the child took ${forkedNs / 1e6} ms`);
      assert.equal(cancelled, 1);
    });

    it('has its CPU time where it was used', () => {
      const { trace, truth } = recorded;
      const main = threadNamed(trace, recorded.trace.info.targetName.slice(0, 15));
      const all = cpuOf(main);
      const trueAll = truth.cpu.burn_a + truth.cpu.burn_b;
      assert.ok(Math.abs(all - trueAll) < trueAll * 0.05, `main has ${all / 1e6} of ${trueAll / 1e6} ms`);
      const totals = totalCpu(trace, main);
      const image = trace.info.targetName;
      for (const name of ['burn_a', 'burn_b'] as const) {
        const share = ((totals.get(`${name} (${image})`) ?? 0) / all) * 100;
        const trueShare = (truth.cpu[name] / trueAll) * 100;
        assert.ok(
          Math.abs(share - trueShare) < 5,
          `${name} has ${share} % of the CPU time, not ${trueShare} %`,
        );
      }
    });

    it('has nothing of a child that shares its memory (vfork)', () => {
      const { trace } = recorded;
      for (const { events, waits } of trace.threads)
        for (const paths of [events.path.subarray(0, events.count), waits.path])
          for (const path of paths) assert.doesNotMatch(functionsOf(trace, path), /rest_in_child/);
    });

    it('is captured where it reads a clock, at most once in an interval', () => {
      const { hooks, status, info, endNs } = recorded.trace;
      const hook = hooks.find(({ name }) => name === 'clock reads');
      assert.equal(hook?.state, HookState.Removed);
      const reads = status?.costs.find(({ kind }) => kind === SampleKind.ClockRead)?.count ?? 0;
      const most = (recorded.trace.threads.length * endNs) / info.syncIntervalNs;
      assert.ok(reads > 100 && reads < most, `${reads} of at most ${most}`);
    });

    it('has whole stacks, however deep', () => {
      const { trace } = recorded;
      const { intervals } = threadNamed(trace, 'worker');
      const deep = Array.from(intervals.path.subarray(0, intervals.count), (path) =>
        functionsOf(trace, path),
      ).filter((stack) => stack.includes('burn_deep'));
      assert.ok(deep.length > 5, `${deep.length} stacks`);
      const whole = deep.filter(
        (stack) => stack.split(' < ').filter((name) => name === 'burn_deep').length === 41,
      );
      assert.ok(whole.length >= deep.length * 0.95, `${whole.length} of ${deep.length} have all 41 calls`);
    });

    it('has its waits, with their lengths and where they were', () => {
      const { waits } = recorded.truth;
      const main = recorded.trace.info.targetName.slice(0, 15);
      for (const [name, thread, kind] of [
        ['want_lock', 'waiter', SampleKind.Mutex],
        ['want_hand_over', 'waiter', SampleKind.Condition],
        ['read_pipe', main, SampleKind.Io],
        ['open_pipe', main, SampleKind.Io],
        ['poll_pipe', main, SampleKind.Poll],
        ['rest', main, SampleKind.Sleep],
        ['want_before_limit', 'limited', SampleKind.Condition],
        ['want_word', 'word waiter', SampleKind.Condition],
      ] as const) {
        const wait = longestWait(recorded, thread, kind, name);
        isWithin(wait.ns, waits[name], name);
        assert.match(wait.stack, new RegExp(`^(.*std::.* < )?${name} < `));
      }
    });

    it('names who ended a wait for a lock and for a condition, and where', () => {
      const { trace } = recorded;
      const main = trace.info.targetName.slice(0, 15);
      for (const [kind, waiter, waker, where] of [
        [SampleKind.Mutex, 'waiter', 'holder', 'hold_lock'],
        [SampleKind.Condition, 'waiter', main, 'hand_over'],
        [SampleKind.Condition, 'limited', main, 'end_limit'],
        [SampleKind.Condition, 'word waiter', main, 'change_word'],
      ] as const) {
        const { waits } = threadNamed(trace, waiter);
        const link = waits.link[longestWait(recorded, waiter, kind).row]!;
        assert.ok(link >= 0, `somebody ended the wait for ${where}`);
        const by = trace.threads.find(({ index }) => index === trace.links.waker[link])!;
        assert.equal(by.name, waker);
        const stacks = Array.from(by.events.path.subarray(0, by.events.count), (path) =>
          functionsOf(trace, path),
        );
        assert.ok(
          stacks.some((stack) => stack.includes(`${where} < `)),
          `a sample in ${where} among: ${stacks.slice(0, 10).join(' | ')}`,
        );
      }
    });

    it('has none of the functions that stand between a call and what it calls', () => {
      const { threads, paths } = recorded.trace;
      assert.ok(threads.length > 0);
      for (let path = 1; path < paths.count; path++)
        assert.doesNotMatch(stackOf(recorded.trace, path), /libbtrace-native/);
    });

    it('has what it allocated, and where', () => {
      const { trace, truth } = recorded;
      const { intervals } = threadNamed(trace, 'worker');
      const bytes = { all: 0, allocate_small: 0, allocate_large: 0 };
      for (const row of intervals.path.keys()) {
        // Not known before the first sample of the thread.
        const allocated = intervals.allocatedBytes[row]! || 0;
        const stack = functionsOf(trace, intervals.path[row]!);
        bytes.all += allocated;
        for (const name of ['allocate_small', 'allocate_large'] as const)
          if (stack.includes(name)) bytes[name] += allocated;
      }
      const trueAll = truth.allocated.small + truth.allocated.large;
      const said = JSON.stringify(bytes);
      assert.ok(Math.abs(bytes.all - trueAll) < trueAll * 0.1, `${said}, ${trueAll} bytes in truth`);
      assert.ok(bytes.allocate_small > 0, said);
      assert.ok(
        bytes.allocate_large > truth.allocated.large * 0.7,
        `${said}, ${truth.allocated.large} in truth`,
      );
    });
  });
}

describe('a program without a runtime that lies at a fixed address and uses SIGPROF itself', () => {
  const recordings = new Recordings();
  after(() => recordings.remove());

  it('runs as it would alone, and is recorded', async function () {
    if (process.platform !== 'linux') this.skip();
    const flags = ['-O1', '-no-pie', '-fno-pic'];
    const { trace, output, exit } = await recordProgram(recordings, programs.compile('fixed', flags), {
      budgetPpm: 0,
    });
    const said = JSON.parse(output) as Record<'profiled' | 'allocated' | 'joined', number>;
    strictly('harm', () => {
      assert.deepEqual({ exit, ...said, allocated: 0 }, { exit: 3, profiled: 0, joined: 4, allocated: 0 });
    });
    const main = threadNamed(trace, 'fixed-O1-no-pie');
    const bytes = main.intervals.allocatedBytes.reduce((sum, one) => sum + (one || 0), 0);
    const share = bytes / said.allocated;
    assert.ok(share > 0.9 && share < 1.02, `${bytes} of ${said.allocated} bytes`);
    assert.ok(cpuOf(main) > 150e6, `${cpuOf(main) / 1e6} ms`);
    const created = trace.threads.filter(({ creator }) => creator === main.index);
    assert.equal(created.length, 4);
  });
});

describe('a program without a runtime that others start', () => {
  let recordings: Recordings;
  beforeEach(() => (recordings = new Recordings()));
  afterEach(() => recordings.remove());

  const ways: [string, (program: string) => string[]][] = [
    ['env and nice', (program) => ['env', 'SHOP=open', 'nice', '-n', '1', program]],
    ['a shell', (program) => ['sh', '-c', `SHOP=open ${program}`]],
    ['a program with a time limit', (program) => ['timeout', '60', program]],
  ];
  for (const [way, command] of ways)
    it(`is the one that is recorded, behind ${way}`, async function () {
      if (process.platform !== 'linux') this.skip();
      const program = programs.compile('fixed', ['-O1', '-no-pie', '-fno-pic']);
      const { trace, exit } = await recordProgram(recordings, command(program), {});
      assert.deepEqual([exit, trace.endReason], [3, EndReason.TargetExited]);
      assert.equal(trace.info.targetName, path.basename(program));
    });
});

describe('a program without a runtime that confines its system calls', () => {
  const recordings = new Recordings();
  after(() => recordings.remove());

  it('is recorded until then, and runs as it would alone', async function () {
    if (process.platform !== 'linux') this.skip();
    const program = programs.compile('confined', ['-O1']);
    const { trace, output, exit } = await recordProgram(recordings, program, { budgetPpm: 0 });
    strictly('harm', () => {
      assert.deepEqual([exit, output], [6, 'done\n']);
    });
    assert.equal(trace.endReason, EndReason.Stopped);
    const cpu = totalCpu(trace, threadNamed(trace, 'confined-O1')).get('allocate_for (confined-O1)') ?? 0;
    assert.ok(cpu > 100e6 && cpu < 200e6, `${cpu / 1e6} ms`);
  });
});

describe('a program without a runtime that becomes another one', () => {
  let recordings: Recordings;
  beforeEach(() => (recordings = new Recordings()));
  afterEach(() => recordings.remove());

  /** As `becomes.cc` does it, and what its recording's end says. */
  async function become(way: string, options: Parameters<Recordings['options']>[0] = {}) {
    const program = programs.compile('becomes', ['-O1']);
    const unknown = path.join(recordings.folder, 'of-no-format');
    writeFileSync(unknown, Buffer.alloc(64), { mode: 0o755 });
    let output = '';
    let letGo = (): void => undefined;
    const run = async ({ args, env }: AgentCommand): Promise<RunningCommand> => {
      const child = spawn(args[0]!, args.slice(1), { env, stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdout.on('data', (text) => (output += String(text)));
      const exit = once(child, 'close').then(([code]) => Number(code));
      await once(child, 'spawn');
      letGo = () => child.stdin.end('\n');
      return { exit, kill: (signal) => void child.kill(signal) };
    };
    const { session, exit } = await launch(
      [program, way, unknown],
      recordings.options({ budgetPpm: 0, asyncIntervalNs: 1_000_000, ...options }),
      { agentRoots: [root], run },
      AbortSignal.timeout(limitMs),
    );
    const end = await session.ended;
    letGo();
    const code = await exit;
    strictly('harm', () => {
      assert.deepEqual([code, output], [5, `${way} two here\n`]);
    });
    const trace = decodeFile(end.file);
    const cpu = totalCpu(trace, threadNamed(trace, 'becomes-O1'));
    return { end, trace, of: (name: string): number => cpu.get(`${name} (becomes-O1)`) ?? 0 };
  }

  for (const way of ['execve', 'execle', 'execv', 'execvp', 'execl', 'execlp'])
    it(`is recorded until then, also after it failed to, and says what it became: ${way}`, async function () {
      if (process.platform !== 'linux') this.skip();
      const { end, trace, of } = await become(way);
      assert.equal(end.reason, 'target-exited', end.message);
      assert.match(end.message, /^becomes-O1 became another program \(exec\): (?:da)?sh\. /);
      assert.equal(trace.endReason, EndReason.TargetExited);
      // On a busy machine a capture may meet the agent at its thread's record; nothing else is lost.
      for (const { reason } of trace.losses) assert.equal(reason, LossReason.BufferFull);
      for (const name of ['work_before', 'work_after'])
        assert.ok(of(name) > 40e6 && of(name) < 90e6, `${name}: ${of(name) / 1e6} ms`);
    });

  it('leaves what its ring held', async function () {
    if (process.platform !== 'linux') this.skip();
    const { end, of } = await become('execve', { policy: 'ring', ringNs: 60e9 });
    assert.equal(end.reason, 'stopped', end.message);
    assert.match(end.message, /become another one \(exec\)/);
    assert.ok(of('work_before') > 40e6, `${of('work_before') / 1e6} ms`);
  });
});

describe('memory that a native program still holds at its end', () => {
  const recordings = new Recordings();
  after(() => recordings.remove());

  it('is shown where it was allocated, and what was freed is not', async function () {
    if (process.platform !== 'linux') this.skip();
    const intervalBytes = 16 << 10;
    const { trace, output, exit } = await recordProgram(recordings, programs.compile('held', ['-O2']), {
      budgetPpm: 0,
      allocationIntervalBytes: intervalBytes,
    });
    assert.equal(exit, 0);
    const truth = JSON.parse(output) as Record<string, number>;
    const held = new Map<string, number>();
    const { heldMemory } = trace;
    assert.ok(heldMemory && heldMemory.count > 100);
    for (let row = 0; row < heldMemory.count; row++) {
      const stack = functionsOf(trace, heldMemory.path[row]!).split(' < ');
      const by = stack.find((name) => /^(keep_|free_|allocate_)/.test(name)) ?? 'others';
      held.set(by, (held.get(by) ?? 0) + heldMemory.bytes[row]!);
    }
    const said = JSON.stringify(Object.fromEntries(held));
    for (const name of ['keep_small', 'keep_medium', 'keep_large', 'keep_grown', 'keep_array']) {
      const trueBytes = truth[name]!;
      // Of so many stacks taken by chance; that of what is larger than the interval is no matter of chance.
      const allowed = name === 'keep_large' ? 0 : 4 * Math.sqrt(trueBytes * intervalBytes);
      const difference = Math.abs((held.get(name) ?? 0) - trueBytes);
      assert.ok(difference <= allowed, `${name}: ${trueBytes} in truth, ${said}`);
    }
    for (const name of held.keys()) assert.ok(!/^(free_|allocate_)/.test(name), said);
    // The C library and the C++ library hold some, too; the list of what is kept is the largest.
    assert.ok(
      (held.get('others') ?? 0) < truth['kept']! + 4 * Math.sqrt(truth['kept']! * intervalBytes),
      said,
    );
    assert.ok(sumScope(trace, wholeTrace).sum.heldBytes > truth['keep_small']!);
  });
});
