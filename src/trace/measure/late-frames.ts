/** Frames that were late: by how much, for what reason, and what the app's main and render threads waited for or did. */
import { activityIn, placeOfWait } from './activity.js';
import type { Scope } from './scope.js';
import { Jank, SampleKind } from '../model/kinds.js';
import type { Frames, ThreadTrack, Trace, Waits } from '../model/trace.js';
import { purposeOf } from './wait-purpose.js';
import { Owners, threadOfMost } from './wait-owner.js';

/** What a thread did for most of a frame. */
export interface FrameCause {
  readonly thread: number;
  /** The longest wait within the frame: SampleKind and class; how long within the frame; 0: it did not wait. */
  readonly waitNs: number;
  readonly waitBeginNs: number;
  readonly kind: number;
  readonly type: string;
  /** Who held or ended it, 0 unknown. */
  readonly owner: number;
  /** Where it waited or ran, −1 unknown. */
  readonly method: number;
}

export interface LateFrame {
  readonly beginNs: number;
  readonly endNs: number;
  /** After its deadline; 0 where that is not known. */
  readonly lateNs: number;
  /** The bits of `Jank`. */
  readonly jank: number;
  readonly main: FrameCause | undefined;
  readonly render: FrameCause | undefined;
}

export interface LateFrames {
  readonly count: number;
  readonly late: number;
  /** The latest first. */
  readonly latest: readonly LateFrame[];
}

/** Those of a foreign trace, or those of the recorded app that its system's trace tells of. */
export function framesOf({ frames, system, info }: Trace): Frames | undefined {
  return frames ?? system?.frames(info.pid);
}

/** Reasons that are no jank of the frame. */
const harmless = Jank.None | Jank.BufferStuffing;

/** Undefined where no frames were recorded in the scope. Costs a pass over them, and over the waits of two threads a row. */
export function lateFrames(trace: Trace, scope: Scope, most: number): LateFrames | undefined {
  const frames = framesOf(trace);
  if (frames === undefined) return undefined;
  const { threads } = scope;
  // A system's trace begins before the recording and ends after it.
  const [beginNs, endNs] = [Math.max(scope.beginNs, trace.beginNs), Math.min(scope.endNs, trace.endNs)];
  // Threads of a recording are all of one process.
  const pidOf = ({ pid }: ThreadTrack): number => pid ?? trace.info.pid;
  const asked = new Set(trace.threads.filter(({ index }) => threads.includes(index)).map(pidOf));
  let count = 0;
  const late: { row: number; lateNs: number }[] = [];
  for (let row = 0; row < frames.count; row++) {
    const [begin, end] = [frames.begin[row] as number, frames.end[row] as number];
    if (end <= beginNs || begin >= endNs || (asked.size > 0 && !asked.has(frames.pid[row] as number)))
      continue;
    count++;
    const lateNs = end - (frames.deadline[row] as number);
    // Without a deadline the system's own judgement is all there is.
    const isLate = lateNs === lateNs ? lateNs > 0 : ((frames.jank[row] as number) & ~harmless) !== 0;
    if (isLate) late.push({ row, lateNs: lateNs === lateNs ? lateNs : 0 });
  }
  if (count === 0) return undefined;
  late.sort((a, b) => b.lateNs - a.lateNs);
  const latest = late.slice(0, most).map(({ row, lateNs }): LateFrame => {
    const [from, to, pid] = [
      frames.begin[row] as number,
      frames.end[row] as number,
      frames.pid[row] as number,
    ];
    const of = trace.threads.filter((thread) => pidOf(thread) === pid && thread.tid > 0);
    const render = of.find(({ name }) => name.startsWith('RenderThread'));
    return {
      ...{ beginNs: from, endNs: to, lateNs, jank: frames.jank[row] as number },
      main: causeOf(
        trace,
        of.find(({ isMain }) => isMain),
        from,
        to,
      ),
      render: causeOf(trace, render, from, to),
    };
  });
  return { count, late: late.length, latest };
}

function isForWork(trace: Trace, waits: Waits, row: number): boolean {
  return waits.kind[row] !== SampleKind.Unknown && purposeOf(trace, waits, row) === 'other';
}

function causeOf(
  trace: Trace,
  thread: ThreadTrack | undefined,
  beginNs: number,
  endNs: number,
): FrameCause | undefined {
  if (thread === undefined) return undefined;
  const { waits, index } = thread;
  let [longest, at] = [0, -1];
  for (let row = 0; row < waits.count; row++) {
    // What it waits for outside all calls, or as a thread does that has nothing to do, is the next frame.
    if (waits.path[row] === 0 || isForWork(trace, waits, row)) continue;
    const ns = Math.min(waits.end[row] as number, endNs) - Math.max(waits.begin[row] as number, beginNs);
    if (ns > longest) [longest, at] = [ns, row];
  }
  const did = activityIn(trace, thread, beginNs, endNs, false);
  const ran = did?.how === 'ran' ? did : undefined;
  if (at < 0 || (ran !== undefined && ran.ns > longest)) {
    const none = { thread: index, waitNs: 0, waitBeginNs: 0, kind: 0, type: '', owner: 0 };
    return did === undefined ? undefined : { ...none, method: did.method };
  }
  const nsByOwner = new Map<number, number>();
  new Owners(trace).addTo(nsByOwner, waits, at, { beginNs, endNs });
  return {
    ...{ thread: index, waitNs: longest, waitBeginNs: waits.begin[at] as number },
    ...{ kind: waits.kind[at] as number, type: trace.className(waits.type[at] as number) },
    owner: threadOfMost(nsByOwner),
    method: placeOfWait(trace, thread, at).method,
  };
}
