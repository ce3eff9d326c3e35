/** Chunk kind 7: nodes of the stack tree, as columns. */
import { ColumnReader, differences, writePlain, writeSparse } from './columns.js';
import { DamageError, WireReader, WireWriter } from './wire.js';

const rowsPerSlice = 1024;
const columns = 6;

/** `open`, then `next` until it gives 0; the columns hold the rows of the last slice. Ids count up from `first`. */
export class NodeReader {
  readonly id = new Float64Array(rowsPerSlice);
  /** Own id − parent's id − 1. */
  readonly distance = new Float64Array(rowsPerSlice);
  /** Method id, or the offset in `image`. */
  readonly frame = new Float64Array(rowsPerSlice);
  /** Bytecode index or dex pc, plus 1; 0: none. */
  readonly position = new Float64Array(rowsPerSlice);
  readonly image = new Float64Array(rowsPerSlice);
  damage = '';

  private nextId = 0;
  private readonly begins = new Int32Array(columns + 1);
  private readonly ends = new Int32Array(columns + 1);
  private readonly ids = new ColumnReader();
  private readonly distances = new ColumnReader();
  private readonly frames = new ColumnReader();
  private readonly positions = new ColumnReader();
  private readonly images = new ColumnReader();

  /** Whether any of them lies in an image. */
  get hasImages(): boolean {
    return this.begins[6] !== this.ends[6];
  }

  /** Throws a DamageError when the message cannot be taken apart at all. */
  open(payload: Uint8Array): void {
    this.damage = '';
    this.nextId = 0;
    const { begins, ends } = this;
    begins.fill(0);
    ends.fill(0);
    const reader = new WireReader(payload);
    while (reader.more) {
      const tag = reader.varint();
      const field = Math.floor(tag / 8);
      if (field === 2 && tag % 8 === 0) {
        this.nextId = reader.uint32();
      } else if (field >= 1 && field <= columns && tag % 8 === 2) {
        if (begins[field] !== 0) throw new DamageError('stack nodes have a column twice');
        const end = reader.delimited();
        begins[field] = reader.pos;
        ends[field] = end;
        reader.pos = end;
      } else {
        reader.skip(tag % 8);
      }
    }
    const start = (column: ColumnReader, field: number): void => {
      column.open(payload, begins[field] as number, ends[field] as number, 0);
    };
    start(this.ids, 1);
    start(this.distances, 3);
    start(this.frames, 4);
    start(this.positions, 5);
    start(this.images, 6);
  }

  next(): number {
    const first = this.distances.plain(this.distance, rowsPerSlice);
    let rows = Math.min(first, this.frames.plainDelta(this.frame, first));
    rows = Math.min(rows, this.positions.plain(this.position, rows));
    this.ids.sparse(this.id, rows);
    this.images.sparse(this.image, rows);
    let id = this.nextId;
    for (let row = 0; row < rows; row++) {
      id += this.id[row] as number;
      this.id[row] = id++;
    }
    this.nextId = id;
    if (rows < first) {
      this.damage = 'a block of stack nodes is cut';
      this.distances.open(new Uint8Array(0), 0, 0, 0);
    } else if (rows < rowsPerSlice && !(this.frames.exhausted && this.positions.exhausted)) {
      this.damage = 'a block of stack nodes has columns of different lengths';
    }
    return rows;
  }
}

export interface NodeRows {
  readonly id: ArrayLike<number>;
  readonly parent: ArrayLike<number>;
  readonly frame: ArrayLike<number>;
  /** −1: none. */
  readonly position: ArrayLike<number>;
  readonly image?: ArrayLike<number>;
}

/** A Nodes message. */
export function encodeNodes(rows: NodeRows): Uint8Array {
  const count = rows.id.length;
  const first = rows.id[0] ?? 0;
  const steps = new Float64Array(count);
  const distance = new Float64Array(count);
  const position = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    const id = rows.id[row] as number;
    steps[row] = id - (row === 0 ? first : (rows.id[row - 1] as number) + 1);
    distance[row] = id - (rows.parent[row] as number) - 1;
    position[row] = (rows.position[row] as number) + 1;
  }
  const out = new WireWriter(64 + 8 * count);
  const content = new WireWriter(16 + 4 * count);
  const column = (field: number): void => {
    if (content.length > 0) {
      out.tag(field, 2);
      out.delimited(content.finish());
    }
    content.reset();
  };
  writeSparse(content, steps);
  column(1);
  if (first !== 0) {
    out.tag(2, 0);
    out.varint(first);
  }
  writePlain(content, distance);
  column(3);
  writePlain(content, differences(rows.frame, 0));
  column(4);
  writePlain(content, position);
  column(5);
  if (rows.image !== undefined) {
    writeSparse(content, rows.image);
    column(6);
  }
  return out.finish();
}
