/** Chunk kind 7: nodes of the stack tree, as columns. */
import { type Columns, RowReader, writeRows } from './rows.js';
import { WireWriter } from './wire.js';

/** Beside the columns: the id that ids are counted from. */
const firstField = 2;
const idColumn = { id: { field: 1, coding: 'sparse' } } as const satisfies Columns;
const otherColumns = {
  /** Own id − parent's id − 1. */
  distance: { field: 3, coding: 'plain' },
  /** Method id, or the offset in `image`. */
  frame: { field: 4, coding: 'plain delta' },
  /** Bytecode index or dex pc, plus 1; 0: none. */
  position: { field: 5, coding: 'plain' },
  image: { field: 6, coding: 'sparse' },
} as const satisfies Columns;
const columns = { ...idColumn, ...otherColumns };

export class NodeReader extends RowReader<typeof columns> {
  #nextId = 0;

  constructor() {
    super('stack nodes', columns);
  }

  /** Whether any of them lies in an image. */
  get hasImages(): boolean {
    return this.has('image');
  }

  override open(payload: Uint8Array): void {
    this.#nextId = 0;
    super.open(payload, (field, value) => {
      if (field === firstField) this.#nextId = value;
    });
  }

  /** Ids as they are, not as they are stored. */
  override next(): number {
    const rows = super.next();
    const { id: ids } = this.columns;
    let id = this.#nextId;
    for (let row = 0; row < rows; row++) {
      id += ids[row] as number;
      ids[row] = id++;
    }
    this.#nextId = id;
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
  const { frame, image } = rows;
  const count = rows.id.length;
  const first = rows.id[0] ?? 0;
  const id = new Float64Array(count);
  const distance = new Float64Array(count);
  const position = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    const own = rows.id[row] as number;
    id[row] = own - (row === 0 ? first : (rows.id[row - 1] as number) + 1);
    distance[row] = own - (rows.parent[row] as number) - 1;
    position[row] = (rows.position[row] as number) + 1;
  }
  const out = new WireWriter(64 + 8 * count);
  writeRows(out, idColumn, { id });
  if (first !== 0) {
    out.tag(firstField, 0);
    out.varint(first);
  }
  writeRows(out, otherColumns, { distance, frame, position, image });
  return out.finish();
}
