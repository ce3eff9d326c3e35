/**
 * A recording beside what the program itself wrote down. The tolerances: shares of CPU time within 3 points (12 of long system calls), of short work six
 * standard deviations of as many interrupts as there were; no method with more CPU than wall time, but for 0.1 ms; a wait's
 * length within 2 ms or 5 %, allocated bytes within 5 %, no major page fault more or less. CPU time is each thread's own clock's, on both sides, so how busy the
 * machine is makes no difference. Only where the program reads its clock and waits afterwards may it be put aside in between.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  LinkCertainty,
  methodFigures,
  SampleFlag,
  SampleKind,
  type Sums,
  sumScope,
  type ThreadTrack,
  type Trace,
} from '../../src/trace/index.js';
import { recordingPresets } from '../../src/targets/presets.js';
import type { SessionStatus } from '../../src/targets/target.js';
import { assertCpuWithinWall } from '../rigs/cpu-within-wall.js';
import { wide } from '../rigs/scale.js';
import { JavaProgram, type Jdk, jdks } from '../rigs/jvm/programs.js';
import { stackOf } from '../rigs/stacks.js';
import { Truth, type Wait } from '../rigs/jvm/truth.js';
import { decodeFile, Recordings, threadNamed } from './recordings.js';
import { ofKind } from '../rigs/kinds.js';
import { lasts } from '../rigs/until.js';

const runs = Number(process.env['BTRACE_TRUTH_RUNS'] ?? (wide ? 5 : 1));

interface Run {
  readonly parts: readonly string[];
  readonly isEnough: (status: SessionStatus) => boolean;
}

/** Shares need much CPU time. */
const trueWork: Run = {
  parts: ['burn', 'deep', 'brief', 'throw', 'short'],
  isEnough: ({ processCpuNs }) => processCpuNs >= (wide ? 10e9 : 6e9),
};
/** Alone: on a machine that is busy otherwise threads are met within their calls by other-thread walks, too. */
const trueCalls: Run = {
  parts: ['read'],
  isEnough: ({ processCpuNs }) => processCpuNs >= (wide ? 4.5e9 : 3e9),
};
/** Of each kind that is asked for. A test needs more than 10 of its thread, and two threads share some kinds. */
const leastWaits = 50;
const waitKinds = [
  ...[SampleKind.Monitor, SampleKind.Wait, SampleKind.Park, SampleKind.Sleep, SampleKind.Io, SampleKind.Poll],
  SampleKind.Allocation,
];
const trueWaits: Run = {
  parts: ['lock', 'notify', 'park', 'sleep', 'ask', 'socket', 'select', 'allocate', 'load', 'fault'],
  isEnough: ({ costs, elapsedMs }) =>
    elapsedMs >= 2000 &&
    waitKinds.every((kind) => (costs.find((cost) => cost.kind === kind)?.count ?? 0) >= leastWaits),
};
const shareTolerance = 0.03;
/** Of system calls, in which a thread takes no interrupt: what ends right before one counts with it, half a scheduler's tick or more. */
const callTolerance = 0.12;
/** Of CPU time, one interrupt each: on a machine that has next to no time for the program, three of them may be more than the tolerance. */
const fewSamples = 3;
/** A capture costs 50 µs at most (core/capture.cc), and 1 % of a wait. */
const shortMs = 5;
const mostGaps = 0.1;
/** Of the CPU time of threads that work briefly, that of the work; the rest goes to bed with them. */
const leastSeen = 0.5;
/** Of waits for a lock, which may be let go between the thread's giving up and the look at who has it. */
const mostUnknown = 0.05;
/** Left out at both ends, where hooks come and go and the last samples of a thread are waited for. */
const edgeNs = 150e6;
/** Of a recording: on a machine that has next to no time for the program there is not enough by then, and the tests say so. */
const mostMs = 100_000;

class Comparison {
  readonly begin: number;
  readonly end: number;

  constructor(
    readonly trace: Trace,
    readonly truth: Truth,
    /** Context switches of each thread while it was recorded, as the kernel has counted them, and a little more. */
    readonly switches: ReadonlyMap<string, number>,
  ) {
    const origin = Number(trace.info.startMonotonicNs);
    this.begin = origin + trace.beginNs + edgeNs;
    this.end = origin + trace.endNs - edgeNs;
  }

