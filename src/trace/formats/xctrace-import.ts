import { EventBuilder } from '../assemble/event-builder.js';
import { idIn, isLength, lineIn, numberIn } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { LinedMethods, LinedStacks } from './lined-stacks.js';
import { NameTable } from './names.js';
import { Numbers } from './numbers.js';
import { rowsByEnd, Stretch, Stretches, stretchSamples, usualInterval } from './stretches.js';
import { XmlStream, type XmlTag, type XmlVisitor } from './xml-stream.js';

/** Estimates: an entry of a map with its value; a thread with its names. */
const entryBytes = 60;
const threadBytes = 300;
const kinds: readonly Stretch[] = [Stretch.Cpu, Stretch.There, Stretch.Idle];

interface SampledThread {
  tid: number;
  pid: number;
  name: string;
}

interface Frame {
  readonly id: number;
  readonly name: string;
  file: string;
  line: number;
}

/** Of the row at hand; −1: it has none. */
interface Row {
  time: number;
  weight: number;
  thread: number;
  what: Stretch;
  node: number;
}

/**
 * Reads samples of Instruments as `xctrace export` writes them (tables "time-profile" and "cpu-profile"): rows of a time, a
 * thread, its state, a weight and a stack, the innermost frame first. What was written once has an id, and is named by it from then on.
 * A sample stands for the time before it, as long as its weight says.
 *
 * Memory: each distinct stack once, 60 bytes an id, 57 bytes a sample.
 */
