/** What the query's thread is told, and what it answers. */
import type { Place, QueryResult } from './query-engine.js';

export interface QueryOptions {
  readonly files: readonly string[];
  /** Absolute path of a fleet's folder, which is asked instead of files. */
  readonly fleet?: string | undefined;
  /** R8 or ProGuard mapping of the program in all files. */
  readonly mapping?: string | undefined;
  /** What each opened file may take. */
  readonly memoryBytes: number;
  /** duckdb-eh.wasm, for where the native library is not installed. */
  readonly wasmFile: string;
  /** Do not look for the native library. */
  readonly onlyWasm?: boolean;
}

export type QueryRequest =
  | { readonly type: 'query'; readonly id: number; readonly sql: string; readonly limit: number }
  /** Ends the query of this id, whether it runs or waits for its turn. */
  | { readonly type: 'interrupt'; readonly id: number }
  /** The thread ends itself. */
  | { readonly type: 'close' };

export type QueryAnswer =
  | { readonly type: 'opened'; readonly engine: string; readonly parts: readonly string[] }
  | { readonly type: 'result'; readonly id: number; readonly result: QueryResult }
  | {
      readonly type: 'wrong';
      readonly id: number;
      readonly message: string;
      readonly place: Place | undefined;
    }
  /** A file cannot be read. */
  | {
      readonly type: 'failed';
      readonly file: string;
      readonly message: string;
      readonly advice: string;
      readonly code: string | undefined;
    };
