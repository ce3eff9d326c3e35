/**
 * Sections and messages between processes that a recording has beside its own samples → a trace of their own. Rows are kept
 * as they come; the trace is made of them when somebody asks. 20 bytes a print, 33 a message, and the texts.
 */
import { KernelTrace } from '../formats/kernel-trace.js';
import { NameTable } from '../formats/names.js';
import { NamedMethods } from '../formats/named-methods.js';
import { type SystemTask, type Trace } from '../model/trace.js';
import { BinderReader, PrintReader, textSpans } from '../recording/system-events.js';
import { BinderEnd, BinderRows, mostPrintBytes, PrintRows } from '../system/print-rows.js';
import { EventBuilder } from './event-builder.js';
import { isTime } from './number-gate.js';
import { sortRows } from './sort-rows.js';

const mostTid = 2 ** 31 - 1;
const mostFlags = 2 ** 32 - 1;
/** Of the trace that is made. What is beyond is left out and listed. */
const mostBytes = 2 ** 29;
/** Each print is read again when the trace is made: so much text counts as one more row. */
const bytesARow = 1024;
/** Rows from one look at the memory to the next. */
const lookedAt = 4096;

const isIn = (value: number, least: number, most: number): boolean => value >= least && value <= most;

export class SectionTable {
  readonly prints = new PrintRows();
  readonly binder = new BinderRows();
  readonly #printReader = new PrintReader();
  readonly #binderReader = new BinderReader();
  /** Rows that cannot be true. */
  refused = 0;

  get count(): number {
    return this.prints.count + this.binder.count;
  }

  /** Takes a message; `spend` is told of rows before they are kept. Returns what is wrong with it, or nothing. */
  take(payload: Uint8Array, spend: (rows: number) => void): string {
    const texts = new MessageTexts(payload, this.prints);
    const damage = this.#printReader.eachSlice(payload, (rows) => {
      spend(rows);
      spend(Math.floor(this.#takePrints(texts, rows) / bytesARow));
    });
    const binderDamage = this.#binderReader.eachSlice(payload, (rows) => {
      spend(rows);
      this.#takeBinder(rows);
    });
    return damage || binderDamage;
  }

  /** Returns how many bytes of text the rows have, each for itself. */
  #takePrints(texts: MessageTexts, rows: number): number {
    const { time, tid, text } = this.#printReader.columns;
    let bytes = 0;
    for (let row = 0; row < rows; row++) {
      const [at, of] = [time[row] as number, tid[row] as number];
      const isTrue = isTime(at) && isIn(of, 1, mostTid);
      const which = isTrue ? texts.id(text[row] as number) : -1;
      if (which >= 0) {
        this.prints.pushText(at, of, which);
        bytes += this.prints.bytes(this.prints.count - 1).length;
      } else this.refused++;
    }
    return bytes;
  }

  #takeBinder(rows: number): void {
    const { time, tid, id, end, toPid, flags } = this.#binderReader.columns;
    for (let row = 0; row < rows; row++) {
      const [at, of, number] = [time[row] as number, tid[row] as number, id[row] as number];
      const [what, to, bits] = [end[row] as number, toPid[row] as number, flags[row] as number];
      const isTrue =
        isTime(at) &&
        isIn(of, 1, mostTid) &&
        isIn(number, -mostTid, mostTid) &&
        isIn(what, BinderEnd.Sent, BinderEnd.Received) &&
        isIn(to, 0, mostTid) &&
        isIn(bits, 0, mostFlags);
      if (isTrue) this.binder.push(at, of, what, number, to, bits);
      else this.refused++;
    }
  }

  /** Costs a sort of all rows. */
  trace(task: (tid: number) => SystemTask | undefined): Trace {
    const builder = new EventBuilder();
    builder.mostBytes = mostBytes;
    const names = new NameTable();
    const methods = new NamedMethods(names);
    const kernel = new KernelTrace(builder, names, methods);
    this.#nameThreads(kernel, task);
    const look = (): void => builder.read(lookedAt, names.memoryBytes + kernel.memoryBytes);
    this.#replayPrints(kernel, look);
    this.#replayBinder(kernel, look);
    kernel.finish();
    return builder.finish(methods, { format: 'sections' }, {}, 0);
  }

  #nameThreads(kernel: KernelTrace, task: (tid: number) => SystemTask | undefined): void {
    const tids = new Set<number>();
    const [prints, binder] = [this.prints, this.binder];
    for (let row = 0; row < prints.count; row++) tids.add(prints.tid[row] as number);
    for (let row = 0; row < binder.count; row++) {
      tids.add(binder.tid[row] as number);
      const pid = binder.toPid[row] as number;
      const name = task(pid)?.name;
      if (name !== undefined) kernel.nameProcess(pid, name);
    }
    for (const tid of tids) {
      const known = task(tid);
      if (known === undefined) continue;
      kernel.nameThread(tid, known.name, known.pid);
      const process = task(known.pid)?.name;
      if (process !== undefined) kernel.nameProcess(known.pid, process);
    }
  }

  #replayPrints(kernel: KernelTrace, look: () => void): void {
    const prints = this.prints;
    sortRows(prints.time, prints.count).forEach((row, at) => {
      const bytes = prints.bytes(row);
      kernel.print(prints.time[row] as number, prints.tid[row] as number, bytes, 0, bytes.length);
      if (at % lookedAt === 0) look();
    });
  }

  #replayBinder(kernel: KernelTrace, look: () => void): void {
    const { count, time, tid, id, end, toPid, flags } = this.binder;
    for (let row = 0; row < count; row++) {
      const [at, of, message] = [time[row] as number, tid[row] as number, id[row] as number];
      if (end[row] === BinderEnd.Received) kernel.binderReceived(at, of, message);
      else {
        const isReply = end[row] === BinderEnd.Replied;
        kernel.binderSent(at, of, message, toPid[row] as number, isReply, flags[row] as number);
      }
      if (row % lookedAt === 0) look();
    }
  }
}

/** The texts of one message. Each is looked up once: a row of three bytes may name a text of any length. */
class MessageTexts {
  readonly #payload: Uint8Array;
  readonly #prints: PrintRows;
  readonly #spans: Int32Array;
  /** By place in the message, id + 1; 0 was not asked for. */
  readonly #ids: Int32Array;

  constructor(payload: Uint8Array, prints: PrintRows) {
    this.#payload = payload;
    this.#prints = prints;
    this.#spans = textSpans(payload);
    this.#ids = new Int32Array(this.#spans.length / 2);
  }

  /** In the texts of the rows; −1 where there is none, or one that is too long. */
  id(place: number): number {
    const known = this.#ids[place];
    if (known === undefined) return -1;
    if (known > 0) return known - 1;
    const [from, to] = [this.#spans[2 * place] as number, this.#spans[2 * place + 1] as number];
    if (to - from > mostPrintBytes) return -1;
    const id = this.#prints.texts.intern(this.#payload, from, to);
    this.#ids[place] = id + 1;
    return id;
  }
}
