/**
 * Samples of one thread → intervals, by comparing each with the one before. docs/MEASURES.md states the rules and their
 * reasons; in short, for the time between one sample and the next of a thread:
 *
 *   - it belongs to the later sample's stack: samples are taken after the work they show. But one that is taken as a call
 *     begins (a wait, a notify) tells nothing of the work before that call: this belongs to the earlier stack when the thread
 *     was seen working there, else to what both have in common outside that call;
 *   - a sample vouches for one interval of the sampler, and for one more for each capture merged into it. Silence of
 *     more than three times that is a gap, up to what the later sample vouches for; CPU time is silent on its own clock;
 *   - where both stacks are equal, silence is counted in CPU time: a thread that is off the CPU in between waits there;
 *   - equal stacks with no CPU used between (at most a twentieth of the time) are a wait; but from the end of one call to the begin
 *     of the next nobody knows where the thread waited, unless it says that it went on like this;
 *   - of a thread that is interrupted by its CPU clock only the interrupts show what it used CPU time for: all else is captured
 *     where the thread came to something. CPU time that does not end at an interrupt counts with the next one; and each stands
 *     for as many intervals of that clock as it says, for it may come late: what was used since they ended is the next one's.
 *
 * Cost: one pass, 28 bytes written a sample. It is the second hottest loop after the columns' own.
 */
import { CounterBit, SampleFlag, SampleKind } from '../model/kinds.js';
import { IntervalState } from '../model/trace.js';
import { type SampleBlockReader, sliceRows } from '../recording/samples.js';
import { grown, nextCapacity, noInts } from './grow.js';
import { type NodeTable } from './nodes.js';
import { type PathTable } from './paths.js';
import { Made, madeByAllocation, madeLate } from './sample-counters.js';
import { SampledIntervals } from './sampled-intervals.js';

/** Silence longer than so many times what a sample vouches for is a gap. */
export const gapAfterVouches = 3;
/** A thread that used at most this share of the time was waiting. */
export const waitingCpuShare = 1 / 20;
/** The most intervals that one sample makes. */
export const mostRowsASample = 3;

/** Kinds that are taken as their innermost frame is called: like waits, they show where the thread came to, not what it did. */
const takenAtCall = new Uint8Array(256);
for (const kind of [SampleKind.Notify, SampleKind.Unpark, SampleKind.MonitorRelease, SampleKind.ThreadStart])
  takenAtCall[kind] = 1;
/** What `takeRow` has to look at: these, and of threads that are interrupted by their CPU clocks all that looks at running ones. */
const specialWhereTimed = takenAtCall.slice();
for (const kind of [SampleKind.CpuTimer, SampleKind.ExternalSampler]) specialWhereTimed[kind] = 1;

/** What a sample shows of the time before it. */
const Shown = {
  /** The thread worked where it is. */
  Work: 0,
  /** It has come to a call that begins, or to the end of a wait. */
  Call: 1,
  /** It stands there, and has used no CPU time lately. */
  Standing: 2,
} as const;

/** Of the slice at hand, by row: its path, and what that has in common with the one before. One set for all threads, as
 * slices are taken one after the other. */
const slicePath = new Int32Array(sliceRows);
const sliceCommon = new Int32Array(sliceRows);

/** How a recording was sampled. */
export interface Sampling {
  /** ns that one capture vouches for: the longest of the intervals in force; 0 where nothing can be a gap. */
  vouchNs: number;
  /** ns of CPU time between two interrupts of a thread; 0 where that is not known. */
  interruptNs: number;
}

export class StackDiff {
  readonly intervals = new SampledIntervals();
  /** Samples before the one before them in time: taken as happening at once. */
  backwards = 0;
  /** Samples at the time of the one before. */
  repeated = 0;
  /** Samples without a stack that should have one: not walked, or its nodes were lost. */
  stackless = 0;
  /** Captures that made nothing: in no figure, so they are not counted among its samples. */
  leftOut = 0;

