import { callBytes, intervalBytes } from '../assemble/budget.js';
import { EventBuilder } from '../assemble/event-builder.js';
import { idIn, idOr0, isLength, isTime, lineIn, wholeOr0 } from '../assemble/number-gate.js';
import { SampledRows } from '../assemble/sampled-rows.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { JsonDocument, readItem, skipValue, type JsonVisitor } from './json-document.js';
import type { JsonReader } from './json-reader.js';
import { LinedMethods, LinedStacks } from './lined-stacks.js';
import { NameTable } from './names.js';
import { Numbers } from './numbers.js';

const Role = {
  root: 1,
  meta: 2,
  units: 3,
  threads: 4,
  thread: 5,
  shared: 6,
  strings: 7,
  processes: 8,
  process: 9,
  processMeta: 10,
  columns: 16,
} as const;
const perTable = 16;
/** In a table as the browser itself writes it: which column is where, the rows, and a row. */
const Rows = { schema: 13, data: 14, row: 15 } as const;
/** Tables of a thread, and the columns of them that are read: numbers, null where there is none. */
const tables = {
  samples: ['stack', 'time', 'timeDeltas', 'weight', 'threadCPUDelta'],
  stackTable: ['prefix', 'frame'],
  frameTable: ['func', 'line', 'location'],
  funcTable: ['name', 'fileName', 'lineNumber', 'source'],
  sources: ['filename'],
} as const;
const tableNames = Object.keys(tables) as (keyof typeof tables)[];
const columnNames: readonly (readonly string[])[] = Object.values(tables);
/** An estimate: a stack's node and path, and its row in what says which node it is. */
const stackBytes = 100;
const sampleBytes = 32 + 2 * intervalBytes + callBytes;
/** A sample stands until its thread's next one; where that is much later than usual, it stands for the usual time. */
const mostIntervals = 1.5;
const maxThreads = 1 << 14;
/** Of a row: there are a dozen. */
const mostFields = 64;

interface Process {
  /** The one that it is told within; processes may be told before their parent's own threads. */
  readonly parent: Process | undefined;
  startMs: number;
}

/** What stands in a thread, or in `shared`. */
class Tables {
  /** Of the process within the file whose thread it is. */
  process: Process | undefined;
  name = '';
  processName = '';
  pid = 0;
  tid = 0;
  isMain = false;
  weightType = '';
  strings: number[] | undefined;
  readonly columns = new Map<number, Numbers>();

  column(role: number): Numbers {
    let column = this.columns.get(role);
    if (column === undefined) this.columns.set(role, (column = new Numbers()));
    return column;
  }

  get(table: keyof typeof tables, column: string): Numbers | undefined {
    const at = tableNames.indexOf(table);
    return this.columns.get(columnRole(at, (columnNames[at] ?? []).indexOf(column)));
  }
}

const columnRole = (table: number, column: number): number =>
  Role.columns + (table + 1) * perTable + 1 + column;

/**
 * Reads the Firefox Profiler's processed profiles, as its pages save them, and as samply and others write them, and raw ones
 * as the browser itself writes them: samples with stacks and lines, threads, CPU time. Tables may be each thread's own, or
 * shared; those of raw profiles have rows instead of columns, and places instead of functions.
 *
 * Memory: 8 bytes a number of the tables, until `finish`.
 */
