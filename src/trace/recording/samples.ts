/**
 * Chunk kind 8: blocks of samples as columns. Read a slice of rows at a time into scratch arrays that stay in the
 * cache; written for tests, `synth` and converters.
 */
import { CounterBit } from '../model/kinds.js';
import { ColumnReader, differences, writePlain, writeSparse } from './columns.js';
import { type Input } from './schema.js';
import { SampleBlockHead } from './messages.js';
import { DamageError, WireReader, WireWriter } from './wire.js';

/** Rows a slice: fourteen columns of 8 KiB. */
export const sliceRows = 1024;

const firstField = 16;
const lastField = 36;

/** The columns in the order of their field numbers; gaps are fields that are not there. */
const Field = {
  time: 16,
  duration: 17,
  cpu: 18,
  cpuDuration: 19,
  stack: 20,
  kind: 21,
  merged: 22,
  message: 23,
  allocations: 24,
  allocatedBytes: 25,
  majorFaults: 26,
  voluntarySwitches: 27,
  involuntarySwitches: 28,
  type: 32,
  object: 33,
  peer: 34,
  flags: 35,
  text: 36,
} as const;

const sparseFields = [
  Field.duration,
  Field.cpuDuration,
  Field.merged,
  Field.type,
  Field.object,
  Field.peer,
  Field.flags,
  Field.text,
];
const counterFields = [
  Field.allocations,
  Field.allocatedBytes,
  Field.majorFaults,
  Field.voluntarySwitches,
  Field.involuntarySwitches,
];
const sparseDeltaFields = [Field.kind, Field.message, ...counterFields];
const counted = new Set<number>([Field.merged, ...counterFields]);

/**
 * Columns that are not asked for are not read: what stacks and clocks tell, what was counted between, or both. Of what was
 * counted, `allocatedBytes` alone takes much of the time.
 */
export type SampleColumns = 'stacks' | 'counters' | 'allocatedBytes' | 'all';

/** How many captures a row stands for, which is a sparse column, is read with stacks and with counters. */
function isRead(field: number, columns: SampleColumns, isSparse: boolean): boolean {
  switch (columns) {
    case 'all':
      return true;
    case 'stacks':
      return isSparse || !counted.has(field);
    case 'counters':
      return counted.has(field);
    case 'allocatedBytes':
      return field === Field.allocatedBytes;
  }
}

/** One block after the other: `open`, then `next` until it gives 0; the columns hold the rows of the last slice. */
export class SampleBlockReader {
  thread = 0;
  /** CounterBit bits. */
  counters = 0;
  /** Rows that the block says it has. */
  count = 0;
  /** What was wrong with the block that was read to its end, or empty. */
  damage = '';

  readonly time = new Float64Array(sliceRows);
  readonly duration = new Float64Array(sliceRows);
  readonly cpu = new Float64Array(sliceRows);
  readonly cpuDuration = new Float64Array(sliceRows);
  readonly stack = new Float64Array(sliceRows);
  readonly kind = new Float64Array(sliceRows);
  readonly merged = new Float64Array(sliceRows);
  readonly message = new Float64Array(sliceRows);
  readonly allocations = new Float64Array(sliceRows);
  readonly allocatedBytes = new Float64Array(sliceRows);
  readonly majorFaults = new Float64Array(sliceRows);
  readonly voluntarySwitches = new Float64Array(sliceRows);
  readonly involuntarySwitches = new Float64Array(sliceRows);
  readonly type = new Float64Array(sliceRows);
  readonly object = new Float64Array(sliceRows);
  readonly peer = new Float64Array(sliceRows);
  readonly flags = new Float64Array(sliceRows);
  readonly text = new Float64Array(sliceRows);

  /** Rows of this block that the next slices will give, as far as its head tells. */
  #left = 0;
  readonly #begins = new Int32Array(lastField + 1);
  readonly #ends = new Int32Array(lastField + 1);
  readonly #readers: ColumnReader[] = [];
  readonly #out: Float64Array[] = [];
  /** What all of a column is known to be, Infinity where it is not one value. */
  readonly #filled = new Float64Array(lastField + 1);
  readonly #sparse: readonly number[];
  readonly #sparseDelta: readonly number[];
  /** Sparse columns of this block that have entries: the others were filled once, by `open`. */
  readonly #live: number[] = [];
  readonly #liveDelta: number[] = [];
  readonly #head = SampleBlockHead.empty();
  readonly #columns: SampleColumns;

