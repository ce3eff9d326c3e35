/** Native names from a thread of their own: debug information of a large program takes seconds to read. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Chunk, ChunkKind } from '../../trace/recording/chunk.js';
import { type NamedProgram, NativeNames } from './native-names.js';
import type { NamesAnswer, NamesRequest } from './native-names-messages.js';

/** What is said of a file that debug information names as its shared part. */
export const isMissing =
  'is not there: debug information shares it (dwz), and functions of which it has the names have those of symbol tables, or none.';

/** For one chunk's names. The debug information of the largest programs takes seconds; the recording waits meanwhile. */
const mostAnswerMs = 20_000;

/** Asked for one chunk at a time. */
export interface NameSource {
  /** What is to be written before the chunk; in its place, if both are of one kind. */
  before(chunk: Chunk): Promise<Chunk | undefined>;
  /** Whoever waits for names gets none. */
  close(): void;
}

/** `packages`: folders of which one has our bundles; without them names are made on this thread. */
export function nativeNames(
  program: NamedProgram,
  packages: readonly string[],
  log: (line: string) => void,
  answerMs = mostAnswerMs,
): NameSource {
  const script = packages
    .map((folder) => path.join(folder, 'dist', 'native-names-worker.cjs'))
    .find((file) => existsSync(file));
  return script === undefined
    ? new NativeNames(program)
    : new NativeNamesThread(script, program, log, answerMs);
}

class NativeNamesThread implements NameSource {
  readonly #script: string;
  readonly #program: NamedProgram;
  readonly #log: (line: string) => void;
  readonly #answerMs: number;
  #worker: Worker | undefined;
  #hasEnded = false;
  /** How many were told. */
  #missing = 0;
  #answer: ((names: Chunk | undefined) => void) | undefined;

  constructor(script: string, program: NamedProgram, log: (line: string) => void, answerMs: number) {
    this.#script = script;
    this.#program = program;
    this.#log = log;
    this.#answerMs = answerMs;
  }

  async before(chunk: Chunk): Promise<Chunk | undefined> {
    const { kind } = chunk;
    const isOfImages = kind === ChunkKind.Nodes || kind === ChunkKind.Symbols;
    if (kind !== ChunkKind.Images && (!isOfImages || this.#worker === undefined)) return undefined;
    if (this.#hasEnded) return undefined;
    this.#worker ??= this.#start();
    const request: NamesRequest = { chunk };
    const late = setTimeout(() => {
      this.#log(
        `Native functions after this have no names: reading them took over ${this.#answerMs / 1000} s`,
      );
      this.close();
    }, this.#answerMs);
    return await new Promise<Chunk | undefined>((resolve) => {
      this.#answer = resolve;
      this.#worker?.postMessage(request);
    }).finally(() => clearTimeout(late));
  }

  close(): void {
    this.#hasEnded = true;
    void this.#worker?.terminate();
    this.#take(undefined);
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#program, execArgv: [] });
    worker.on('message', ({ names, missing }: NamesAnswer) => {
      for (const file of missing.slice(this.#missing)) this.#log(`${file} ${isMissing}`);
      this.#missing = missing.length;
      this.#take(names);
    });
    worker.once('error', (error: Error) => {
      this.#log(`Native functions after this have no names: ${error.message}`);
    });
    worker.once('exit', () => {
      this.#hasEnded = true;
      this.#take(undefined);
    });
    return worker;
  }

  #take(names: Chunk | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(names);
  }
}