export class FirefoxImporter implements TraceImporter, JsonVisitor {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new LinedMethods(this.#names, 'place');
  readonly #stacks = new LinedStacks(this.#builder.paths);
  readonly #texts = new NameTable();
  readonly #document = new JsonDocument(this);
  readonly #signal: AbortSignal | undefined;
  readonly #threads: Tables[] = [];
  readonly #shared = new Tables();
  #at = this.#shared;
  #key = '';
  #numbers = 0;
  #samples = 0;
  #intervalMs = 1;
  #startMs = 0;
  #product = '';
  #cpuNs = 1000;
  /** Of a raw profile: the process within it, the columns of the table that is read, and its row. */
  #process: Process | undefined;
  #schema: number[] = [];
  #row: number[] = [];
  #field = 0;
  #hasCpu = false;
  #missing = 0;
  #lost = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#document.append(bytes);
    const names = this.#names.memoryBytes + this.#texts.memoryBytes;
    this.#builder.read(bytes.length, names + stackBytes * this.#numbers + sampleBytes * this.#samples);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  wants(role: number, key: JsonReader | undefined, first: number): number {
    const name = key?.text() ?? '';
    if (role !== Role.threads && role < Role.columns) this.#key = name;
    switch (role) {
      case 0:
        return Role.root;
      case Role.root:
        if (name === 'meta') return Role.meta;
        if (name === 'processes' && first === 0x5b) return Role.processes;
        if (name === 'threads' && first === 0x5b) return Role.threads;
        if (name === 'shared') {
          this.#at = this.#shared;
          return Role.shared;
        }
        return skipValue;
      case Role.processes:
        if (first !== 0x7b) return skipValue;
        this.#process = { parent: this.#process, startMs: NaN };
        return Role.process;
      case Role.process:
        if (name === 'meta') return Role.processMeta;
        if (name === 'processes' && first === 0x5b) return Role.processes;
        return name === 'threads' && first === 0x5b ? Role.threads : skipValue;
      case Role.processMeta:
        return name === 'startTime' ? readItem : skipValue;
      case Role.meta:
        if (name === 'sampleUnits') return Role.units;
        return ['interval', 'startTime', 'product'].includes(name) ? readItem : skipValue;
      case Role.units:
        return name === 'threadCPUDelta' ? readItem : skipValue;
      case Role.threads:
        if (this.#threads.length >= maxThreads) {
          this.#lost++;
          return skipValue;
        }
        this.#at = new Tables();
        this.#at.process = this.#process;
        this.#threads.push(this.#at);
        return first === 0x7b ? Role.thread : skipValue;
      case Role.thread:
      case Role.shared:
        return this.#member(name, first);
      case Role.strings:
        return readItem;
    }
    return this.#column(role, name, first);
  }

