/** The query's thread as its owner sees it: asks, and ends what takes too long. */
import { Worker } from 'node:worker_threads';
import { QueryError, type QueryResult } from './query-engine.js';
import type { QueryAnswer, QueryOptions, QueryRequest } from './query-messages.js';

/** The database has this long to end a query before its thread is ended. */
const graceMs = 1500;
/** A thread that does not end itself in this time has no hope of it. */
const mostCloseMs = 30_000;

export interface QueryBounds {
  readonly limit: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A file of a query cannot be read. */
export class QueryFileError extends Error {
  override readonly name = 'QueryFileError';
  constructor(
    readonly file: string,
    message: string,
    readonly advice: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

/** The query was ended before its answer: its time was over, or nobody waits for it any more. */
export class QueryEnded extends Error {
  override readonly name = 'QueryEnded';
  constructor(readonly reason: 'timeout' | 'cancelled') {
    super(reason === 'timeout' ? 'The query took too long and was ended.' : 'The query was ended.');
  }
}

export interface Opened {
  /** "DuckDB 1.5.6, native" */
  readonly engine: string;
  /** Files of which only a part is loaded. */
  readonly parts: readonly string[];
}

export class QueryClient {
  readonly opened: Promise<Opened>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: QueryAnswer | Error) => void>();
  #nextId = 1;
  readonly #exited: Promise<void>;
  /** DuckDB as WebAssembly keeps its thread from hearing anything, and may be ended at any time. */
  #isWasm = false;
  #end: Error | undefined;
  #opened: (answer: Opened | Error) => void = () => undefined;

  /** `script`: the bundle of query-worker.ts. */
  constructor(script: string | URL, options: QueryOptions, execArgv: string[] = []) {
    // Opened once; the promise may have no reader.
    this.opened = new Promise((resolve, reject) => {
      this.#opened = (answer) => (answer instanceof Error ? reject(answer) : resolve(answer));
    });
    this.opened.catch(() => undefined);
    this.#worker = new Worker(script, { workerData: options, execArgv });
    this.#worker.on('message', (answer: QueryAnswer) => this.#take(answer));
    this.#worker.once('error', (error: Error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new QueryEnded('cancelled'));
        resolve();
      });
    });
  }

  /** False once its thread has ended: then it answers nothing more. */
  get isAlive(): boolean {
    return this.#end === undefined;
  }

  async query(sql: string, { limit, timeoutMs, signal }: QueryBounds): Promise<QueryResult> {
    if (this.#end !== undefined) throw this.#end;
    if (signal?.aborted === true) throw new QueryEnded('cancelled');
    const id = this.#nextId++;
    let ended: QueryEnded | undefined;
    let grace: NodeJS.Timeout | undefined;
    const end = (reason: QueryEnded['reason']): void => {
      ended ??= new QueryEnded(reason);
      this.#post({ type: 'interrupt', id });
      grace ??= setTimeout(() => {
        if (this.#isWasm) void this.#worker.terminate();
      }, graceMs);
    };
    const cancel = (): void => end('cancelled');
    const timer = setTimeout(() => end('timeout'), timeoutMs);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const answer = await new Promise<QueryAnswer | Error>((resolve) => {
        this.#waiting.set(id, resolve);
        this.#post({ type: 'query', id, sql, limit });
      });
      // What comes after its end is the database's word for that, or nothing that is waited for.
      if (ended !== undefined) throw ended;
      if (answer instanceof Error) throw answer;
      if (answer.type === 'result') return answer.result;
      if (answer.type === 'wrong') throw new QueryError(answer.message, answer.place);
      throw new Error(`unexpected answer: ${answer.type}`);
    } finally {
      this.#waiting.delete(id);
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Whoever waits for an answer is told that there is none. */
  async close(): Promise<void> {
    this.#fail(new QueryEnded('cancelled'));
    this.#post({ type: 'close' });
    const late = setTimeout(() => void this.#worker.terminate(), this.#isWasm ? 0 : mostCloseMs);
    await this.#exited;
    clearTimeout(late);
  }

  #post(request: QueryRequest): void {
    this.#worker.postMessage(request);
  }

  #take(answer: QueryAnswer): void {
    if (answer.type === 'opened') {
      this.#isWasm = !answer.engine.endsWith('native');
      this.#opened(answer);
    } else if (answer.type === 'failed') {
      this.#fail(new QueryFileError(answer.file, answer.message, answer.advice, answer.code));
      void this.close();
    } else this.#waiting.get(answer.id)?.(answer);
  }

  #fail(error: Error): void {
    this.#end ??= error;
    this.#opened(this.#end);
    for (const settle of this.#waiting.values()) settle(this.#end);
    this.#waiting.clear();
  }
}
