/**
 * Samples of one thread → intervals → calls. docs/MEASURES.md states the rules and their reasons; in short, for the
 * time between one sample and the next of a thread:
 *
 *   - it belongs to the later sample's stack: samples are taken after the work they show;
 *   - a sample vouches for one interval of the sampler, and for one more for each capture merged into it. Silence of
 *     more than three times that is a gap, up to what the later sample vouches for;
 *   - where both stacks are equal, silence is counted in CPU time: a thread that is off the CPU in between waits there;
 *   - equal stacks with no CPU used between (at most a twentieth of the time) are a wait.
 *
 * Cost: one pass, about 100 bytes written a sample. It is the second hottest loop after the columns' own.
 */
import { CounterBit, SampleKind } from '../model/kinds.js';
import { IntervalState, type ThreadTrack } from '../model/trace.js';
import { type Thread } from '../recording/messages.js';
import { type SampleBlockReader } from '../recording/samples.js';
import { BlockTable, EventTable } from './blocks.js';
import { CallTable } from './calls.js';
import { IntervalTable } from './intervals.js';
import { type NodeTable } from './nodes.js';
import { type PathTable } from './paths.js';

/** Silence longer than so many times what a sample vouches for is a gap. */
export const gapAfterVouches = 3;
/** A thread that used at most this share of the time was waiting. */
export const waitingCpuShare = 1 / 20;
/** An interval, a gap and a wait: what one sample can make. */
const mostRowsASample = 3;

/** How the recording was sampled. */
export interface Sampling {
  /** ns that one capture vouches for: the longest of the intervals in force; 0 where nothing can be a gap. */
  vouchNs: number;
}

export class SampledThread implements ThreadTrack {
  tid = 0;
  javaId = 0;
  kind = 0;
  name = '';
  isMain = false;
  beginNs = 0;
  endNs = 0;
  creator = 0;
  sampleCount = 0;
  readonly intervals = new IntervalTable();
  readonly calls = new CallTable();
  readonly blocks = new BlockTable();
  readonly events = new EventTable();

  /** Samples before the one before them in time: taken as happening at once. */
  backwards = 0;
  /** Samples at the time of the one before. */
  repeated = 0;
  /** Samples without a stack: not walked, or its nodes were lost. */
  stackless = 0;
  /** What was read with the samples: CounterBit bits. */
  counters = 0;
  /** Samples that are known to be coming: room is made for them at once. */
  private expected = 0;

  private started = false;
  private time = 0;
  private path = 0;
  private messageId = 0;
  private cpu = 0;
  /** CounterBit bits that `cpu` and the totals below are valid for. */
  private known = 0;
  private allocations = 0;
  private allocatedBytes = 0;
  private faults = 0;
  private switches = 0;
  /** Stack of the latest return to the message loop: what it has in common with a sample goes on across messages. */
  private loopPath = 0;

  constructor(readonly index: number) {}

  get message(): Uint32Array {
    return this.intervals.message;
  }

  /** Latest time that anything is known of. */
  get lastNs(): number {
    return this.time;
  }

  /** Adds to and replaces what is set, as docs of recording.proto say. */
  describe(thread: Thread): void {
    if (thread.tid !== 0) this.tid = thread.tid;
    if (thread.javaId !== 0) this.javaId = thread.javaId;
    if (thread.kind !== 0) this.kind = thread.kind;
    if (thread.name !== '') this.name = thread.name;
    if (thread.beginNs !== 0) this.beginNs = thread.beginNs;
    if (thread.endNs !== 0) this.endNs = thread.endNs;
    if (thread.creator !== 0) this.creator = thread.creator;
    if (thread.isMain) this.isMain = true;
  }

  expect(samples: number): void {
    this.expected += samples;
    // Most samples make one interval; a few per cent make a gap or a wait besides.
    this.intervals.reserve(samples + (samples >> 5) + mostRowsASample);
  }

  /** Closes, provisionally, what is open. */
  settle(): void {
    this.calls.settle(this.intervals);
  }

