import { EventBuilder } from '../assemble/event-builder.js';
import { idOr0, lineOr0 } from '../assemble/number-gate.js';
import { SampledRows } from '../assemble/sampled-rows.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { JsonDocument, readItem, skipValue, type JsonVisitor } from './json-document.js';
import { eachItem, eachMember, type JsonReader, Lack } from './json-reader.js';
import { LinedMethods, LinedStacks } from './lined-stacks.js';
import { NameTable } from './names.js';

const Role = { root: 1, threads: 2, images: 3, exceptionFrames: 4 } as const;
/** What a stack is drawn as: it is of one moment. */
const momentNs = 1e6;
const mostHeadBytes = 1 << 16;
/** Estimates: a frame, a thread or an image without its texts. */
const frameBytes = 120;
const entryBytes = 200;
const mostReasonLetters = 500;
const lists: Readonly<Record<string, number>> = {
  threads: Role.threads,
  usedImages: Role.images,
  lastExceptionBacktrace: Role.exceptionFrames,
};
const texts: ReadonlySet<string> = new Set(['procName', 'exception', 'termination', 'pid', 'faultingThread']);

interface Frame {
  /** Empty: not known. */
  symbol: string;
  file: string;
  line: number;
  image: number;
  offset: number;
}

interface ReportThread {
  id: number;
  name: string;
  queue: string;
  isTriggered: boolean;
  /** Innermost first. */
  frames: Frame[];
}

/**
 * Reads Apple's reports in JSON (`.ips`): a line that says what the report is, then one object with the stack of each thread at
 * the moment of a crash. Frames without a symbol are shown by their image and the place in it.
 *
 * Memory: 120 bytes a frame and its texts, until `finish`: the images come last.
 */