  constructor(columns: SampleColumns = 'all') {
    this.#columns = columns;

    this.#sparse = sparseFields.filter((field) => isRead(field, columns, true));
    this.#sparseDelta = sparseDeltaFields.filter((field) => isRead(field, columns, false));
    for (let field = 0; field <= lastField; field++) this.#readers.push(new ColumnReader());
    const named = this as unknown as Record<string, Float64Array>;
    for (const [name, field] of Object.entries(Field)) this.#out[field] = named[name] as Float64Array;
  }

  /** Time of the first row, as the head tells. */
  get beginNs(): number {
    return this.#head.baseTimeNs;
  }

  /** Whether any row says more than its stack and counters: a class, an object, a peer, a text. */
  get hasDetails(): boolean {
    const begins = this.#begins;
    const ends = this.#ends;
    return (
      begins[Field.type] !== ends[Field.type] ||
      begins[Field.object] !== ends[Field.object] ||
      begins[Field.peer] !== ends[Field.peer] ||
      begins[Field.text] !== ends[Field.text]
    );
  }

  /** Whether any row is a wait. */
  get hasDurations(): boolean {
    return this.#begins[Field.duration] !== this.#ends[Field.duration];
  }

  /** Whether any row stands for several captures. */
  get hasMerged(): boolean {
    return this.#begins[Field.merged] !== this.#ends[Field.merged];
  }

  /** Whether any row has a flag. */
  get hasFlags(): boolean {
    return this.#begins[Field.flags] !== this.#ends[Field.flags];
  }