  take(block: SampleBlockReader, rows: number, nodes: NodeTable, paths: PathTable, sampling: Sampling): void {
    const { intervals } = this;
    const { time: times, duration, cpu: cpus, cpuDuration, stack, kind, merged, message } = block;
    const { allocations, allocatedBytes, majorFaults, voluntarySwitches, involuntarySwitches } = block;
    const nodePath = nodes.path;
    const nodeCount = nodes.count;
    const pathParent = paths.parent;
    const pathDepth = paths.depth;
    const { vouchNs } = sampling;
    const counters = block.counters;
    const details = block.hasDetails;
    this.counters |= counters;

    for (let row = 0; row < rows; row++) {
      const nodeId = stack[row] as number;
      const path = nodeId > 0 && nodeId < nodeCount ? (nodePath[nodeId] as number) : 0;
      const lasted = duration[row] as number;
      const captures = 1 + (merged[row] as number);
      this.sampleCount += captures;
      if (details || lasted > 0) this.note(block, row, path);
      if (path === 0) {
        this.stackless += captures;
        // Its time is left to the next sample that has a stack.
        if (this.path !== 0) continue;
      }

      let from = times[row] as number;
      let to = from + lasted;
      if (this.started && from <= this.time) {
        if (lasted > 0) this.markBlocked(from);
        else if (from === this.time) this.repeated++;
        if (to < this.time) {
          this.backwards++;
          to = this.time;
        }
        from = this.time;
      }

      const messageId = message[row] as number;
      const before = this.path;
      let common = path;
      if (before !== path) {
        common = before;
        let other = path;
        let depthA = pathDepth[common] as number;
        let depthB = pathDepth[other] as number;
        for (; depthA > depthB; depthA--) common = pathParent[common] as number;
        for (; depthB > depthA; depthB--) other = pathParent[other] as number;
        while (common !== other) {
          common = pathParent[common] as number;
          other = pathParent[other] as number;
        }
      }
      const same = before === path && messageId === this.messageId;
      if (messageId !== this.messageId && this.started) {
        // A new message: only the loop's own frames are the same calls.
        common = paths.common(common, this.loopPath);
      }
      let keep = pathDepth[common] as number;

      // What was counted since the sample before.
      const both = counters & this.known;
      const cpuSince = both & CounterBit.Cpu ? (cpus[row] as number) - this.cpu : 0;
      let usedCpu = Math.max(cpuSince, 0);
      let allocated = both & CounterBit.Allocations ? (allocations[row] as number) - this.allocations : 0;
      if (allocated < 0) allocated = 0;
      let bytes =
        both & CounterBit.AllocatedBytes ? (allocatedBytes[row] as number) - this.allocatedBytes : 0;
      if (bytes < 0) bytes = 0;
      let faults = both & CounterBit.Faults ? (majorFaults[row] as number) - this.faults : 0;
      if (faults < 0) faults = 0;
      const switched = (voluntarySwitches[row] as number) + (involuntarySwitches[row] as number);
      let switches = both & CounterBit.Switches ? switched - this.switches : 0;
      if (switches < 0) switches = 0;

      let at = -1;
      const silent = from - this.time;
      if (this.started && (silent > 0 || lasted === 0)) {
        let state: IntervalState = path === 0 ? IntervalState.Gap : IntervalState.Evidence;
        let begin = this.time;
        if (
          same &&
          path !== 0 &&
          both & CounterBit.Cpu &&
          usedCpu <= silent * waitingCpuShare &&
          silent > 0
        ) {
          state = IntervalState.Waiting;
        } else if (vouchNs > 0 && path !== 0) {
          const vouched = vouchNs * captures;
          const unexplained = same && both & CounterBit.Cpu ? Math.min(usedCpu, silent) : silent;
          if (unexplained > gapAfterVouches * vouched) {
            const gap = intervals.push(begin, from - vouched, common, keep, IntervalState.Gap);
            begin = from - vouched;
            const share = (silent - vouched) / silent;
            intervals.message[gap] = messageId;
            intervals.cpu[gap] = usedCpu * share;
            usedCpu -= usedCpu * share;
            // An estimated count is what this very sample stands for; one that was read was counted over the gap too.
            if (!(counters & CounterBit.AllocationsEstimated)) {
              intervals.allocations[gap] = allocated * share;
              allocated -= allocated * share;
            }
            if (!(counters & CounterBit.BytesEstimated)) {
              intervals.allocatedBytes[gap] = bytes * share;
              bytes -= bytes * share;
            }
            intervals.faults[gap] = faults * share;
            faults -= faults * share;
            intervals.switches[gap] = switches * share;
            switches -= switches * share;
          }
        }
        at = intervals.push(begin, from, path, keep, state);
        intervals.cpu[at] = usedCpu;
        if (lasted > 0) keep = pathDepth[path] as number;
      } else if (!this.started && lasted === 0) {
        at = intervals.push(from, from, path, 0, IntervalState.Evidence);
      }
      if (at >= 0) {
        intervals.message[at] = messageId;
        intervals.node[at] = nodeId;
        if (allocated !== 0) intervals.allocations[at] = allocated;
        if (bytes !== 0) intervals.allocatedBytes[at] = bytes;
        if (faults !== 0) intervals.faults[at] = faults;
        if (lasted === 0) {
          intervals.samples[at] = captures;
          if (switches !== 0) intervals.switches[at] = switches;
        }
      }
      if (lasted > 0) {
        const wait = intervals.push(from, to, path, keep, IntervalState.Blocked);
        intervals.message[wait] = messageId;
        intervals.node[wait] = nodeId;
        intervals.samples[wait] = captures;
        intervals.switches[wait] = switches;
        intervals.cpu[wait] = cpuDuration[row] as number;
        if (at < 0) {
          // It began before the sample before it was taken: that one's share is counted already.
          intervals.cpu[wait] = Math.max(cpuSince + (cpuDuration[row] as number), 0);
          intervals.allocations[wait] = allocated;
          intervals.allocatedBytes[wait] = bytes;
          intervals.faults[wait] = faults;
        }
      }

      this.started = true;
      this.time = to;
      this.path = path;
      this.messageId = messageId;
      if (counters & CounterBit.Cpu) {
        const now = (cpus[row] as number) + (cpuDuration[row] as number);
        this.cpu = both & CounterBit.Cpu && now < this.cpu ? this.cpu : now;
      }
      if (counters & CounterBit.Allocations) this.allocations = allocations[row] as number;
      if (counters & CounterBit.AllocatedBytes) this.allocatedBytes = allocatedBytes[row] as number;
      if (counters & CounterBit.Faults) this.faults = majorFaults[row] as number;
      if (counters & CounterBit.Switches) this.switches = switched;
      this.known |= counters;
      if (kind[row] === SampleKind.Message) this.loopPath = path;
    }
    this.reserveCalls(rows);
    this.calls.extend(intervals, paths);
  }

