import { callBytes, intervalBytes } from '../build/budget.js';
import type { EventThread } from '../build/event-builder.js';
import { SampledRows } from '../build/sampled-rows.js';
import type { Trace } from '../model/trace.js';
import { textOf } from '../recording/text.js';
import type { ImportOptions } from './importer.js';
import { LineImporter } from './line-importer.js';

/** What one count stands for when neither the file nor the caller says it. */
const defaultCountNs = 1e6;
/** Estimates: a stack's place in a map and its interval, a path's place in its parent's list and its call. */
const stackBytes = 50 + intervalBytes;
const placeBytes = 150 + callBytes;
/** async-profiler's and our own first frame where threads are kept apart. */
const threadFrame = /^\[(.*) tid=(\d+)\]$/;

/**
 * Reads collapsed stacks: "outer;inner;innermost 123" a line. They have no times: stacks are laid side by side in the order
 * of their names, so that equal beginnings become one call, as in a flame graph. A line "# unit: ns" says what a count is.
 *
 * Memory: each distinct path once, 12 bytes a line.
 */
export class CollapsedImporter extends LineImporter {
  readonly #weights = new Map<number, number>();
  #countNs: number | undefined;
  #estimated = true;

  constructor(options: ImportOptions = {}) {
    super(options, 'no stack with a count');
    this.#countNs = options.countNs;
    this.#estimated = options.countNs === undefined;
  }

  protected override trace(): Trace {
    this.#layOut();
    return this.builder.finish(this.methods, {
      format: 'collapsed',
      exact: false,
      modeReason: this.#estimated ? 'Collapsed stacks have no times: one count is drawn as 1 ms' : '',
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
    if (this.builder.isFull) return true;
    let at = to;
    let count = 0;
    let scale = 1;
    for (; at > from; at--) {
      const digit = (bytes[at - 1] as number) - 0x30;
      if (digit < 0 || digit > 9) break;
      count += digit * scale;
      scale *= 10;
    }
    if (at === to || at - 1 <= from || bytes[at - 1] !== 0x20) {
      return false;
    }
    const end = at - 1;
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

  /** Paths in the order of a walk over the tree, siblings by name; each with its own weight after its children's begin. */
  #layOut(): void {
    const { paths } = this.builder;
    const children = new Map<number, number[]>();
    for (let path = 1; path < paths.count; path++) {
      const parent = paths.parent[path] ?? 0;
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [path]);
      else siblings.push(path);
    }
    const nameOf = (path: number): string => this.names.text(paths.method[path] ?? 0);
    const countNs = this.#countNs ?? defaultCountNs;
    const roots = children.get(0) ?? [];
    const byThread = roots.length > 0 && roots.every((root) => threadFrame.test(nameOf(root)));
    let whole: EventThread | undefined;
    for (const root of byThread ? roots : [0]) {
      const [, name = '', tid = '0'] = (byThread ? threadFrame.exec(nameOf(root)) : null) ?? [];
      whole = this.builder.thread(Number(tid), 0, name);
      const rows = (whole.sampled = new SampledRows(paths));
      let time = 0;
      // Below the thread's own frame, paths are those of the calls alone.
      const stack: { readonly from: number; readonly path: number }[] = [{ from: root, path: 0 }];
      for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
        const weight = top.from === 0 ? 0 : (this.#weights.get(top.from) ?? 0);
        if (weight > 0) {
          rows.push(time, time + weight * countNs, top.path, this.#estimated ? weight : 0);
          time += weight * countNs;
        }
        const below = (children.get(top.from) ?? []).map((path) => ({ path, name: nameOf(path) }));
        // The last is taken first.
        below.sort((a, b) => (a.name < b.name ? 1 : a.name > b.name ? -1 : 0));
        for (const child of below) {
          stack.push({ from: child.path, path: paths.child(top.path, paths.method[child.path] ?? 0) });
        }
      }
    }
  }
}
