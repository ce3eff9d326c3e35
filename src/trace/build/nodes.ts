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

  private received = 0;

  constructor(
    private readonly paths: PathTable,
    private readonly methods: RecordedMethods,
  ) {
    super();
  }

  /** That of a node that may not be there: 0. */
  pathOf(node: number): number {
    return node > 0 && node < this.count ? (this.path[node] as number) : 0;
  }

  /** Makes room for about as many nodes as are in messages of so many bytes, and for their paths. */
  reserve(bytes: number): void {
    const rows = Math.ceil(bytes / usualBytes);
    if (this.count + rows > this.path.length) this.grow(this.count + rows);
    this.paths.reserve(Math.ceil(rows * pathShare));
  }

  /** Takes the rows of a slice. A node that is there already stays as it is. */
  take({ columns }: NodeReader, rows: number): void {
    const { paths, methods } = this;
    const { id: ids, distance: distances, frame: frames, position: positions, image: images } = columns;
    for (let row = 0; row < rows; row++) {
      const wide = ids[row] as number;
      const up = distances[row] as number;
      const frame = frames[row] as number;
      const image = images[row] as number;
      if (!(up >= 0 && up < wide) || !isPlausibleId(wide, ++this.received, mostNodes)) {
        this.refused++;
        continue;
      }
      // Small enough for an integer, now that it is believed.
      const id = wide | 0;
      const parent = (wide - up - 1) | 0;
      if (id >= this.path.length) this.grow(id + 1);
      const parentPath = this.path[parent] as number;
      if (parent !== 0 && parentPath === 0) {
        this.refused++;
        continue;
      }
      if (this.path[id] !== 0) continue;
      const method = image === 0 ? methods.number(frame) : methods.nativeNumber(image, frame);
      if (method < 0) {
        this.refused++;
        continue;
      }
      this.path[id] = paths.child(parentPath, method);
      this.parent[id] = parent;
      this.position[id] = image === 0 ? (positions[row] as number) : offsetPosition(frame);
      if (id >= this.count) this.count = id + 1;
    }
  }
}
