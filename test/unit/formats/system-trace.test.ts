/** The kernel's scheduler in Perfetto's form: one file with both, and a system trace laid beside a recording. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { writePerfetto } from '../../../src/trace/formats/perfetto-export.js';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';
import { Header, Threads } from '../../../src/trace/recording/messages.js';
import { RecordingWriter } from '../../../src/trace/recording/writer.js';
import { Random } from '../../../src/trace/synth/random.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { interruptWaker, SchedState } from '../../../src/trace/system/kernel-sink.js';
import { layBeside, shiftOf } from '../../../src/trace/system/lay-beside.js';
import { decodeRecording, type Trace } from '../../../src/trace/index.js';
import { root } from '../../../scripts/setup.mjs';

const [monotonic, sleptNs] = [8_000_000_000_123n, 3_600_000_000_000n];
const clock = {
  monotonicNs: monotonic,
  boottimeNs: monotonic + sleptNs,
  realtimeNs: 1_700_000_000_000_000_000n,
};
const rows = 6000;

/** Two cores that switch between ten threads, and wake-ups by who runs there or by interrupts. */
function events(): KernelEvents {
  const made = new KernelEvents();
  const random = new Random(7);
  const running = [0, 0];
  for (let row = 0; row < rows; row++) {
    const core = row % 2;
    const time = row * 1000 + 10;
    const next = random.below(10);
    made.switched(time, running[core]!, 1 + random.below(3), next, core);
    made.woken(time + 400, 1 + random.below(9), random.below(3) === 0 ? interruptWaker : next, core);
    running[core] = next;
  }
  made.waitedForDisk(5000, 3, 1);
  made.frequency(70_000, 1, 2_400_000);
  for (let tid = 1; tid < 10; tid++) made.nameThread(tid, `thread ${tid}`, tid < 5 ? 1 : 5);
  return made;
}

async function recording(made?: KernelEvents): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const writer = new RecordingWriter({ write: (bytes) => Promise.resolve(void parts.push(bytes)) });
  await writer.add(ChunkKind.Header, Header.encode({ major: 1, target: { name: 'x', pid: 1 }, clock }));
  await writer.add(
    ChunkKind.Threads,
    Threads.encode({ threads: [{ index: 1, tid: 1, name: 'main', isMain: true }] }),
  );
  if (made !== undefined) {
    const shift = { ns: 0, clock: 'monotonic', isMeasured: true } as const;
    for (const [kind, payload] of layBeside(made, shift, 'ftrace', { beginNs: 0, endNs: 1e9 }).chunks)
      await writer.add(kind, payload);
  }
  await writer.finish(0, '', 10_000_000);
  return Buffer.concat(parts);
}

function exported(trace: Trace): Buffer {
  const parts: Uint8Array[] = [];
  writePerfetto(trace, (bytes) => parts.push(bytes));
  return Buffer.concat(parts);
}

/** By core and time, as cores are interleaved differently. */
function sorted(made: Pick<KernelEvents, 'switches' | 'wakes'>, shiftNs = 0): number[][][] {
  const { switches, wakes } = made;
  const table = (count: number, ...columns: ArrayLike<number>[]): number[][] =>
    Array.from({ length: count }, (_, row) =>
      columns.map((one, at) => one[row]! + (at === 1 ? shiftNs : 0)),
    ).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
  return [
    table(switches.count, switches.core, switches.time, switches.previous, switches.state, switches.next),
    table(wakes.count, wakes.core, wakes.time, wakes.tid, wakes.waker),
  ];
}

function imported(bytes: Uint8Array): { made: KernelEvents; trace: Trace } {
  const made = new KernelEvents();
  const importer = anyImporter({ kernel: made });
  importer.append(bytes);
  return { made, trace: importer.finish() };
}

