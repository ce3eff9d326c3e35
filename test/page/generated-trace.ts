/**
 * A trace made up in memory, in the engine's own columns: known to the tick, so that tests can say what must be drawn.
 * Threads walk a random call tree of a made-up shop; some wait for each other, some stretches have no evidence.
 */
import { IntervalState } from '../../src/trace/model/trace.js';
import type {
  Waits,
  Calls,
  Events,
  Intervals,
  Methods,
  Paths,
  ThreadTrack,
  Trace,
} from '../../src/trace/model/trace.js';

export interface GeneratedOptions {
  readonly samples: number;
  readonly threads: number;
  readonly depth: number;
  readonly methods: number;
  readonly seed: number;
  /** Between two samples of a thread. */
  readonly tickNs?: number;
  /** Replaces the name of a method: for names that mean harm. */
  readonly names?: Readonly<Record<number, string>>;
}

/** What the worker with the made-up decoder takes for a file. */
export const bytesOf = (options: GeneratedOptions): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(options));

function randomFrom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const packages = [
  'com.acme.shop',
  'com.acme.shop.cart',
  'com.acme.shop.pricing',
  'com.acme.search',
  'com.acme.net.http',
  'com.acme.storage',
  'java.util',
  'java.util.concurrent',
  'kotlin.collections',
];
const classes = [
  'Cart',
  'Order',
  'PriceTable',
  'Index',
  'Codec',
  'Session',
  'Router',
  'Cache',
  'Pool',
  'Reader',
];
const verbs = [
  'add',
  'find',
  'load',
  'parse',
  'compute',
  'render',
  'merge',
  'validate',
  'flush',
  'encode',
  'lookup',
];

function methodsOf(options: GeneratedOptions): Methods {
  const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;
  const className = (method: number): string =>
    method % 23 === 22 ? '' : `${at(packages, method * 7)}.${at(classes, method * 3 + (method >> 5))}`;
  const name = (method: number): string =>
    options.names?.[method] ??
    (className(method) === ''
      ? `native_step_${method}`
      : `${at(verbs, method * 5)}${method > 60 ? method : ''}`);
  return {
    count: options.methods,
    className,
    name,
    qualifiedName: (method) =>
      className(method) === '' ? name(method) : `${className(method)}.${name(method)}`,
    signature: () => '()V',
    file: (method) => `${at(classes, method * 3 + (method >> 5))}.java`,
    kind: () => 0,
    firstLine: (method) => 10 + method,
    lineAt: (method, position) => 10 + method + position,
  };
}

class PathTable {
  readonly parent = [-1];
  readonly method = [0];
  readonly depth = [0];
  readonly #children = new Map<number, number>();

  child(path: number, method: number, methods: number): number {
    const key = path * methods + method;
    let child = this.#children.get(key);
    if (child === undefined) {
      child = this.parent.length;
      this.parent.push(path);
      this.method.push(method);
      this.depth.push(this.depth[path]! + 1);
      this.#children.set(key, child);
    }
    return child;
  }

  paths(): Paths {
    const count = this.parent.length;
    const recursive = new Uint8Array(count);
    for (let path = 1; path < count; path++) {
      for (let up = this.parent[path]!; up > 0; up = this.parent[up]!) {
        if (this.method[up] === this.method[path]) recursive[path] = 1;
      }
    }
    return {
      count,
      parent: Int32Array.from(this.parent),
      method: Uint32Array.from(this.method),
      depth: Uint16Array.from(this.depth),
      recursive,
    };
  }
}

interface Raw {
  readonly begin: number[];
  readonly end: number[];
  readonly path: number[];
  readonly keep: number[];
  readonly state: number[];
  readonly cpu: number[];
}

