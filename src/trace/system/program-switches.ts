/**
 * Switches of one program's threads alone, as perf_event_open tells them: of each when it came onto a core and when it left
 * it, and not who had the core before or after. 15 bytes a switch.
 */
import { grown, nextCapacity } from '../assemble/grow.js';
import { type KernelSink, SchedState } from './kernel-sink.js';

/** `System.source` of such a trace. */
export const programSwitchesSource = 'perf switches';

/** As the file has them. */
export const SwitchKind = {
  In: 0,
  /** Off the core and ready: the kernel took it away. */
  Preempted: 1,
  /** Off the core by itself. When it was woken is not known. */
  Slept: 2,
  /** Nothing is known of the thread from here on: it ended, or records were lost. */
  Unknown: 3,
  /** It was made, is ready, and was on no core yet. */
  Born: 4,
} as const;
export const mostSwitchKind = SwitchKind.Born;

/** In order of time, but for `Unknown` rows of lost records, which lie where the loss began. */
export class ProgramSwitchRows {
  count = 0;
  time = new Float64Array(0);
  tid = new Int32Array(0);
  kind = new Uint8Array(0);
  core = new Uint16Array(0);

  push(time: number, tid: number, kind: number, core: number): void {
    const row = this.count;
    if (row === this.time.length) this.#grow(row + 1);
    this.time[row] = time;
    this.tid[row] = tid;
    this.kind[row] = kind;
    this.core[row] = core;
    this.count = row + 1;
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.time.length, Math.max(needed, 1024));
    this.time = grown(this.time, size);
    this.tid = grown(this.tid, size);
    this.kind = grown(this.kind, size);
    this.core = grown(this.core, size);
  }
}

const stateLeftIn: Readonly<Record<number, number>> = {
  [SwitchKind.Preempted]: SchedState.Runnable,
  [SwitchKind.Slept]: SchedState.Sleeping,
  [SwitchKind.Unknown]: SchedState.Dead,
};

/** Tells one row as events of the whole machine, with thread 0 (not known) on the other side of each switch. */
export function tellSwitch(
  sink: Pick<KernelSink, 'switched' | 'woken'>,
  time: number,
  tid: number,
  kind: number,
  core: number,
): void {
  const state = stateLeftIn[kind];
  if (state !== undefined) sink.switched(time, tid, state, 0, core);
  else if (kind === SwitchKind.In) sink.switched(time, 0, SchedState.Runnable, tid, core);
  else sink.woken(time, tid, 0, core);
}