export class IpsImporter implements TraceImporter, JsonVisitor {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new LinedMethods(this.#names, 'place');
  readonly #stacks = new LinedStacks(this.#builder.paths);
  readonly #document = new JsonDocument(this);
  readonly #signal: AbortSignal | undefined;
  /** Bytes of the first line; undefined when it is over. */
  #head: Uint8Array[] | undefined = [];
  #headBytes = 0;
  #bugType = '';
  #key = '';
  #program = '';
  #pid = 0;
  #faulting = -1;
  /** By the key that it stands at. */
  readonly #reasonOf = new Map<string, string>();
  readonly #threads: ReportThread[] = [];
  readonly #images: string[] = [];
  readonly #exceptionFrames: Frame[] = [];
  #frames = 0;
  /** Of the texts that are kept until `finish`. */
  #letters = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    const rest = this.#head === undefined ? bytes : this.#readHead(bytes);
    if (rest.length > 0) this.#document.append(rest);
    const entries = this.#threads.length + this.#images.length;
    // Each text may stand in the table of names once more.
    this.#builder.read(bytes.length, frameBytes * this.#frames + entryBytes * entries + 2 * this.#letters);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  /** What stands behind the first line. */
  #readHead(bytes: Uint8Array): Uint8Array {
    const end = bytes.indexOf(0x0a);
    const piece = end < 0 ? bytes : bytes.subarray(0, end);
    if (this.#headBytes < mostHeadBytes) this.#head?.push(piece);
    this.#headBytes += piece.length;
    if (end < 0) return new Uint8Array(0);
    const line = (this.#head ?? []).map(textOf).join('');
    this.#bugType = /"bug_type"\s*:\s*"?(\w{1,20})/.exec(line)?.[1] ?? '';
    this.#head = undefined;
    return bytes.subarray(end + 1);
  }

  wants(role: number, key: JsonReader | undefined, first: number): number {
    if (role === 0) return Role.root;
    if (role === Role.root) {
      this.#key = key?.text() ?? '';
      if (first === 0x5b && Object.hasOwn(lists, this.#key)) return lists[this.#key] ?? skipValue;
      return texts.has(this.#key) ? readItem : skipValue;
    }
    return this.#builder.isFull && role !== Role.images ? skipValue : readItem;
  }

  item(role: number, reader: JsonReader): boolean {
    if (role !== Role.root && reader.peek() !== 0x7b) return reader.skip();
    if (role === Role.threads) return this.#readThread(reader);
    if (role === Role.exceptionFrames) return this.#readFrame(reader, this.#exceptionFrames);
    if (role === Role.images) return this.#readImage(reader);
    if (this.#key === 'procName') return this.#text(reader, (text) => (this.#program = text));
    if (this.#key === 'pid') return readNumber(reader, (pid) => (this.#pid = idOr0(pid)));
    if (this.#key === 'faultingThread') return readNumber(reader, (row) => (this.#faulting = row));
    return this.#readReason(reader);
  }

  leave(): void {
    // Stacks are put in their place at the end: images may come last.
  }

  problem(offset: number, what: string): void {
    this.#builder.problem(this.#headBytes + 1 + offset, what);
  }

  #readThread(reader: JsonReader): boolean {
    const thread: ReportThread = { id: 0, name: '', queue: '', isTriggered: false, frames: [] };
    const isWhole = eachMember(reader, () => {
      if (reader.is('id')) return readNumber(reader, (id) => (thread.id = idOr0(id)));
      if (reader.is('name')) return this.#text(reader, (text) => (thread.name = text));
      if (reader.is('queue')) return this.#text(reader, (text) => (thread.queue = text));
      if (reader.is('triggered')) {
        thread.isTriggered = reader.peek() === 0x74;
        return reader.skip();
      }
      if (!reader.is('frames') || reader.peek() !== 0x5b) return reader.skip();
      return eachItem(reader, () =>
        reader.peek() === 0x7b ? this.#readFrame(reader, thread.frames) : reader.skip(),
      );
    });
    if (isWhole) this.#threads.push(thread);
    return isWhole;
  }

  #readFrame(reader: JsonReader, frames: Frame[]): boolean {
    const frame: Frame = { symbol: '', file: '', line: 0, image: -1, offset: 0 };
    const isWhole = eachMember(reader, () => {
      if (reader.is('symbol')) return this.#text(reader, (text) => (frame.symbol = text));
      if (reader.is('sourceFile')) return this.#text(reader, (text) => (frame.file = text));
      if (reader.is('sourceLine')) return readNumber(reader, (line) => (frame.line = lineOr0(line)));
      if (reader.is('imageIndex')) return readNumber(reader, (image) => (frame.image = image));
      if (reader.is('imageOffset')) return readNumber(reader, (offset) => (frame.offset = idOr0(offset)));
      return reader.skip();
    });
    if (isWhole) frames.push(frame);
    this.#frames++;
    return isWhole;
  }

  #readImage(reader: JsonReader): boolean {
    let name = '';
    let path = '';
    const isWhole = eachMember(reader, () => {
      if (reader.is('name')) return this.#text(reader, (text) => (name = text));
      if (reader.is('path')) return this.#text(reader, (text) => (path = text));
      return reader.skip();
    });
    // Frames count the damaged ones, too. One that is not all there yet is read again.
    if (isWhole || reader.lack === Lack.Sense)
      this.#images.push(name || path.slice(path.lastIndexOf('/') + 1));
    return isWhole;
  }

  /** "exception" and "termination": why it ended. */
  #readReason(reader: JsonReader): boolean {
    if (reader.peek() !== 0x7b) return reader.skip();
    const words: string[] = [];
    const isWhole = eachMember(reader, () => {
      const isTold = ['type', 'signal', 'subtype', 'indicator'].some((key) => reader.is(key));
      return isTold ? this.#text(reader, (text) => words.push(text)) : reader.skip();
    });
    const reason = words.join(', ').slice(0, mostReasonLetters);
    if (reason !== '') this.#reasonOf.set(this.#key, reason);
    return isWhole;
  }

  /** The text that stands here, or past what is none. */
  #text(reader: JsonReader, take: (text: string) => void): boolean {
    if (reader.peek() !== 0x22) return reader.skip();
    if (!reader.string()) return false;
    const text = reader.text();
    this.#letters += text.length;
    take(text);
    return true;
  }

  finish(): Trace {
    const builder = this.#builder;
    if (!this.#document.finish() || this.#head !== undefined)
      builder.remark('The report ends in the middle; what was read before is kept');
    const crashed = this.#threads.find(({ isTriggered }) => isTriggered) ?? this.#threads[this.#faulting];
    for (const thread of this.#threads) {
      const { id, name, queue, frames } = thread;
      const isMain = queue === 'com.apple.main-thread';
      this.#place(id, isMain ? 'main' : name || queue, frames, isMain);
    }
    if (this.#exceptionFrames.length > 0) this.#place(0, 'last exception', this.#exceptionFrames, false);
    builder.retain(({ sampled }) => (sampled?.rows.count ?? 0) > 0);
    if (builder.threads.length === 0)
      builder.remark(
        `There is no stack in this report${this.#bugType === '' ? '' : ` (kind ${this.#bugType})`}`,
      );
    const trace = builder.finish(this.#methods, {
      format: 'ips',
      exact: false,
      pid: this.#pid,
      targetName: this.#program,
      modeReason: [
        'A report of one moment: a stack for each thread, drawn as 1 ms',
        ...this.#reasonOf.values(),
        crashed === undefined ? '' : `Thread that crashed: ${nameOf(crashed)}`,
      ]
        .filter((reason) => reason !== '')
        .join('. '),
    });
    return { ...trace, nodes: this.#stacks.nodes };
  }

  #place(tid: number, name: string, frames: readonly Frame[], isMain: boolean): void {
    if (frames.length === 0) return;
    const thread = this.#builder.thread(tid, this.#pid, name);
    thread.isMain = isMain;
    const rows = (thread.sampled = new SampledRows(this.#builder.paths));
    let node = 0;
    for (let at = frames.length - 1; at >= 0; at--) node = this.#child(node, frames[at] as Frame);
    if (rows.push(0, momentNs, this.#stacks.nodes.path[node] ?? 0, 1)) rows.rows.node[0] = node;
  }

  #child(parent: number, { symbol, file, line, image, offset }: Frame): number {
    const place = `${this.#images[image] || '???'}+0x${offset.toString(16)}`;
    const name = (symbol === '' ? place : symbol).replaceAll('\t', ' ');
    const method = this.#names.internText(file === '' ? name : `${name}\t${file}`);
    this.#methods.setSource(method, file, 0);
    return this.#stacks.child(parent, method, line);
  }
}

const nameOf = ({ id, name, queue }: ReportThread): string => name || queue || String(id);

function readNumber(reader: JsonReader, take: (value: number) => void): boolean {
  const first = reader.peek();
  if (first !== 0x2d && (first < 0x30 || first > 0x39)) return reader.skip();
  if (!reader.number()) return false;
  take(reader.value);
  return true;
}
