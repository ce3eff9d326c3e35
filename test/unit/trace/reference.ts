/**
 * docs/MEASURES.md, word by word, with objects and lists: slow and obvious. The engine must agree with it.
 */
import { CounterBit, SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { IntervalState } from '../../../src/trace/model/trace.js';

export interface Sample {
  time: number;
  duration: number;
  cpu: number;
  cpuDuration: number;
  /** Methods from the root; empty: no stack. */
  stack: readonly number[];
  /** What the recording has for that: by it lines are found. */
  node: number;
  kind: number;
  flags: number;
  merged: number;
  message: number;
  allocations: number;
  allocatedBytes: number;
  majorFaults: number;
  switches: number;
  /** CounterBit bits: what was read. Whether the thread is interrupted by its CPU clock may change. */
  counters: number;
}

export interface Interval {
  begin: number;
  end: number;
  stack: readonly number[];
  /** Where its stack is all of a sample's, the node of that. */
  node: number;
  keep: number;
  state: number;
  cpu: number;
  allocations: number;
  allocatedBytes: number;
  faults: number;
  switches: number;
  samples: number;
  /** Nobody saw the thread use its CPU time; the interval of the interrupt that stands for it, once there is one. */
  unseen?: boolean;
  countsWith?: Interval;
}

export interface Call {
  begin: number;
  end: number;
  cpu: number;
  parent: Call | undefined;
  depth: number;
  method: number;
  children: Call[];
}

function inCommon(a: readonly number[], b: readonly number[]): number {
  let frames = 0;
  while (frames < a.length && frames < b.length && a[frames] === b[frames]) frames++;
  return frames;
}

/** Kinds that, like waits, are captured as their innermost call begins. */
const takenAtCall: readonly number[] = [
  SampleKind.Notify,
  SampleKind.Unpark,
  SampleKind.MonitorRelease,
  SampleKind.ThreadStart,
];

function isTakenAtCall({ duration, kind }: Sample): boolean {
  return duration > 0 || takenAtCall.includes(kind);
}

function markWait(intervals: readonly Interval[], since: number): void {
  intervals[0]!.begin = Math.min(intervals[0]!.begin, since);
  for (const [at, interval] of intervals.entries()) {
    if (interval.begin >= since) {
      interval.state = IntervalState.Wait;
    } else if (interval.state === IntervalState.Gap && interval.end > since) {
      interval.end = since;
      const next = intervals[at + 1];
      if (next !== undefined) next.begin = since;
    }
  }
}

/** `vouch`: ns, 0 for endless; `interrupt`: ns, 0 where it is not known. */
export function intervalsOf(samples: readonly Sample[], vouch: number, interrupt: number): Interval[] {
  const intervals: Interval[] = [];
  const timed = (sample: Sample): boolean => (sample.counters & CounterBit.CpuTimed) !== 0;
  const isInterrupt = (sample: Sample): boolean =>
    timed(sample) &&
    !isTakenAtCall(sample) &&
    (sample.kind === SampleKind.CpuTimer ||
      (sample.kind === SampleKind.ExternalSampler && (sample.flags & SampleFlag.AtWork) !== 0));
  const stands = (sample: Sample): boolean =>
    timed(sample) &&
    !isTakenAtCall(sample) &&
    sample.kind === SampleKind.ExternalSampler &&
    (sample.flags & SampleFlag.AtWork) === 0;
  const untold = new Set<Interval>();
  let loop: readonly number[] = [];
  let a: Sample | undefined;
  let aEnd = 0;
  let aCpu = 0;
  let stoodFor: number | undefined;
  for (const b of samples) {
    if (b.stack.length === 0 && a !== undefined && a.stack.length > 0) continue;
    const { counters } = b;
    const isTimed = timed(b);
    let begin = b.time;
    let end = b.time + b.duration;
    if (a !== undefined && begin <= aEnd) {
      end = Math.max(end, aEnd);
      if (b.duration > 0) markWait(intervals, begin);
      begin = aEnd = intervals.at(-1)!.end;
    }
    const before = a;
    let keep = before === undefined ? 0 : inCommon(before.stack, b.stack);
    if (before !== undefined && before.message !== b.message) keep = Math.min(keep, inCommon(loop, b.stack));
    const readsCpu = (counters & CounterBit.Cpu) !== 0;
    const grown = (now: number, then: number | undefined, bit: number): number =>
      then === undefined || (counters & bit) === 0 ? 0 : Math.max(now - then, 0);
    const counted = {
      allocations: grown(b.allocations, before?.allocations, CounterBit.Allocations),
      allocatedBytes: grown(b.allocatedBytes, before?.allocatedBytes, CounterBit.AllocatedBytes),
      faults: grown(b.majorFaults, before?.majorFaults, CounterBit.Faults),
      switches: grown(b.switches, before?.switches, CounterBit.Switches),
    };
    const cpuSince = readsCpu && before !== undefined ? b.cpu - aCpu : 0;
    // No stretch has more than it lasted: what is over is the next one's.
    const most = begin - (before === undefined ? begin : aEnd);
    let cpu = Math.min(Math.max(cpuSince, 0), most);
    let spent = cpu;
    const captures = 1 + b.merged;
    let gapShare = 0;
    if (isTakenAtCall(b)) {
      const wall = begin - aEnd;
      const hasWork = before !== undefined && wall > 0;
      let own = keep;
      if (hasWork) {
        const long = vouch > 0 && wall > 3 * vouch;
        const sameMessage = before.message === b.message;
        const equal =
          sameMessage && inCommon(before.stack, b.stack) === Math.max(before.stack.length, b.stack.length);
        let work: { stack: readonly number[]; node: number; keep: number; state: number };
        const waits = b.stack.length > 0 && equal && readsCpu && cpu <= wall / 20;
        const wentOn = (b.flags & SampleFlag.WaitedBefore) !== 0;
        if (waits && (!isTakenAtCall(before) || wentOn)) {
          work = { stack: b.stack, node: b.node, keep, state: IntervalState.InferredWait };
        } else if (waits) {
          own = Math.max(Math.min(keep, b.stack.length - 1), 0);
          work = { stack: b.stack.slice(0, own), node: 0, keep: own, state: IntervalState.Gap };
        } else {
          own = Math.max(Math.min(keep, b.stack.length - 1), 0);
          const outer = { stack: b.stack.slice(0, own), node: 0, keep: own };
          if (!long && !isTakenAtCall(before) && before.stack.length > 0 && sameMessage) {
            work = {
              stack: before.stack,
              node: before.node,
              keep: before.stack.length,
              state: IntervalState.Evidence,
            };
          } else {
            work = { ...outer, state: long || own === 0 ? IntervalState.Gap : IntervalState.Evidence };
          }
        }
        const seen =
          !long && !isTakenAtCall(before) && !stands(before) && before.stack.length > 0 && sameMessage;
        const unseen = isTimed && !seen;
        intervals.push({
          begin: aEnd,
          end: begin,
          ...work,
          cpu,
          ...counted,
          switches: 0,
          samples: 0,
          unseen: isTimed,
        });
        if (unseen) untold.add(intervals.at(-1)!);
      }
      const instant = b.stack.length === 0 ? IntervalState.Gap : IntervalState.Evidence;
      const workCpu = hasWork ? cpu : 0;
      const ownCpu = Math.max(Math.min(cpuSince + b.cpuDuration - workCpu, end - begin), 0);
      spent = workCpu + ownCpu;
      intervals.push({
        begin,
        end,
        stack: b.stack,
        node: b.node,
        keep: own,
        state: b.duration > 0 ? IntervalState.Wait : instant,
        cpu: ownCpu,
        ...counted,
        ...(hasWork && { allocations: 0, allocatedBytes: 0, faults: 0 }),
        samples: captures,
      });
    } else if (before === undefined) {
      const state = b.stack.length === 0 ? IntervalState.Gap : IntervalState.Evidence;
      intervals.push({
        begin,
        end: begin,
        stack: b.stack,
        node: b.node,
        keep: 0,
        state,
        cpu: 0,
        ...counted,
        samples: captures,
      });
    } else {
      const wall = begin - aEnd;
      const equal =
        before.message === b.message &&
        inCommon(before.stack, b.stack) === Math.max(before.stack.length, b.stack.length);
      let from = aEnd;
      let state: number = b.stack.length === 0 ? IntervalState.Gap : IntervalState.Evidence;
      if (b.stack.length > 0) {
        if (equal && readsCpu && wall > 0 && cpu <= wall / 20) {
          state = IntervalState.InferredWait;
        } else {
          const silence = equal && readsCpu ? Math.min(cpu, wall) : wall;
          const vouched = vouch * captures;
          if (vouch > 0 && silence > 3 * vouched) {
            const isVouched = cpu <= 3 * vouched;
            const evident = isVouched ? Math.max(vouched, cpu) : vouched;
            gapShare = (wall - evident) / wall;
            const part = (value: number, isEstimate: boolean): number => (isEstimate ? 0 : value * gapShare);
            const gap: Interval = {
              begin: aEnd,
              end: begin - evident,
              stack: b.stack.slice(0, keep),
              node: 0,
              keep,
              state: IntervalState.Gap,
              cpu: isVouched ? 0 : cpu * gapShare,
              allocations: part(counted.allocations, (counters & CounterBit.AllocationsEstimated) !== 0),
              allocatedBytes: part(counted.allocatedBytes, (counters & CounterBit.BytesEstimated) !== 0),
              faults: part(counted.faults, false),
              switches: part(counted.switches, false),
              samples: 0,
              unseen: isTimed && !isInterrupt(b),
            };
            intervals.push(gap);
            counted.allocations -= gap.allocations;
            counted.allocatedBytes -= gap.allocatedBytes;
            counted.faults -= gap.faults;
            counted.switches -= gap.switches;
            cpu -= gap.cpu;
            from = gap.end;
          }
        }
      }
      intervals.push({
        begin: from,
        end: begin,
        stack: b.stack,
        node: b.node,
        keep,
        state,
        cpu,
        ...counted,
        samples: captures,
        unseen: isTimed && !isInterrupt(b),
      });
    }
    const last = intervals.at(-1)!;
    if (isInterrupt(b) && before !== undefined && b.stack.length > 0) {
      for (const interval of intervals) {
        if (interval.unseen === true && interval.cpu > 0) interval.countsWith ??= last;
      }
      if (readsCpu) {
        const due = stoodFor === undefined ? b.cpu : stoodFor + interrupt * captures;
        const isLate = b.cpu > due && b.cpu - due < interrupt;
        stoodFor = isLate ? due : b.cpu;
        const late = Math.min(b.cpu - stoodFor, last.cpu);
        if (late > 0 && late === last.cpu) {
          last.unseen = true;
        } else if (late > 0) {
          const nothing = { allocations: 0, allocatedBytes: 0, faults: 0, switches: 0, samples: 0 };
          const rest = { begin: last.end - late, keep: last.stack.length, cpu: late, unseen: true };
          intervals.push({ ...last, ...nothing, ...rest });
          last.end -= late;
          last.cpu -= late;
        }
      }
    }
    if (b.kind === SampleKind.Allocation && !isTakenAtCall(b) && before !== undefined) {
      for (const interval of untold) {
        last.allocatedBytes += interval.allocatedBytes;
        interval.allocatedBytes = 0;
      }
      untold.clear();
    }
    a = b;
    aEnd = end;
    const now = b.cpu + b.cpuDuration;
    const isKnown = before !== undefined;
    aCpu = !isKnown ? now : now <= aCpu ? aCpu : aCpu + spent;
    if (b.kind === SampleKind.Message) loop = b.stack;
  }
  return intervals;
}

/** In the order of their begins, a parent before its children. */
export function callsOf(intervals: readonly Interval[]): Call[] {
  const calls: Call[] = [];
  let open: Call[] = [];
  intervals.forEach((interval, at) => {
    const kept = Math.min(interval.keep, open.length);
    const before = intervals[at - 1];
    for (const call of open.slice(kept)) call.end = before!.end;
    open = open.slice(0, kept);
    for (let depth = kept; depth < interval.stack.length; depth++) {
      const call: Call = {
        begin: interval.begin,
        end: interval.end,
        cpu: 0,
        parent: open[depth - 1],
        depth,
        method: interval.stack[depth]!,
        children: [],
      };
      call.parent?.children.push(call);
      open.push(call);
      calls.push(call);
    }
    for (const call of open) {
      call.end = interval.end;
      if (interval.state !== IntervalState.Gap) call.cpu += interval.cpu;
    }
  });
  return calls;
}

export const weightNames = [
  'wall',
  'cpu',
  'wait',
  'allocations',
  'allocatedBytes',
  'faults',
  'switches',
] as const;
type Weights = Record<(typeof weightNames)[number], number>;

/** What of an interval lies in [begin, end), by the stack that it counts with; gaps are nobody's. */
function partsIn(
  interval: Interval,
  begin: number,
  end: number,
): { stack: readonly number[]; isNobodys: boolean; weights: Weights }[] {
  const length = interval.end - interval.begin;
  const isIn =
    length > 0
      ? interval.begin < end && interval.end > begin
      : interval.begin >= begin && interval.begin < end;
  if (!isIn) return [];
  const share = length > 0 ? (Math.min(interval.end, end) - Math.max(interval.begin, begin)) / length : 1;
  const { stack, countsWith, state } = interval;
  const cpu = interval.cpu * share;
  const moved = countsWith === undefined ? 0 : Math.min(cpu, length * share);
  const wall = length * share - moved;
  const own = {
    wall,
    cpu: countsWith === undefined ? cpu : 0,
    wait: state === IntervalState.Wait || state === IntervalState.InferredWait ? wall : 0,
    allocations: interval.allocations * share,
    allocatedBytes: interval.allocatedBytes * share,
    faults: interval.faults * share,
    switches: interval.switches * share,
  };
  const parts = [{ stack, isNobodys: state === IntervalState.Gap, weights: own }];
  if (countsWith !== undefined) {
    const nothing = { wait: 0, allocations: 0, allocatedBytes: 0, faults: 0, switches: 0 };
    parts.push({ stack: countsWith.stack, isNobodys: false, weights: { ...nothing, wall: moved, cpu } });
  }
  return parts;
}

/** Sum of a weight over what lies in [begin, end) and is somebody's, where the stack passes. */
export function sumWhere(
  intervals: readonly Interval[],
  begin: number,
  end: number,
  weight: keyof Weights,
  passes: (stack: readonly number[]) => boolean,
): number {
  let sum = 0;
  for (const interval of intervals) {
    for (const { stack, isNobodys, weights } of partsIn(interval, begin, end))
      if (!isNobodys && passes(stack)) sum += weights[weight];
  }
  return sum;
}
