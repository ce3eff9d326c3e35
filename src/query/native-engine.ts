/** DuckDB's native library: an optional package, which is not bundled and may not be there. */
import { Batch, Int64Column, type RawType } from './batch.js';
import { plainValue, type QueryEngine, type QueryResult, type QueryValue } from './query-engine.js';
import type { RawTable } from './raw-table.js';
import type { NumberedSource } from './sources.js';

/** The rows of one of DuckDB's vectors; a chunk holds no more. */
const rowsPerChunk = 2048;

/** The part of @duckdb/node-api that is used. */
interface DuckDB {
  readonly DuckDBInstance: {
    create(path: string, options: Readonly<Record<string, string>>): Promise<Instance>;
  };
  readonly DuckDBDataChunk: { create(types: readonly unknown[], rows?: number): Chunk };
  readonly JSDuckDBValueConverter: unknown;
  readonly BIGINT: unknown;
  readonly INTEGER: unknown;
  readonly DOUBLE: unknown;
  readonly VARCHAR: unknown;
  version(): string;
}

interface Instance {
  connect(): Promise<Connection>;
  closeSync(): void;
}

interface Connection {
  run(sql: string): Promise<unknown>;
  stream(sql: string): Promise<Result>;
  createAppender(table: string, schema: string): Promise<Appender>;
  interrupt(): void;
  closeSync(): void;
}

interface Result {
  deduplicatedColumnNames(): string[];
  fetchChunk(): Promise<Chunk | null>;
}

interface Appender {
  appendDataChunk(chunk: Chunk): void;
  closeSync(): void;
}

interface Chunk {
  rowCount: number;
  getColumnVector(at: number): Vector;
  convertRows(converter: unknown): unknown[][];
  reset(): void;
}

interface Vector {
  /** Of numbers: a view of the database's memory. */
  readonly items?: { set(values: ArrayLike<number> | ArrayLike<bigint>): void };
  setItem(at: number, value: string): void;
  flush(): void;
}

/** `settings` are DuckDB's, fixed for as long as the database is open. Throws where the package is not installed. */
export async function openNative(settings: Readonly<Record<string, string>>): Promise<QueryEngine> {
  // A name that no bundler follows.
  const name = '@duckdb/node-api';
  const duckdb = (await import(name)) as DuckDB;
  const instance = await duckdb.DuckDBInstance.create(':memory:', settings);
  return new NativeEngine(duckdb, instance, await instance.connect());
}

class NativeEngine implements QueryEngine {
  readonly #duckdb: DuckDB;
  readonly #instance: Instance;
  readonly #connection: Connection;

  constructor(duckdb: DuckDB, instance: Instance, connection: Connection) {
    this.#duckdb = duckdb;
    this.#instance = instance;
    this.#connection = connection;
  }

  get name(): string {
    return `DuckDB ${this.#duckdb.version().replace(/^v/, '')}, native`;
  }

  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  /** One copy a column and chunk. */
  async fill(table: RawTable, sources: readonly NumberedSource[]): Promise<void> {
    const types = table.columns.map(([, type]) => type);
    const batch = new Batch(types, rowsPerChunk);
    const chunk = this.#duckdb.DuckDBDataChunk.create(
      types.map((type: RawType) => this.#duckdb[type]),
      rowsPerChunk,
    );
    const appender = await this.#connection.createAppender(table.name, 'raw');
    try {
      for (const rows of table.fill(sources, batch)) {
        chunk.reset();
        chunk.rowCount = rows;
        for (const [at, column] of batch.columns.entries()) {
          const vector = chunk.getColumnVector(at);
          if (column instanceof Int64Column) vector.items?.set(column.values.subarray(0, rows));
          else if (Array.isArray(column))
            for (let row = 0; row < rows; row++) vector.setItem(row, column[row] as string);
          else vector.items?.set(column.subarray(0, rows));
          vector.flush();
        }
        appender.appendDataChunk(chunk);
      }
    } finally {
      appender.closeSync();
    }
  }

  async query(sql: string, limit: number): Promise<QueryResult> {
    const result = await this.#connection.stream(sql);
    const columns = result.deduplicatedColumnNames();
    const rows: QueryValue[][] = [];
    while (rows.length <= limit) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      for (const row of chunk.convertRows(this.#duckdb.JSDuckDBValueConverter))
        rows.push(row.map(plainValue));
    }
    return { columns, rows: rows.slice(0, limit), isCut: rows.length > limit };
  }

  interrupt(): boolean {
    this.#connection.interrupt();
    return true;
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
