import { intervalBytes } from '../assemble/budget.js';
import { EventBuilder } from '../assemble/event-builder.js';
import { isTime } from '../assemble/number-gate.js';
import { SampledRows } from '../assemble/sampled-rows.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { JsonDocument, readItem, skipValue, type JsonVisitor } from './json-document.js';
import type { JsonReader } from './json-reader.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';
import { Numbers } from './numbers.js';
import { readV8Node, type V8Frame } from './v8-node.js';

const Role = { root: 1, nodes: 2, samples: 3, deltas: 4 } as const;
/** An estimate of what a node takes besides its name: its place in the map, its columns and its path. */
const nodeBytes = 250;

/**
 * Reads V8's CPU profiles (`.cpuprofile`: Node.js, Chrome, VS Code): a tree of calls, and at which node each sample stood.
 * A sample lasts until the next one. While V8 was idle there is no stack.
 *
 * Memory: 16 bytes a sample and the tree, until `finish`.
 */
export class CpuProfileImporter implements TraceImporter, JsonVisitor {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names, 'place');
  readonly #document = new JsonDocument(this);
  readonly #signal: AbortSignal | undefined;
  #key = '';
  /** In µs, as all times of the file. */
  #start = 0;
  #end = NaN;
  /** A node's row by its id. */
  readonly #rows = new Map<number, number>();
  readonly #method: number[] = [];
  /** The id of a node's parent where it names it; else the parent names its children. */
  readonly #parent: number[] = [];
  /** Ids of children, and the row of the parent of each. */
  readonly #children = new Numbers();
  readonly #childrenOf = new Numbers();
  readonly #samples = new Numbers();
  readonly #deltas = new Numbers();

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#document.append(bytes);
    const samples = (16 + intervalBytes) * this.#samples.count;
    const tree = nodeBytes * this.#method.length + 16 * this.#children.count;
    this.#builder.read(bytes.length, this.#names.memoryBytes + samples + tree);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  finish(): Trace {
    const builder = this.#builder;
    if (!this.#document.finish())
      builder.problem(this.#document.offset, 'The file ends in the middle; what was read before is kept');
    this.#place(this.#paths());
    return builder.finish(this.#methods, { format: 'cpuprofile', exact: false });
  }

  wants(role: number, key: JsonReader | undefined, first: number): number {
    if (role === 0) return Role.root;
    if (role === Role.root) {
      this.#key = key?.text() ?? '';
      if (first === 0x5b && this.#key === 'nodes') return Role.nodes;
      if (first === 0x5b && this.#key === 'samples') return Role.samples;
      if (first === 0x5b && this.#key === 'timeDeltas') return Role.deltas;
      return this.#key === 'startTime' || this.#key === 'endTime' ? readItem : skipValue;
    }
    if (!this.#builder.isFull || role === Role.nodes) return readItem;
    // Those of the samples that were taken in come after them.
    return role === Role.deltas && this.#deltas.count < this.#samples.count ? readItem : skipValue;
  }

  item(role: number, reader: JsonReader): boolean {
    if (role === Role.nodes) return this.#node(reader);
    if (reader.peek() === 0x6e || !reader.number()) return false;
    if (role === Role.samples) this.#samples.push(reader.value);
    else if (role === Role.deltas) this.#deltas.push(reader.value);
    else if (this.#key === 'startTime') this.#start = reader.value;
    else this.#end = reader.value;
    return true;
  }

  leave(): void {
    // Samples are put in their place at the end: nodes may come last.
  }

  problem(offset: number, what: string): void {
    this.#builder.problem(offset, what);
  }

  #node(reader: JsonReader): boolean {
    const row = this.#method.length;
    const before = this.#children.count;
    const node = readV8Node(reader, (child) => {
      this.#children.push(child);
      this.#childrenOf.push(row);
    });
    if (node === undefined) {
      this.#children.count = this.#childrenOf.count = before;
      return false;
    }
    this.#rows.set(node.id, row);
    this.#method.push(this.#methodOf(node.frame));
    this.#parent.push(node.parent);
    return true;
  }

  #methodOf({ name, url, line }: V8Frame): number {
    const isNamed = name !== '';
    const text = (isNamed ? name : '(anonymous)').replaceAll('\t', ' ');
    const method = this.#names.internText(url === '' ? text : `${text}\t${url}:${line}`);
    this.#methods.setSource(method, fileOf(url), line);
    return method;
  }

  /** The path of each node. A parent that is its own child counts as none. */
  #paths(): Int32Array {
    const { paths } = this.#builder;
    const children = this.#children;
    const parents = Int32Array.from(this.#parent, (id) => this.#rows.get(id) ?? -1);
    for (let i = 0; i < children.count; i++) {
      const child = this.#rows.get(children.values[i] ?? NaN);
      if (child !== undefined) parents[child] = this.#childrenOf.values[i] ?? -1;
    }
    const root = this.#names.internText('(root)');
    const idle = this.#names.internText('(idle)');
    const unknown = -1;
    const underWay = -2;
    const path = new Int32Array(parents.length).fill(unknown);
    const chain: number[] = [];
    for (let row = 0; row < path.length; row++) {
      for (let at = row; at >= 0 && path[at] === unknown; at = parents[at] ?? -1) {
        path[at] = underWay;
        chain.push(at);
      }
      for (let at = chain.pop(); at !== undefined; at = chain.pop()) {
        const method = this.#method[at] ?? 0;
        const parent = Math.max(0, path[parents[at] ?? -1] ?? 0);
        path[at] = method === root || method === idle ? parent : paths.child(parent, method);
      }
    }
    return path;
  }

  #place(paths: Int32Array): void {
    const builder = this.#builder;
    const samples = this.#samples;
    const deltas = this.#deltas;
    const rows = (builder.thread(1, 0, 'JavaScript').sampled = new SampledRows(builder.paths));
    let missing = 0;
    let late = 0;
    let time = 0;
    let begin = NaN;
    let path = 0;
    const isWhole = !builder.isFull && this.#end >= this.#start;
    for (let i = 0; i <= samples.count; i++) {
      const delta = deltas.values[i] ?? 0;
      const isLast = i === samples.count;
      if (isLast) time = isWhole ? Math.max(time, (this.#end - this.#start) * 1000) : time;
      else if (i < deltas.count) time += Math.max(0, delta) * 1000;
      if (!isLast && delta < 0) late++;
      if (!isTime(time)) {
        builder.refuseNumber();
        break;
      }
      if (begin === begin && path > 0) rows.push(Math.round(begin), Math.round(time), path, 1);
      begin = time;
      const row = this.#rows.get(samples.values[i] ?? NaN);
      if (row === undefined && !isLast) missing++;
      path = row === undefined ? 0 : (paths[row] ?? 0);
    }
    if (missing > 0)
      builder.remark(
        `${counted(missing, 'sample stands', 'samples stand')} at a call that the file does not hold`,
      );
    if (late > 0)
      builder.remark(
        `${counted(late, 'sample is', 'samples are')} older than the one before; its time was taken for both`,
      );
    if (deltas.count < samples.count)
      builder.remark(
        `${counted(samples.count - deltas.count, 'sample has', 'samples have')} no time; all stand at the last one's`,
      );
  }
}

/** A path where the script is a file of this machine, else its address as it is. */
function fileOf(url: string): string {
  if (!url.startsWith('file://')) return url;
  try {
    const path = decodeURIComponent(url.slice('file://'.length));
    return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
  } catch {
    return url;
  }
}