  /** Of the latest sample: where it ended (NaN before the first), its stack, and its message. */
  #time = NaN;
  #path = 0;
  #node = 0;
  #messageId = 0;
  /** `Shown`. */
  #shown: number = Shown.Work;
  /** The thread's CPU clock there; NaN while it was never read. */
  #cpu = NaN;
  /** Where on that clock the last of the intervals ended that interrupts stood for so far, as far as one can tell; NaN before the first. */
  #stoodFor = NaN;
  /** Stack of the latest return to the message loop: what it has in common with a sample goes on across messages. */
  #loopPath = 0;

  /** Paths of the frames of the latest stack, by depth; [0] is the root. */
  #openPaths = noInts;
  #openDepth = 0;
  /** Intervals from one to before the other are all waits. */
  #waitFrom = 0;
  #waitTo = 0;

  /** Latest time that anything is known of. */
  get lastNs(): number {
    return this.#time > 0 ? this.#time : 0;
  }

  take(
    block: SampleBlockReader,
    rows: number,
    nodes: NodeTable,
    paths: PathTable,
    { vouchNs, interruptNs }: Sampling,
  ): void {
    // All rows that the slice can make fit from here on: the loops below write to columns that stay where they are.
    this.intervals.reserve(mostRowsASample * rows);
    this.intervals.counters.reserve(rows);
    this.#resolve(block, rows, nodes, paths);
    this.#append(block, rows, paths, vouchNs, interruptNs);
  }

  /** Nodes → paths, and what each has in common with the one before it. */
  #resolve(block: SampleBlockReader, rows: number, nodes: NodeTable, paths: PathTable): void {
    const { stack, message, kind } = block;
    const { parent, depth } = paths;
    const nodePath = nodes.path;
    const nodeCount = nodes.count;
    let messageBefore = this.#messageId;
    let loopPath = this.#loopPath;
    let openPaths = this.#openPaths;
    let openDepth = this.#openDepth;
    for (let row = 0; row < rows; row++) {
      const node = stack[row] as number;
      slicePath[row] = node > 0 && node < nodeCount ? (nodePath[node] as number) : 0;
    }
    for (let row = 0; row < rows; row++) {
      const path = slicePath[row] as number;
      // Without a stack it is left out, unless nothing was known before either.
      if (path === 0 && openDepth !== 0) continue;
      // Up from the innermost frame to where the open stack has the same: only frames that are new are looked at.
      const frames = depth[path] as number;
      if (frames >= openPaths.length) {
        this.#openPaths = openPaths = grown(openPaths, nextCapacity(openPaths.length, frames + 1));
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
        if (row > 0 || this.#time === this.#time) common = paths.common(common, loopPath);
        messageBefore = messageId;
      }
      if (kind[row] === SampleKind.Message) loopPath = path;
      sliceCommon[row] = common;
    }
    this.#openDepth = openDepth;
    this.#loopPath = loopPath;
  }

