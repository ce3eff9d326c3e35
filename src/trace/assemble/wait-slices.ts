/** Slices that are waits: their names say what the thread waited for, who had it, and where both were. */
import { SampleFlag } from '../model/kinds.js';
import { IntervalState, type Paths, type ToldWaits, type Waits } from '../model/trace.js';
import type { IntervalTable } from './intervals.js';

/** As the trace's threads are numbered when it ends. */
interface NumberedThread {
  readonly index: number;
}

/** What the name of a slice says. Methods are numbered as the trace's; −1 and 0 stand for what it does not say. */
export interface WaitSlice {
  /** SampleKind. */
  readonly kind: number;
  /** As `EventBuilder.className` numbered it. */
  readonly type: number;
  /** The method in which the thread waits: it is added to the stack above the slice. */
  readonly within: number;
  readonly line: number;
  readonly ownerMethod: number;
  readonly ownerLine: number;
  /** By process of the thread that waits: several may have the same text. */
  readonly owners: ReadonlyMap<number, NumberedThread>;
}

/** What is known of one wait alone. */
export interface ToldWait {
  readonly type: number;
  readonly owner: NumberedThread | undefined;
  /** When the owner began with it: the wait must last that long. */
  readonly ownerBegin: number;
}

interface Row {
  readonly slice: WaitSlice | undefined;
  readonly begin: number;
  end: number;
  readonly path: number;
  link: number;
}

/** One thread as it was read. */
interface ReadThread {
  readonly pid: number;
  readonly rows: IntervalTable;
  readonly sleeps: Waits;
  /** What is known of single waits, by begin. */
  readonly known: ReadonlyMap<number, ToldWait> | undefined;
}

/** Turns such slices into waits, thread by thread: the paths of all threads are one growing table. */
export class WaitsOfSlices {
  readonly #slices: ReadonlyMap<number, WaitSlice>;
  readonly #paths: Paths;
  /** By path, the path of the outermost such slice at or above it; −1: none. */
  readonly #outermost: number[] = [-1];

  constructor(slices: ReadonlyMap<number, WaitSlice>, paths: Paths) {
    this.#slices = slices;
    this.#paths = paths;
  }

  /**
   * The waits of a thread: those of its slices, and its sleeps outside them. Within a slice only what ran is no wait. One that
   * lasts until the trace ends is open. `wakerOf`: of the link that a sleep has.
   */
  of(
    { pid, rows, sleeps, known }: ReadThread,
    endNs: number,
    wakerOf: (link: number) => NumberedThread | undefined,
  ): Waits {
    this.#extend();
    const found = this.#slicesIn(rows);
    if (found.length === 0) return sleeps;
    const all = withSleeps(found, sleeps);
    const { count, begin, end } = { count: all.length, begin: column(all, 'begin'), end: column(all, 'end') };
    const told: ToldWaits = {
      line: new Int32Array(count),
      ownerMethod: new Int32Array(count).fill(-1),
      ownerLine: new Int32Array(count),
    };
    const waits = {
      ...{ count, begin, end, kind: new Uint8Array(count), path: Int32Array.from(all, ({ path }) => path) },
      ...{ type: new Uint32Array(count), object: new Float64Array(count), owner: new Uint32Array(count) },
      ...{ flags: new Uint16Array(count), link: Int32Array.from(all, ({ link }) => link), told },
    };
    all.forEach(({ slice, begin: beginsAt, end: endsAt, link }, row) => {
      if (slice === undefined) return;
      const found = known?.get(beginsAt);
      const own = found !== undefined && found.ownerBegin <= endsAt ? found : undefined;
      const owner = own?.owner ?? slice.owners.get(pid);
      waits.kind[row] = slice.kind;
      waits.type[row] = own?.type ?? slice.type;
      waits.owner[row] = owner?.index ?? 0;
      told.line[row] = slice.line;
      told.ownerMethod[row] = slice.ownerMethod;
      told.ownerLine[row] = slice.ownerLine;
      const isOpen = endsAt >= endNs;
      if (isOpen) waits.link[row] = -1;
      // The owner is told when the wait begins. The lock may have had others since.
      const isSeen = !isOpen && link >= 0 && wakerOf(link) === owner;
      waits.flags[row] =
        (isOpen ? SampleFlag.OpenWait : 0) |
        (owner !== undefined && owner.index > 0 && !isSeen ? SampleFlag.OwnerEstimated : 0);
    });
    return waits;
  }

  #extend(): void {
    const { parent, method, count } = this.#paths;
    const outermost = this.#outermost;
    for (let path = outermost.length; path < count; path++) {
      const above = outermost[parent[path] as number] as number;
      outermost.push(above >= 0 ? above : this.#slices.has(method[path] as number) ? path : -1);
    }
  }

  #slicesIn(rows: IntervalTable): Row[] {
    const { parent, method, depth } = this.#paths;
    const found: Row[] = [];
    let last: Row | undefined;
    let lastPath = -1;
    for (let row = 0; row < rows.count; row++) {
      const path = this.#outermost[rows.path[row] as number] as number;
      if (path < 0) {
        lastPath = -1;
        continue;
      }
      const [begin, end] = [rows.begin[row] as number, rows.end[row] as number];
      if (end > begin && (rows.cpu[row] as number) < end - begin) rows.state[row] = IntervalState.Wait;
      if (last !== undefined && path === lastPath && (rows.keep[row] as number) >= (depth[path] as number)) {
        last.end = end;
        continue;
      }
      lastPath = path;
      // A wait is where the slice lies, unless nothing is known of that.
      const around = parent[path] as number;
      const slice = this.#slices.get(method[path] as number);
      last = { slice, begin, end, path: around === 0 ? path : around, link: -1 };
      found.push(last);
    }
    return found;
  }
}

/** In order of time. A sleep within a slice is no wait of its own; who ended the last one ended the slice's wait. */
function withSleeps(slices: readonly Row[], sleeps: Waits): Row[] {
  const all: Row[] = [];
  let at = 0;
  for (let row = 0; row < sleeps.count; row++) {
    const [begin, end] = [sleeps.begin[row] as number, sleeps.end[row] as number];
    for (; at < slices.length && (slices[at] as Row).begin <= begin; at++) all.push(slices[at] as Row);
    const slice = slices[at - 1];
    const link = sleeps.link[row] as number;
    if (slice !== undefined && end <= slice.end) slice.link = link;
    else all.push({ slice: undefined, begin, end, path: sleeps.path[row] as number, link });
  }
  return [...all, ...slices.slice(at)];
}

const column = (rows: readonly Row[], name: 'begin' | 'end'): Float64Array =>
  Float64Array.from(rows, (row) => row[name]);