export function generateTrace(options: GeneratedOptions): Trace {
  const random = randomFrom(options.seed);
  const table = new PathTable();
  const tick = options.tickNs ?? 1_000_000;
  const perThread = Math.max(4, Math.floor(options.samples / options.threads));
  const raws: Raw[] = [];
  const blockRows: { thread: number; row: number }[] = [];
  for (let thread = 0; thread < options.threads; thread++) {
    raws.push(generateThread(thread, perThread, tick, options, table, random, blockRows));
  }
  const paths = table.paths();
  const links = {
    waiter: [] as number[],
    waiterTime: [] as number[],
    waker: [] as number[],
    wakerTime: [] as number[],
  };
  const threads = raws.map((raw, at): ThreadTrack => {
    const intervals = intervalsOf(raw);
    const rows = blockRows.filter((block) => block.thread === at).map((block) => block.row);
    const firstLink = links.waiter.length;
    rows.forEach((row) => {
      links.waiter.push(at + 1);
      links.waiterTime.push(raw.begin[row]!);
      links.waker.push(((at + 1) % options.threads) + 1);
      links.wakerTime.push(raw.end[row]! - tick / 4);
    });
    return {
      index: at + 1,
      tid: 4000 + at,
      javaId: at + 1,
      kind: 0,
      name: at === 0 ? 'main' : at % 3 === 2 ? `OkHttp dispatcher ${at}` : `worker-${at}`,
      isMain: at === 0,
      beginNs: 0,
      endNs: 0,
      creator: 0,
      intervals,
      calls: callsOf(intervals, paths),
      waits: waitsOf(raw, rows, firstLink, (at + 1) % options.threads),
      events: noEvents,
      message: new Uint32Array(intervals.count),
      sampleCount: perThread,
    };
  });
  const endNs = Math.max(...raws.map((raw) => raw.end.at(-1)!));
  const points = 200;
  return {
    info: {
      format: 'btrace',
      targetName: 'com.acme.shop.Main',
      pid: 4000,
      runtime: 'HotSpot 17.0.15',
      os: 'linux',
      arch: 'x86-64',
      device: '',
      agentVersion: '0.1.0',
      mode: 0,
      modeReason: '',
      buildId: '',
      startMonotonicNs: 12_345_678_901n,
      startBoottimeNs: 12_345_678_901n,
      startRealtimeNs: 1_700_000_000_000_000_000n,
      syncIntervalNs: tick,
      asyncIntervalNs: 10 * tick,
      hasCpu: true,
      hasAllocations: true,
      hasAllocationCounts: true,
      hasFaults: true,
      hasSwitches: true,
      exact: false,
      linesNearSafepoints: false,
      allocationsEstimated: true,
    },
    beginNs: 0,
    endNs,
    complete: true,
    endReason: 0,
    threads,
    methods: methodsOf(options),
    paths,
    links: {
      count: links.waiter.length,
      waiter: Uint32Array.from(links.waiter),
      waiterTime: Float64Array.from(links.waiterTime),
      waker: Uint32Array.from(links.waker),
      wakerTime: Float64Array.from(links.wakerTime),
      certainty: new Uint8Array(links.waiter.length),
    },
    counters: [
      {
        name: 'heap used',
        unit: 'bytes',
        count: points,
        time: Float64Array.from({ length: points }, (_, at) => (at * endNs) / points),
        value: Float64Array.from({ length: points }, (_, at) => 4e7 + ((at * 37) % 50) * 1e6),
      },
      {
        name: 'threads',
        unit: '1',
        count: points,
        time: Float64Array.from({ length: points }, (_, at) => (at * endNs) / points),
        value: Float64Array.from({ length: points }, (_, at) => 12 + (at % 3)),
      },
    ],
    hooks: [
      { name: 'allocation', state: 0, why: '' },
      { name: 'Unsafe.park', state: 3, why: 'symbol Unsafe_Park was not found' },
    ],
    losses: [{ thread: 1, beginNs: 0, endNs, count: 12, reason: 0 }],
    status: {
      samples: options.samples,
      dropped: 12,
      captureNs: endNs * 0.006,
      drainNs: endNs * 0.001,
      processCpuNs: endNs,
      memoryBytes: 8e6,
      effectiveIntervalNs: tick,
      costs: [],
    },
    problems: [],
    className: (id) => (id === 0 ? '' : 'java.util.concurrent.locks.ReentrantLock'),
    text: () => '',
  };
}

function generateThread(
  thread: number,
  samples: number,
  tick: number,
  options: GeneratedOptions,
  table: PathTable,
  random: () => number,
  blockRows: { thread: number; row: number }[],
): Raw {
  const raw: Raw = { begin: [], end: [], path: [], keep: [], state: [], cpu: [] };
  let stack: number[] = [];
  let now = Math.floor(random() * tick);
  const busy = 0.95 - (thread / options.threads) * 0.6;
  for (let sample = 0; sample < samples; sample++) {
    // Mostly the leaves change; now and then a whole task ends.
    const ends = random() < 0.004 ? stack.length : Math.min(stack.length, Math.floor(random() ** 3 * 9));
    const keep = Math.max(sample === 0 ? 0 : 1, stack.length - ends);
    const wanted = Math.min(options.depth, keep + 1 + Math.floor(random() ** 2 * 8));
    stack = stack.slice(0, keep);
    while (stack.length < Math.max(wanted, 2)) {
      const seed = (stack.at(-1) ?? thread * 13) * 31 + Math.floor(random() * 3) + stack.length * 7;
      stack.push(1 + (seed % (options.methods - 1)));
    }
    let path = 0;
    for (const method of stack) path = table.child(path, method, options.methods);
    const kind = random();
    const length = Math.max(1, Math.floor(tick * (0.6 + random() * 0.8) * (kind < 0.02 ? 6 : 1)));
    const state =
      kind < 0.008
        ? IntervalState.Wait
        : kind < 0.014
          ? IntervalState.Gap
          : kind < 0.02
            ? IntervalState.InferredWait
            : 0;
    if (state === IntervalState.Wait) blockRows.push({ thread, row: raw.begin.length });
    raw.begin.push(now);
    raw.end.push(now + length);
    raw.path.push(path);
    raw.keep.push(keep);
    raw.state.push(state);
    raw.cpu.push(state === 0 ? length * Math.min(1, busy * (0.4 + random())) : 0);
    now += length;
  }
  return raw;
}

