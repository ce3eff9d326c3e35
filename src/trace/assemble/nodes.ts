/** Stack trees that grow, and the one that was captured: node id → path, parent and position. 12 bytes a node. */
import { type StackNodes } from '../model/trace.js';
import { type NodeReader } from '../recording/nodes.js';
import { isPlausibleId } from './entries.js';
import { grown, nextCapacity } from './grow.js';
import { type RecordedMethods } from './methods.js';
import { type PathTable } from './paths.js';

/** A native frame's offset in its image, plus 1; one beyond 2 GiB is not known. */
function offsetPosition(offset: number): number {
  return offset >= 0 && offset < 0x7fffffff ? offset + 1 : 0;
}

/** A node in a message, and how many of them are a path of their own. */
const usualBytes = 5;
const pathShare = 0.5;

/** docs/FORMAT.md, "Damage". */
const mostNodes = 2 ** 28;

export class NodeColumns implements StackNodes {
  count = 1;
  parent = new Int32Array(1024);
  path = new Int32Array(1024);
  position = new Int32Array(1024);

  /** The id of a new node. */
  push(parent: number, path: number, position: number): number {
    if (this.count === this.path.length) this.grow(this.count + 1);
    this.parent[this.count] = parent;
    this.path[this.count] = path;
    this.position[this.count] = position;
    return this.count++;
  }

  protected grow(needed: number): void {
    const size = nextCapacity(this.path.length, needed);
    this.parent = grown(this.parent, size);
    this.path = grown(this.path, size);
    this.position = grown(this.position, size);
  }
}

export class NodeTable extends NodeColumns {
  /** Nodes that were not believed: an impossible id, or a parent that is not there. */
  refused = 0;

  #received = 0;
  /** A file's node is several here where calls were inlined: ours by the file's. Undefined while both are the same. */
  #own: Int32Array<ArrayBuffer> | undefined;
  readonly #paths: PathTable;
  readonly #methods: RecordedMethods;

  constructor(paths: PathTable, methods: RecordedMethods) {
    super();
    this.#paths = paths;
    this.#methods = methods;
  }

  /** Ours for a node of the file, 0 for one that is not there. */
  own(node: number): number {
    if (this.#own === undefined) return node;
    return node > 0 && node < this.#own.length ? (this.#own[node] as number) : 0;
  }

  get isExpanded(): boolean {
    return this.#own !== undefined;
  }

  /** That of one of our nodes that may not be there: 0. */
  pathOf(node: number): number {
    return node > 0 && node < this.count ? (this.path[node] as number) : 0;
  }

  /** Makes room for about as many nodes as are in messages of so many bytes, and for their paths. */
  reserve(bytes: number): void {
    const rows = Math.ceil(bytes / usualBytes);
    if (this.count + rows > this.path.length) this.grow(this.count + rows);
    this.#paths.reserve(Math.ceil(rows * pathShare));
  }

  /** Takes the rows of a slice. A node that is there already stays as it is. `spend` throws where there is no room for more than these. */
  take({ columns }: NodeReader, rows: number, spend: (nodes: number) => void): void {
    const paths = this.#paths;
    const methods = this.#methods;
    const { id: ids, distance: distances, frame: frames, position: positions, image: images } = columns;
    for (let row = 0; row < rows; row++) {
      const wide = ids[row] as number;
      const up = distances[row] as number;
      const frame = frames[row] as number;
      const image = images[row] as number;
      if (!(up >= 0 && up < wide) || !isPlausibleId(wide, ++this.#received, mostNodes)) {
        this.refused++;
        continue;
      }
      // Small enough for an integer, now that it is believed.
      const id = wide | 0;
      const above = (wide - up - 1) | 0;
      const parent = this.#own === undefined ? above : this.own(above);
      if (this.#own === undefined && id >= this.path.length) this.grow(id + 1);
      const parentPath = this.path[parent] as number;
      if (above !== 0 && parentPath === 0) {
        this.refused++;
        continue;
      }
      if (this.#own === undefined ? this.path[id] !== 0 : this.own(id) !== 0) continue;
      const method = image === 0 ? methods.number(frame) : methods.nativeNumber(image, frame);
      if (method < 0) {
        this.refused++;
        continue;
      }
      const path = paths.child(parentPath, method);
      const position = image === 0 ? (positions[row] as number) : this.#nativePosition(image, frame);
      const inlined = image === 0 ? undefined : methods.inlinedAt(image, frame);
      if (inlined === undefined && this.#own === undefined) {
        this.path[id] = path;
        this.parent[id] = parent;
        this.position[id] = position;
        if (id >= this.count) this.count = id + 1;
        continue;
      }
      if (inlined !== undefined) spend(inlined.methods.length);
      this.#own ??= this.#same();
      let node = this.push(parent, path, position);
      inlined?.methods.forEach((called, at) => {
        const line = inlined.lines[at] as number;
        node = this.push(node, paths.child(this.path[node] as number, called), line > 0 ? line + 1 : 0);
      });
      this.#map(id, node);
    }
  }

  #nativePosition(image: number, offset: number): number {
    const line = this.#methods.nativeLine(image, offset);
    return line > 0 ? line + 1 : offsetPosition(offset);
  }

  /** All that came before are the same in both. */
  #same(): Int32Array<ArrayBuffer> {
    const own = new Int32Array(nextCapacity(1024, this.count));
    for (let node = 0; node < this.count; node++) if (this.path[node] !== 0) own[node] = node;
    return own;
  }

  #map(id: number, node: number): void {
    if (this.#own === undefined) return;
    if (id >= this.#own.length) this.#own = grown(this.#own, nextCapacity(this.#own.length, id + 1));
    this.#own[id] = node;
  }
}
