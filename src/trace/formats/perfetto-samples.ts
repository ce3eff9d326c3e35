import type { EventBuilder } from '../assemble/event-builder.js';
import { counted } from '../model/counted.js';
import type { KernelTrace } from './kernel-trace.js';
import type { NameTable } from './names.js';
import {
  Callstack,
  Frame,
  InternedName,
  InternedStacks,
  Mapping,
  PerfSample,
  SampleCounter,
  SampleDefaults,
  SampleTask,
  SampleUnit,
  StackSample,
} from './perfetto-fields.js';
import { ownSource } from './perfetto-samples-export.js';
import {
  type InternedFrame,
  type InternId,
  type PerfettoSequence,
  type SampleCounterRead,
  type SampleDefaultsRead,
  StackTables,
} from './perfetto-sequence.js';
import { ProtobufReader } from './protobuf-reader.js';
import { rowsByEnd, Stretch, Stretches, stretchSamples, usualInterval } from './stretches.js';

/** A sampler's default, where a trace has one sample a thread. */
const fallbackNs = 10e6;
/** Deeper stacks are cut by every sampler. */
const mostFrames = 4096;
/** An estimate: an object and its place in a map. */
const entryBytes = 120;

/** Samples of `perf` and of other profilers in Perfetto traces (`perf_sample`, `stack_sample`), with stacks that are interned. */
export class PerfettoSamples {
  readonly #builder: EventBuilder;
  readonly #kernel: KernelTrace;
  readonly #names: NameTable;
  readonly #stretches = new Stretches();
  readonly #rows = new Map<number, number>();
  readonly #threads: { readonly tid: number; readonly pid: number; readonly isOwn: boolean }[] = [];
  #entries = 0;
  #missing = 0;
  readonly #fields = new ProtobufReader();
  readonly #inner = new ProtobufReader();

  constructor(builder: EventBuilder, kernel: KernelTrace, names: NameTable) {
    this.#builder = builder;
    this.#kernel = kernel;
    this.#names = names;
  }

  get memoryBytes(): number {
    return this.#stretches.memoryBytes + entryBytes * this.#entries;
  }

  /** The parts of stacks in interned data; the rest of it is passed over. */
  intern(bytes: Uint8Array, from: number, to: number, sequence: PerfettoSequence): void {
    const fields = this.#fields.open(bytes, from, to);
    while (fields.next()) {
      if (fields.wireType !== 2) continue;
      const { field } = fields;
      const isText = field === InternedStacks.functionNames || field === InternedStacks.mappingPaths;
      const isOther =
        field === InternedStacks.frames ||
        field === InternedStacks.callstacks ||
        field === InternedStacks.mappings;
      if (!isText && !isOther) continue;
      const tables = (sequence.stacks ??= new StackTables());
      this.#entries++;
      const entry = this.#inner.open(bytes, fields.from, fields.to);
      if (isText)
        this.#text(entry, field === InternedStacks.functionNames ? tables.functions : tables.mappingPaths);
      else if (field === InternedStacks.mappings) this.#mapping(entry, tables);
      else if (field === InternedStacks.frames) this.#frame(entry, tables);
      else this.#stack(entry, tables);
    }
  }

