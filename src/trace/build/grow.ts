/** Columns that grow: by half again, so that at most a third of the memory waits for rows. */

type Column = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** A longer copy of a column. What was never written stays untouched pages of zeros, which cost no memory. */
export function grown<A extends Column>(column: A, rows: number): A {
  const longer = new (column.constructor as new (length: number) => A)(rows);
  longer.set(column);
  return longer;
}

/** The capacity to take when `needed` rows no longer fit. */
export function nextCapacity(capacity: number, needed: number): number {
  return Math.max(needed, capacity + (capacity >> 1), 16);
}
