/** Where all of a process's CPU time goes: compilers, collectors and short threads too, beside what the kernel counts for each thread. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { type AgentCommand, launch, type RunningCommand } from '../../src/targets/local/launch.js';
import { sumScope, ThreadKind, type Trace } from '../../src/trace/index.js';
import { oneJdk, javaSources } from '../rigs/jvm/programs.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { cpuOf, decodeFile, Recordings, totalCpu } from './recordings.js';
import { monotonicNs } from '../rigs/until.js';

const lookEveryMs = 20;
const mostLookNs = 5e6;
/** What the process may have used that no thread's rows tell. */
const leastTold = 0.95;

/** A thread's CPU time as the kernel counts it, at `atNs` of CLOCK_MONOTONIC: on a busy machine the last look is long before the end. */
interface Look {
  readonly cpuNs: number;
  readonly atNs: number;
}

/** By tid, of each thread that lived for one look. */
function kernelCpu(pid: number, into: Map<number, Look>): void {
  try {
    for (const tid of readdirSync(`/proc/${pid}/task`)) {
      const atNs = monotonicNs();
      const [ns] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ');
      // Unless this process was put aside in between: the next look comes soon.
      if (monotonicNs() - atNs < mostLookNs) into.set(Number(tid), { cpuNs: Number(ns), atNs });
    }
  } catch {
    // It has ended meanwhile.
  }
}

for (const jdk of oneJdk('oldest')) {
  describe(`the CPU time of javac, JDK ${jdk.version}`, () => {
    const recordings = new Recordings();
    const classes = mkdtempSync(path.join(tmpdir(), 'classes-'));
    const kernel = new Map<number, Look>();
    let trace: Trace;

    before(async () => {
      const run = async ({ args, env }: AgentCommand): Promise<RunningCommand> => {
        const child = spawn(args[0]!, args.slice(1), { env, stdio: 'ignore' });
        const looks = setInterval(() => kernelCpu(child.pid!, kernel), lookEveryMs);
        const exit = once(child, 'exit').then(([code]) => Number(code));
        void exit.finally(() => clearInterval(looks));
        await once(child, 'spawn');
        return { exit, kill: (signal) => void child.kill(signal) };
      };
      const { session, exit } = await launch(
        [path.join(jdk.home, 'bin/javac'), '-J-XX:+UseG1GC', '-J-Xmx64m', '-d', classes, ...javaSources()],
        recordings.options(),
        { agentRoots: [root], run },
        AbortSignal.timeout(waitLimitMs),
      );
      const { file } = await session.ended;
      assert.equal(await exit, 0);
      trace = decodeFile(file);
      assert.deepEqual(trace.problems, []);
    });
    after(() => {
      recordings.remove();
      rmSync(classes, { recursive: true, force: true });
    });

    it('is attributed nearly completely to the threads that used it', () => {
      const told = trace.threads.reduce((sum, thread) => sum + cpuOf(thread), 0);
      const { processCpuNs, drainNs } = trace.status!;
      const used = processCpuNs - drainNs;
      assert.ok(told >= leastTold * used, `${told} of ${used} ns`);
    });

    it('is, of each compiler and collector, what the kernel says, with native frames below', () => {
      const own = trace.threads.filter(({ kind }) => kind === ThreadKind.Runtime);
      let compilers = 0;
      for (const thread of own) {
        const { cpuNs: used, atNs } = kernel.get(thread.tid) ?? { cpuNs: 0, atNs: 0 };
        // Others have little more than their first rows to tell.
        if (used < 150e6) continue;
        const endNs = atNs - Number(trace.info.startMonotonicNs);
        const { sum } = sumScope(trace, { threads: [thread.index], beginNs: -Infinity, endNs });
        const told = `${thread.name}: ${sum.cpu} of ${used} ns until then`;
        assert.ok(Math.abs(sum.cpu - used) < 0.1 * used + 40e6, told);
        const total = totalCpu(trace, thread);
        const roots = ['[JIT compiler]', '[garbage collector]', '[JVM]'];
        const root = roots.find((name) => total.has(name));
        assert.ok(root !== undefined, `${thread.name} begins with ${[...total.keys()].join(', ')}`);
        assert.ok(
          /^C[12] /.test(thread.name) === (root === '[JIT compiler]'),
          `${thread.name} is in ${root}`,
        );
        if (root !== '[JIT compiler]') continue;
        compilers++;
        const compiling = total.get('CompileBroker::compiler_thread_loop() (libjvm.so)') ?? 0;
        assert.ok(compiling >= 0.8 * cpuOf(thread), `${told}, ${compiling} of it compiling`);
      }
      assert.ok(compilers > 0, `no compiler among ${own.map(({ name }) => name).join(', ')}`);
    });
  });
}