  #member(name: string, first: number): number {
    if ((name === 'stringArray' || name === 'stringTable') && first === 0x5b) {
      this.#at.strings ??= [];
      return Role.strings;
    }
    const table = tableNames.indexOf(name as keyof typeof tables);
    if (table >= 0 && first === 0x7b) return Role.columns + (table + 1) * perTable;
    return ['name', 'processName', 'pid', 'tid', 'isMainThread'].includes(name) ? readItem : skipValue;
  }

  /** A member of a table, or an item of a column. */
  #column(role: number, name: string, first: number): number {
    const within = role % perTable;
    if (within === Rows.data) {
      this.#row.fill(NaN);
      this.#field = 0;
      const isLeftOut = this.#builder.isFull && this.#isSample(role);
      return first === 0x5b && !isLeftOut ? role - Rows.data + Rows.row : skipValue;
    }
    if (within === Rows.schema) {
      this.#key = name;
      return readItem;
    }
    if (within === Rows.row) return (this.#schema[this.#field++] ?? -1) < 0 ? skipValue : readItem;
    if (within > 0) return this.#builder.isFull && this.#isSample(role) ? skipValue : readItem;
    const table = role / perTable - Role.columns / perTable - 1;
    if (name === 'weightType') {
      this.#key = name;
      return readItem;
    }
    if (name === 'schema' && first === 0x7b) {
      this.#schema = [];
      return role + Rows.schema;
    }
    if (name === 'data' && first === 0x5b) {
      this.#row = (columnNames[table] ?? []).map(() => NaN);
      return role + Rows.data;
    }
    const column = (columnNames[table] ?? []).indexOf(name);
    return column >= 0 && first === 0x5b ? columnRole(table, column) : skipValue;
  }

  #isSample(role: number): boolean {
    return Math.floor((role - Role.columns) / perTable) === 1;
  }

  item(role: number, reader: JsonReader): boolean {
    const first = reader.peek();
    const isText = first === 0x22;
    if (role >= Role.columns && role % perTable > 0) {
      // A null, or what is no number.
      const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
      if (!(isNumber ? reader.number() : reader.skip())) return false;
      const within = role % perTable;
      if (within === Rows.schema) {
        const table = Math.floor((role - Role.columns) / perTable) - 1;
        const column = (columnNames[table] ?? []).indexOf(this.#key);
        if (isNumber && column >= 0 && reader.value >= 0 && reader.value < mostFields)
          this.#schema[Math.floor(reader.value)] = column;
        return true;
      }
      if (within === Rows.row) {
        const column = this.#schema[this.#field - 1];
        if (isNumber && column !== undefined) this.#row[column] = reader.value;
        return true;
      }
      this.#at.column(role).push(isNumber ? reader.value : NaN);
      if (this.#isSample(role)) this.#samples += 1 / 4;
      else this.#numbers++;
      return true;
    }
    if (role === Role.strings) {
      if (isText ? !reader.string() : !reader.skip()) return false;
      this.#at.strings?.push(isText ? this.#texts.internText(reader.text()) : -1);
      return true;
    }
    if (isText) {
      if (!reader.string()) return false;
      this.#text(role, reader.text());
      return true;
    }
    if (this.#key === 'isMainThread') {
      this.#at.isMain = first === 0x74;
      return reader.skip();
    }
    if (first === 0x2d || (first >= 0x30 && first <= 0x39)) {
      if (!reader.number()) return false;
      this.#number(role, reader.value);
      return true;
    }
    return reader.skip();
  }

  #text(role: number, text: string): void {
    const at = this.#at;
    if (role === Role.meta && this.#key === 'product') this.#product = text;
    else if (role === Role.units) this.#cpuNs = { ns: 1, µs: 1000, us: 1000, ms: 1e6 }[text] ?? 0;
    else if (this.#key === 'weightType') at.weightType = text;
    else if (role !== Role.thread) return;
    else if (this.#key === 'name') at.name = text;
    else if (this.#key === 'processName') at.processName = text;
    else if (this.#key === 'pid') at.pid = idIn(/^\d+/.exec(text)?.[0]);
    else if (this.#key === 'tid') at.tid = idIn(/^\d+/.exec(text)?.[0]);
  }

  #number(role: number, value: number): void {
    if (role === Role.meta && this.#key === 'interval') this.#intervalMs = value;
    else if (role === Role.meta && this.#key === 'startTime') this.#startMs = value;
    else if (role === Role.processMeta && this.#process !== undefined) this.#process.startMs = value;
    else if (role === Role.thread && this.#key === 'pid') this.#at.pid = idOr0(value);
    else if (role === Role.thread && this.#key === 'tid') this.#at.tid = idOr0(value);
  }

  /** Tables are put together at the end: shared ones may come last. */
  leave(role: number): void {
    if (role === Role.process) this.#process = this.#process?.parent;
    if (role < Role.columns || role % perTable !== Rows.row) return;
    // Rows leave out what would be null at their end.
    const first = role - Rows.row + 1;
    for (let column = 0; column < this.#row.length; column++)
      this.#at.column(first + column).push(this.#row[column] ?? NaN);
    if (this.#isSample(role)) this.#samples++;
    else this.#numbers += this.#row.length;
  }

  problem(offset: number, what: string): void {
    this.#builder.problem(offset, what);
  }

  finish(): Trace {
    const builder = this.#builder;
    if (!this.#document.finish())
      builder.problem(this.#document.offset, 'The file ends in the middle; what was read before is kept');
    for (const thread of this.#threads) this.#place(thread);
    if (this.#missing > 0)
      builder.remark(
        `${counted(this.#missing, 'sample stands', 'samples stand')} at a stack that the file does not hold`,
      );
    if (this.#lost > 0) builder.remark(`${counted(this.#lost, 'thread was', 'threads were')} left out`);
    builder.retain(({ sampled }) => (sampled?.rows.count ?? 0) > 0);
    const main = builder.threads.find(({ isMain }) => isMain) ?? builder.threads[0];
    const startNs = this.#startMs * 1e6;
    const trace = builder.finish(
      this.#methods,
      {
        format: 'firefox',
        exact: false,
        hasCpu: this.#hasCpu,
        pid: main?.pid ?? 0,
        targetName: this.#product,
        modeReason: 'A sample stands until the next one of its thread. Markers are not read',
      },
      { realtimeNs: wholeOr0(startNs) },
    );
    return { ...trace, nodes: this.#stacks.nodes };
  }

  #place(thread: Tables): void {
    const builder = this.#builder;
    const { tid, pid, processName } = thread;
    const name = thread.name === 'GeckoMain' && processName !== '' ? processName : thread.name;
    const track = builder.thread(tid, pid, name);
    track.isMain ||= thread.isMain;
    const rows = (track.sampled = new SampledRows(builder.paths));
    const nodes = this.#nodesOf(thread);
    const stack = thread.get('samples', 'stack');
    const time = thread.get('samples', 'time');
    const deltas = thread.get('samples', 'timeDeltas');
    const weight = thread.weightType === 'tracing-ms' ? thread.get('samples', 'weight') : undefined;
    const cpu = this.#cpuNs > 0 ? thread.get('samples', 'threadCPUDelta') : undefined;
    const times = time ?? deltas;
    const count = Math.min(stack?.count ?? 0, times?.count ?? 0);
    const usual = this.#intervalMs > 0 ? this.#intervalMs * 1e6 : 1e6;
    const lateMs = (thread.process?.startMs ?? NaN) - this.#startMs;
    const shiftMs = lateMs === lateMs ? lateMs : 0;
    let nowMs = 0;
    const at = (sample: number): number => {
      const value = times?.values[sample] ?? NaN;
      return Math.round(((time === undefined ? (nowMs += value) : value) + shiftMs) * 1e6);
    };
    let begin = count > 0 ? at(0) : 0;
    for (let sample = 0; sample < count; sample++) {
      const next = sample + 1 < count ? at(sample + 1) : begin + usual;
      const long = weight?.values[sample];
      const weighed = long === undefined ? NaN : Math.round(long * 1e6);
      const length = next - begin <= usual * mostIntervals ? next - begin : usual;
      const end = isLength(weighed) ? Math.min(begin + weighed, Math.max(next, begin)) : begin + length;
      const row = stack?.values[sample] ?? NaN;
      if (row === row) {
        const node = nodes[row] ?? 0;
        if (node === 0) this.#missing++;
        else if (end > begin || !isTime(begin)) this.#push(rows, begin, end, node, cpu?.values[sample + 1]);
      }
      begin = next;
    }
  }

  #push(rows: SampledRows, begin: number, end: number, node: number, cpu: number | undefined): void {
    if (!rows.push(begin, end, this.#stacks.nodes.path[node] ?? 0, 1)) return;
    const row = rows.rows.count - 1;
    rows.rows.node[row] = node;
    if (cpu === undefined || !isLength(cpu)) return;
    this.#hasCpu = true;
    rows.rows.cpu[row] = Math.min(cpu * this.#cpuNs, end - begin);
  }

  /** The node of each row of the table of stacks; 0 for one that does not hold together. */
  #nodesOf(thread: Tables): Int32Array {
    const get = (table: keyof typeof tables, column: string): Numbers | undefined =>
      thread.get(table, column) ?? this.#shared.get(table, column);
    const prefix = get('stackTable', 'prefix');
    const frame = get('stackTable', 'frame');
    const func = get('frameTable', 'func');
    const line = get('frameTable', 'line');
    const location = get('frameTable', 'location');
    const methods = this.#methodsOf(thread, get);
    const places = location === undefined ? [] : this.#placesOf(thread, location);
    const nodes = new Int32Array(Math.min(prefix?.count ?? 0, frame?.count ?? 0));
    for (let row = 0; row < nodes.length; row++) {
      const before = prefix?.values[row] ?? NaN;
      // A stack stands behind the one it goes on from.
      const parent = before === before ? (before < row ? (nodes[before] ?? 0) : 0) : 0;
      if (before === before && parent === 0) continue;
      const at = frame?.values[row] ?? NaN;
      const place = places[at];
      const method = place?.method ?? methods[func?.values[at] ?? NaN];
      if (method === undefined) continue;
      const known = line?.values[at] ?? NaN;
      nodes[row] = this.#stacks.child(parent, method, known > 0 ? known : (place?.line ?? 0));
    }
    return nodes;
  }

  /** By frame of a raw profile: "price (https://shop.example/cart.js:12:5)", or a name alone. */
  #placesOf(thread: Tables, location: Numbers): { method: number; line: number }[] {
    const strings = thread.strings ?? [];
    const known = new Map<number, { method: number; line: number }>();
    return Array.from({ length: location.count }, (_, row) => {
      const text = strings[location.values[row] ?? NaN] ?? -1;
      let place = known.get(text);
      if (place === undefined) {
        const { name, file, line } = placeIn(text < 0 ? '' : this.#texts.text(text).replaceAll('\t', ' '));
        const method = this.#names.internText(file === '' ? name : `${name}\t${file}`);
        this.#methods.setSource(method, file, 0);
        known.set(text, (place = { method, line }));
      }
      return place;
    });
  }

  #methodsOf(
    thread: Tables,
    get: (table: keyof typeof tables, column: string) => Numbers | undefined,
  ): number[] {
    const strings = thread.strings ?? this.#shared.strings ?? [];
    const textOf = (at: number | undefined): string => {
      const text = strings[at ?? NaN] ?? -1;
      return text < 0 ? '' : this.#texts.text(text);
    };
    const name = get('funcTable', 'name');
    const file = get('funcTable', 'fileName');
    const source = get('funcTable', 'source');
    const files = get('sources', 'filename');
    const lines = get('funcTable', 'lineNumber');
    /** By the texts of name and place: a short row may name a text of any length. */
    const known = new Map<string, { readonly method: number; readonly place: string }>();
    return Array.from({ length: name?.count ?? 0 }, (_, row) => {
      const nameAt = name?.values[row];
      const placeAt = file?.values[row] ?? files?.values[source?.values[row] ?? NaN];
      const key = `${nameAt ?? ''} ${placeAt ?? ''}`;
      let of = known.get(key);
      if (of === undefined) {
        const text = textOf(nameAt).replaceAll('\t', ' ') || '(no name)';
        const place = textOf(placeAt);
        of = { method: this.#names.internText(place === '' ? text : `${text}\t${place}`), place };
        known.set(key, of);
      }
      this.#methods.setSource(of.method, of.place, lines?.values[row] ?? 0);
      return of.method;
    });
  }
}

/** "name (file:line:column)"; native frames and labels have a name alone. */
function placeIn(location: string): { readonly name: string; readonly file: string; readonly line: number } {
  const open = location.endsWith(')') ? location.lastIndexOf(' (') : -1;
  const alone = { name: location === '' ? '(no name)' : location, file: '', line: 0 };
  if (open < 0) return alone;
  let file = location.slice(open + 2, -1);
  const numbers: number[] = [];
  for (let colon = file.lastIndexOf(':'); colon > 0 && numbers.length < 2; colon = file.lastIndexOf(':')) {
    if (!/^\d{1,9}$/.test(file.slice(colon + 1))) break;
    numbers.unshift(lineIn(file.slice(colon + 1)));
    file = file.slice(0, colon);
  }
  // "operator() (in libshop.so)" is no place.
  if (numbers.length === 0) return alone;
  return { name: location.slice(0, open) || '(anonymous)', file, line: numbers[0] ?? 0 };
}
