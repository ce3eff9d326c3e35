/** The switches of one program, told by the kernel to a user without rights, compared with what the program says of itself. */
import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { root } from '../../scripts/setup.mjs';
import { findExternalProgram } from '../../src/targets/local/native-external-program.js';
import { ProgramSwitches } from '../../src/targets/system/program-switches.js';
import { decodeRecording, type Trace } from '../../src/trace/index.js';
import { statesOf } from '../../src/trace/measure/scheduling.js';
import { ChunkKind } from '../../src/trace/recording/chunk.js';
import { Header, Threads } from '../../src/trace/recording/messages.js';
import { RecordingWriter } from '../../src/trace/recording/writer.js';
import { isAsleep, SchedState } from '../../src/trace/system/kernel-sink.js';
import type { ThreadStates } from '../../src/trace/system/thread-states.js';
import { NativePrograms } from '../rigs/native/programs.js';

/** Where the tests are root, what they start here is not. */
const unprivileged =
  process.geteuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : [];

class Switching {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  constructor(program: string) {
    const [command, ...words] = [...unprivileged, program];
    this.child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(this.child.stdout);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The words of the next line that it prints, without the first, as numbers. */
  async answer(): Promise<number[]> {
    const [line] = (await once(this.#lines, 'line')) as [string];
    return line.split(' ').slice(1).map(Number);
  }

  async ask(command: string): Promise<number[]> {
    const answer = this.answer();
    this.child.stdin.write(`${command}\n`);
    return await answer;
  }

  async end(signal?: NodeJS.Signals): Promise<void> {
    const exit = once(this.child, 'exit');
    if (signal === undefined) this.child.stdin.end();
    else this.child.kill(signal);
    await exit;
  }
}

/** What is watched from now on, as a recording that begins with it. */
class Watched {
  readonly #parts: Uint8Array[] = [];
  readonly #writer = new RecordingWriter({ write: (bytes) => Promise.resolve(void this.#parts.push(bytes)) });
  readonly #switches: ProgramSwitches;

  private constructor(switches: ProgramSwitches) {
    this.#switches = switches;
  }

  static async start(reader: string, pid: number): Promise<Watched> {
    const switches = await ProgramSwitches.start(reader);
    const made = new Watched(switches);
    await made.#writer.add(ChunkKind.Header, Header.encode({ major: 1, target: { name: 'x', pid } }));
    switches.hand((kind, payload) => made.#writer.add(kind, payload), { monotonicNs: 0n, boottimeNs: 0n });
    await switches.watch(pid);
    return made;
  }

  /** With these threads. Times are those of CLOCK_MONOTONIC. */
  async stop(tids: readonly number[]): Promise<Trace> {
    await this.#switches.stop();
    const threads = tids.map((tid, at) => ({ index: at + 1, tid, name: `thread ${tid}` }));
    await this.#writer.add(ChunkKind.Threads, Threads.encode({ threads }));
    await this.#writer.finish(0, '', 1);
    const decoder = decodeRecording(Buffer.concat(this.#parts));
    assert.equal(decoder.refused, '');
    return decoder.trace();
  }
}

const statesIn = (trace: Trace, tid: number): ThreadStates => statesOf(trace.system!, trace).get(tid)!;

function sum(states: ThreadStates, state: number): number {
  let ns = 0;
  for (let row = 0; row < states.count; row++)
    if (states.state[row] === state) ns += states.end[row]! - states.begin[row]!;
  return ns;
}

describe('the switches of one program, without root', () => {
  const programs = new NativePrograms();
  let reader = '';
  let program: Switching | undefined;

  before(async function () {
    if (Number(readFileSync('/proc/sys/kernel/perf_event_paranoid', 'utf8')) > 2) this.skip();
    chmodSync(programs.folder, 0o755);
    programs.compile('switching', ['-O2']);
    const copy = path.join(programs.folder, 'btrace-external');
    copyFileSync(await findExternalProgram([root]), copy);
    reader = path.join(programs.folder, 'reader');
    writeFileSync(reader, `#!/bin/sh\nexec ${unprivileged.join(' ')} ${copy} "$@"\n`, { mode: 0o755 });
  });
  beforeEach(async () => {
    program = new Switching(path.join(programs.folder, 'switching-O2'));
    await program.answer();
  });
  afterEach(() => program?.child.kill('SIGKILL'));
  after(() => programs.remove());

  it('have the CPU time and the sleeps of a thread that comes and ends, and none of a process that it forks', async () => {
    const { pid } = program!;
    const watched = await Watched.start(reader, pid);
    const [tid = 0, cpuNs = 0, sleptNs = 0, onCoreNs = 0] = await program!.ask('thread');
    const [forked = 0] = await program!.ask('fork');
    const trace = await watched.stop([pid, tid]);
    const { system } = trace;
    assert.deepEqual(trace.problems, []);
    assert.deepEqual([system!.lost, system!.isOfProgram], [0, true]);
    const states = statesIn(trace, tid);
    const ranNs = sum(states, SchedState.Running);
    // Its end, which it does not tell of itself, takes some tens of microseconds.
    const told = `${ranNs} of ${cpuNs} to ${onCoreNs} ns`;
    assert.ok(ranNs > cpuNs * 0.99 && ranNs < onCoreNs * 1.01 + 1e6, told);
    const naps = Array.from(states.state.subarray(0, states.count)).filter(
      (state, row) => isAsleep(state) && states.end[row]! - states.begin[row]! > 9e6,
    );
    assert.equal(naps.length, 5);
    const asleepNs = sum(states, SchedState.Sleeping);
    assert.ok(Math.abs(asleepNs / sleptNs - 1) < 0.05, `${asleepNs} of ${sleptNs} ns`);
    // From when it was made to when it ended it is known at all times.
    for (let row = 1; row < states.count; row++) assert.equal(states.begin[row], states.end[row - 1]);
    assert.ok(states.begin[0]! > system!.beginNs && states.end[states.count - 1]! < system!.endNs);
    const seen = new Set([...system!.switches.next.subarray(0, system!.switches.count)]);
    assert.ok(!seen.has(forked) && forked > 0);
    assert.deepEqual(new Set([0, pid, tid]), seen);
  });

  it('end with a program that is killed', async () => {
    const { pid } = program!;
    const watched = await Watched.start(reader, pid);
    const [tid = 0] = await program!.ask('thread');
    await program!.end('SIGKILL');
    const trace = await watched.stop([pid, tid]);
    const states = statesIn(trace, pid);
    assert.equal(trace.system!.lost, 0);
    assert.ok(states.count > 0 && states.end[states.count - 1]! <= trace.system!.endNs);
  });

  it('are counted where the kernel has no room for them, and nothing is said of what threads did then', async () => {
    const watched = await Watched.start(reader, program!.pid);
    const stopped = readerOf(process.pid);
    process.kill(stopped, 'SIGSTOP');
    const [first = 0, second = 0, beginNs = 0, endNs = 0] = await program!.ask('rounds 20000');
    process.kill(stopped, 'SIGCONT');
    // The kernel has no room until the reader has caught up: what it does meanwhile is known in part, and the last thread's all.
    const threads: [tid: number, cpuNs: number, onCoreNs: number][] = [];
    for (let at = 0; at < 4; at++) {
      const [tid = 0, cpuNs = 0, , onCoreNs = 0] = await program!.ask('thread');
      threads.push([tid, cpuNs, onCoreNs]);
    }
    const trace = await watched.stop([first, second, ...threads.map(([tid]) => tid)]);
    assert.ok(trace.system!.lost > 1000, `${trace.system!.lost} lost`);
    for (const one of [first, second]) {
      const times = new Float64Array(6);
      statesIn(trace, one).timesIn(beginNs, endNs, times);
      const knownNs = times.reduce((all, ns) => all + ns, 0);
      assert.ok(knownNs > 0 && knownNs < (endNs - beginNs) * 0.9, `${knownNs} of ${endNs - beginNs} ns`);
    }
    for (const [at, [tid, cpuNs, onCoreNs]] of threads.entries()) {
      const ranNs = sum(statesIn(trace, tid), SchedState.Running);
      const told = `${ranNs} of ${cpuNs} to ${onCoreNs} ns`;
      assert.ok(ranNs < onCoreNs * 1.02, told);
      if (at === threads.length - 1) assert.ok(ranNs > cpuNs * 0.98, told);
    }
  });
});

/** The one that this process started. */
function readerOf(parent: number): number {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((pid) => {
      try {
        const [, state = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' (btrace-external) ');
        return state.split(' ')[1] === String(parent);
      } catch {
        return false;
      }
    });
  assert.ok(found, 'the reader runs');
  return Number(found);
}
