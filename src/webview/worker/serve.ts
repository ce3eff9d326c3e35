/**
 * The worker's side of the conversation: bytes go to a reader, snapshots and answers go to the page.
 * While a recording is being written there is at most one snapshot a second, and never more than a fifth of the time
 * goes into making them.
 */
import { giveNames } from '../../trace/formats/code-names.js';
import type { Trace } from '../../trace/model/trace.js';
import { hideLibraryFrames } from './hide-library-frames.js';
import { myMethods } from '../my-code.js';
import { Baseline, type BaselineMessage, isOfBaseline } from './baseline.js';
import type { Answers, FromWorker, ToWorker, TraceQuery } from './messages.js';
import { NotATrace, type OpenReader, type Reader, throwIfRefused } from './open-reader.js';
import { Retracing } from './retracing.js';
import { buffersOfScheduling, schedulingColumns } from './scheduling.js';
import { buffersOf, buffersOfRest, restOf, takeSnapshot } from './snapshot.js';

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

export function serve(port: WorkerPort, openReader: OpenReader, answer: Answer): void {
  const service = new TraceService(
    (message, transfer = []) => port.postMessage(message, transfer),
    openReader,
    answer,
  );
  port.onmessage = (event) => service.take(event.data);
}

class TraceService {
  readonly #post: (message: FromWorker, transfer?: Transferable[]) => void;
  readonly #openReader: OpenReader;
  readonly #answerQuery: Answer;
  #reader: Reader | undefined;
  #refused = false;
  #live = false;
  #received = 0;
  #reported = 0;
  #totalBytes = 0;
  #rowsInSight = Infinity;
  #myPackages: readonly string[] = [];
  #hidesLibraries = false;
  readonly #retracing = new Retracing();
  #nextSnapshotAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** As it was drawn last: what is asked is asked of this. */
  #shown: Trace | undefined;
  /** Switches that the page has the columns of. */
  #scheduled = 0;
  readonly #baseline: Baseline;

  constructor(
    post: (message: FromWorker, transfer?: Transferable[]) => void,
    openReader: OpenReader,
    answer: Answer,
  ) {
    this.#post = post;
    this.#openReader = openReader;
    this.#answerQuery = answer;
    this.#baseline = new Baseline(openReader);
  }

  take(message: ToWorker): void {
    if (isOfBaseline(message)) {
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
        this.#scheduled = 0;
        this.#retracing.reset();
        this.#reader = this.#openReader(message.part);
        return;
      case 'bytes': {
        this.#append(new Uint8Array(message.data));
        return;
      }
      case 'codeNames':
        if (!this.#refused) giveNames(this.#reader?.unnamedCode?.() ?? [], message.names);
        return;
      case 'end':
        if (this.#refused || this.#reader === undefined) return;
        this.#live = false;
        this.#reader.finish();
        throwIfRefused(this.#reader);
        this.#snapshot();
        return;
      case 'myCode': {
        const isSame =
          this.#hidesLibraries === message.hideLibraries &&
          (!message.hideLibraries || isEqual(this.#myPackages, message.myPackages));
        this.#myPackages = message.myPackages;
        this.#hidesLibraries = message.hideLibraries;
        if (!isSame && this.#shown !== undefined) this.#snapshot();
        return;
      }
      case 'naming': {
        if (this.#retracing.use(message.mapping, message.asRecorded) && this.#shown !== undefined)
          this.#snapshot();
        return;
      }
      case 'retraceExcerpt':
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
    if (this.#refused || this.#reader === undefined) return;
    this.#reader.append(bytes);
    throwIfRefused(this.#reader);
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
    const reader = this.#reader;
    if (reader === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const started = performance.now();
    const recorded = reader.trace();
    const wanted = this.#retracing.wanted(recorded, this.#live);
    if (wanted !== undefined) this.#post({ type: 'wantRetraceMapping', wanted });
    // The answer brings the snapshot: names do not change before one's eyes where all of the recording is there.
    if (this.#retracing.isWaiting && !this.#live) return;
    const whole = this.#retracing.applied(recorded);
    const trace = this.#hidesLibraries
      ? hideLibraryFrames(whole, myMethods(whole.methods, this.#myPackages))
      : whole;
    const isFirst = this.#shown === undefined;
    this.#shown = trace;
    const snapshot = takeSnapshot(trace, {
      live: this.#live,
      unhidden: whole,
      isRetraced: this.#retracing.isRetraced,
      mapId: this.#retracing.mapId,
      newerMapping: this.#retracing.newerVersion,
      rowsInSight: isFirst ? this.#rowsInSight : undefined,
    });
    const { toCome } = snapshot;
    this.#post({ type: 'snapshot', snapshot }, buffersOf(snapshot));
    if (toCome !== undefined) setTimeout(() => this.#tellRest(trace, toCome), restAfterMs);
    if (!this.#live && snapshot.hasScheduling) setTimeout(() => this.#sendScheduling(trace), restAfterMs);
    const ended = performance.now();
    this.#nextSnapshotAt = ended + Math.max(liveSnapshotMs, (ended - started) * restFactor);
  }

  /** Unless a later snapshot brought it. */
  #tellRest(trace: Trace, toCome: readonly number[]): void {
    if (this.#shown !== trace) return;
    const rest = restOf(trace, toCome);
    this.#post({ type: 'rest', rest }, buffersOfRest(rest));
  }

  /** Once for a whole recording: neither names nor hidden frames change it. */
  #sendScheduling(trace: Trace): void {
    if (this.#shown !== trace) return;
    const rows = trace.system?.switches.count ?? 0;
    if (this.#scheduled === rows) return;
    this.#scheduled = rows;
    const scheduling = schedulingColumns(trace);
    if (scheduling === undefined) return;
    const { problems } = this.#reader?.trace() ?? trace;
    this.#post({ type: 'scheduling', scheduling, problems }, buffersOfScheduling(scheduling));
  }

  #answer(message: ToWorker & { type: 'ask' }): void {
    const trace = this.#shown;
    if (trace === undefined) {
      this.#post({ type: 'refusal', id: message.id, message: 'No recording is open.' });
      return;
    }
    try {
      const { query } = message;
      const myPackages = this.#hidesLibraries ? this.#myPackages : undefined;
      const answer =
        query.kind === 'compare'
          ? this.#baseline.compare(trace, query, myPackages)
          : query.kind === 'compareFlame'
            ? this.#baseline.flame(trace, query, myPackages)
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