  /** Throws a DamageError when the block cannot be taken apart at all. */
  open(bytes: Uint8Array, begin: number, end: number): void {
    this.damage = '';
    const head = this.#readHead(bytes, begin, end);
    this.thread = head.thread;
    this.counters = head.counters;
    this.count = this.#left = head.count;
    this.#start(bytes, Field.time, head.baseTimeNs);
    this.#start(bytes, Field.cpu, head.baseCpuNs - head.baseTimeNs);
    this.#start(bytes, Field.stack, head.baseStack);
    this.#live.length = 0;
    for (const field of this.#sparse) {
      if (this.#start(bytes, field, 0)) this.#live.push(field);
      else this.#fill(field, 0);
    }
    this.#liveDelta.length = 0;
    for (const field of this.#sparseDelta) {
      const base = this.#baseOf(field);
      if (this.#start(bytes, field, base)) this.#liveDelta.push(field);
      else this.#fill(field, base);
    }
    // Both or neither: clocks that were not read are not known, whatever a column says.
    if (this.#begins[Field.cpu] === this.#ends[Field.cpu] || (this.counters & CounterBit.Cpu) === 0) {
      this.counters &= ~CounterBit.Cpu;
      this.#fill(Field.cpu, NaN);
    }
  }

  /** Rows of the next slice, 0 at the end. */
  next(): number {
    const wanted = Math.min(this.#left, sliceRows);
    if (wanted === 0) return 0;
    const isCounted = this.#columns === 'counters' || this.#columns === 'allocatedBytes';
    const rows = isCounted ? wanted : this.#plainRows(wanted);
    for (const field of this.#live) {
      (this.#readers[field] as ColumnReader).sparse(this.#out[field] as Float64Array, rows);
    }
    for (const field of this.#liveDelta) {
      (this.#readers[field] as ColumnReader).sparseDelta(this.#out[field] as Float64Array, rows);
    }
    this.#left -= rows;
    if (rows < wanted) {
      this.damage = `a block of samples is cut: ${this.#left} of its rows are missing`;
      this.#left = 0;
    } else if (this.#left === 0 && !this.#allExhausted()) {
      this.damage = 'a block of samples has columns of different lengths';
    }
    return rows;
  }

  /** Time, stack and CPU clock: how many rows there are is how long the shortest is. */
  #plainRows(wanted: number): number {
    let rows = (this.#readers[Field.time] as ColumnReader).plainDelta(this.time, wanted);
    rows = Math.min(rows, (this.#readers[Field.stack] as ColumnReader).plainDelta(this.stack, rows));
    if (this.counters & CounterBit.Cpu) {
      rows = Math.min(rows, (this.#readers[Field.cpu] as ColumnReader).plainDelta(this.cpu, rows));
      addTo(this.cpu, this.time, rows);
    }
    return rows;
  }

  #fill(field: number, value: number): void {
    if (Object.is(this.#filled[field], value)) return;
    (this.#out[field] as Float64Array).fill(value);
    this.#filled[field] = value;
  }

  #readHead(bytes: Uint8Array, begin: number, end: number): SampleBlockHead {
    const head = this.#head;
    head.thread = 0;
    head.count = 0;
    head.baseTimeNs = 0;
    head.baseCpuNs = 0;
    head.baseAllocations = 0;
    head.baseAllocatedBytes = 0;
    head.baseMajorFaults = 0;
    head.baseVoluntarySwitches = 0;
    head.baseInvoluntarySwitches = 0;
    head.baseStack = 0;
    head.baseMessage = 0;
    head.counters = 0;
    this.#begins.fill(0);
    this.#ends.fill(0);
    const reader = new WireReader(bytes, begin, end);
    while (reader.more) {
      const tag = reader.varint();
      const field = Math.floor(tag / 8);
      const wireType = tag % 8;
      if (field >= firstField && field <= lastField && wireType === 2) {
        if (this.#begins[field] !== 0) throw new DamageError('a block of samples has a column twice');
        const columnEnd = reader.delimited();
        this.#begins[field] = reader.pos;
        this.#ends[field] = columnEnd;
        reader.pos = columnEnd;
      } else if (wireType === 0 && field >= 1 && field <= 11) {
        if (field === 1) head.thread = reader.uint32();
        else if (field === 2) head.count = reader.uint32();
        else if (field === 3) head.baseTimeNs = reader.sint();
        else if (field === 4) head.baseCpuNs = reader.varint();
        else if (field === 5) head.baseAllocations = reader.varint();
        else if (field === 6) head.baseAllocatedBytes = reader.varint();
        else if (field === 7) head.baseMajorFaults = reader.varint();
        else if (field === 8) head.baseVoluntarySwitches = reader.varint();
        else if (field === 9) head.baseInvoluntarySwitches = reader.varint();
        else if (field === 10) head.baseStack = reader.uint32();
        else head.baseMessage = reader.uint32();
      } else if (wireType === 5 && field === 12) {
        head.counters = reader.fixed32();
      } else {
        reader.skip(wireType);
      }
    }
    return head;
  }

  #start(bytes: Uint8Array, field: number, base: number): boolean {
    const begin = this.#begins[field] as number;
    const end = this.#ends[field] as number;
    (this.#readers[field] as ColumnReader).open(bytes, begin, end, base);
    if (end > begin) this.#filled[field] = Infinity;
    return end > begin;
  }

  #baseOf(field: number): number {
    const head = this.#head;
    if (field === Field.message) return head.baseMessage;
    if (field === Field.allocations) return head.baseAllocations;
    if (field === Field.allocatedBytes) return head.baseAllocatedBytes;
    if (field === Field.majorFaults) return head.baseMajorFaults;
    if (field === Field.voluntarySwitches) return head.baseVoluntarySwitches;
    if (field === Field.involuntarySwitches) return head.baseInvoluntarySwitches;
    return 0;
  }

  #allExhausted(): boolean {
    for (const reader of this.#readers) if (!reader.exhausted) return false;
    return true;
  }
}

function addTo(column: Float64Array, other: Float64Array, rows: number): void {
  for (let row = 0; row < rows; row++) column[row] = (column[row] as number) + (other[row] as number);
}

/** Samples of one thread to be written: `time` and `stack` for each row, other columns where there is something. */
export interface SampleRows {
  readonly thread: number;
  /** CounterBit bits. */
  readonly counters: number;
  readonly time: ArrayLike<number>;
  readonly stack: ArrayLike<number>;
  readonly duration?: ArrayLike<number>;
  readonly cpu?: ArrayLike<number>;
  readonly cpuDuration?: ArrayLike<number>;
  readonly kind?: ArrayLike<number>;
  readonly merged?: ArrayLike<number>;
  readonly message?: ArrayLike<number>;
  readonly allocations?: ArrayLike<number>;
  readonly allocatedBytes?: ArrayLike<number>;
  readonly majorFaults?: ArrayLike<number>;
  readonly voluntarySwitches?: ArrayLike<number>;
  readonly involuntarySwitches?: ArrayLike<number>;
  readonly type?: ArrayLike<number>;
  readonly object?: ArrayLike<number>;
  readonly peer?: ArrayLike<number>;
  readonly flags?: ArrayLike<number>;
  readonly text?: ArrayLike<number>;
}

/** A Samples message. */
export function encodeSamples(blocks: readonly SampleRows[]): Uint8Array {
  const out = new WireWriter(4096);
  for (const block of blocks) {
    out.tag(1, 2);
    out.delimited(encodeBlock(block));
  }
  return out.finish();
}

function encodeBlock(rows: SampleRows): Uint8Array {
  const count = rows.time.length;
  const first = (values: ArrayLike<number> | undefined): number => values?.[0] ?? 0;
  const head: Input<SampleBlockHead> = {
    thread: rows.thread,
    count,
    baseTimeNs: first(rows.time),
    baseCpuNs: first(rows.cpu),
    baseAllocations: first(rows.allocations),
    baseAllocatedBytes: first(rows.allocatedBytes),
    baseMajorFaults: first(rows.majorFaults),
    baseVoluntarySwitches: first(rows.voluntarySwitches),
    baseInvoluntarySwitches: first(rows.involuntarySwitches),
    baseStack: first(rows.stack),
    baseMessage: first(rows.message),
    counters: rows.counters,
  };
  const out = new WireWriter(64 + 16 * count);
  SampleBlockHead.write(out, head);
  const content = new WireWriter(16 + 4 * count);
  const column = (field: number, write: () => void): void => {
    content.reset();
    write();
    if (content.length === 0) return;
    out.tag(field, 2);
    out.delimited(content.finish());
  };
  const plain = (field: number, values: ArrayLike<number> | undefined): void => {
    if (values !== undefined) column(field, () => writePlain(content, differences(values, first(values))));
  };
  const sparse = (field: number, values: ArrayLike<number> | undefined): void => {
    if (values !== undefined) column(field, () => writeSparse(content, values));
  };
  const sparseDelta = (field: number, values: ArrayLike<number> | undefined, base: number): void => {
    if (values !== undefined) column(field, () => writeSparse(content, differences(values, base)));
  };
  const { cpu, time } = rows;
  plain(Field.time, time);
  sparse(Field.duration, rows.duration);
  if (cpu !== undefined)
    plain(
      Field.cpu,
      Array.from(cpu, (value, row) => value - (time[row] as number)),
    );
  sparse(Field.cpuDuration, rows.cpuDuration);
  plain(Field.stack, rows.stack);
  sparseDelta(Field.kind, rows.kind, 0);
  sparse(Field.merged, rows.merged);
  sparseDelta(Field.message, rows.message, first(rows.message));
  sparseDelta(Field.allocations, rows.allocations, first(rows.allocations));
  sparseDelta(Field.allocatedBytes, rows.allocatedBytes, first(rows.allocatedBytes));
  sparseDelta(Field.majorFaults, rows.majorFaults, first(rows.majorFaults));
  sparseDelta(Field.voluntarySwitches, rows.voluntarySwitches, first(rows.voluntarySwitches));
  sparseDelta(Field.involuntarySwitches, rows.involuntarySwitches, first(rows.involuntarySwitches));
  sparse(Field.type, rows.type);
  sparse(Field.object, rows.object);
  sparse(Field.peer, rows.peer);
  sparse(Field.flags, rows.flags);
  sparse(Field.text, rows.text);
  return out.finish();
}
