/** How a table of the schema `raw` is filled: the views of views.ts give it the names that a query uses. */
import type { Batch, RawType } from './batch.js';
import type { NumberedSource } from './sources.js';

export interface RawTable {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: RawType])[];
  /** Fills the batch from row 0 on and yields how many rows it holds; then it may be written over. */
  fill(sources: readonly NumberedSource[], batch: Batch): Generator<number>;
}

/** Stands for NULL in the views. */
export const none = -1;

/** A table of few rows, a tuple each, in the order of the columns. */
export function smallTable(
  name: string,
  columns: RawTable['columns'],
  rowsOf: (source: NumberedSource) => Iterable<readonly (number | string)[]>,
): RawTable {
  return {
    name,
    columns,
    *fill(sources, batch) {
      yield* rowsInto(
        batch,
        (function* () {
          for (const source of sources) yield* rowsOf(source);
        })(),
      );
    },
  };
}

/** As `RawTable.fill`, from tuples. */
export function* rowsInto(batch: Batch, rows: Iterable<readonly (number | string)[]>): Generator<number> {
  let at = 0;
  for (const row of rows) {
    batch.put(at++, row);
    if (at === batch.size) {
      yield at;
      at = 0;
    }
  }
  if (at > 0) yield at;
}
