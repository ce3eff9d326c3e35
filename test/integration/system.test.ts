/** The kernel's scheduler beside a recording: against what the program itself wrote down of its CPU clocks and waits. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { openInstance } from '../../src/targets/system/tracefs.js';
import { SystemRecorder } from '../../src/targets/system/system-recorder.js';
import { TargetError } from '../../src/targets/target.js';
import { type ThreadTrack, type Trace } from '../../src/trace/index.js';
import { threadScheduling } from '../../src/trace/measure/scheduling.js';
import { wholeTrace } from '../../src/trace/measure/scope.js';
import { interruptWaker, isAsleep, SchedState } from '../../src/trace/system/kernel-sink.js';
import { type ThreadStates } from '../../src/trace/system/thread-states.js';
import { JavaProgram } from '../rigs/jvm/programs.js';
import { Truth } from '../rigs/jvm/truth.js';
import { Recordings } from './recordings.js';
import { until } from '../rigs/until.js';

/** Whether this user may make an instance of tracefs here: root may, unless a container forbids mounting. */
async function canTrace(): Promise<boolean> {
  try {
    await (await openInstance()).remove();
    return true;
  } catch {
    return false;
  }
}

/** As a user has it who may not open tracefs. */
const refuseTrace = (): Promise<never> =>
  Promise.reject(new TargetError('not-permitted', 'This user may not.', 'Be another.'));

/** Whether the kernel tells of switches without root. */
function canWatch(): boolean {
  return (
    process.geteuid?.() === 0 || Number(readFileSync('/proc/sys/kernel/perf_event_paranoid', 'utf8')) <= 2
  );
}

const statesOf = (trace: Trace, thread: ThreadTrack): ThreadStates =>
  trace.system!.states(trace.threads.map(({ tid }) => tid)).get(thread.tid)!;

for (const way of ['of all programs', 'of the program alone'] as const) {
  const isAlone = way === 'of the program alone';
  describe(`the kernel’s scheduler beside a recording, ${way}`, () => {
    const recordings = new Recordings(isAlone ? { openTrace: refuseTrace } : {});
    let program: JavaProgram | undefined;
    let trace: Trace;
    let truth: Truth;
    let origin = 0;

    before(async function () {
      if (isAlone ? !canWatch() : !(await canTrace())) this.skip();
      const file = recordings.file('truth.txt');
      program = await JavaProgram.start('truth', { args: [file] });
      trace = await recordings.record(program.pid, 2000, { system: true, budgetPpm: 0 });
      await program.end();
      truth = new Truth(file);
      origin = Number(trace.info.startMonotonicNs);
    });
    after(async () => {
      await program?.kill();
      recordings.remove();
    });

    const threadOf = (name: string): ThreadTrack | undefined =>
      trace.threads.find((one) => one.name === name);

    it('gives each thread the CPU time of its own clock, within 1 %', () => {
      const { beginNs, endNs } = trace.system!;
      const ratios: number[] = [];
      const off: string[] = [];
      for (const name of new Set(truth.slices.map(({ thread }) => thread))) {
        const thread = threadOf(name);
        if (thread === undefined) continue;
        const states = statesOf(trace, thread);
        let [clock, slices] = [0, 0];
        for (const slice of truth.slices) {
          const [from, to] = [slice.begin - origin, slice.end - origin];
          if (slice.thread !== name || from < Math.max(beginNs, 0) || to > endNs) continue;
          const times = new Float64Array(6);
          states.timesIn(from, to, times);
          clock += slice.cpuNs;
          slices += times[SchedState.Running]!;
          // Reading the clock itself counts for more in shorter ones.
          if (slice.cpuNs > 20e6) ratios.push(times[SchedState.Running]! / slice.cpuNs);
        }
        if (clock > 20e6 && Math.abs(slices / clock - 1) > 0.1) off.push(`${name}: ${slices} of ${clock}`);
      }
      // Interrupts, and machines that share a core with this one, take it from a thread where no switch tells of it, and its own clock
      // does not go on: 10 ms of a slice of 90 were seen, in one of twenty slices.
      const median = ratios.sort((a, b) => a - b)[ratios.length >> 1];
      assert.ok(median !== undefined, 'no slice was recorded whole');
      assert.ok(Math.abs(median - 1) <= 0.01, `${median} of ${ratios.length} slices`);
      assert.deepEqual(off, []);
    });

    it('has a sleep between the marks of each wait, and who ended it where that is known', () => {
      const { beginNs, endNs } = trace.system!;
      let [waits, slept, named, right, monitors, released] = [0, 0, 0, 0, 0, 0];
      const wrong: string[] = [];
      for (const { thread: name, kind, begin, end, by } of truth.waits) {
        const [from, to] = [begin - origin, end - origin];
        const thread = threadOf(name);
        if (thread === undefined || from < Math.max(beginNs, 0) || to > endNs || to - from < 1e6) continue;
        waits++;
        const states = statesOf(trace, thread);
        const wakers = new Set<number>();
        for (let row = states.firstAfter(from); row < states.count && states.begin[row]! < to; row++)
          if (isAsleep(states.state[row]!) && states.begin[row]! >= from && states.end[row]! <= to)
            wakers.add(states.waker[row]!);
        if (wakers.size === 0) {
          const times = new Float64Array(6);
          states.timesIn(from, to, times);
          // It was put aside before it had to wait, and what it wanted was there when it went on.
          if (times[SchedState.Runnable]! > (to - from) / 2) waits--;
          continue;
        }
        slept++;
        if (isAlone) {
          assert.deepEqual([...wakers], [0]);
          continue;
        }
        if (kind !== 'SLEEP' && by === '-') continue;
        named++;
        const isByTimer = wakers.has(interruptWaker) || (kind === 'SLEEP' && wakers.has(0));
        // Among them, not the last: after its sleep a thread may have to wait for a collection.
        const isByOther = wakers.has(threadOf(by)?.tid ?? -1);
        if (kind === 'MONITOR') monitors++;
        if (kind === 'MONITOR' && isByOther) released++;
        // Who wants a monitor looks again by itself now and then.
        if (isByOther || (isByTimer && (kind === 'SLEEP' || kind === 'MONITOR'))) right++;
        else wrong.push(`${kind} of ${name} by ${by}: ${[...wakers].join()}`);
      }
      assert.ok(waits >= 20, `${waits} waits`);
      assert.ok(slept >= waits * 0.99, `${slept} of ${waits} waits have a sleep between their marks`);
      const told = `${right} of ${named} wakers are right\n${wrong.join('\n')}`;
      if (isAlone) return;
      assert.ok(named > 10 && right >= named * 0.95, told);
      assert.ok(released > monitors / 2, `${released} of ${monitors} monitors were released by their owners`);
    });

    it('reports the clock difference, lost events and threads of other programs', () => {
      const system = trace.system!;
      assert.equal(system.clock, 'mono');
      assert.equal(system.lost, 0);
      assert.deepEqual(trace.problems, []);
      assert.ok(threadScheduling(trace, wholeTrace).length >= 5);
      assert.equal(system.isOfProgram, isAlone);
      if (isAlone) {
        const { next, count } = system.switches;
        const own = new Set(next.subarray(0, count));
        assert.ok(!own.has(process.pid) && trace.threads.some(({ tid }) => own.has(tid)));
        return;
      }
      assert.ok(system.marks >= 2, `${system.marks} marks`);
      assert.ok(Math.abs(system.offsetNs) <= system.errorNs + 1000, `${system.offsetNs} ± ${system.errorNs}`);
      const own = system.task(process.pid);
      assert.equal(own?.pid, process.pid);
    });
  });
}

