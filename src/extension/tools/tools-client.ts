/** The tools' worker thread as seen from the host. It is begun by the first question, and ended when nobody asks any more. */
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CancellationToken, Disposable } from 'vscode';
import type { ToolInput } from '../../tools/tool.js';
import type { HostCall, ToHost, ToolPlace, ToWorker } from './tool-messages.js';

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** It keeps traces in memory, which nobody may need any more. */
const idleMs = 5 * 60_000;
/** A thread that has not heard by then that it is to end decodes a recording, and asks no database meanwhile. */
const mostEndMs = 1000;

export class ToolsClient implements Disposable {
  readonly #dist: string;
  readonly #do: (call: HostCall) => Promise<unknown>;
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, { resolve(answer: ToolAnswer): void; reject(error: Error): void }>();
  #nextId = 1;
  #idle: NodeJS.Timeout | undefined;

  /** `work` does what the worker asks the host for. */
  constructor(extensionPath: string, work: (call: HostCall) => Promise<unknown>) {
    this.#dist = path.join(extensionPath, 'dist');
    this.#do = work;
  }

  async ask(
    tool: string,
    input: ToolInput,
    place: Omit<ToolPlace, 'dist'>,
    token: CancellationToken,
  ): Promise<ToolAnswer> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#begin());
    const id = this.#nextId++;
    const listening = token.onCancellationRequested(() => this.#cancel(id));
    try {
      return await new Promise<ToolAnswer>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        worker.postMessage({
          ...{ type: 'ask', id, tool, input },
          place: { ...place, dist: this.#dist },
        } satisfies ToWorker);
      });
    } finally {
      listening.dispose();
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.dispose(), idleMs).unref();
    }
  }

  /** The thread does not hear of it in the middle of its work: it is ended unless another question waits for it. */
  #cancel(id: number): void {
    if (this.#waiting.size <= 1) this.dispose();
    else this.#waiting.get(id)?.reject(ended());
  }

  #begin(): Worker {
    // No execArgv: the host's flags are for the host.
    const worker = new Worker(path.join(this.#dist, 'tools-worker.cjs'), { execArgv: [] });
    worker.unref();
    worker.on('message', (message: ToHost) => {
      if (message.type === 'answered') this.#waiting.get(message.id)?.resolve(message);
      else if (message.type === 'call') void this.#answer(worker, message.id, message.call);
    });
    const end = (error: Error): void => {
      if (this.#worker === worker) this.#end(error);
    };
    worker.once('error', end);
    worker.once('exit', () => end(ended()));
    return worker;
  }

  async #answer(worker: Worker, id: number, call: HostCall): Promise<void> {
    const answer = await this.#do(call).then(
      (value): ToWorker => ({ type: 'done', id, value }),
      (error: unknown): ToWorker => ({
        ...{ type: 'failed', id },
        message: error instanceof Error ? error.message : String(error),
      }),
    );
    worker.postMessage(answer);
  }

  #end(error: Error): void {
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
  }

  /**
   * Ends the thread, in the middle of whatever it does. The next question begins another one. It closes its queries first: a database
   * that is ended while it works ends the whole process.
   */
  dispose(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#end(ended());
    if (worker === undefined) return;
    worker.postMessage({ type: 'end' } satisfies ToWorker);
    const late = setTimeout(() => void worker.terminate(), mostEndMs);
    worker.on('message', ({ type }: ToHost) => {
      if (type === 'ending') clearTimeout(late);
    });
    worker.once('exit', () => clearTimeout(late));
  }
}

const ended = (): Error => new Error('The tool was ended before it had answered.');
