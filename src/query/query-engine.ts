/** What a database must do for queries. DuckDB fulfils it twice: native (native-engine.ts) and as WebAssembly (wasm-engine.ts). */
import type { RawTable } from './raw-table.js';
import type { NumberedSource } from './sources.js';

export type QueryValue = number | string | boolean | null;

export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly QueryValue[])[];
  /** There are more rows than were asked for. */
  readonly isCut: boolean;
}

export interface QueryEngine {
  /** "DuckDB 1.5.6, native" */
  readonly name: string;
  /** One statement without a result. */
  run(sql: string): Promise<void>;
  fill(table: RawTable, sources: readonly NumberedSource[]): Promise<void>;
  /** One statement; at most `limit` rows of its result. */
  query(sql: string, limit: number): Promise<QueryResult>;
  /** Ends a query that runs; false: this engine cannot. */
  interrupt(): boolean;
  close(): void;
}

/** Where in a text something is wrong; both from 0. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A query that cannot be answered, in the database's words. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  constructor(
    message: string,
    readonly place: Place | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** 64-bit numbers beyond 2^53 become text: they would lose their last digits. */
export function plainValue(value: unknown): QueryValue {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'string':
    case 'boolean':
      return value;
    case 'bigint': {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value.toString();
    }
    case 'object':
      if (value === null) return null;
      if (value instanceof Date) return value.toISOString();
      return JSON.stringify(value, (_, inner: unknown) =>
        typeof inner === 'bigint' ? inner.toString() : inner,
      );
    default:
      return value === undefined ? null : '';
  }
}