  /**
   * The intervals that end at each sample, and those of the waits that samples are. What most samples are is decided here:
   * taken at work, later than the one before, and with no gap between. The others are `takeRow`'s.
   */
  #append(
    block: SampleBlockReader,
    rows: number,
    paths: PathTable,
    vouchNs: number,
    interruptNs: number,
  ): void {
    const { intervals } = this;
    const { end, path: pathOf, keep: keepOf, state: stateOf, cpu: cpuOf } = intervals;
    const { node: nodeOf, message: messageOf } = intervals;
    const { made, madeCount } = intervals.counters;
    const { time: times, duration, cpu: cpus, stack, kind, message } = block;
    const pathDepth = paths.depth;
    const readsCpu = (block.counters & CounterBit.Cpu) !== 0;
    const isTimed = (block.counters & CounterBit.CpuTimed) !== 0;
    const isSpecial = isTimed ? specialWhereTimed : takenAtCall;
    const longestSilence = vouchNs > 0 ? gapAfterVouches * vouchNs : Infinity;
    // NaN where it is not known: no time was used then, as far as one can tell, and nothing is a wait. A sum, for with a choice
    // between the two the engine keeps an object for each row's.
    let cpuBefore = this.#cpu + (readsCpu ? 0 : NaN);
    let before = this.#path;
    let nodeBefore = this.#node;
    let messageBefore = this.#messageId;
    let shown = this.#shown;
    let time = this.#time;
    let n = intervals.count;
    for (let row = 0; row < rows; row++) {
      const path = slicePath[row] as number;
      const from = times[row] as number;
      const cpu = cpus[row] as number;
      const messageId = message[row] as number;
      const node = stack[row] as number;
      const silent = from - time;
      let used = cpu > cpuBefore ? cpu - cpuBefore : 0;
      // The two clocks are read one after the other: what is over is the next one's.
      if (used > silent) used = silent;
      const isWaiting =
        path === before &&
        messageId === messageBefore &&
        cpuBefore === cpuBefore &&
        used <= silent * waitingCpuShare;
      if (
        silent > 0 &&
        path !== 0 &&
        (isWaiting || silent <= longestSilence) &&
        isSpecial[kind[row] as number] === 0 &&
        !((duration[row] as number) > 0)
      ) {
        end[n] = from;
        pathOf[n] = path;
        keepOf[n] = pathDepth[sliceCommon[row] as number] as number;
        stateOf[n] = isWaiting ? IntervalState.InferredWait : IntervalState.Evidence;
        cpuOf[n] = used;
        nodeOf[n] = node;
        if (messageId !== 0) messageOf[n] = messageId;
        if (isTimed && used > 0) intervals.setUnseen(n);
        made[madeCount + row] =
          kind[row] === SampleKind.Allocation ? Made.Work | madeByAllocation : Made.Work;
        n++;
        if (!(cpu <= cpuBefore)) cpuBefore = used < cpu - cpuBefore ? cpuBefore + used : cpu;
        time = from;
        before = path;
        nodeBefore = node;
        messageBefore = messageId;
        shown = Shown.Work;
        continue;
      }
      intervals.count = n;
      this.#time = time;
      this.#path = before;
      this.#node = nodeBefore;
      this.#messageId = messageBefore;
      this.#shown = shown;
      if (readsCpu) this.#cpu = cpuBefore;
      made[madeCount + row] = this.#takeRow(block, row, paths, vouchNs, interruptNs, readsCpu);
      if (readsCpu) cpuBefore = this.#cpu;
      time = this.#time;
      before = this.#path;
      nodeBefore = this.#node;
      messageBefore = this.#messageId;
      shown = this.#shown;
      n = intervals.count;
    }
    intervals.count = n;
    intervals.counters.madeCount = madeCount + rows;
    this.#time = time;
    this.#path = before;
    this.#node = nodeBefore;
    this.#messageId = messageBefore;
    this.#shown = shown;
    if (readsCpu) this.#cpu = cpuBefore;
  }

  /** Any sample, by all the rules. */
  #takeRow(
    block: SampleBlockReader,
    row: number,
    paths: PathTable,
    vouchNs: number,
    interruptNs: number,
    readsCpu: boolean,
  ): number {
    const { intervals } = this;
    const time = this.#time;
    const path = slicePath[row] as number;
    const captures = 1 + Math.max(block.merged[row] as number, 0);
    if (path === 0) {
      // A collection has none, whoever's thread it runs on.
      if (block.kind[row] !== SampleKind.Gc) this.stackless += captures;
      // Its time is left to the next sample that has a stack.
      if (this.#path !== 0) {
        this.leftOut += captures;
        return Made.Nothing;
      }
    }
    const isFirst = time !== time;
    const lasted = Math.max(block.duration[row] as number, 0);
    let from = block.time[row] as number;
    let to = from + lasted;
    if (from <= time) {
      to = this.#repair(from, to);
      from = time;
    }
    const messageId = block.message[row] as number;
    const node = block.stack[row] as number;
    const clock = block.cpu[row] as number;
    const knowsCpu = readsCpu && this.#cpu === this.#cpu;
    const cpuSince = knowsCpu ? clock - this.#cpu : 0;
    const within = lasted > 0 ? (block.cpuDuration[row] as number) : 0;
    const isSame = path === this.#path && messageId === this.#messageId && !isFirst;
    const silent = isFirst ? 0 : from - time;
    const isTimed = (block.counters & CounterBit.CpuTimed) !== 0;
    const used = Math.min(Math.max(cpuSince, 0), silent);
    const isWaiting = isSame && path !== 0 && silent > 0 && knowsCpu && used <= silent * waitingCpuShare;
    const common = sliceCommon[row] as number;
    const kind = block.kind[row] as number;
    const atCall = lasted > 0 || takenAtCall[kind] === 1;
    const isExternal = isTimed && !atCall && kind === SampleKind.ExternalSampler;
    const isAtWork = ((block.flags[row] as number) & SampleFlag.AtWork) !== 0;
    const stands = isExternal && !isAtWork;
    const isInterrupt = isTimed && !atCall && (kind === SampleKind.CpuTimer || (isExternal && isAtWork));
    let made: number = Made.Work;
    let spent = used;
    if (atCall) {
      const { depth, parent } = paths;
      let keep = depth[common] as number;
      const hasWork = silent > 0;
      if (hasWork) {
        const isLong = vouchNs > 0 && silent > gapAfterVouches * vouchNs;
        const isOther = isLong || this.#path === 0 || messageId !== this.#messageId;
        let state: IntervalState = IntervalState.Evidence;
        let work = path;
        let workNode = node;
        // Between two collections a thread of the runtime waits for the next, but in neither. Any other thread that came back from
        // one call and comes to the next may have waited anywhere between.
        const wentOn = ((block.flags[row] as number) & SampleFlag.WaitedBefore) !== 0;
        const isElsewhere = kind !== SampleKind.Gc && this.#shown === Shown.Call && !wentOn;
        const waitsInCall = isWaiting && kind !== SampleKind.Gc && !isElsewhere;
        if (isWaiting) state = isElsewhere ? IntervalState.Gap : IntervalState.InferredWait;
        if (!waitsInCall) {
          work = common === path ? (parent[path] as number) : common;
          workNode = 0;
          keep = depth[work] as number;
          if (isOther || this.#shown === Shown.Call) {
            if (!isWaiting && (isLong || work === 0)) state = IntervalState.Gap;
          } else {
            work = this.#path;
            workNode = this.#node;
          }
        }
        const kept = work === this.#path ? (depth[work] as number) : keep;
        const at = intervals.push(time, from, work, kept, state, messageId);
        intervals.cpu[at] = used;
        intervals.node[at] = workNode;
        if (isTimed && used > 0) intervals.setUnseen(at);
        const isUnseen = isTimed && (isOther || this.#shown !== Shown.Work);
        made = isUnseen ? Made.UnseenAndCall : Made.WorkAndCall;
      }
      let state: IntervalState = IntervalState.Wait;
      if (lasted === 0) state = path === 0 ? IntervalState.Gap : IntervalState.Evidence;
      const last = intervals.push(from, to, path, keep, state, messageId);
      // Where it began before the sample before it was taken, that one's share is counted already.
      // A gap that the wait began in ends where it began: what it lasted is told by its row.
      const length = to - (intervals.begin[last] as number);
      const own = Math.max(Math.min(cpuSince + within - (hasWork ? used : 0), length), 0);
      intervals.cpu[last] = own;
      spent = (hasWork ? used : 0) + own;
      intervals.node[last] = node;
    } else {
      let state: IntervalState = isWaiting ? IntervalState.InferredWait : IntervalState.Evidence;
      if (path === 0) state = IntervalState.Gap;
      let began = isFirst ? from : time;
      let rest = used;
      const keep = paths.depth[common] as number;
      const vouched = vouchNs * captures;
      const unseen = isSame && knowsCpu ? Math.min(used, silent) : silent;
      if (state === IntervalState.Evidence && vouchNs > 0 && unseen > gapAfterVouches * vouched) {
        const isVouched = used <= gapAfterVouches * vouched;
        const evident = isVouched ? Math.max(vouched, used) : vouched;
        const share = (silent - evident) / silent;
        const gap = intervals.push(time, from - evident, common, keep, IntervalState.Gap, messageId);
        intervals.cpu[gap] = isVouched ? 0 : used * share;
        began = from - evident;
        rest -= intervals.cpu[gap];
        if (isTimed && !isInterrupt && !isVouched) intervals.setUnseen(gap);
        intervals.counters.gapShares.push(share);
        made = Made.GapAndWork;
      }
      // What an interrupt that came late does not stand for is a stretch of its own, the last one.
      const late =
        isInterrupt && path !== 0 && knowsCpu
          ? Math.min(this.#lateness(clock, captures, interruptNs), rest)
          : 0;
      const isSplit = late > 0 && late < rest;
      const at = intervals.push(began, isSplit ? from - late : from, path, keep, state, messageId);
      intervals.cpu[at] = isSplit ? rest - late : rest;
      intervals.node[at] = node;
      if (isTimed && rest > 0 && (!isInterrupt || late === rest)) intervals.setUnseen(at);
      if (isInterrupt && path !== 0) intervals.settle(at);
      if (isSplit) {
        const after = intervals.push(from - late, from, path, paths.depth[path] as number, state, messageId);
        intervals.cpu[after] = late;
        intervals.node[after] = node;
        intervals.setUnseen(after);
        made |= madeLate;
      }
      if (kind === SampleKind.Allocation) made |= madeByAllocation;
    }
    if (readsCpu && !(clock + within <= this.#cpu)) {
      this.#cpu = knowsCpu ? this.#cpu + spent : clock + within;
    }
    this.#time = to;
    this.#path = path;
    this.#node = node;
    this.#shown = atCall ? Shown.Call : stands ? Shown.Standing : Shown.Work;
    this.#messageId = messageId;
    return made;
  }

  /**
   * CPU time that a thread had used by `clock` since the last interval ended that its interrupts stand for, with so many for this one. When
   * intervals end nobody tells; but no interrupt comes early, so the promptest of them says it best. An interval or more is no lateness:
   * interrupts are missing.
   */
  #lateness(clock: number, intervals: number, interruptNs: number): number {
    const late = clock - (this.#stoodFor + intervals * interruptNs);
    const isKnown = late > 0 && late < interruptNs;
    this.#stoodFor = isKnown ? clock - late : clock;
    return isKnown ? late : 0;
  }

  /** The end of a sample that begins before what is known. */
  #repair(from: number, to: number): number {
    const time = this.#time;
    if (to > from) this.#markWait(from);
    else if (from === time) this.repeated++;
    if (to < time) this.backwards++;
    return Math.max(to, time);
  }

  /**
   * A wait is captured at its end: whatever the external sampler saw since it began, the thread waited. A gap that it
   * began in ends there. The longest stretch of rows that need no second look is remembered, so that many long waits that
   * overlap cost no more than few.
   */
  #markWait(since: number): void {
    const { begin, end, state, count } = this.intervals;
    let row = count - 1;
    for (; row >= 0 && (begin[row] as number) >= since; row--) {
      if (row === this.#waitTo - 1) row = this.#waitFrom;
      else state[row] = IntervalState.Wait;
    }
    // Where one interval ends the next begins: see SampledIntervals.
    if (row < 0) begin[0] = Math.min(begin[0] as number, since);
    else if (state[row] === IntervalState.Gap && (end[row] as number) > since) end[row] = since;
    const from = row + 1;
    if (from < this.#waitTo || count - from > this.#waitTo - this.#waitFrom) {
      this.#waitFrom = Math.min(from, from < this.#waitTo ? this.#waitFrom : from);
      this.#waitTo = count;
    }
  }
}
