import { callBytes, intervalBytes } from '../assemble/budget.js';
import { idIn, isLength } from '../assemble/number-gate.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions } from './importer.js';
import { LineImporter } from './line-importer.js';
import { childrenOf, laySideBySide, type WeighedTree } from './side-by-side.js';

/** What one count stands for when neither the file nor the caller says it. */
const defaultCountNs = 1e6;
/** Estimates: a stack's place in a map and its interval, a path's place in its parent's list and its call. */
const stackBytes = 50 + intervalBytes;
const placeBytes = 150 + callBytes;
/** So many lines say whether the file has the counts of two profiles: one alone may be of a frame whose name ends with a number. */
const linesToTell = 10;
const twoCounts = /^.*\S \d+ \d+\s*$/;
/** async-profiler's and our own first frame where threads are kept apart. */
const threadFrame = /^\[(.*) tid=(\d+)\]$/;

/**
 * Reads collapsed stacks: "outer;inner;innermost 123" a line. They have no times: stacks are laid side by side in the order
 * of their names, so that equal beginnings become one call, as in a flame graph. A line "# unit: ns" says what a count is.
 * Where all lines have two counts, as difffolded.pl writes them, they are of two profiles: the second is read.
 *
 * Memory: each distinct path once, 12 bytes a line.
 */
export class CollapsedImporter extends LineImporter {
  readonly #weights = new Map<number, number>();
  #countNs: number | undefined;
  #estimated = true;
  /** The first stacks, until it is known how many counts they have. */
  #first: Uint8Array[] | undefined = [];
  #ofTwo = false;

  constructor(options: ImportOptions = {}) {
    super(options, 'no stack with a count');
    this.#countNs = options.countNs;
    this.#estimated = options.countNs === undefined;
  }

  protected override trace(): Trace {
    this.#tell();
    this.#layOut();
    const reasons = [
      `Collapsed stacks have no times: laid out by name${this.#estimated ? ', one count as 1 ms' : ''}`,
      this.#ofTwo ? 'Of two profiles the second is shown' : '',
    ];
    return this.builder.finish(this.methods, {
      format: 'collapsed',
      exact: false,
      modeReason: reasons.filter((reason) => reason !== '').join('. '),
    });
  }

  protected override heldBytes(): number {
    return stackBytes * this.#weights.size + placeBytes * this.builder.paths.count;
  }

  protected override line(bytes: Uint8Array, from: number, to: number): boolean {
    if (bytes[from] === 0x23) {
      this.#comment(textOf(bytes.subarray(from, to)));
      return true;
    }
    if (this.#first === undefined) return this.#stack(bytes, from, to);
    this.#first.push(bytes.slice(from, to));
    if (this.#first.length === linesToTell) this.#tell();
    return beforeCount(bytes, from, to) >= 0 || isBlank(bytes, from, to);
  }

  #tell(): void {
    const first = this.#first ?? [];
    this.#first = undefined;
    this.#ofTwo = first.length > 0 && first.every((line) => twoCounts.test(textOf(line)));
    for (const line of first) this.#stack(line, 0, line.length);
  }

  #stack(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.builder.isFull) return true;
    let end = beforeCount(bytes, from, to);
    if (end < 0) return isBlank(bytes, from, to);
    const count = numberAt(bytes, end + 1, to);
    if (!isLength(count)) return false;
    if (this.#ofTwo) end = beforeCount(bytes, from, end);
    if (end < 0) return false;
    let path = 0;
    let begin = from;
    for (let i = from; i <= end; i++) {
      if (i < end && bytes[i] !== 0x3b) continue;
      if (i > begin) path = this.builder.paths.child(path, this.names.intern(bytes, begin, i));
      begin = i + 1;
    }
    if (path !== 0 && count > 0) this.#weights.set(path, (this.#weights.get(path) ?? 0) + count);
    return true;
  }

  #comment(text: string): void {
    const unit = /^#\s*unit:\s*(ns|us|ms|s|samples)\s*$/.exec(text)?.[1];
    if (unit === undefined || !this.#estimated) return;
    const ns = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit];
    if (ns === undefined) return;
    this.#countNs = ns;
    this.#estimated = false;
  }

  #layOut(): void {
    const { paths } = this.builder;
    const countNs = this.#countNs ?? defaultCountNs;
    const weightOf = (path: number): number => this.#weights.get(path) ?? 0;
    const nameOf = (path: number): string => this.names.text(paths.method[path] ?? 0);
    const tree: WeighedTree = {
      paths,
      children: childrenOf(paths),
      nameOf,
      weightOf: (path) => weightOf(path) * countNs,
      samplesOf: (path) => (this.#estimated ? Math.round(weightOf(path)) : 0),
    };
    const roots = tree.children.get(0) ?? [];
    const byThread = roots.length > 0 && roots.every((root) => threadFrame.test(nameOf(root)));
    for (const root of byThread ? roots : [0]) {
      const [, name = '', tid = '0'] = (byThread ? threadFrame.exec(nameOf(root)) : null) ?? [];
      laySideBySide(this.builder.thread(idIn(tid), 0, name), tree, root);
    }
  }
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isSpace(bytes[at])) return false;
  return true;
}

/** Where the space before the number stands that ends a line; −1 where there is none, or nothing before it. Spaces may follow it. */
function beforeCount(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  while (end > from && isSpace(bytes[end - 1])) end--;
  let at = end;
  while (at > from && isDigit(bytes[at - 1])) at--;
  if (at < end && bytes[at - 1] === 0x2e && isDigit(bytes[at - 2])) {
    at--;
    while (at > from && isDigit(bytes[at - 1])) at--;
  }
  return at === end || at - 1 <= from || !isSpace(bytes[at - 1]) ? -1 : at - 1;
}

/** The number that begins there: digits, and perhaps a fraction. */
function numberAt(bytes: Uint8Array, from: number, to: number): number {
  let digits = 0;
  let scale = 1;
  let isFraction = false;
  for (let at = from; at < to && !isSpace(bytes[at]); at++) {
    if (bytes[at] === 0x2e) isFraction = true;
    else {
      digits = 10 * digits + (bytes[at] as number) - 0x30;
      if (isFraction) scale *= 10;
    }
  }
  return digits / scale;
}
