/**
 * Samples of one thread → intervals → calls. docs/MEASURES.md states the rules and their reasons; in short, for the
 * time between one sample and the next of a thread:
 *
 *   - it belongs to the later sample's stack: samples are taken after the work they show. But one that is taken as a call
 *     begins (a wait, a notify) tells nothing of the work before that call: this belongs to the earlier stack when the thread
 *     was seen working there, else to what both have in common outside that call;
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
import { type SampleBlockReader, sliceRows } from '../recording/samples.js';
import { BlockTable, EventTable } from './blocks.js';
import { CallTable } from './calls.js';
import { grown, nextCapacity } from './grow.js';
import { IntervalTable } from './intervals.js';
import { type NodeTable } from './nodes.js';
import { type PathTable } from './paths.js';

/** Silence longer than so many times what a sample vouches for is a gap. */
export const gapAfterVouches = 3;
/** A thread that used at most this share of the time was waiting. */
export const waitingCpuShare = 1 / 20;
/** An interval, a gap and a wait: what one sample can make. */
const mostRowsASample = 3;

/** Kinds that are taken as their innermost frame is called: like waits, they show where the thread came to, not what it did. */
const takenAtCall = new Uint8Array(256);
for (const kind of [SampleKind.Notify, SampleKind.Unpark, SampleKind.MonitorRelease, SampleKind.ThreadStart])
  takenAtCall[kind] = 1;

/** How the recording was sampled. */
export interface Sampling {
  /** ns that one capture vouches for: the longest of the intervals in force; 0 where nothing can be a gap. */
  vouchNs: number;
}

/** Of the slice at hand, by row: its path, what that has in common with the one before, its last interval, and the gap's
 * share of its time. One set for all threads, as slices are taken one after the other. */
