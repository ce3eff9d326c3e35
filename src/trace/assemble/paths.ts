/**
 * The call tree that grows: every distinct chain of methods from the root once, found by an open-addressing hash of
 * (parent, method). Positions do not matter here, so two lines of one method are one path.
 *
 * Costs 15 bytes a path and 8 to 16 of hash; `child` is one probe or two.
 */
import { type Paths } from '../model/trace.js';

/** Uint16 holds the depth; frames beyond are merged into the last one that fits. */
export const deepestPath = 0xffff;

/** Steps towards the root that are taken for each path, and for all together, before the tree is walked once instead. */
const usualSteps = 64;
const mostSteps = 2 ** 20;

export class PathTable implements Paths {
  count = 1;
  /** The largest depth there is. */
  deepest = 0;
  parent: Int32Array<ArrayBuffer>;
  method: Uint32Array<ArrayBuffer>;
  depth: Uint16Array<ArrayBuffer>;

  /** Path ids by hash; 0 is an empty place, as the root is nobody's child. Twice to four times as large as `count`. */
  #places: Int32Array<ArrayBuffer>;
  #mask: number;
  #recursion: Uint8Array<ArrayBuffer>;
  #recursionKnown = 1;

  constructor(capacity = 1024) {
    const size = Math.max(capacity, 16);
    this.parent = new Int32Array(size);
    this.method = new Uint32Array(size);
    this.depth = new Uint16Array(size);
    this.#recursion = new Uint8Array(size);
    const places = 2 ** Math.ceil(Math.log2(size * 2));
    this.#places = new Int32Array(places);
    this.#mask = places - 1;
    // The root: calls itself, which ends every walk.
  }

  /** The path of `method` called on `parent`; made when it is new. */
  child(parent: number, method: number): number {
    const places = this.#places;
    const mask = this.#mask;
    const methods = this.method;
    const parents = this.parent;
    let place = hash(parent, method) & mask;
    for (;;) {
      const path = places[place] as number;
      if (path === 0) break;
      if (methods[path] === method && parents[path] === parent) return path;
      place = (place + 1) & mask;
    }
    return this.#add(parent, method, place);
  }

  /** The path when it is there, −1 otherwise. */
  find(parent: number, method: number): number {
    let place = hash(parent, method) & this.#mask;
    for (;;) {
      const path = this.#places[place] as number;
      if (path === 0) return -1;
      if (this.method[path] === method && this.parent[path] === parent) return path;
      place = (place + 1) & this.#mask;
    }
  }

  /** The longest path that both begin with. Costs the frames in which they differ. */
  common(a: number, b: number): number {
    const { parent } = this;
    let x = a;
    let y = b;
    // A path is above its parent, so that the larger of two is not an ancestor of the other.
    while (x !== y) {
      if (x > y) x = parent[x] as number;
      else y = parent[y] as number;
    }
    return x;
  }

  /** Filled in for new paths when asked for: a walk to the root for each, or one through the tree where those would be long. */
  get recursive(): Uint8Array {
    const { parent, method } = this;
    const recursion = this.#recursion;
    let steps = mostSteps + usualSteps * (this.count - this.#recursionKnown);
    for (let path = this.#recursionKnown; path < this.count; path++) {
      const own = method[path];
      let above = parent[path] as number;
      while (above !== 0 && method[above] !== own) {
        above = parent[above] as number;
        steps--;
      }
      recursion[path] = above === 0 ? 0 : 1;
      if (steps < 0) {
        this.#fillRecursion();
        break;
      }
    }
    this.#recursionKnown = this.count;
    return recursion;
  }

  /** Costs what there are paths, however deep they are. */
  #fillRecursion(): void {
    const { count, parent, method } = this;
    const recursion = this.#recursion;
    const firstChild = new Int32Array(count);
    const nextSibling = new Int32Array(count);
    let mostMethod = 0;
    for (let path = count - 1; path > 0; path--) {
      const above = parent[path] as number;
      nextSibling[path] = firstChild[above] as number;
      firstChild[above] = path;
      mostMethod = Math.max(mostMethod, method[path] as number);
    }
    /** How often each method is on the way from the root. */
    const open = new Uint16Array(mostMethod + 1);
    let path = firstChild[0] as number;
    while (path !== 0) {
      const own = method[path] as number;
      recursion[path] = open[own] === 0 ? 0 : 1;
      if (firstChild[path] !== 0) {
        open[own] = (open[own] as number) + 1;
        path = firstChild[path] as number;
        continue;
      }
      while (path !== 0 && nextSibling[path] === 0) {
        path = parent[path] as number;
        const left = method[path] as number;
        if (path !== 0) open[left] = (open[left] as number) - 1;
      }
      path = nextSibling[path] as number;
    }
  }

  #add(parent: number, method: number, place: number): number {
    const depth = (this.depth[parent] as number) + 1;
    if (depth > deepestPath) return parent;
    const path = this.count;
    if (path === this.parent.length) this.#grow(2 * path);
    this.count++;
    this.parent[path] = parent;
    this.method[path] = method;
    this.depth[path] = depth;
    if (depth > this.deepest) this.deepest = depth;
    this.#places[place] = path;
    if (this.count * 2 > this.#places.length) this.#rehash(this.#places.length * 2);
    return path;
  }

  /** Makes room for `paths` more. Knowing the number beforehand saves copies and memory. */
  reserve(paths: number): void {
    const needed = this.count + paths;
    if (needed > this.parent.length) this.#grow(Math.max(needed, 2 * this.parent.length));
    let places = this.#places.length;
    while (places < needed * 2) places *= 2;
    if (places > this.#places.length) this.#rehash(places);
  }

  #grow(size: number): void {
    const copy = <A extends Int32Array | Uint32Array | Uint16Array | Uint8Array>(to: A, from: A): A => {
      to.set(from);
      return to;
    };
    this.parent = copy(new Int32Array(size), this.parent);
    this.method = copy(new Uint32Array(size), this.method);
    this.depth = copy(new Uint16Array(size), this.depth);
    this.#recursion = copy(new Uint8Array(size), this.#recursion);
  }

  #rehash(size: number): void {
    const places = new Int32Array(size);
    const mask = places.length - 1;
    const { parent, method, count } = this;
    for (let path = 1; path < count; path++) {
      let place = hash(parent[path] as number, method[path] as number) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = path;
    }
    this.#places = places;
    this.#mask = mask;
  }
}

function hash(parent: number, method: number): number {
  let h = Math.imul(parent, 0x9e3779b1) ^ Math.imul(method, 0x85ebca6b);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
