import { NodeColumns } from '../assemble/nodes.js';
import { lineOr0 } from '../assemble/number-gate.js';
import type { PathTable } from '../assemble/paths.js';
import { NamedMethods } from './named-methods.js';

/** The methods of a format whose frames say their lines: the position of a node is its line. */
export class LinedMethods extends NamedMethods {
  override lineAt(_method?: number, position = 0): number {
    return position;
  }
}

/**
 * Stacks whose frames have lines: each distinct chain of methods and lines is a node once.
 *
 * Costs 12 bytes a node and 8 to 16 of hash.
 */
export class LinedStacks {
  readonly nodes = new NodeColumns();
  readonly #paths: PathTable;
  /** Nodes by hash; 0 is an empty place. At most half full. */
  #places = new Int32Array(1 << 11);

  constructor(paths: PathTable) {
    this.#paths = paths;
  }

  get memoryBytes(): number {
    return 12 * this.nodes.path.length + 4 * this.#places.length;
  }

  /** The node of `method`, called at `parent`, that stands at `line`; 0 for a line that is not known. */
  child(parent: number, method: number, line: number): number {
    const { nodes } = this;
    const path = this.#paths.child(nodes.path[parent] ?? 0, method);
    const known = lineOr0(line);
    const position = known > 0 ? known + 1 : 0;
    const mask = this.#places.length - 1;
    let place = hash(parent, path, position) & mask;
    for (;;) {
      const node = this.#places[place] ?? 0;
      if (node === 0) break;
      if (nodes.path[node] === path && nodes.parent[node] === parent && nodes.position[node] === position)
        return node;
      place = (place + 1) & mask;
    }
    const node = nodes.push(parent, path, position);
    this.#places[place] = node;
    if (nodes.count * 2 > this.#places.length) this.#rehash();
    return node;
  }

  #rehash(): void {
    const { nodes } = this;
    const places = new Int32Array(this.#places.length * 2);
    const mask = places.length - 1;
    for (let node = 1; node < nodes.count; node++) {
      let place = hash(nodes.parent[node] ?? 0, nodes.path[node] ?? 0, nodes.position[node] ?? 0) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = node;
    }
    this.#places = places;
  }
}

function hash(parent: number, path: number, position: number): number {
  let mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(path, 0x85ebca6b) ^ Math.imul(position, 0xc2b2ae35);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