export class XctraceImporter implements TraceImporter, XmlVisitor {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new LinedMethods(this.#names, 'place');
  readonly #stacks = new LinedStacks(this.#builder.paths);
  readonly #stretches = new Stretches();
  readonly #xml = new XmlStream(this);
  readonly #signal: AbortSignal | undefined;

  /** By id. */
  readonly #times = new Map<number, number>();
  readonly #weights = new Map<number, number>();
  readonly #states = new Map<number, Stretch>();
  readonly #pids = new Map<number, number>();
  readonly #threadOf = new Map<number, number>();
  readonly #nodeOf = new Map<number, number>();
  readonly #files = new Map<number, string>();
  /** A frame's row in the two columns. */
  readonly #frameOf = new Map<number, number>();
  readonly #frameMethods = new Numbers();
  readonly #frameLines = new Numbers();
  readonly #threads: SampledThread[] = [];
  /** By process id. */
  readonly #programs = new Map<number, string>();

  #row: Row = noRow();
  /** Ids of the elements that are open. */
  #ids = new Map<string, number>();
  #thread: SampledThread | undefined;
  #pid = 0;
  #frame: Frame | undefined;
  /** Of the stack at hand, the innermost first. */
  #frames: number[] = [];
  #withoutWeight = 0;
  #withoutTime = 0;
  #addresses = 0;
  #missing = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#xml.append(bytes);
    const maps = [this.#times, this.#weights, this.#states, this.#pids, this.#threadOf, this.#nodeOf];
    let entries = this.#files.size + this.#frameOf.size + this.#programs.size;
    for (const { size } of maps) entries += size;
    this.#builder.read(
      bytes.length,
      this.#names.memoryBytes +
        this.#stacks.memoryBytes +
        this.#stretches.memoryBytes +
        entryBytes * entries +
        threadBytes * this.#threads.length,
    );
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  problem(offset: number, what: string): void {
    this.#builder.problem(offset, what);
  }

  open(tag: XmlTag): void {
    // Names in this format are of use only to rows that follow them.
    if (this.#builder.isFull) return;
    const { name } = tag;
    if (name === 'row') this.#row = noRow();
    else if (name === 'source') {
      if (this.#frame !== undefined) this.#frame.line = lineIn(tag.attribute('line') || undefined);
    } else if (isInterned(name)) {
      const ref = tag.attribute('ref');
      if (ref !== '') this.#refer(name, idIn(ref));
      else this.#define(name, tag);
    } else if (name === 'text-addresses') this.#addresses++;
  }

  /** What was written before under this id stands here. */
  #refer(name: Interned, id: number): void {
    const row = this.#row;
    this.#ids.delete(name);
    if (name === 'sample-time') row.time = this.#times.get(id) ?? NaN;
    else if (name === 'weight') row.weight = this.#weights.get(id) ?? NaN;
    else if (name === 'thread-state') row.what = this.#states.get(id) ?? Stretch.There;
    else if (name === 'thread') row.thread = this.#threadOf.get(id) ?? -1;
    else if (name === 'process' && this.#thread !== undefined) this.#thread.pid = this.#pids.get(id) ?? 0;
    else if (name === 'path' && this.#frame !== undefined) this.#frame.file = this.#files.get(id) ?? '';
    else if (name === 'frame') {
      const frame = this.#frameOf.get(id);
      if (frame === undefined) this.#missing++;
      else this.#frames.push(frame);
    } else if (name === 'backtrace' || name === 'tagged-backtrace') {
      const node = this.#nodeOf.get(id);
      if (node === undefined) this.#missing++;
      row.node = node ?? 0;
    }
  }

  #define(name: Interned, tag: XmlTag): void {
    const id = idIn(tag.attribute('id') || undefined);
    this.#ids.set(name, id);
    if (name === 'thread') this.#thread = threadOf(tag.attribute('fmt'));
    else if (name === 'process') {
      const told = tag.attribute('fmt');
      this.#pid = pidIn(told);
      this.#programs.set(this.#pid, told.slice(0, Math.max(0, told.lastIndexOf(' ('))));
    } else if (name === 'thread-state') this.#states.set(id, stateOf(tag.attribute('fmt')));
    else if (name === 'frame') this.#frame = { id, name: tag.attribute('name'), file: '', line: 0 };
    else if (name === 'backtrace' || name === 'tagged-backtrace') this.#frames = [];
  }

  close(name: string, text: string): void {
    if (this.#builder.isFull) return;
    if (name === 'row') this.#take();
    else if (name === 'tid') {
      if (this.#thread !== undefined && text !== '') this.#thread.tid = idIn(text);
    } else if (name === 'pid') {
      if (text !== '') this.#pid = idIn(text);
    } else if (isInterned(name)) {
      // Undefined for what was only referred to.
      const id = this.#ids.get(name);
      this.#ids.delete(name);
      if (id !== undefined) this.#end(name, id, text);
    }
  }

  /** The element that defines this id is whole. */
  #end(name: Interned, id: number, text: string): void {
    const row = this.#row;
    if (name === 'sample-time') this.#times.set(id, (row.time = numberIn(text)));
    else if (name === 'weight') this.#weights.set(id, (row.weight = numberIn(text)));
    else if (name === 'thread-state') {
      if (text !== '') this.#states.set(id, stateOf(text));
      row.what = this.#states.get(id) ?? Stretch.There;
    } else if (name === 'process') {
      this.#pids.set(id, this.#pid);
      if (this.#thread !== undefined) this.#thread.pid = this.#pid;
    } else if (name === 'thread') this.#endThread(id);
    else if (name === 'path') {
      this.#files.set(id, text);
      if (this.#frame !== undefined) this.#frame.file = text;
    } else if (name === 'frame') this.#endFrame();
    else {
      if (this.#frames.length > 0) row.node = this.#nodeOfFrames();
      this.#nodeOf.set(id, Math.max(0, row.node));
    }
  }

  #endThread(id: number): void {
    if (this.#thread === undefined) return;
    this.#row.thread = this.#threads.length;
    this.#threadOf.set(id, this.#threads.length);
    this.#threads.push(this.#thread);
    this.#thread = undefined;
  }

  #endFrame(): void {
    const frame = this.#frame;
    this.#frame = undefined;
    if (frame === undefined) return;
    const text = frame.name.replaceAll('\t', ' ') || '(no name)';
    const method = this.#names.internText(frame.file === '' ? text : `${text}\t${frame.file}`);
    this.#methods.setSource(method, frame.file, 0);
    this.#frameOf.set(frame.id, this.#frameMethods.count);
    this.#frames.push(this.#frameMethods.count);
    this.#frameMethods.push(method);
    this.#frameLines.push(frame.line);
  }

  #nodeOfFrames(): number {
    let node = 0;
    for (const frame of this.#frames.reverse())
      node = this.#stacks.child(
        node,
        this.#frameMethods.values[frame] ?? 0,
        this.#frameLines.values[frame] ?? 0,
      );
    this.#frames = [];
    return node;
  }

  /** The row is whole. Those of tables without samples have no time of one. */
  #take(): void {
    const { time, weight, thread, what, node } = this.#row;
    this.#row = noRow();
    if (time !== time) {
      this.#withoutTime++;
      return;
    }
    if (thread < 0) return;
    // Without a stack it is known that the thread was there.
    const at = node > 0 ? node : this.#stacks.child(0, this.#names.internText('[no stack]'), 0);
    const row = this.#stretches.push(thread, time, time, what, this.#stacks.nodes.path[at] ?? 0, at);
    if (row < 0) return;
    if (isLength(weight)) this.#stretches.amount[row] = weight;
    else this.#withoutWeight++;
  }

  finish(): Trace {
    const builder = this.#builder;
    const stretches = this.#stretches;
    if (!this.#xml.finish())
      builder.problem(this.#xml.offset, 'The file ends in the middle; what was read before is kept');
    this.#setBegins();
    let refused = stretches.refused;
    const hasCpu = stretches.what.subarray(0, stretches.count).includes(Stretch.Cpu);
    stretches.eachThread((thread, rows) => {
      const { tid, pid, name } = this.#threads[thread] as SampledThread;
      const track = builder.thread(tid, pid, name);
      track.isMain ||= /^main\b|^Main Thread/.test(name);
      track.sampled = stretches.layOut(rows, builder.paths, () => -1);
    });
    for (; refused > 0; refused--) builder.refuseNumber();
    this.#tellWhatLacks();
    const main = builder.threads.find(({ isMain }) => isMain) ?? builder.threads[0];
    const trace = builder.finish(this.#methods, {
      format: 'xctrace',
      exact: false,
      hasCpu,
      pid: main?.pid ?? 0,
      targetName: this.#programs.get(main?.pid ?? 0) ?? '',
      modeReason: 'Samples of Instruments: each stands for the time before it',
    });
    return { ...trace, nodes: this.#stacks.nodes };
  }

  #setBegins(): void {
    const stretches = this.#stretches;
    const rows = rowsByEnd(stretches, kinds);
    if (this.#withoutWeight > 0) {
      const usual = usualInterval(stretches, rows, 1e6);
      stretchSamples(stretches, rows, () => usual);
      return;
    }
    let thread = -1;
    let last = -Infinity;
    for (const row of rows) {
      const end = stretches.end[row] ?? 0;
      const weight = stretches.amount[row] ?? 0;
      if (stretches.thread[row] !== thread) last = -Infinity;
      thread = stretches.thread[row] ?? 0;
      // Timers are not that exact: a small gap is none.
      const isNext = Math.abs(end - weight - last) <= weight / 2;
      stretches.begin[row] = Math.min(end, isNext ? last : Math.max(last, end - weight));
      last = end;
    }
  }

  #tellWhatLacks(): void {
    const builder = this.#builder;
    if (this.#stretches.count === 0)
      builder.remark('There is no sample in this file: export the table "time-profile" (docs/FORMATS.md)');
    else if (this.#withoutTime > 0)
      builder.remark(`${counted(this.#withoutTime, 'row is', 'rows are')} no samples; they were left out`);
    if (this.#addresses > 0)
      builder.remark('Stacks of addresses have no names: export the table "time-profile" instead');
    if (this.#missing > 0)
      builder.remark(
        `${counted(this.#missing, 'frame or stack is', 'frames and stacks are')} meant that the file does not hold`,
      );
  }
}

const interned = [
  'sample-time',
  'weight',
  'thread-state',
  'thread',
  'process',
  'path',
  'frame',
  'backtrace',
  'tagged-backtrace',
] as const;
type Interned = (typeof interned)[number];
const internedNames: ReadonlySet<string> = new Set(interned);
const isInterned = (name: string): name is Interned => internedNames.has(name);

const noRow = (): Row => ({ time: NaN, weight: NaN, thread: -1, what: Stretch.There, node: -1 });

function stateOf(text: string): Stretch {
  if (text === 'Running') return Stretch.Cpu;
  return text === 'Blocked' || text === 'Waiting' ? Stretch.Idle : Stretch.There;
}

/** "main  0x3c606d (shop, pid: 21790)", "Main Thread (0x1) (shop, pid: 100)". */
function threadOf(text: string): SampledThread {
  const tid = Math.max(text.lastIndexOf(' 0x'), text.lastIndexOf(' (0x'));
  return { name: (tid < 0 ? text : text.slice(0, tid)).trim(), tid: 0, pid: pidIn(text) };
}

/** "shop (21790)", "… (shop, pid: 21790)". */
const pidIn = (text: string): number => idIn(/(?:\(|pid: )(\d{1,10})\)$/.exec(text)?.[1]);