describe('an instance of tracefs', () => {
  const instances = (): string[] => {
    const at = ['/sys/kernel/tracing/instances', '/sys/kernel/debug/tracing/instances'].find(existsSync);
    return at === undefined ? [] : readdirSync(at).filter((name) => name.startsWith('btrace-'));
  };
  let child: ChildProcess | undefined;

  before(async function () {
    if (!(await canTrace())) this.skip();
  });
  after(() => child?.kill('SIGKILL'));

  it('is gone when its recorder is killed, and so is its guard', async () => {
    const script = `
      import { SystemRecorder } from ${JSON.stringify(path.join(root, 'src/targets/system/system-recorder.ts'))};
      await SystemRecorder.start({ redact: false });
      console.log('recording');
      setInterval(() => undefined, 1000);`;
    const recorder = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = recorder;
    await new Promise<void>((resolve, reject) => {
      recorder.stdout.once('data', () => resolve());
      recorder.once('exit', (code) => reject(new Error(`it ended with ${String(code)}`)));
    });
    const guard = guardsOf(recorder.pid!);
    assert.equal(guard.length, 1);
    recorder.removeAllListeners('exit').kill('SIGKILL');
    await until('the guard ends', () => guardsOf(recorder.pid!).length === 0);
    assert.deepEqual(
      instances().filter((name) => name.startsWith(`btrace-${recorder.pid}-`)),
      [],
    );
  });

  it('is removed by the next one where recorder and guard were killed', async () => {
    const dead = await openInstance();
    const [guard] = guardsOf(process.pid);
    process.kill(guard!, 'SIGKILL');
    await dead.remove();
    // Its maker is this process, which lives: it stays. Where tracefs was mounted for it alone, it is out of reach.
    const recorder = await SystemRecorder.start({ redact: true });
    await recorder.stop();
    assert.deepEqual(guardsOf(process.pid), []);
  });
});

/** Guards that were started for that recorder, by the name of its instance in their command lines. */
function guardsOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        const line = readFileSync(`/proc/${one}/cmdline`, 'utf8');
        return line.includes('btrace-guard') && line.includes(`\0btrace-${pid}-`);
      } catch {
        return false;
      }
    });
}