  get #origin(): number {
    return Number(this.trace.info.startMonotonicNs);
  }

  #sumsOf(thread: ThreadTrack, begin: number, end: number): Sums {
    const scope = { threads: [thread.index], beginNs: begin - this.#origin, endNs: end - this.#origin };
    return sumScope(this.trace, scope);
  }

  /** Total CPU ns of a thread by method, and of all of it. */
  #cpuByMethod(thread: ThreadTrack, begin: number, end: number) {
    const sums = this.#sumsOf(thread, begin, end);
    const figures = methodFigures(sums, this.trace.methods.count);
    const totals = new Map<string, number>();
    for (let row = 0; row < figures.count; row++) {
      const name = this.trace.methods.qualifiedName(figures.method[row]!);
      totals.set(name, (totals.get(name) ?? 0) + figures.total.cpu[row]!);
    }
    return {
      evidence: sums.sum.cpu - sums.gap.cpu,
      gap: sums.gap.cpu,
      of: (name: string) => totals.get(name) ?? 0,
    };
  }

  /** Between two sampled allocations: each tells what was allocated since the one before it. */
  allocatedBytes(threadName: string): void {
    const thread = threadNamed(this.trace, threadName);
    const { count, kind, time } = thread.events;
    const sampled = Array.from(time.subarray(0, count), (at) => at + this.#origin).filter(
      (at, row) => kind[row] === SampleKind.Allocation && at >= this.begin && at <= this.end,
    );
    assert.ok(sampled.length >= 10, `${threadName} has ${sampled.length} sampled allocations`);
    const [begin, end] = [sampled[0]!, sampled.at(-1)!];
    const recorded = this.#sumsOf(thread, begin, end).sum.allocatedBytes;
    const truly = this.truth.amount('allocated', begin, end);
    assert.ok(Math.abs(recorded - truly) <= 0.05 * truly, `${recorded} bytes recorded, truly ${truly}`);
  }

  /** One at least for each sleep after the first, which is counted from, and none that the kernel does not know of. */
  contextSwitches(threadName: string): void {
    const thread = threadNamed(this.trace, threadName);
    const { sum } = sumScope(this.trace, { threads: [thread.index], beginNs: -Infinity, endNs: Infinity });
    const most = this.switches.get(threadName) ?? 0;
    const sleeps = sleepsOver(thread).length;
    assert.ok(
      sum.switches >= sleeps - 1 && sum.switches <= most,
      `${threadName} slept ${sleeps} times and was switched ${sum.switches} times, truly at most ${most}`,
    );
  }

  /**
   * From the end of one sleep to that of another, when they are read: the reads between them. False where the kernel counts none,
   * because what holds the files is memory.
   */
  pageFaults(threadName: string): boolean {
    const thread = threadNamed(this.trace, threadName);
    const slept = sleepsOver(thread).map((end) => end + this.#origin);
    assert.ok(slept.length > 10, `${threadName} slept ${slept.length} times`);
    const [begin, end] = [slept[0]!, slept.at(-1)!];
    const truly = this.truth.amount('faulted', begin, end);
    const recorded = this.#sumsOf(thread, begin, end).sum.faults;
    // Of a stretch that begins or ends within a sleep nobody knows which side its faults are on; reads are none.
    const unsure = this.truth.faulted
      .filter((one) => [begin, end].some((at) => one.begin < at && one.end > at))
      .reduce((sum, { amount }) => sum + amount, 0);
    assert.ok(
      Math.abs(recorded - truly) < unsure + 0.5,
      `${threadName} has ${recorded} major page faults, truly ${truly}`,
    );
    return truly > 0;
  }

  /** Shares of the CPU time that there is evidence for within 3 points of the truth; gaps are few, however busy the machine. */
  shares(threadName: string, tolerance = shareTolerance): void {
    // Whole slices only: where within one its CPU time was used, the truth does not know.
    const whole = this.truth.slices.filter(
      ({ thread, begin, end }) => thread === threadName && begin >= this.begin && end <= this.end,
    );
    assert.ok(whole.length >= 3, `${threadName} worked ${whole.length} times`);
    const [begin, end] = [whole[0]!.begin, whole.at(-1)!.end];
    const recorded = this.#cpuByMethod(threadNamed(this.trace, threadName), begin, end);
    const true_ = this.truth.cpuByMethod(threadName, begin, end);
    const gaps = recorded.gap / (recorded.gap + recorded.evidence);
    assert.ok(gaps <= mostGaps, `${threadName}: gaps are ${percent(gaps, 1)}`);
    const all = [...true_.values()].reduce((sum, cpu) => sum + cpu, 0);
    for (const [method, cpu] of true_) {
      // Where a slice begins and ends is known to one interrupt each.
      const slices = whole.filter((slice) => slice.method === method).length;
      const few = (Math.max(fewSamples, 2 * slices) * recordingPresets.balanced.asyncIntervalNs) / all;
      const difference = recorded.of(method) / recorded.evidence - cpu / all;
      assert.ok(
        Math.abs(difference) <= Math.max(tolerance, few),
        `${threadName}: ${method} has ${percent(recorded.of(method), recorded.evidence)}, truly ${percent(cpu, all)}`,
      );
    }
  }

  /** Work in stretches of 0.3 ms: next to none has an interrupt of its own. */
  shortWork(): void {
    let [often, seldom, all] = [0, 0, 0];
    let [trulyOften, trulySeldom] = [0, 0];
    for (const thread of this.trace.threads.filter(({ name }) => name.startsWith('short-'))) {
      const recorded = this.#cpuByMethod(thread, this.begin, this.end);
      often += recorded.of('Work.often');
      seldom += recorded.of('Work.seldom');
      all += recorded.evidence + recorded.gap;
      const true_ = this.truth.cpuByMethod(thread.name, this.begin, this.end);
      trulyOften += true_.get('Work.often') ?? 0;
      trulySeldom += true_.get('Work.seldom') ?? 0;
    }
    const interrupts = all / recordingPresets.balanced.asyncIntervalNs;
    assert.ok(interrupts >= 30, `there were ${interrupts.toFixed()} interrupts`);
    // The rest is what going to sleep costs, and the captures of it.
    const seen = (often + seldom) / all;
    assert.ok(seen >= leastSeen, `${percent(seen, 1)} of the CPU time are in the work`);
    const truly = trulyOften / (trulyOften + trulySeldom);
    const share = often / (often + seldom);
    const chance = Math.sqrt((truly * (1 - truly)) / interrupts);
    assert.ok(
      Math.abs(share - truly) <= 6 * chance,
      `often has ${percent(share, 1)}, truly ${percent(truly, 1)}`,
    );
  }

  /** Each wait of the truth has its blocking sample, as long as it and with who ended it. */
  waits(threadName: string, kindName: string, kind: number): void {
    const thread = threadNamed(this.trace, threadName);
    const expected = this.truth.waitsOf(threadName, kindName, this.begin, this.end);
    assert.ok(expected.length > 10, `${threadName} waited ${expected.length} times`);
    const missed: number[] = [];
    let unknown = 0;
    let putAside = 0;
    for (const wait of expected) {
      const truly = wait.end - wait.begin;
      const tolerance = Math.max(2e6, 0.05 * truly);
      const row = this.#rowOf(thread, kind, wait);
      if (row < 0) {
        missed.push(truly / 1e6);
        continue;
      }
      const length = thread.waits.end[row]! - thread.waits.begin[row]!;
      // The program reads its clock before and after: what is recorded lies in between.
      assert.ok(length <= truly + tolerance, `${threadName}: ${length} ns recorded, truly ${truly}`);
      if (length < truly - tolerance) putAside++;
      if (!this.#endedBy(thread, row, wait)) unknown++;
    }
    // A wait whose stack would cost more of it than the budget allows is left to the gate.
    const long = missed.filter((ms) => ms >= shortMs);
    const lost = JSON.stringify(this.trace.losses.filter((one) => one.thread === thread.index));
    const told = `${threadName}: of ${expected.length} waits are missing these, ms; lost: ${lost}`;
    assert.deepEqual(long, [], told);
    const most = kind === SampleKind.Monitor ? mostUnknown * expected.length : 0;
    assert.ok(
      unknown <= most,
      `${threadName}: who ended ${unknown} of ${expected.length} waits is not known`,
    );
    // A thread that is put aside between its clock and its wait waits for less than it says.
    assert.ok(
      putAside <= 0.2 * expected.length,
      `${threadName}: ${putAside} of ${expected.length} are too short`,
    );
  }

  /** Each wait of the kind begins in such a class, and is called from a method whose name begins so. */
  standsIn(threadName: string, kind: number, leaf: RegExp, caller: string): void {
    const { waits } = threadNamed(this.trace, threadName);
    for (let row = 0; row < waits.count; row++) {
      if (waits.kind[row] !== kind) continue;
      const stack = stackOf(this.trace, waits.path[row]!);
      const frames = stack.split(' < ');
      assert.match(frames[0]!, leaf, stack);
      assert.ok(
        frames.some((frame) => frame.startsWith(caller)),
        stack,
      );
    }
  }

  /**
   * What a thread did between its waits is not in them, however alike they are. Where the agent left waits out it says of a stretch that
   * most of it was such ones: on a machine that has no time for them a part of the rest is taken for them, too.
   */
  noMoreThanWaits(threadName: string, kindName: string, method: string): void {
    const expected = this.truth.waitsOf(threadName, kindName, this.begin, this.end);
    assert.ok(expected.length > 10, `${threadName} waited ${expected.length} times`);
    const [begin, end] = [expected[0]!.begin, expected.at(-1)!.end];
    const truly = expected.reduce((sum, wait) => sum + wait.end - wait.begin, 0);
    const sums = this.#sumsOf(threadNamed(this.trace, threadName), begin, end);
    const figures = methodFigures(sums, this.trace.methods.count);
    let recorded = 0;
    for (let row = 0; row < figures.count; row++) {
      const name = this.trace.methods.qualifiedName(figures.method[row]!);
      if (name.endsWith(method)) recorded += figures.total.wall[row]!;
    }
    assert.ok(recorded >= 0.5 * truly, `${threadName}: ${recorded} ns in ${method}, truly ${truly}`);
    assert.ok(recorded <= 1.5 * truly, `${threadName}: ${recorded} ns in ${method}, truly ${truly}`);
  }

  /** The blocking sample that a wait overlaps most. */
  #rowOf({ waits }: ThreadTrack, kind: number, wait: Wait): number {
    let best = -1;
    let most = 0;
    for (let row = 0; row < waits.count; row++) {
      if (waits.kind[row] !== kind) continue;
      const begin = waits.begin[row]! + this.#origin;
      const end = waits.end[row]! + this.#origin;
      const common = Math.min(end, wait.end) - Math.max(begin, wait.begin);
      if (common > most) [best, most] = [row, common];
    }
    return best;
  }

  /** False where the recording says that it does not know who ended the wait; naming somebody else is an error. */
  #endedBy({ waits, name }: ThreadTrack, row: number, wait: Wait): boolean {
    if (wait.by === '-') return true;
    const { links } = this.trace;
    const link = waits.link[row]!;
    const estimated = (waits.flags[row]! & SampleFlag.OwnerEstimated) !== 0;
    const labelled = link >= 0 ? links.certainty[link] === LinkCertainty.OwnerAtBegin : estimated;
    const by = link >= 0 ? links.waker[link]! : waits.owner[row]!;
    if (by === 0) return labelled;
    const byName = this.trace.threads.find(({ index }) => index === by)?.name ?? 'nobody';
    assert.ok(labelled || byName === wait.by, `${name} waited for ${wait.by}, recorded is ${byName}`);
    return true;
  }
}

