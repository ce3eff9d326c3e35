/** Recordings of the made-up program with a made-up scheduler beside it: four cores, the program's threads and two others. */
import { Readable } from 'node:stream';
import { synthesize, type SynthOptions } from '../../../src/trace/index.js';
import { decodeRecording } from '../../../src/trace/index.js';
import { ChunkKind } from '../../../src/trace/recording/chunk.js';
import { encodeProgramSwitches, System } from '../../../src/trace/recording/scheduling.js';
import { Random } from '../../../src/trace/synth/random.js';
import { interruptWaker, SchedState } from '../../../src/trace/system/kernel-sink.js';
import {
  ProgramSwitchRows,
  programSwitchesSource,
  SwitchKind,
} from '../../../src/trace/system/program-switches.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { type Beside, layBeside } from '../../../src/trace/system/lay-beside.js';
import { writeMerged } from '../../../src/trace/system/merge.js';

export const otherTid = 900_001;
const coreCount = 4;
const sleeps = [SchedState.Sleeping, SchedState.Sleeping, SchedState.Uninterruptible, SchedState.Runnable];

/** `switches`: how many, over the length of the recording. `sections`: of the first thread, in each other, over all of it. */
export async function scheduledRecording(
  switches: number,
  options: Partial<SynthOptions> = {},
  sections: readonly string[] = [],
): Promise<{ readonly plain: Buffer; readonly scheduled: Buffer; readonly tids: readonly number[] }> {
  const parts: Uint8Array[] = [];
  await synthesize({ write: (bytes) => Promise.resolve(void parts.push(bytes)) }, options);
  const made = Buffer.concat(parts);
  const trace = decodeRecording(made).trace();
  const tids = trace.threads.map(({ tid }) => tid);
  const events = schedule([...tids, otherTid, otherTid + 1], switches, trace.beginNs, trace.endNs);
  events.nameThread(otherTid, 'compiler', 900_000);
  events.nameThread(otherTid + 1, 'browser', 900_000);
  const [first = 0] = tids;
  sections.forEach((name, at) => {
    print(events, trace.beginNs + at, first, `B|${first}|${name}`);
    print(events, trace.endNs - at, first, `E|${first}`);
  });
  const shift = { ns: 0, clock: 'monotonic', isMeasured: true } as const;
  const beside = layBeside(events, shift, 'ftrace', trace);
  return { plain: await written(made, []), scheduled: await written(made, beside.chunks), tids };
}

/** The same with the switches of the program's own threads alone, as a user without rights has them. */
export async function aloneRecording(switches: number, options: Partial<SynthOptions> = {}): Promise<Buffer> {
  const { plain, scheduled, tids } = await scheduledRecording(switches, options);
  const all = decodeRecording(scheduled).trace().system!;
  const rows = new ProgramSwitchRows();
  const { time, previous, next, state, core, count } = all.switches;
  for (let row = 0; row < count; row++) {
    const [from, to] = [previous[row]!, next[row]!];
    const left = state[row] === SchedState.Runnable ? SwitchKind.Preempted : SwitchKind.Slept;
    if (tids.includes(from)) rows.push(time[row]!, from, left, core[row]!);
    if (tids.includes(to)) rows.push(time[row]!, to, SwitchKind.In, core[row]!);
  }
  const { beginNs, endNs, cores, clock } = all;
  const system = System.encode({ source: programSwitchesSource, clock, cores, beginNs, endNs });
  return await written(plain, [
    [ChunkKind.System, system],
    [ChunkKind.ProgramSwitches, encodeProgramSwitches(rows, 0, rows.count, 0)],
  ]);
}

function print(events: KernelEvents, time: number, tid: number, text: string): void {
  const bytes = Buffer.from(text);
  events.print(time, tid, bytes, 0, bytes.length);
}

/** Both recordings are written alike, so that they differ in the scheduler's chunks alone. */
async function written(recording: Buffer, chunks: Beside['chunks']): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  await writeMerged(
    () => Readable.from([recording]),
    { chunks, taken: 0, outside: 0 },
    { write: (bytes) => Promise.resolve(void parts.push(Uint8Array.from(bytes))) },
  );
  return Buffer.concat(parts);
}

/** A thread that leaves its core sleeps until it is woken, waits a while for a core, and runs on another one. */
function schedule(tids: readonly number[], switches: number, beginNs: number, endNs: number): KernelEvents {
  const events = new KernelEvents();
  const random = new Random(11);
  const running = new Array<number>(coreCount).fill(0);
  const ready = [...tids];
  const asleep: { readonly tid: number; readonly untilNs: number }[] = [];
  const step = (endNs - beginNs) / switches;
  for (let row = 0; row < switches; row++) {
    const time = Math.round(beginNs + row * step);
    const core = row % coreCount;
    while ((asleep[0]?.untilNs ?? Infinity) <= time) ready.push(asleep.shift()?.tid ?? 0);
    const previous = running[core] ?? 0;
    const isIdle = ready.length < 2 || random.below(8) === 0;
    const next = isIdle ? 0 : (ready.splice(random.below(ready.length), 1)[0] ?? 0);
    const state = previous === 0 ? SchedState.Runnable : (sleeps[random.below(sleeps.length)] ?? 0);
    events.switched(time, previous, state, next, core);
    running[core] = next;
    if (previous === 0) continue;
    if (state === SchedState.Runnable) {
      ready.push(previous);
      continue;
    }
    const untilNs = Math.round(time + step * (1 + random.below(50) / 10));
    const waker = random.below(3) === 0 ? interruptWaker : (running[(core + 1) % coreCount] ?? 0);
    events.woken(untilNs, previous, waker, core);
    if (state === SchedState.Uninterruptible) events.waitedForDisk(untilNs, previous, core);
    asleep.push({ tid: previous, untilNs });
    asleep.sort((one, other) => one.untilNs - other.untilNs);
  }
  return events;
}
