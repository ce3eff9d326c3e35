/**
 * The worker's side of the conversation: bytes go to a decoder, snapshots and answers go to the page.
 * While a recording is being written there is at most one snapshot a second, and never more than a fifth of the time
 * goes into making them.
 */
import type { Trace } from '../../trace/model/trace.js';
import { Desk } from './desk.js';
import type { FromWorker, ToWorker } from './messages.js';
import { keptMethods } from '../own-code.js';
import { buffersOf, takeSnapshot } from './snapshot.js';

export interface Decoder {
  /** Takes the next bytes of the file; `NotATrace` when they cannot be one. */
  append(bytes: Uint8Array): void;
  /** No more bytes will come. */
  finish(): void;
  readonly trace: Trace;
}

/** Chooses a decoder by what the bytes are. */
export type OpenDecoder = (name: string) => Decoder;

/** The bytes are something else; `message` says what, for a person. */
export class NotATrace extends Error {
  override readonly name = 'NotATrace';
}

export interface WorkerPort {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}

const liveSnapshotMs = 1000;
/** A snapshot that took t is followed by at least this many t without one. */
const restFactor = 4;
const progressBytes = 4 << 20;

export function serve(port: WorkerPort, openDecoder: OpenDecoder): void {
  const service = new TraceService(
    (message, transfer = []) => port.postMessage(message, transfer),
    openDecoder,
  );
  port.onmessage = (event) => service.take(event.data);
}

class TraceService {
  readonly #post: (message: FromWorker, transfer?: Transferable[]) => void;
  readonly #openDecoder: OpenDecoder;
  #decoder: Decoder | undefined;
  #refused = false;
  #live = false;
  #received = 0;
  #reported = 0;
  #totalBytes = 0;
  #namesSent = 0;
  #prefixes: readonly string[] = [];
  #fold = false;
  #nextSnapshotAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #desk: Desk | undefined;

  constructor(post: (message: FromWorker, transfer?: Transferable[]) => void, openDecoder: OpenDecoder) {
    this.#post = post;
    this.#openDecoder = openDecoder;
  }

  take(message: ToWorker): void {
    try {
      this.#handle(message);
    } catch (error) {
      this.#refused = true;
      const what = error instanceof Error ? error.message : String(error);
      this.#post(error instanceof NotATrace ? { type: 'notTrace', what } : { type: 'failed', message: what });
    }
  }

  #handle(message: ToWorker): void {
    switch (message.type) {
      case 'open':
        this.#live = message.live;
        this.#totalBytes = message.totalBytes;
        this.#received = this.#reported = this.#namesSent = 0;
        this.#refused = false;
        this.#desk = undefined;
        this.#decoder = this.#openDecoder(message.name);
        return;
      case 'bytes': {
        this.#append(new Uint8Array(message.data));
        return;
      }
      case 'end':
        if (this.#refused || this.#decoder === undefined) return;
        this.#live = false;
        this.#decoder.finish();
        this.#snapshot();
        return;
      case 'mine':
        this.#prefixes = message.prefixes;
        this.#fold = message.fold;
        if (this.#received > 0 && !this.#refused) this.#snapshot();
        return;
      case 'ask': {
        this.#answer(message);
        return;
      }
    }
  }

  #append(bytes: Uint8Array): void {
    if (this.#refused || this.#decoder === undefined) return;
    this.#decoder.append(bytes);
    this.#received += bytes.byteLength;
    if (this.#live) {
      this.#snapshotSoon();
    } else if (this.#received - this.#reported >= progressBytes) {
      this.#reported = this.#received;
      this.#post({ type: 'progress', bytes: this.#received, totalBytes: this.#totalBytes });
    }
  }

  #snapshotSoon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#live) this.#snapshot();
      },
      Math.max(0, this.#nextSnapshotAt - performance.now()),
    );
  }

  #snapshot(): void {
    const decoder = this.#decoder;
    if (decoder === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const started = performance.now();
    const { trace } = decoder;
    const keeps = this.#fold ? keptMethods(trace.methods, this.#prefixes) : undefined;
    const snapshot = takeSnapshot(trace, { live: this.#live, keeps, namesSent: this.#namesSent });
    this.#namesSent = trace.methods.count;
    this.#post({ type: 'snapshot', snapshot }, buffersOf(snapshot));
    const ended = performance.now();
    this.#nextSnapshotAt = ended + Math.max(liveSnapshotMs, (ended - started) * restFactor);
  }

  #answer(message: ToWorker & { type: 'ask' }): void {
    const decoder = this.#decoder;
    if (decoder === undefined || this.#refused) {
      this.#post({ type: 'refusal', id: message.id, message: 'No recording is open.' });
      return;
    }
    this.#desk ??= new Desk(() => decoder.trace);
    try {
      this.#post({ type: 'answer', id: message.id, answer: this.#desk.answer(message.query) });
    } catch (error) {
      this.#post({
        type: 'refusal',
        id: message.id,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }
}