/** When those ended that did: within the last one nothing was read. */
function sleepsOver({ waits: { count, end, flags } }: ThreadTrack): number[] {
  return Array.from(end.subarray(0, count)).filter((_, row) => (flags[row]! & SampleFlag.OpenWait) === 0);
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

/** Of each thread that now lives, by its name. */
function switchesSoFar(pid: number): Map<string, number> {
  const tasks = `/proc/${pid}/task`;
  const switches = new Map<string, number>();
  for (const task of readdirSync(tasks)) {
    let status: string;
    try {
      status = readFileSync(path.join(tasks, task, 'status'), 'utf8');
    } catch {
      continue; // it has ended
    }
    const name = /^Name:\s*(.*)$/m.exec(status)![1]!;
    const counted = [...status.matchAll(/^(?:non)?voluntary_ctxt_switches:\s*(\d+)$/gm)];
    switches.set(
      name,
      counted.reduce((sum, [, count]) => sum + Number(count), 0),
    );
  }
  return switches;
}

async function compared(recordings: Recordings, jdk: Jdk, { parts, isEnough }: Run): Promise<Comparison> {
  const file = recordings.file(`${parts[0]}.txt`);
  const program = await JavaProgram.start('truth', {
    jdk,
    args: [file, ...parts],
    vmArgs: ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+EnableDynamicAgentLoading'],
  });
  try {
    const before = switchesSoFar(program.pid);
    const session = await recordings.start(program.pid, {
      maxDurationMs: mostMs,
      budgetPpm: 0, // what is true of the samples, not how many a busy machine leaves time for
      file: recordings.file(`${parts[0]}.btrace`),
    });
    session.onStatus((status) => {
      if (isEnough(status)) void session.stop();
    });
    const trace = decodeFile((await session.ended).file);
    const switches = switchesSoFar(program.pid);
    for (const [name, count] of switches) switches.set(name, count - (before.get(name) ?? 0));
    assert.equal(await program.end(), 0, program.output);
    return new Comparison(trace, new Truth(file), switches);
  } finally {
    await program.kill();
  }
}

for (const [at, jdk] of jdks().entries()) {
  for (let run = 1; run <= (at === 0 || runs > 5 ? runs : 1); run++) {
    describe(`the truth, JDK ${jdk.version}, run ${run}`, () => {
      let recordings: Recordings;
      let work: Comparison;
      let calls: Comparison;
      let waits: Comparison;

      before(async function () {
        lasts(this, 3 * mostMs);
        recordings = new Recordings();
        work = await compared(recordings, jdk, trueWork);
        calls = await compared(recordings, jdk, trueCalls);
        waits = await compared(recordings, jdk, trueWaits);
      });
      after(() => recordings.remove());

      it('shares of CPU time of one thread among its methods', () => work.shares('burner'));

      for (const thread of ['deep', 'brief', 'thrower']) {
        it(`CPU time of the thread "${thread}" is in its work`, () => work.shares(thread));
      }

      it('CPU time of long system calls', () => calls.shares('reader', callTolerance));
      it('CPU time of work that is too short to be seen', () => work.shortWork());
      it('no method with more CPU than wall time', () => {
        for (const { trace } of [work, calls, waits]) assertCpuWithinWall(trace);
      });

      it('whole stacks of deep recursion', () => {
        const { trace } = work;
        const { calls } = threadNamed(trace, 'deep');
        let deepest = 0;
        for (let row = 0; row < calls.count; row++) deepest = Math.max(deepest, calls.depth[row]!);
        assert.ok(deepest > 1500, String(deepest));
      });

      it('waits for a lock, with its owner', () => waits.waits('contender', 'MONITOR', SampleKind.Monitor));
      it('waits to be notified, with who did', () => waits.waits('waiter', 'WAIT', SampleKind.Wait));
      it('parks, with who unparked', () => waits.waits('sitter', 'PARK', SampleKind.Park));
      it('sleeps', () => waits.waits('sleeper', 'SLEEP', SampleKind.Sleep));

      it('waits for the other end of a socket, where it reads', () => {
        waits.waits('client', 'IO', SampleKind.Io);
        waits.standsIn('client', SampleKind.Io, /Net|SocketDispatcher/, 'Waits.');
      });

      it('rest in a selector and while nobody connects', () => {
        waits.waits('selector', 'POLL', SampleKind.Poll);
        waits.waits('listener', 'POLL', SampleKind.Poll);
      });

      it('no more time asleep than that', () => {
        waits.noMoreThanWaits('sleeper', 'SLEEP', 'Thread.sleep');
        waits.noMoreThanWaits('asker', 'SLEEP', 'Thread.sleep');
      });

      it('context switches', () => waits.contextSwitches('sleeper'));

      it('major page faults', function () {
        if (!waits.pageFaults('faulter')) this.skip();
      });

      it('allocated bytes', () => {
        waits.allocatedBytes('allocator');
      });

      it(
        'what was lost is counted, and nothing in the file is wrong',
        ofKind('loss', () => {
          for (const { trace } of [work, calls, waits]) {
            assert.deepEqual(trace.problems, []);
            const lost = trace.losses.reduce((sum, { count }) => sum + count, 0);
            assert.ok(
              (trace.status?.dropped ?? 0) <= lost,
              `${trace.status?.dropped} dropped, ${lost} listed`,
            );
          }
        }),
      );
    });
  }
}
