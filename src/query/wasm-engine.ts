/**
 * DuckDB as WebAssembly: where the native library is not installed. It waits in the thread that asks, so it runs in a
 * worker thread, and a query that takes too long is ended with the thread.
 */
import {
  type ArrowBatch,
  createDuckDB,
  NODE_RUNTIME,
  VoidLogger,
  type WasmConnection,
  type WasmDatabase,
} from '@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs';
import { makeVector, Table, tableToIPC, Utf8, type Vector, vectorFromArray } from 'apache-arrow';
import { Batch, type BatchColumn, Int64Column } from './batch.js';
import { plainValue, type QueryEngine, type QueryResult, type QueryValue } from './query-engine.js';
import type { RawTable } from './raw-table.js';
import type { NumberedSource } from './sources.js';

/** Large, because each batch is a stream of its own; small enough that a copy more does not matter. */
const rowsPerBatch = 65_536;

/** `file`: duckdb-eh.wasm. */
export async function openWasm(file: string): Promise<QueryEngine> {
  const bundle = { mainModule: file, mainWorker: '' };
  const database = await createDuckDB({ eh: bundle, mvp: bundle }, new VoidLogger(), NODE_RUNTIME);
  await database.instantiate(() => undefined);
  // Sums of 64-bit numbers have 128 bits, which Arrow calls decimals.
  database.open({ query: { castDecimalToDouble: true } });
  return new WasmEngine(database, database.connect());
}

class WasmEngine implements QueryEngine {
  readonly #database: WasmDatabase;
  readonly #connection: WasmConnection;

  constructor(database: WasmDatabase, connection: WasmConnection) {
    this.#database = database;
    this.#connection = connection;
  }

  get name(): string {
    return `DuckDB ${this.#database.getVersion().replace(/^v/, '')}, WebAssembly`;
  }

  run(sql: string): Promise<void> {
    this.#connection.query(sql);
    return Promise.resolve();
  }

  fill(table: RawTable, sources: readonly NumberedSource[]): Promise<void> {
    const batch = new Batch(
      table.columns.map(([, type]) => type),
      rowsPerBatch,
    );
    for (const rows of table.fill(sources, batch)) {
      const columns = table.columns.map(([name], at) => [name, vectorOf(batch.columns[at], rows)] as const);
      const bytes = tableToIPC(new Table(Object.fromEntries(columns)), 'stream');
      this.#connection.insertArrowFromIPCStream(bytes, { name: table.name, schema: 'raw', create: false });
    }
    return Promise.resolve();
  }

  async query(sql: string, limit: number): Promise<QueryResult> {
    const reader = await this.#connection.send(sql, true);
    const rows: QueryValue[][] = [];
    let columns: string[] = [];
    for (const batch of reader) {
      columns = batch.schema.fields.map(({ name }) => name);
      takeRows(batch, rows, limit + 1);
      if (rows.length > limit) break;
    }
    if (columns.length === 0) columns = reader.schema.fields.map(({ name }) => name);
    return { columns: unlike(columns), rows: rows.slice(0, limit), isCut: rows.length > limit };
  }

  interrupt(): boolean {
    return false;
  }

  close(): void {
    this.#connection.close();
    this.#database.reset();
  }
}

/** A view of the batch: it is copied into the stream before the batch is written over. */
function vectorOf(column: BatchColumn | undefined, rows: number): Vector {
  if (column === undefined) throw new RangeError('a table has more columns than its batch');
  if (column instanceof Int64Column) return makeVector(column.values.subarray(0, rows));
  if (Array.isArray(column)) return vectorFromArray(column.slice(0, rows), new Utf8());
  return makeVector(column.subarray(0, rows));
}

function takeRows(batch: ArrowBatch, rows: QueryValue[][], most: number): void {
  const vectors = batch.schema.fields.map((_, at) => batch.getChildAt(at));
  for (let row = 0; row < batch.numRows && rows.length < most; row++)
    rows.push(vectors.map((vector) => plainValue(vector?.get(row))));
}

/** Two columns of one name: the second is told apart, as the native library does. */
function unlike(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}:${before}`;
  });
}
