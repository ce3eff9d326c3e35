/** The page's side of its worker. */
import type { WantedRetraceMapping } from '../protocol/messages.js';
import type { Problem } from '../trace/model/trace.js';
import type {
  Answers,
  BaselineInfo,
  FromWorker,
  Query,
  Rest,
  Snapshot,
  ToWorker,
  SchedulingColumns,
} from './worker/messages.js';

export interface EngineListener {
  snapshot(snapshot: Snapshot): void;
  rehearse(snapshot: Snapshot): void;
  rest(rest: Rest): void;
  scheduling(scheduling: SchedulingColumns, problems: readonly Problem[]): void;
  wantRetraceMapping(wanted: WantedRetraceMapping): void;
  progress(bytes: number, totalBytes: number): void;
  baseline(info: BaselineInfo | undefined, problem: string): void;
  notTrace(what: string): void;
  failed(message: string): void;
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class EngineClient {
  readonly #worker: Pick<Worker, 'postMessage'>;
  readonly #waiting = new Map<number, Waiting>();
  #early: FromWorker[] = [];
  #listener: EngineListener | undefined;
  #lastId = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.#hear(event.data);
    worker.onerror = (event) => this.#hear({ type: 'failed', message: event.message });
  }

  /** Stands in where no worker could be started: says nothing, answers nothing. */
  static missing(): EngineClient {
    const nobody = { postMessage: () => undefined, onmessage: null, onerror: null };
    return new EngineClient(nobody as unknown as Worker);
  }

  /** What was said before somebody listened is said now. */
  listen(listener: EngineListener): void {
    this.#listener = listener;
    for (const message of this.#early.splice(0)) this.#take(message, listener);
  }

  #hear(message: FromWorker): void {
    if (this.#listener === undefined) this.#early.push(message);
    else this.#take(message, this.#listener);
  }

  send(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  ask<Q extends Query>(query: Q): Promise<Answers[Q['kind']]> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.send({ type: 'ask', id, query });
    });
  }

  #take(message: FromWorker, listener: EngineListener): void {
    switch (message.type) {
      case 'snapshot': {
        listener.snapshot(message.snapshot);
        return;
      }
      case 'rehearsal':
        listener.rehearse(message.snapshot);
        return;
      case 'rest':
        listener.rest(message.rest);
        return;
      case 'scheduling':
        listener.scheduling(message.scheduling, message.problems);
        return;
      case 'wantRetraceMapping':
        listener.wantRetraceMapping(message.wanted);
        return;
      case 'progress': {
        listener.progress(message.bytes, message.totalBytes);
        return;
      }
      case 'baseline':
        listener.baseline(message.info, message.problem);
        return;
      case 'notTrace': {
        listener.notTrace(message.what);
        return;
      }
      case 'failed': {
        listener.failed(message.message);
        return;
      }
      case 'answer':
        this.#waiting.get(message.id)?.resolve(message.answer);
        this.#waiting.delete(message.id);
        return;
      case 'refusal':
        this.#waiting.get(message.id)?.reject(new Error(message.message));
        this.#waiting.delete(message.id);
        return;
    }
  }
}

/**
 * Starts the worker from a blob: the page's own address is of another origin than its scripts in a webview. Its text
 * comes from the address the host gave, or from the document when that stands alone.
 */
export async function startWorker(page: Document): Promise<Worker> {
  const address = page.getElementById('btrace-page')?.dataset['worker'];
  const inline = page.getElementById('btrace-worker')?.textContent;
  const source = address === undefined ? (inline ?? '') : await (await fetch(address)).text();
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  return new Worker(url, { name: 'btrace engine' });
}
