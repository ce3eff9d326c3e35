/** Columns that grow: by half again, so that at most a third of the memory waits for rows. */

type Column = Float64Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Uint8Array;

/** A longer copy of a column. What was never written stays untouched pages of zeros, which cost no memory. */
export function grown<A extends Column>(column: A, rows: number): A {
  const longer = new (column.constructor as new (length: number) => A)(rows);
  longer.set(column);
  return longer;
}

/**
 * Longer copies of several columns, with `rows` each, that lie in one buffer: a buffer of its own takes some 250 bytes, which
 * is more than what most threads of a program with very many have in a column. Give those with wide elements first.
 */
export function grownTogether<A extends readonly Column[]>(rows: number, ...columns: A): A {
  let bytes = 0;
  for (const { BYTES_PER_ELEMENT } of columns) bytes += rows * BYTES_PER_ELEMENT;
  const buffer = new ArrayBuffer(bytes);
  let at = 0;
  return columns.map((column) => {
    const longer = new (column.constructor as new (buffer: ArrayBuffer, at: number, rows: number) => Column)(
      buffer,
      at,
      rows,
    );
    longer.set(column);
    at += longer.byteLength;
    return longer;
  }) as unknown as A;
}

/** The capacity to take when `needed` rows no longer fit. */
export function nextCapacity(capacity: number, needed: number): number {
  return Math.max(needed, capacity + (capacity >> 1), 4);
}

/**
 * Columns of no rows, to begin with: growth copies. Most of a thread's are never grown, and an empty one of its own takes
 * some 100 bytes: a program that starts a thread for each task has a hundred thousand threads.
 */
export const noFloats = new Float64Array(0);
export const noInts = new Int32Array(0);
export const noUints = new Uint32Array(0);
export const noShorts = new Uint16Array(0);
export const noBytes = new Uint8Array(0);
