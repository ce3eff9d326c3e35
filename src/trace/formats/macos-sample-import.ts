import { callBytes, intervalBytes } from '../assemble/budget.js';
import { idIn, isLength, lineIn, numberIn } from '../assemble/number-gate.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions } from './importer.js';
import { LineImporter } from './line-importer.js';
import { childrenOf, laySideBySide, type WeighedTree } from './side-by-side.js';

/** How the report begins, in any line: the program, its process, the time between two samples. */
export const macosSampleHead =
  /^Analysis of sampling (\S.{0,255}) \(pid (\d+)\) every (\d+) milliseconds?\s*$/;
const headBytes = 400;
/** What stands behind the call graph. */
const sections = ['Total number in stack', 'Sort by top of stack', 'Binary Images:'];
const mostFrameBytes = 1 << 14;
/** An estimate: a path's place in the maps, its interval and its call. */
const placeBytes = 200 + intervalBytes + callBytes;

interface SampledThread {
  /** Of the frame that stands for it. */
  readonly path: number;
  readonly tid: number;
  readonly name: string;
  readonly isMain: boolean;
}

/**
 * Reads what macOS's `sample` prints: for each thread the tree of its stacks, how often each was seen. It has no times: stacks are
 * laid side by side in the order of their names. Below a line stand its callees, further to the right; what they were not seen in is
 * the line's own.
 *
 * Memory: each distinct path once.
 */
export class MacosSampleImporter extends LineImporter {
  /** A path's own count: that of its lines without those of the lines below them. */
  readonly #own = new Map<number, number>();
  readonly #threads: SampledThread[] = [];
  #part: 'head' | 'graph' | 'behind' = 'head';
  /** Where the lines begin that the next one may be below, and their paths; the first is a thread's. */
  #columns: number[] = [];
  #open: number[] = [];
  #pid = 0;
  #program = '';
  #countMs = 1;

  constructor(options: ImportOptions = {}) {
    super(options, 'no frame and no thread');
  }

  protected override heldBytes(): number {
    return placeBytes * this.builder.paths.count;
  }

  protected override line(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#part === 'behind' || this.builder.isFull) return true;
    if (this.#part === 'head') {
      this.#head(textOf(bytes.subarray(from, Math.min(to, from + headBytes))));
      return true;
    }
    let at = from;
    while (at < to && isMark(bytes[at])) at++;
    const column = at - from;
    let count = 0;
    const digits = at;
    for (; at < to && isDigit(bytes[at]); at++) count = 10 * count + (bytes[at] as number) - 0x30;
    const text = textOf(bytes.subarray(at, Math.min(to, at + mostFrameBytes)));
    if (at === digits) {
      if (sections.some((section) => text.startsWith(section))) this.#part = 'behind';
      return this.#part === 'behind' || at === to;
    }
    if (!text.startsWith(' ') || !isLength(count * this.#countMs * 1e6)) return false;
    const what = text.trim();
    return what.startsWith('Thread_') ? this.#thread(column, what, count) : this.#frame(column, what, count);
  }

  #head(text: string): void {
    const [, program, pid, ms = ''] = macosSampleHead.exec(text) ?? [];
    if (program !== undefined) {
      this.#program = program;
      this.#pid = idIn(pid);
      this.#countMs = numberIn(ms) || 1;
    } else if (text.trim() === 'Call graph:') this.#part = 'graph';
  }

  /** "Thread_12   DispatchQueue_1: com.apple.main-thread  (serial)", "Thread_12: the thread's name". */
  #thread(column: number, text: string, count: number): boolean {
    const tid = /^Thread_(\d+)/.exec(text)?.[1];
    if (tid === undefined) return false;
    const more = text.slice('Thread_'.length + tid.length);
    const path = this.builder.paths.child(0, this.names.internText(text));
    const queue = more.indexOf('DispatchQueue_');
    const said = more.slice(more.indexOf(':', Math.max(queue, 0)) + 1).replace(/ {2}\(\w+\)$/, '');
    const isMain = said.trim() === 'com.apple.main-thread';
    this.#threads.push({ path, tid: idIn(tid), name: isMain ? 'main' : said.trim(), isMain });
    this.#columns = [column];
    this.#open = [path];
    this.#add(path, count);
    return true;
  }

  #frame(column: number, text: string, count: number): boolean {
    if (column <= (this.#columns[0] ?? Infinity)) return false;
    while ((this.#columns.at(-1) ?? 0) >= column) {
      this.#columns.pop();
      this.#open.pop();
    }
    const caller = this.#open.at(-1) ?? 0;
    const { name, file, line } = frameIn(text);
    const method = this.names.internText(name);
    this.methods.setSource(method, file, line);
    const path = this.builder.paths.child(caller, method);
    this.#add(caller, -count);
    this.#add(path, count);
    this.#columns.push(column);
    this.#open.push(path);
    return true;
  }

  #add(path: number, count: number): void {
    this.#own.set(path, (this.#own.get(path) ?? 0) + count);
  }

  protected override trace(): Trace {
    const { paths } = this.builder;
    const tree: WeighedTree = {
      paths,
      children: childrenOf(paths),
      nameOf: (path) => this.names.text(paths.method[path] ?? 0),
      weightOf: (path) => Math.max(0, this.#own.get(path) ?? 0) * this.#countMs * 1e6,
      samplesOf: (path) => Math.max(0, this.#own.get(path) ?? 0),
    };
    let wrong = 0;
    for (const own of this.#own.values()) if (own < 0) wrong++;
    if (wrong > 0)
      this.builder.remark(
        `${counted(wrong, 'call was', 'calls were')} seen less often than the calls below ${wrong === 1 ? 'it' : 'them'}`,
      );
    if (this.#threads.length === 0) this.builder.remark('There is no call graph in this file');
    const laid = new Set<number>();
    for (const { path, tid, name, isMain } of this.#threads) {
      if (laid.has(path)) continue;
      laid.add(path);
      const thread = this.builder.thread(tid, this.#pid, name);
      thread.isMain = isMain;
      laySideBySide(thread, tree, path);
    }
    return this.builder.finish(this.methods, {
      format: 'sample',
      exact: false,
      pid: this.#pid,
      targetName: this.#program,
      modeReason: `"sample" keeps no times and does not say what used the CPU: laid out by name, one count as ${this.#countMs} ms`,
    });
  }
}

/** The lines that show which frame another one is below: "    +   !     :   | 64 read". */
const isMark = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x2b || byte === 0x21 || byte === 0x3a || byte === 0x7c;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** "main  (in shop) + 910  [0x1000017be]  main.cpp:353". What has no name has its image's. */
function frameIn(text: string): { readonly name: string; readonly file: string; readonly line: number } {
  const image = text.lastIndexOf('  (in ');
  if (image < 0) return { name: text, file: '', line: 0 };
  const name = text.slice(0, image);
  const behind = text.slice(image + '  (in '.length);
  const bracket = behind.lastIndexOf(']  ');
  const source = bracket < 0 ? '' : behind.slice(bracket + 3);
  const colon = source.lastIndexOf(':');
  return {
    name: name.startsWith('???') ? `[${behind.split(')', 1)[0] ?? ''}]` : name,
    file: colon < 0 ? '' : source.slice(0, colon),
    line: colon < 0 ? 0 : lineIn(source.slice(colon + 1)),
  };
}
