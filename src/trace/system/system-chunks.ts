/**
 * The events of a system's trace of one period → chunks of a recording. Memory: which process each thread is of, names of
 * processes and counters, and the period's events.
 */
import { ChunkKind } from '../recording/chunk.js';
import { encodeSwitches, encodeWakes, System } from '../recording/scheduling.js';
import { encodeBinder, encodeFrames, encodePrints } from '../recording/system-events.js';
import { CountedValues } from './counted-values.js';
import type { KernelEvents } from './kernel-events.js';
import { mostPrintBytes } from './print-rows.js';

/** Linux has no larger numbers of processes and threads (PID_MAX_LIMIT). */
const mostTid = 2 ** 22;
const isTid = (tid: number): boolean => tid > 0 && tid <= mostTid;

/** Rows of one chunk: some 100 kB to 1 MB. */
const mostRows = 2 ** 16;
/** Texts of one chunk: far below what a payload may have. */
const mostTextBytes = 2 ** 20;

/** Takes the payload of a chunk. */
export type TakeChunk = (kind: number, payload: Uint8Array) => void;

export interface SystemTask {
  readonly tid: number;
  readonly pid: number;
  readonly name: string;
}

export class SystemChunks {
  /** Of the switches, on the recording's clock. */
  beginNs = Infinity;
  endNs = -Infinity;
  /** Those that switches were on. */
  cores = 0;
  readonly #take: TakeChunk;
  readonly #redact: boolean;
  /** By tid, of threads whose process is known. */
  readonly #processOf = new Map<number, number>();
  readonly #tasks: SystemTask[] = [];
  /** By pid, as its main thread is called. */
  readonly #processNames = new Map<number, string>();
  #toldLeftOut = 0;
  readonly #counted = new CountedValues(
    (pid) => this.#processNames.get(pid) ?? String(pid),
    (tid) => this.#processOf.get(tid) ?? 0,
  );

  /** `redact`: keep no names of threads, and nothing that programs printed, whose texts are names. */
  constructor(take: TakeChunk, redact: boolean) {
    this.#take = take;
    this.#redact = redact;
  }

  /** A thread that is known without an event. `pid`: its process, 0 where that is not known. */
  task(tid: number, pid: number, name: string): void {
    if (!isTid(tid)) return;
    if (isTid(pid)) this.#processOf.set(tid, pid);
    if (tid === pid && name !== '') this.#processNames.set(pid, name);
    this.#tasks.push({ tid, pid: this.#processOf.get(tid) ?? 0, name: this.#redact ? '' : name });
  }

  /** `shiftNs`: to add to the events' times to get the recording's. Forgets the events. */
  flush(events: KernelEvents, shiftNs: number): void {
    const { switches, wakes, diskWaits } = events;
    for (let from = 0; from < switches.count; from += mostRows) {
      const to = Math.min(switches.count, from + mostRows);
      this.#take(ChunkKind.Switches, encodeSwitches(switches, from, to, shiftNs));
    }
    for (const [rows, isDisk] of [[wakes, false] as const, [diskWaits, true] as const])
      for (let from = 0; from < rows.count; from += mostRows)
        this.#take(
          ChunkKind.Wakes,
          encodeWakes(rows, from, Math.min(rows.count, from + mostRows), shiftNs, isDisk),
        );
    for (let row = 0; row < switches.count; row++) {
      const time = (switches.time[row] as number) + shiftNs;
      if (time < this.beginNs) this.beginNs = time;
      if (time > this.endNs) this.endNs = time;
      if ((switches.core[row] as number) >= this.cores) this.cores = (switches.core[row] as number) + 1;
    }
    this.#nameThreads(events);
    this.#flushTasks(events, shiftNs);
    if (!this.#redact) this.#flushPrinted(events, shiftNs);
    events.clear();
  }

  /** Sections, messages between processes, frames and counters. */
  #flushPrinted({ prints, binder, frames, counts }: KernelEvents, shiftNs: number): void {
    let rows: number[] = [];
    let textBytes = 0;
    const send = (): void => {
      if (rows.length > 0) this.#take(ChunkKind.SystemEvents, encodePrints(prints, rows, shiftNs));
      rows = [];
      textBytes = 0;
    };
    for (let row = 0; row < prints.count; row++) {
      const bytes = prints.bytes(row);
      if (bytes.length > mostPrintBytes) continue;
      if (!isOfSection(bytes)) {
        this.#counted.addPrinted(prints.time[row] as number, bytes);
        continue;
      }
      rows.push(row);
      // At most: a text that comes again is written once.
      textBytes += bytes.length;
      if (rows.length === mostRows || textBytes >= mostTextBytes) send();
    }
    send();
    for (let from = 0; from < binder.count; from += mostRows)
      this.#take(
        ChunkKind.SystemEvents,
        encodeBinder(binder, from, Math.min(binder.count, from + mostRows), shiftNs),
      );
    for (let from = 0; from < frames.count; from += mostRows)
      this.#take(
        ChunkKind.SystemEvents,
        encodeFrames(frames, from, Math.min(frames.count, from + mostRows), shiftNs),
      );
    for (const value of counts) this.#counted.add(value);
    const counters = this.#counted.take(shiftNs);
    if (counters !== undefined) this.#take(ChunkKind.Counters, counters);
    const { leftOut } = this.#counted;
    if (leftOut > this.#toldLeftOut)
      this.#take(ChunkKind.System, System.encode({ countersLeftOut: leftOut }));
    this.#toldLeftOut = leftOut;
  }

  #nameThreads({ named, creations }: KernelEvents): void {
    for (const { tid, creator, isThread } of creations) {
      const pid = isThread ? this.#processOf.get(creator) : tid;
      if (pid !== undefined) this.task(tid, pid, '');
    }
    for (const { tid, name, pid } of named) if (pid > 0 || !this.#redact) this.task(tid, pid, name);
  }

  #flushTasks({ frequencies: { time, core, kHz } }: KernelEvents, shiftNs: number): void {
    const tasks = this.#tasks;
    if (tasks.length === 0 && time.length === 0) return;
    for (let from = 0; from === 0 || from < tasks.length; from += mostRows)
      this.#take(
        ChunkKind.System,
        System.encode({
          tasks: tasks.slice(from, from + mostRows),
          ...(from === 0 && {
            frequencyTime: differences(time.map((ns) => Math.round(ns + shiftNs))),
            frequencyCore: differences(core),
            frequencyKhz: differences(kHz),
          }),
        }),
      );
    tasks.length = 0;
  }
}

function differences(values: readonly number[]): number[] {
  return values.map((value, at) => value - (values[at - 1] ?? 0));
}

const bar = 0x7c;
const sectionLetters: ReadonlySet<number> = new Set(new TextEncoder().encode('BESFGH'));

/** Whether a print begins or ends a section: of a thread ("B|", "E"), or of none ("S|", "F|", "G|", "H|"). */
function isOfSection(bytes: Uint8Array): boolean {
  const isAlone = bytes.length === 1 || (bytes[1] as number) <= 0x20;
  return sectionLetters.has(bytes[0] ?? 0) && (bytes[1] === bar || (isAlone && bytes[0] === 0x45));
}
