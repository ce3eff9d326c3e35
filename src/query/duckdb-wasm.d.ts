/** The part of @duckdb/duckdb-wasm and apache-arrow that is used. Their own types want the DOM's. */
declare module '@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs' {
  export interface ArrowBatch {
    readonly numRows: number;
    readonly schema: { readonly fields: readonly { readonly name: string }[] };
    getChildAt(at: number): { get(row: number): unknown } | null;
  }
  export interface ArrowReader extends Iterable<ArrowBatch> {
    readonly schema: { readonly fields: readonly { readonly name: string }[] };
  }
  export interface WasmConnection {
    query(sql: string): unknown;
    send(sql: string, allowStreamResult: boolean): Promise<ArrowReader>;
    insertArrowFromIPCStream(
      bytes: Uint8Array,
      options: { readonly name: string; readonly schema: string; readonly create: boolean },
    ): void;
    close(): void;
  }
  export interface WasmDatabase {
    instantiate(onProgress: () => void): Promise<unknown>;
    open(config: unknown): void;
    getVersion(): string;
    connect(): WasmConnection;
    reset(): void;
  }

  export const VoidLogger: new () => object;
  // eslint-disable-next-line no-restricted-syntax -- the package's own name
  export const NODE_RUNTIME: unknown;
  export function createDuckDB(
    bundles: {
      readonly [kind in 'eh' | 'mvp']: { readonly mainModule: string; readonly mainWorker: string };
    },
    logger: object,
    runtime: unknown,
  ): Promise<WasmDatabase>;
}

declare module 'apache-arrow' {
  export interface Vector {
    readonly length: number;
  }

  export const Utf8: new () => object;

  export const Table: new (columns: Readonly<Record<string, Vector>>) => object;
  export function makeVector(values: Int32Array | Float64Array | BigInt64Array): Vector;
  export function vectorFromArray(values: readonly string[], type: object): Vector;
  export function tableToIPC(table: object, type: 'stream'): Uint8Array;
}
