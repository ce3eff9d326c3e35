/**
 * The worker's side of the conversation: bytes go to a decoder, snapshots and answers go to the page.
 * While a recording is being written there is at most one snapshot a second, and never more than a fifth of the time
 * goes into making them.
 */
import type { PartOptions } from '../../trace/build/part.js';
import type { Trace } from '../../trace/model/trace.js';
import { foldTrace } from './fold-trace.js';
import { keptMethods } from '../own-code.js';
import { Baseline, type BaselineMessage } from './baseline.js';
import type { Answers, FromWorker, ToWorker, TraceQuery } from './messages.js';
import { Retracing } from './retracing.js';
import { buffersOf, buffersOfRest, restOf, takeSnapshot } from './snapshot.js';

export interface Decoder {
  /** Takes the next bytes of the file; `NotATrace` when they cannot be one. */
  append(bytes: Uint8Array): void;
  /** No more bytes will come. */
  finish(): void;
  /** What is known so far. */
  trace(): Trace;
}

/** Chooses a decoder by what the bytes are. */
export type OpenDecoder = (part: PartOptions) => Decoder;

/** The bytes are something else; `message` says what, for a person. */
export class NotATrace extends Error {
  override readonly name = 'NotATrace';
}

/** Answers questions about one state of a trace. */
export type Answer = (trace: Trace, query: TraceQuery) => Answers[TraceQuery['kind']];

export interface WorkerPort {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}

const liveSnapshotMs = 1000;
/** A snapshot that took t is followed by at least this many t without one. */
const restFactor = 4;
const progressBytes = 4 << 20;
/** To make the rest and to take it in takes a while: not before the first chart is on the screen, two or three frames on. */
const restAfterMs = 50;

export function serve(port: WorkerPort, openDecoder: OpenDecoder, answer: Answer): void {
  const service = new TraceService(
    (message, transfer = []) => port.postMessage(message, transfer),
    openDecoder,
    answer,
  );
  port.onmessage = (event) => service.take(event.data);
}

class TraceService {
  readonly #post: (message: FromWorker, transfer?: Transferable[]) => void;
  readonly #openDecoder: OpenDecoder;
  readonly #answerQuery: Answer;
  #decoder: Decoder | undefined;
  #refused = false;
  #live = false;
  #received = 0;
  #reported = 0;
  #totalBytes = 0;
  #rowsInSight = Infinity;
  #prefixes: readonly string[] = [];
  #fold = false;
  readonly #retracing = new Retracing();
  #nextSnapshotAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** As it was drawn last: what is asked is asked of this. */
  #shown: Trace | undefined;
  readonly #baseline: Baseline;

  constructor(
    post: (message: FromWorker, transfer?: Transferable[]) => void,
    openDecoder: OpenDecoder,
    answer: Answer,
  ) {
    this.#post = post;
    this.#openDecoder = openDecoder;
    this.#answerQuery = answer;
    this.#baseline = new Baseline(openDecoder);
  }

  take(message: ToWorker): void {
    if (message.type === 'baseline' || message.type === 'baselineBytes' || message.type === 'baselineEnd') {
      const told = this.#baseline.take(message);
      if (told !== undefined) this.#post(told);
      return;
    }
    try {
      this.#handle(message);
    } catch (error) {
      this.#refused = true;
      const what = error instanceof Error ? error.message : String(error);
      this.#post(error instanceof NotATrace ? { type: 'notTrace', what } : { type: 'failed', message: what });
    }
  }

  #handle(message: Exclude<ToWorker, BaselineMessage>): void {
    switch (message.type) {
      case 'open':
        this.#live = message.live;
        this.#totalBytes = message.totalBytes;
        this.#rowsInSight = message.rowsInSight;
        this.#received = this.#reported = 0;
        this.#refused = false;
        this.#shown = undefined;
        this.#retracing.reset();
        this.#decoder = this.#openDecoder(message.part);
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
      case 'mine': {
        const isSame =
          this.#fold === message.fold && (!message.fold || isEqual(this.#prefixes, message.prefixes));
        this.#prefixes = message.prefixes;
        this.#fold = message.fold;
        if (!isSame && this.#shown !== undefined) this.#snapshot();
        return;
      }
      case 'naming': {
        if (this.#retracing.use(message.mapping, message.asRecorded) && this.#shown !== undefined)
          this.#snapshot();
        return;
      }
      case 'mapping':
        this.#retracing.take(message.text);
        if (!this.#refused) this.#snapshot();
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
    const recorded = decoder.trace();
    const wanted = this.#retracing.wanted(recorded, this.#live);
    if (wanted !== undefined) this.#post({ type: 'mappingWanted', wanted });
    // The answer brings the snapshot: names do not change before one's eyes where all of the recording is there.
    if (this.#retracing.isWaiting && !this.#live) return;
    const whole = this.#retracing.applied(recorded);
    const trace = this.#fold ? foldTrace(whole, keptMethods(whole.methods, this.#prefixes)) : whole;
    const isFirst = this.#shown === undefined;
    this.#shown = trace;
    const snapshot = takeSnapshot(trace, {
      live: this.#live,
      unfolded: whole,
      isRetraced: this.#retracing.isRetraced,
      mapId: this.#retracing.mapId,
      newerMapping: this.#retracing.newerVersion,
      rowsInSight: isFirst ? this.#rowsInSight : undefined,
    });
    const { toCome } = snapshot;
    this.#post({ type: 'snapshot', snapshot }, buffersOf(snapshot));
    if (toCome !== undefined) setTimeout(() => this.#tellRest(trace, toCome), restAfterMs);
    const ended = performance.now();
    this.#nextSnapshotAt = ended + Math.max(liveSnapshotMs, (ended - started) * restFactor);
  }

  /** Unless a later snapshot brought it. */
  #tellRest(trace: Trace, toCome: readonly number[]): void {
    if (this.#shown !== trace) return;
    const rest = restOf(trace, toCome);
    this.#post({ type: 'rest', rest }, buffersOfRest(rest));
  }

  #answer(message: ToWorker & { type: 'ask' }): void {
    const trace = this.#shown;
    if (trace === undefined) {
      this.#post({ type: 'refusal', id: message.id, message: 'No recording is open.' });
      return;
    }
    try {
      const { query } = message;
      const mine = this.#fold ? this.#prefixes : undefined;
      const answer =
        query.kind === 'compare'
          ? this.#baseline.compare(trace, query, mine)
          : query.kind === 'compareFlame'
            ? this.#baseline.flame(trace, query, mine)
            : this.#answerQuery(trace, query);
      this.#post({ type: 'answer', id: message.id, answer });
    } catch (error) {
      this.#post({
        type: 'refusal',
        id: message.id,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((entry, at) => entry === other[at]);
}