describe('a system trace beside a recording', () => {
  it('is written into one Perfetto file with it, and reads back equal', async () => {
    const own = decodeRecording(await recording(events())).trace();
    const { made, trace } = imported(exported(own));
    const shift = shiftOf(made, own.info);
    assert.ok(shift.isMeasured);
    assert.deepEqual(sorted(made, shift.ns), sorted(own.system!));
    assert.deepEqual([made.diskWaits.tid[0], made.diskWaits.time[0]! + shift.ns], [3, 5000]);
    assert.deepEqual(made.frequencies.kHz, [2_400_000]);
    assert.ok(made.named.some(({ tid, name, pid }) => tid === 7 && name === 'thread 7' && pid === 5));
    assert.deepEqual(trace.problems, []);
  });

  it('says that events were lost where somebody else ran than the switch before says', async () => {
    const made = new KernelEvents();
    made.switched(10, 0, SchedState.Runnable, 3, 0);
    made.switched(20, 3, SchedState.Sleeping, 4, 0);
    made.switched(30, 8, SchedState.Sleeping, 5, 0);
    made.switched(40, 5, SchedState.Sleeping, 6, 0);
    const { made: read } = imported(exported(decodeRecording(await recording(made)).trace()));
    assert.deepEqual([...read.switches.previous.subarray(0, 4)], [0, 3, 0, 5]);
  });

  it('is found out by which clock it was made: its own readings, else the nearer one', () => {
    const own = { startMonotonicNs: monotonic, startBoottimeNs: monotonic + sleptNs };
    const both = { startMonotonicNs: monotonic + 500n, startBoottimeNs: monotonic + sleptNs + 500n };
    assert.deepEqual(shiftOf(both, own), { ns: 500, clock: 'monotonic', isMeasured: true });
    const [near, far] = [monotonic + 900n, monotonic + sleptNs + 900n];
    assert.deepEqual(shiftOf({ startMonotonicNs: near, startBoottimeNs: near }, own), {
      ...{ ns: 900, clock: 'monotonic', isMeasured: false },
    });
    assert.deepEqual(shiftOf({ startMonotonicNs: far, startBoottimeNs: far }, own), {
      ...{ ns: 900, clock: 'boottime', isMeasured: false },
    });
  });

  it('is merged by the command: Perfetto’s and the kernel’s text', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'merge-'));
    try {
      const file = (name: string): string => path.join(folder, name);
      const whole = decodeRecording(await recording(events())).trace();
      writeFileSync(file('bare.btrace'), await recording());
      writeFileSync(file('system.pftrace'), exported(whole));
      const at = (ns: number): string => (Number(monotonic + sleptNs) / 1e9 + ns / 1e9).toFixed(6);
      writeFileSync(
        file('system.txt'),
        '# tracer: nop\n' +
          ` main-1 [001] d..2 ${at(1e6)}: sched_switch: prev_comm=main prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n` +
          ` b-2 [001] d..2 ${at(2e6)}: sched_waking: comm=main pid=1 prio=120 target_cpu=001\n` +
          ` b-2 [001] d..2 ${at(3e6)}: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=main next_pid=1 next_prio=120\n`,
      );
      const merge = (from: string, to: string): Trace => {
        const command = ['--import', 'tsx', 'src/cli/main.ts', 'merge', file('bare.btrace'), file(from)];
        const { status, stderr } = spawnSync(process.execPath, [...command, '-o', file(to)], {
          cwd: root,
          encoding: 'utf8',
        });
        assert.equal(status, 0, stderr);
        return decodeRecording(readFileSync(file(to))).trace();
      };
      const merged = merge('system.pftrace', 'a.btrace');
      assert.deepEqual(sorted(merged.system!), sorted(whole.system!));
      assert.deepEqual([merged.complete, merged.problems.length, merged.threads[0]!.name], [true, 0, 'main']);
      const { switches, clock: named } = merge('system.txt', 'b.btrace').system!;
      assert.match(named, /boottime, the nearer one/);
      // Text has microseconds.
      assert.ok(Math.abs(switches.time[0]! - 1e6) < 2000, String(switches.time[0]));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }).timeout(60_000);
});