  #text(entry: ProtobufReader, into: Map<InternId, string>): void {
    let iid: InternId = 0;
    let text = '';
    while (entry.next()) {
      if (entry.field === InternedName.iid) iid = entry.id;
      else if (entry.field === InternedName.name && entry.wireType === 2) text = entry.text();
    }
    into.set(iid, text);
  }

  #mapping(entry: ProtobufReader, tables: StackTables): void {
    let iid: InternId = 0;
    // Of the parts of a path the last is the file.
    let path: InternId = 0;
    while (entry.next()) {
      if (entry.field === Mapping.iid) iid = entry.id;
      else if (entry.field === Mapping.pathIds && entry.wireType === 0) path = entry.id;
    }
    tables.mappings.set(iid, path);
  }

  #frame(entry: ProtobufReader, tables: StackTables): void {
    let iid: InternId = 0;
    let name: InternId = 0;
    let mapping: InternId = 0;
    let pc = 0;
    while (entry.next()) {
      if (entry.field === Frame.iid) iid = entry.id;
      else if (entry.field === Frame.functionName) name = entry.id;
      else if (entry.field === Frame.mapping) mapping = entry.id;
      else if (entry.field === Frame.relativePc) pc = entry.unsigned;
    }
    tables.frames.set(iid, { name, mapping, pc });
  }

  #stack(entry: ProtobufReader, tables: StackTables): void {
    let iid: InternId = 0;
    const frames: InternId[] = [];
    while (entry.next()) {
      if (entry.field === Callstack.iid) iid = entry.id;
      else if (entry.field !== Callstack.frames || frames.length >= mostFrames) continue;
      else if (entry.wireType === 0) frames.push(entry.id);
      else if (entry.wireType === 2) {
        const packed = new ProtobufReader().open(entry.bytes, entry.from, entry.to);
        while (packed.at < packed.end && packed.varint()) frames.push(packed.id);
      }
    }
    this.#entries += frames.length / 8;
    tables.stacks.set(iid, frames);
  }

  /** A packet's sample. */
  sample(bytes: Uint8Array, from: number, to: number, sequence: PerfettoSequence, time: number): void {
    const fields = this.#fields.open(bytes, from, to);
    let [pid, tid] = [0, 0];
    let stack: InternId = 0;
    while (fields.next()) {
      if (fields.field === PerfSample.pid) pid = fields.low;
      else if (fields.field === PerfSample.tid) tid = fields.low;
      else if (fields.field === PerfSample.callstack) stack = fields.id;
    }
    this.#add(pid, tid, stack, sequence, time, 0, true, false);
  }

  /** A packet's sample in the form that says what it stands for. */
  stackSample(bytes: Uint8Array, from: number, to: number, sequence: PerfettoSequence, time: number): void {
    const fields = this.#fields.open(bytes, from, to);
    let [pid, tid, weight] = [0, 0, -1];
    let stack: InternId = 0;
    let counter = sequence.samples?.counter;
    while (fields.next()) {
      if (fields.field === StackSample.callstack) stack = fields.id;
      else if (fields.field === StackSample.weight) weight = fields.unsigned;
      else if (fields.wireType !== 2) continue;
      else if (fields.field === StackSample.primary) counter = readCounter(bytes, fields.from, fields.to);
      else if (fields.field === StackSample.task) {
        const task = this.#inner.open(bytes, fields.from, fields.to);
        while (task.next()) {
          if (task.field === SampleTask.pid) pid = task.low;
          else if (task.field === SampleTask.tid) tid = task.low;
        }
      }
    }
    const unitNs = counter?.unitNs ?? 0;
    if (weight === 0 && unitNs > 0) return; // it stands for no time
    const lengthNs = Math.max(0, weight) * unitNs;
    const isOwn = sequence.samples?.isOwn === true;
    this.#add(pid, tid, stack, sequence, time, lengthNs, counter?.isCpuTime !== false, isOwn);
  }

  /** `lengthNs`: 0 where the sample does not say how long it stands. */
  #add(
    pid: number,
    tid: number,
    stack: InternId,
    sequence: PerfettoSequence,
    time: number,
    lengthNs: number,
    isCpu: boolean,
    isOwn: boolean,
  ): void {
    const path = this.#pathOf(stack, sequence.stacks);
    if (path === 0) {
      this.#missing++;
      return;
    }
    const key = isOwn ? -1 - tid : tid;
    let thread = this.#rows.get(key);
    if (thread === undefined) {
      thread = this.#threads.length;
      this.#rows.set(key, thread);
      this.#threads.push({ tid, pid, isOwn });
    }
    const what = isCpu ? Stretch.Cpu : Stretch.There;
    this.#stretches.push(thread, time - lengthNs, time, what, path, 0);
  }

  #pathOf(stack: InternId, tables: StackTables | undefined): number {
    if (tables === undefined) return 0;
    const known = tables.paths.get(stack);
    if (known !== undefined) return known;
    let path = 0;
    // The outermost frame comes first.
    for (const frame of tables.stacks.get(stack) ?? [])
      path = this.#builder.paths.child(
        path,
        this.#names.internText(nameOf(tables.frames.get(frame), tables)),
      );
    tables.paths.set(stack, path);
    return path;
  }

  /** After the kernel's trace, which leaves threads out that have no events. */
  finish(): void {
    const stretches = this.#stretches;
    if (this.#missing > 0)
      this.#builder.remark(
        `${counted(this.#missing, 'sample has a stack', 'samples have stacks')} that the trace does not hold`,
      );
    for (let refused = stretches.refused; refused > 0; refused--) this.#builder.refuseNumber();
    if (stretches.count === 0) return;
    const { begin, end } = stretches;
    // Others say how long they stand.
    const rows = rowsByEnd(stretches, [Stretch.Cpu, Stretch.There]).filter((row) => begin[row] === end[row]);
    const usual = usualInterval(stretches, rows, fallbackNs);
    stretchSamples(stretches, rows, () => usual);
    const withEvents = new Set(this.#builder.threads);
    const tidsOfCalls = new Set<number>();
    for (const { tid, events } of withEvents) if (!events.isEmpty) tidsOfCalls.add(tid);
    stretches.eachThread((row, ofThread) => {
      const { tid, pid, isOwn } = this.#threads[row] ?? { tid: 0, pid: 0, isOwn: false };
      // The calls of this thread were made of these samples.
      if (isOwn && tidsOfCalls.has(tid)) return;
      const known = this.#kernel.known(tid);
      const name = known?.name ?? '';
      const hasEvents = known !== undefined && withEvents.has(known);
      // Calls of a thread are exact and its samples are not: they do not share a track.
      const track = hasEvents
        ? this.#builder.thread(0, pid, `samples of ${name === '' ? String(tid) : name}`)
        : this.#builder.thread(tid, pid, name);
      track.sampled = stretches.layOut(ofThread, this.#builder.paths, () => 0);
    });
  }
}

function nameOf(frame: InternedFrame | undefined, tables: StackTables): string {
  if (frame === undefined) return '(a frame that the trace does not hold)';
  const name = tables.functions.get(frame.name) ?? '';
  if (name !== '') return name;
  const path = tables.mappingPaths.get(tables.mappings.get(frame.mapping) ?? 0) ?? '';
  const file = path.slice(path.lastIndexOf('/') + 1);
  return `${file === '' ? '' : `${file}+`}0x${frame.pc.toString(16)}`;
}

export function readSampleDefaults(bytes: Uint8Array, from: number, to: number): SampleDefaultsRead {
  const fields = new ProtobufReader().open(bytes, from, to);
  let isOwn = false;
  let counter: SampleCounterRead | undefined;
  while (fields.next()) {
    if (fields.wireType !== 2) continue;
    if (fields.field === SampleDefaults.source) isOwn = fields.text() === ownSource;
    else if (fields.field === SampleDefaults.primary) counter = readCounter(bytes, fields.from, fields.to);
  }
  return { isOwn, counter };
}

function readCounter(bytes: Uint8Array, from: number, to: number): SampleCounterRead {
  const fields = new ProtobufReader().open(bytes, from, to);
  let name = '';
  let [unit, multiplier] = [0, 1];
  while (fields.next()) {
    if (fields.field === SampleCounter.name && fields.wireType === 2) name = fields.text();
    else if (fields.field === SampleCounter.unit) unit = fields.low;
    else if (fields.field === SampleCounter.unitMultiplier) multiplier = fields.unsigned || 1;
  }
  const isTime = unit === SampleUnit.nanoseconds;
  return { unitNs: isTime ? multiplier : 0, isCpuTime: !isTime || /cpu/i.test(name) };
}