  /** Keeps what a sample says besides its stack: a wait, or an event. */
  private note(block: SampleBlockReader, row: number, path: number): void {
    const time = block.time[row] as number;
    const lasted = block.duration[row] as number;
    const kind = block.kind[row] as number;
    const type = block.type[row] as number;
    const object = block.object[row] as number;
    const peer = block.peer[row] as number;
    const text = block.text[row] as number;
    if (lasted > 0) {
      const { blocks } = this;
      const at = blocks.push(time, time + lasted, kind, path);
      blocks.type[at] = type;
      blocks.object[at] = object;
      blocks.owner[at] = peer;
      blocks.flags[at] = block.flags[row] as number;
    } else if (type !== 0 || object !== 0 || peer !== 0 || text !== 0) {
      const { events } = this;
      const at = events.push(time, kind, path);
      events.type[at] = type;
      events.object[at] = object;
      events.peer[at] = peer;
      events.text[at] = text;
    }
  }

  /** A wait is captured at its end: what was captured from outside since it began was blocked, too. */
  private markBlocked(since: number): void {
    const { begin, state } = this.intervals;
    for (let row = this.intervals.count - 1; row >= 0 && (begin[row] as number) >= since; row--) {
      if (state[row] === IntervalState.Blocked) return;
      if (state[row] !== IntervalState.Gap) state[row] = IntervalState.Blocked;
    }
  }

  /** Once some samples have shown how many calls they make, room for the rest that is expected. */
  private reserveCalls(rows: number): void {
    this.expected = Math.max(this.expected - rows, 0);
    const { calls, intervals } = this;
    if (this.expected === 0 || calls.count < 4096 || calls.begin.length - calls.count > 4 * rows) return;
    calls.reserve(Math.ceil((calls.count / intervals.count) * this.expected * 1.05));
  }
}
