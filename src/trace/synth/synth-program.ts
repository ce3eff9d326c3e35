/** The made-up program of synth.ts: methods with names and lines, a tree of contexts, and how a thread moves in it. */
import { MethodKind } from '../model/kinds.js';
import { PathTable } from '../assemble/paths.js';
import { Random } from './random.js';

/** Contexts for each method. Few enough that a long recording comes back to the same stacks, as programs do. */
const contextsPerMethod = 6;
/** Threads that start the same way. */
const trunks = 4;
/** Places in a method from which it calls, or in which it stays. */
const positionsPerMethod = 4;
/** Frames that a thread leaves, on average, before it calls others. */
const meanReturned = 2.6;

const words = [
  'Cart',
  'Order',
  'Price',
  'Stock',
  'User',
  'Index',
  'Cache',
  'Query',
  'Layout',
  'Image',
  'Parser',
];
const verbs = [
  'load',
  'store',
  'find',
  'update',
  'render',
  'parse',
  'merge',
  'sort',
  'visit',
  'check',
  'apply',
];

interface Size {
  readonly seed: number;
  readonly methods: number;
  readonly depth: number;
  readonly threads: number;
}

export class SynthProgram {
  readonly paths = new PathTable();
  readonly classes: { id: number; name: string; file: string }[] = [];
  /** Ids are their place + 1. */
  readonly methods: {
    id: number;
    classId: number;
    name: string;
    signature: string;
    kind: number;
    linePosition: number[];
    lineNumber: number[];
  }[] = [];

  /** First child and next sibling of each path, and how many children it has. */
  readonly #children: number[][] = [[]];
  readonly #entries: number[] = [];
  readonly #trunkDepth: number;

  /** Node ids by path and position, 0 for none yet. */
  readonly #nodes: Int32Array;
  #nextNode = 1;
  #fresh = {
    id: [] as number[],
    parent: [] as number[],
    frame: [] as number[],
    position: [] as number[],
  };

  constructor(size: Size) {
    const random = new Random(size.seed);
    this.#name(size.methods);
    this.#trunkDepth = Math.max(1, Math.round(size.depth * 0.9));
    this.#grow(size, random);
    this.#nodes = new Int32Array(this.paths.count * positionsPerMethod);
  }

  qualifiedName(method: number): string {
    const { classId, name } = this.methods[method] ?? { classId: 0, name: '' };
    return `${this.classes[classId - 1]?.name ?? ''}.${name}`;
  }

  /** Where the thread with this index is when it starts. */
  entry(thread: number): number {
    return this.#entries[thread % this.#entries.length] as number;
  }

  /** Returns from some frames, calls some others. */
  step(path: number, thread: number, random: Random): number {
    const { parent, depth } = this.paths;
    const lowest = depth[this.entry(thread)] as number;
    let at = path;
    const returned = Math.round(random.exponential(meanReturned));
    for (let n = 0; n < returned && (depth[at] as number) > lowest; n++) at = parent[at] as number;
    const called = Math.round(random.exponential(meanReturned * 1.5));
    for (let n = 0; n < called; n++) {
      const below = this.#children[at] ?? [];
      if (below.length === 0) break;
      // The first ones are called more often than the last: some paths are hot.
      at = below[Math.floor(random.next() ** 2 * below.length)] as number;
    }
    return at;
  }

  /** Where in its method the innermost frame is. */
  position(_path: number, random: Random): number {
    return random.next() < 0.7 ? 0 : random.below(positionsPerMethod);
  }

  /** The node of a path; frames above the innermost are at the place from which they call. */
  node(path: number, position: number): number {
    const missing: number[] = [];
    let at = path;
    let place = position;
    while (at !== 0 && this.#nodes[at * positionsPerMethod + place] === 0) {
      missing.push(at, place);
      place = at % positionsPerMethod;
      at = this.paths.parent[at] as number;
    }
    let parent = at === 0 ? 0 : (this.#nodes[at * positionsPerMethod + place] as number);
    for (let n = missing.length - 2; n >= 0; n -= 2) {
      const made = missing[n] as number;
      const where = missing[n + 1] as number;
      const id = this.#nextNode++;
      this.#nodes[made * positionsPerMethod + where] = id;
      this.#fresh.id.push(id);
      this.#fresh.parent.push(parent);
      this.#fresh.frame.push((this.paths.method[made] as number) + 1);
      this.#fresh.position.push(where * 8);
      parent = id;
    }
    return parent;
  }

  /** Nodes made since the last time. */
  takeNewNodes(): { id: number[]; parent: number[]; frame: number[]; position: number[] } {
    const fresh = this.#fresh;
    this.#fresh = { id: [], parent: [], frame: [], position: [] };
    return fresh;
  }

  #name(methods: number): void {
    const perClass = 8;
    for (let method = 0; method < methods; method++) {
      const owner = Math.floor(method / perClass);
      if (method % perClass === 0) {
        const simple = `${words[owner % words.length] ?? ''}${owner}`;
        this.classes.push({
          id: owner + 1,
          name: `com.example.${(words[(owner >> 4) % words.length] ?? '').toLowerCase()}.${simple}`,
          file: `${simple}.java`,
        });
      }
      const line = 10 + (method % perClass) * 12;
      this.methods.push({
        id: method + 1,
        classId: owner + 1,
        name: `${verbs[method % verbs.length] ?? ''}${method % perClass}`,
        signature: '(ILjava/lang/String;)V',
        kind: MethodKind.Managed,
        // Differences: positions 0, 8, 16 …, a line or two each.
        linePosition: [0, 8, 8, 8],
        lineNumber: [line, 1, 2, 1],
      });
    }
  }

  #grow({ methods, depth, threads }: Size, random: Random): void {
    const { paths } = this;
    // Some methods are called from many places, most from few.
    const pick = (): number => Math.floor(random.next() ** 2 * methods);
    const add = (parent: number, method: number): number => {
      const before = paths.count;
      const path = paths.child(parent, method);
      if (paths.count > before) {
        this.#children[path] = [];
        this.#children[parent]?.push(path);
      }
      return path;
    };
    const bushy: number[] = [];
    for (let trunk = 0; trunk < Math.min(trunks, threads); trunk++) {
      let at = 0;
      for (let level = 0; level < this.#trunkDepth; level++) at = add(at, pick());
      this.#entries.push(at);
      bushy.push(at);
    }
    const deepest = depth * 2;
    const wanted = Math.max(methods * contextsPerMethod, 64);
    // A small program may have no room for so many contexts: the tries are counted too.
    for (let tries = 0; paths.count < wanted && tries < wanted * 4; tries++) {
      const parent = bushy[random.below(bushy.length)] as number;
      if ((paths.depth[parent] as number) >= deepest) continue;
      const before = paths.count;
      const path = add(parent, pick());
      if (paths.count > before) bushy.push(path);
    }
  }
}