function intervalsOf(raw: Raw): Intervals {
  const count = raw.begin.length;
  return {
    count,
    begin: Float64Array.from(raw.begin),
    end: Float64Array.from(raw.end),
    path: Int32Array.from(raw.path),
    keep: Uint16Array.from(raw.keep),
    state: Uint8Array.from(raw.state),
    cpu: Float64Array.from(raw.cpu),
    countsWith: new Int32Array(0),
    allocations: new Float64Array(count).fill(3),
    allocatedBytes: Float64Array.from(raw.cpu, (cpu) => Math.round(cpu / 100)),
    faults: Float64Array.from(raw.cpu, (cpu) => Math.round(cpu / 100_000)),
    switches: Float64Array.from(raw.path, (path) => path % 3),
    samples: new Uint32Array(count).fill(1),
    node: new Int32Array(count),
  };
}

/** The slow and obvious way: end what is not kept, begin what is new. */
export function callsOf(intervals: Intervals, paths: Paths): Calls {
  const rows: {
    begin: number;
    end: number;
    cpu: number;
    parent: number;
    depth: number;
    method: number;
    first: number;
    last: number;
  }[] = [];
  let open: number[] = [];
  for (let at = 0; at < intervals.count; at++) {
    const keep = intervals.keep[at]!;
    open = open.slice(0, keep);
    const methods: number[] = [];
    for (let path = intervals.path[at]!; path > 0; path = paths.parent[path]!)
      methods.unshift(paths.method[path]!);
    for (let depth = open.length; depth < methods.length; depth++) {
      open.push(rows.length);
      const begin = intervals.begin[at]!;
      rows.push({
        begin,
        end: begin,
        cpu: 0,
        parent: open[depth - 1] ?? -1,
        depth,
        method: methods[depth]!,
        first: at,
        last: at,
      });
    }
    for (const row of open) {
      rows[row]!.end = intervals.end[at]!;
      rows[row]!.last = at;
      rows[row]!.cpu += intervals.cpu[at]!;
    }
  }
  return {
    count: rows.length,
    begin: Float64Array.from(rows, (row) => row.begin),
    end: Float64Array.from(rows, (row) => row.end),
    cpu: Float64Array.from(rows, (row) => row.cpu),
    parent: Int32Array.from(rows, (row) => row.parent),
    depth: Uint16Array.from(rows, (row) => row.depth),
    method: Uint32Array.from(rows, (row) => row.method),
    firstInterval: Int32Array.from(rows, (row) => row.first),
    lastInterval: Int32Array.from(rows, (row) => row.last),
  };
}

function waitsOf(raw: Raw, rows: readonly number[], firstLink: number, owner: number): Waits {
  const count = rows.length;
  return {
    count,
    begin: Float64Array.from(rows, (row) => raw.begin[row]!),
    end: Float64Array.from(rows, (row) => raw.end[row]!),
    kind: Uint8Array.from(rows, (row) => [5, 6, 7, 8, 18][row % 5]!),
    path: Int32Array.from(rows, (row) => raw.path[row]!),
    type: Uint32Array.from(rows, (_row, at) => at % 2),
    object: Float64Array.from(rows, () => 77),
    // Nobody ends a sleep, or input.
    owner: Uint32Array.from(rows, (row) => (row % 5 < 3 ? owner + 1 : 0)),
    flags: new Uint16Array(count),
    link: Int32Array.from(rows, (_row, at) => firstLink + at),
  };
}

const noEvents: Events = {
  count: 0,
  time: new Float64Array(0),
  kind: new Uint8Array(0),
  path: new Int32Array(0),
  type: new Uint32Array(0),
  object: new Float64Array(0),
  peer: new Uint32Array(0),
  text: new Uint32Array(0),
};
