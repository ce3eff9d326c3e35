/** The thread that opens traces, keeps them in a database and answers queries. It ends itself when it is asked to. */
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { RetraceMapping } from '../symbols/r8/retrace-mapping.js';
import { retraceTrace } from '../symbols/r8/retrace-trace.js';
import { type Trace, TraceReader } from '../trace/index.js';
import { noParquet } from './fleet-tables.js';
import { openNative } from './native-engine.js';
import { QueryError, type QueryEngine } from './query-engine.js';
import type { QueryAnswer, QueryOptions, QueryRequest } from './query-messages.js';
import { databaseSettings, QuerySession } from './query-session.js';
import type { QuerySource } from './sources.js';

const port = parentPort;
if (port === null) throw new Error('query-worker.ts runs in a worker thread.');
const options = workerData as QueryOptions;
const answer = (message: QueryAnswer): void => port.postMessage(message);

let isClosing = false;

class UnreadableFile extends Error {
  constructor(
    readonly file: string,
    message: string,
    readonly advice = '',
  ) {
    super(message);
  }
}

async function openTrace(file: string, mapping: RetraceMapping | undefined): Promise<Trace> {
  const reader = new TraceReader({ mostBytes: options.memoryBytes });
  for await (const piece of createReadStream(file, { highWaterMark: 4 * 2 ** 20 })) {
    if (isClosing) throw new Error('nobody waits for it any more');
    reader.append(piece as Uint8Array);
    if (reader.refusal !== undefined) break;
  }
  reader.finish();
  const { refusal } = reader;
  if (refusal !== undefined)
    throw new UnreadableFile(
      file,
      refusal.isOtherFile ? `it is no trace that can be read here: ${refusal.what}` : refusal.what,
      refusal.advice,
    );
  const trace = reader.trace();
  return mapping === undefined ? trace : retraceTrace(trace, mapping);
}

async function openEngine(): Promise<QueryEngine> {
  if (options.onlyWasm !== true) {
    // Optional: there is not one for every machine.
    const native = await openNative(databaseSettings).catch(() => undefined);
    if (native !== undefined) return native;
  }
  const { openWasm } = await import('./wasm-engine.js');
  return await openWasm(options.wasmFile);
}

async function openFleet(folder: string): Promise<QuerySession> {
  const engine = await openNative(databaseSettings).catch((error: unknown) => {
    throw new UnreadableFile(folder, noParquet, String(error));
  });
  if (!existsSync(path.join(folder, 'recording')))
    throw new UnreadableFile(folder, 'it has no recordings of a fleet.', 'Collect them: btrace collect.');
  return QuerySession.openFleet(engine, folder);
}

async function open(): Promise<QuerySession> {
  let file = options.mapping ?? '';
  try {
    if (options.fleet !== undefined) {
      file = options.fleet;
      const session = await openFleet(file);
      answer({ type: 'opened', engine: session.engineName, parts: [] });
      return session;
    }
    const mapping = file === '' ? undefined : new RetraceMapping(await readFile(file, 'utf8'));
    const sources: QuerySource[] = [];
    const parts: string[] = [];
    for (file of options.files) {
      const trace = await openTrace(file, mapping);
      sources.push({ file: path.basename(file), trace });
      if (trace.part !== undefined) parts.push(file);
    }
    const session = await QuerySession.open(await openEngine(), sources);
    answer({ type: 'opened', engine: session.engineName, parts });
    return session;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const advice = error instanceof UnreadableFile ? error.advice : '';
    answer({ type: 'failed', file, message, advice, code });
    throw error;
  }
}

const session = open();
// Who waits has the answer above.
session.catch(() => undefined);

/** An interrupt is lost on a query that is about to begin, so it is repeated until there is an answer. */
const interruptEveryMs = 50;
let running: { readonly id: number; readonly session: QuerySession } | undefined;
let interrupting: NodeJS.Timeout | undefined;
/** Queries that have not begun. */
const waiting = new Set<number>();

function interrupt(id: number): void {
  if (running?.id === id) {
    const { session: opened } = running;
    interrupting ??= setInterval(() => opened.interrupt(), interruptEveryMs);
  } else if (waiting.delete(id)) {
    const ended = { type: 'wrong', id, message: 'The query was ended.', place: undefined } as const;
    void session.then(
      () => answer(ended),
      () => undefined,
    );
  }
}

async function ask(id: number, sql: string, limit: number): Promise<void> {
  try {
    const opened = await session;
    if (!waiting.delete(id)) return;
    running = { id, session: opened };
    answer({ type: 'result', id, result: await opened.query(sql, limit) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    answer({ type: 'wrong', id, message, place: error instanceof QueryError ? error.place : undefined });
  } finally {
    running = undefined;
    clearInterval(interrupting);
    interrupting = undefined;
  }
}

/** One after the other: all are transactions of one connection. */
let last = Promise.resolve();

/**
 * Ends this thread by leaving it nothing to wait for. To terminate it would end the whole process: the native library does not
 * survive that while it opens a database or hands over a result.
 */
async function close(): Promise<void> {
  isClosing = true;
  waiting.clear();
  if (running !== undefined) interrupt(running.id);
  await last;
  await session.then((opened) => opened.close()).catch(() => undefined);
  port?.close();
}

port.on('message', (request: QueryRequest) => {
  if (request.type === 'interrupt') {
    interrupt(request.id);
    return;
  }
  if (request.type === 'close') {
    void close();
    return;
  }
  const { id, sql, limit } = request;
  waiting.add(id);
  last = last.then(() => ask(id, sql, limit));
});