const slicePath = new Int32Array(sliceRows);
const sliceCommon = new Int32Array(sliceRows);
const sliceInterval = new Int32Array(sliceRows);
/** The interval of the work before it; the same as its last interval where that is its own. */
const sliceWork = new Int32Array(sliceRows);
const sliceGap = new Float64Array(sliceRows);

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
  private readonly callTable = new CallTable();
  private paths: PathTable | undefined;

  private started = false;
  private time = 0;
  private path = 0;
  private node = 0;
  /** The latest sample was taken at a call's begin, or at the end of a wait. */
  private atCall = false;
  private messageId = 0;
  private cpu = 0;
  /** CounterBit bits that `cpu` and the totals below are valid for. */
  private known = 0;
  private allocations = 0;
  private bytes = 0;
  private faults = 0;
  private switches = 0;
  /** Stack of the latest return to the message loop: what it has in common with a sample goes on across messages. */
  private loopPath = 0;

  /** Paths of the frames of the latest stack, by depth; [0] is the root. */
  private openPaths = new Int32Array(64);
  private openDepth = 0;
  /** Intervals from one to before the other are all blocked, or gaps. */
  private blockedFrom = 0;
  private blockedTo = 0;

  constructor(readonly index: number) {}

  /**
   * Built when somebody asks: all figures come from intervals, and so does the page's chart. What is open is closed,
   * provisionally, at the end of the last interval.
   */
  get calls(): CallTable {
    const { callTable, intervals, paths } = this;
    if (paths !== undefined) {
      callTable.extend(intervals, paths);
      callTable.settle(intervals);
    }
    return callTable;
  }

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
    // Most samples make one interval; a few per cent make a gap or a wait besides. A slice asks for more than it needs.
    this.intervals.reserve(samples + (samples >> 5) + mostRowsASample * sliceRows);
  }

  take(block: SampleBlockReader, rows: number, nodes: NodeTable, paths: PathTable, sampling: Sampling): void {
    this.counters |= block.counters;
    // All rows that the slice can make fit from here on: the loops below write to columns that stay where they are.
    this.intervals.reserve(mostRowsASample * rows);
    if (block.hasDetails || block.hasDurations) this.note(block, rows, nodes);
    this.resolve(block, rows, nodes, paths);
    this.append(block, rows, paths, sampling.vouchNs);
    this.paths = paths;
  }

  /** Nodes → paths, and what each has in common with the one before it. */
  private resolve(block: SampleBlockReader, rows: number, nodes: NodeTable, paths: PathTable): void {
    const { stack, message, kind } = block;
    const { parent, depth } = paths;
    const nodePath = nodes.path;
    const nodeCount = nodes.count;
    let { openPaths, openDepth, messageId: messageBefore, loopPath } = this;
    for (let row = 0; row < rows; row++) {
      const node = stack[row] as number;
      const path = node > 0 && node < nodeCount ? (nodePath[node] as number) : 0;
      slicePath[row] = path;
      // Without a stack it is left out, unless nothing was known before either.
      if (path === 0 && openDepth !== 0) continue;
      // Up from the innermost frame to where the open stack has the same: only frames that are new are looked at.
      const frames = depth[path] as number;
      if (frames >= openPaths.length) {
        this.openPaths = openPaths = grown(openPaths, nextCapacity(openPaths.length, frames + 1));
      }
      let level = frames;
      let common = path;
      while (level > openDepth || openPaths[level] !== common) {
        openPaths[level] = common;
        common = parent[common] as number;
        level--;
      }
      openDepth = frames;
      const messageId = message[row] as number;
      if (messageId !== messageBefore) {
        // A new message: only the loop's own frames are the same calls.
        if (this.started || row > 0) common = paths.common(common, loopPath);
        messageBefore = messageId;
      }
      if (kind[row] === SampleKind.Message) loopPath = path;
      sliceCommon[row] = common;
    }
    this.openDepth = openDepth;
    this.loopPath = loopPath;
  }

  /** The intervals that end at each sample, and those of the waits that samples are. */
  private append(block: SampleBlockReader, rows: number, paths: PathTable, vouchNs: number): void {
    const { intervals } = this;
    const { begin, end, path: pathOf, keep: keepOf, state: stateOf, cpu: cpuOf } = intervals;
    const { samples, node: nodeOf, message: messageOf } = intervals;
    const { time: times, duration, cpu: cpus, cpuDuration, stack, kind, merged, message } = block;
    const { counters, hasDurations, hasMerged } = block;
    const pathDepth = paths.depth;
    const readsCpu = (counters & CounterBit.Cpu) !== 0;
    let { started, time, path: before, node: nodeBefore, atCall: atCallBefore } = this;
    let { messageId: messageBefore, cpu: cpuBefore } = this;
    let knowsCpu = readsCpu && (this.known & CounterBit.Cpu) !== 0;
    let captured = 0;
    let n = intervals.count;
    for (let row = 0; row < rows; row++) {
      const path = slicePath[row] as number;
      const captures = hasMerged ? 1 + Math.max(merged[row] as number, 0) : 1;
      captured += captures;
      sliceInterval[row] = -1;
      sliceWork[row] = -1;
      if (path === 0) {
        this.stackless += captures;
        // Its time is left to the next sample that has a stack.
        if (before !== 0) continue;
      }
      const lasted = hasDurations ? Math.max(duration[row] as number, 0) : 0;
      let from = times[row] as number;
      let to = from + lasted;
      if (started && from <= time) {
        to = this.repair(from, to, time, n);
        from = time;
      }
      const common = sliceCommon[row] as number;
      const keep = pathDepth[common] as number;
      const messageId = message[row] as number;
      const cpuSince = knowsCpu ? (cpus[row] as number) - cpuBefore : 0;
      const node = stack[row] as number;
      let used = cpuSince > 0 ? cpuSince : 0;
      sliceGap[row] = 0;
      const atCall = lasted > 0 || takenAtCall[kind[row] as number] === 1;
      if (!atCall) {
        if (!started) time = from;
        let state: number = IntervalState.Evidence;
        const silent = from - time;
        if (path === 0) {
          state = IntervalState.Gap;
        } else {
          const same = knowsCpu && before === path && messageBefore === messageId;
          if (same && silent > 0 && used <= silent * waitingCpuShare) {
            state = IntervalState.Waiting;
          } else if (vouchNs > 0) {
            const vouched = vouchNs * captures;
            if ((same && used < silent ? used : silent) > gapAfterVouches * vouched) {
              const share = (silent - vouched) / silent;
              intervals.count = n;
              this.pushGap(time, from - vouched, common, keep, messageId, used * share);
              n++;
              time = from - vouched;
              used -= used * share;
              sliceGap[row] = share;
            }
          }
        }
        const at = n++;
        begin[at] = time;
        end[at] = from;
        pathOf[at] = path;
        keepOf[at] = keep;
        stateOf[at] = state;
        cpuOf[at] = used;
        nodeOf[at] = node;
        if (messageId !== 0) messageOf[at] = messageId;
        sliceInterval[row] = sliceWork[row] = at;
        samples[at] = captures;
      } else {
        this.started = started;
        this.time = time;
        this.path = before;
        this.node = nodeBefore;
        this.atCall = atCallBefore;
        this.messageId = messageBefore;
        intervals.count = n;
        const within = lasted > 0 ? (cpuDuration[row] as number) : 0;
        this.takeAtCall(
          row,
          from,
          to,
          lasted > 0,
          captures,
          messageId,
          node,
          paths,
          vouchNs,
          knowsCpu,
          cpuSince,
          within,
        );
        n = intervals.count;
      }
      if (readsCpu) {
        const now = (cpus[row] as number) + (cpuDuration[row] as number);
        if (!knowsCpu || now > cpuBefore) cpuBefore = now;
        knowsCpu = true;
      }
      started = true;
      time = to;
      before = path;
      nodeBefore = node;
      atCallBefore = atCall;
      messageBefore = messageId;
    }
    intervals.count = n;
    this.sampleCount += captured;
    this.started = started;
    this.time = time;
    this.path = before;
    this.node = nodeBefore;
    this.atCall = atCallBefore;
    this.messageId = messageBefore;
    this.cpu = cpuBefore;
    const bit = CounterBit;
    if (counters & bit.Allocations) {
      const isEstimate = (counters & bit.AllocationsEstimated) !== 0;
      this.allocations = this.count(
        rows,
        bit.Allocations,
        block.allocations,
        this.allocations,
        intervals.allocations,
        isEstimate,
      );
    }
    if (counters & bit.AllocatedBytes) {
      const isEstimate = (counters & bit.BytesEstimated) !== 0;
      this.bytes = this.count(
        rows,
        bit.AllocatedBytes,
        block.allocatedBytes,
        this.bytes,
        intervals.allocatedBytes,
        isEstimate,
      );
    }
    if (counters & bit.Faults) {
      this.faults = this.count(rows, bit.Faults, block.majorFaults, this.faults, intervals.faults, false);
    }
    if (counters & bit.Switches) {
      const { voluntarySwitches, involuntarySwitches } = block;
      for (let row = 0; row < rows; row++) {
        voluntarySwitches[row] = (voluntarySwitches[row] as number) + (involuntarySwitches[row] as number);
      }
      this.switches = this.count(
        rows,
        bit.Switches,
        voluntarySwitches,
        this.switches,
        intervals.switches,
        false,
        sliceInterval, // a wait is what a thread is switched for
      );
    }
    this.known |= counters;
  }

  /** The end of a sample that begins before what is known. */
  private repair(from: number, to: number, time: number, count: number): number {
    if (to > from) this.markBlocked(from, count);
    else if (from === time) this.repeated++;
    if (to < time) this.backwards++;
    return Math.max(to, time);
  }

  private pushGap(
    begin: number,
    end: number,
    path: number,
    keep: number,
    messageId: number,
    cpu: number,
  ): void {
    const { intervals } = this;
    const gap = intervals.push(begin, end, path, keep, IntervalState.Gap);
    intervals.cpu[gap] = cpu;
    intervals.message[gap] = messageId;
  }

  /**
   * A sample taken as its innermost call begins, a wait or the like: an interval for what ran before, which is not in that
   * call, and one for the sample itself. Apart from `append` because it is rare: the compiler keeps the common way short.
   */
  private takeAtCall(
    row: number,
    from: number,
    to: number,
    isWait: boolean,
    captures: number,
    messageId: number,
    node: number,
    paths: PathTable,
    vouchNs: number,
    knowsCpu: boolean,
    cpuSince: number,
    cpuWithin: number,
  ): void {
    const { intervals, time, path: before } = this;
    const { depth, parent } = paths;
    const path = slicePath[row] as number;
    const common = sliceCommon[row] as number;
    const used = Math.max(cpuSince, 0);
    let keep = depth[common] as number;
    let at = -1;
    if (this.started && from > time) {
      const silent = from - time;
      const isLong = vouchNs > 0 && silent > gapAfterVouches * vouchNs;
      const sameMessage = this.messageId === messageId;
      const waited =
        path !== 0 && before === path && sameMessage && knowsCpu && used <= silent * waitingCpuShare;
      let state: IntervalState = IntervalState.Evidence;
      let work = path;
      let workNode = 0;
      if (waited) {
        state = IntervalState.Waiting;
        workNode = node;
      } else {
        work = common === path ? (parent[path] as number) : common;
        keep = depth[work] as number;
        if (isLong || this.atCall || before === 0 || !sameMessage) {
          if (isLong || work === 0) state = IntervalState.Gap;
        } else {
          work = before;
          workNode = this.node;
        }
      }
      at = intervals.push(time, from, work, work === before ? (depth[work] as number) : keep, state);
      intervals.cpu[at] = used;
      intervals.node[at] = workNode;
      intervals.message[at] = messageId;
    }
    let state: IntervalState = IntervalState.Blocked;
    if (!isWait) state = path === 0 ? IntervalState.Gap : IntervalState.Evidence;
    const last = intervals.push(from, to, path, keep, state);
    // Where it began before the sample before it was taken, that one's share is counted already.
    intervals.cpu[last] = Math.max(at < 0 ? cpuSince + cpuWithin : cpuWithin, 0);
    intervals.node[last] = node;
    intervals.message[last] = messageId;
    intervals.samples[last] = captures;
    sliceWork[row] = at < 0 ? last : at;
    sliceInterval[row] = last;
  }

  /**
   * What a running total grew by, into the interval that ends at each sample; of a gap before it, its share of the time
   * where the total was read. An estimate is what this very sample stands for: none of it is the gap's.
   */
  private count(
    rows: number,
    bit: number,
    totals: Float64Array,
    totalBefore: number,
    out: Float64Array,
    isEstimate: boolean,
    into = sliceWork,
  ): number {
    let before = totalBefore;
    let known = (this.known & bit) !== 0;
    // Totals only grow: what ends as it began has nothing to count.
    if (known && totals[rows - 1] === before) return before;
    for (let row = 0; row < rows; row++) {
      const at = into[row] as number;
      if (at < 0) continue;
      const total = totals[row] as number;
      if (total > before && known) {
        const grew = total - before;
        const share = isEstimate ? 0 : (sliceGap[row] as number);
        out[at] = grew - grew * share;
        if (share > 0) out[this.gapBefore(at)] = grew * share;
      }
      before = total;
      known = true;
    }
    return before;
  }

  /** The gap of the sample whose last interval is `at`: a wait may lie between. */
  private gapBefore(at: number): number {
    return this.intervals.state[at - 1] === IntervalState.Gap ? at - 1 : at - 2;
  }

  /** Keeps what samples say besides their stacks: waits and events. */
  private note(block: SampleBlockReader, rows: number, nodes: NodeTable): void {
    const {
      time: times,
      duration,
      kind: kinds,
      type: types,
      object: objects,
      peer: peers,
      text: texts,
      stack,
    } = block;
    for (let row = 0; row < rows; row++) {
      const lasted = duration[row] as number;
      const type = types[row] as number;
      const object = objects[row] as number;
      const peer = peers[row] as number;
      const text = texts[row] as number;
      if (lasted <= 0 && type === 0 && object === 0 && peer === 0 && text === 0) continue;
      const node = stack[row] as number;
      const path = node > 0 && node < nodes.count ? (nodes.path[node] as number) : 0;
      const time = times[row] as number;
      const kind = kinds[row] as number;
      if (lasted > 0) {
        const { blocks } = this;
        const at = blocks.push(time, time + lasted, kind, path);
        blocks.type[at] = type;
        blocks.object[at] = object;
        blocks.owner[at] = peer;
        blocks.flags[at] = block.flags[row] as number;
      } else {
        const { events } = this;
        const at = events.push(time, kind, path);
        events.type[at] = type;
        events.object[at] = object;
        events.peer[at] = peer;
        events.text[at] = text;
      }
    }
  }

  /**
   * A wait is captured at its end: what was captured from outside since it began was blocked, too. The longest stretch
   * of rows that need no second look is remembered, so that many long waits that overlap cost no more than few.
   */
  private markBlocked(since: number, count: number): void {
    const { begin, state } = this.intervals;
    let row = count - 1;
    for (; row >= 0 && (begin[row] as number) >= since; row--) {
      if (row === this.blockedTo - 1) {
        row = this.blockedFrom;
        continue;
      }
      if (state[row] !== IntervalState.Gap) state[row] = IntervalState.Blocked;
    }
    const from = row + 1;
    if (from < this.blockedTo || count - from > this.blockedTo - this.blockedFrom) {
      this.blockedFrom = Math.min(from, from < this.blockedTo ? this.blockedFrom : from);
      this.blockedTo = count;
    }
  }
}
