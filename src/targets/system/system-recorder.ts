/**
 * Records the kernel's scheduler beside an agent's recording: reads the raw pages of each core in short periods, and
 * hands on columns. Memory: the kernel's buffers (`mostBufferBytes` together), and one period's events here. Events that
 * have no room in the kernel's buffers are counted.
 */
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ChunkKind } from '../../trace/recording/chunk.js';
import { System } from '../../trace/recording/scheduling.js';
import { type EventFormat, parseEventFormat, parsePageLayout } from '../../trace/system/event-format.js';
import { KernelEvents } from '../../trace/system/kernel-events.js';
import { RingPages } from '../../trace/system/ring-pages.js';
import { SystemChunks } from '../../trace/system/system-chunks.js';
import { TargetError } from '../target.js';
import { schedulerEvents } from './system-presets.js';
import type { LocalSystemSource, StartedClock, SystemSink } from './system-source.js';
import { openInstance, type TraceInstance } from './tracefs.js';

/** Without these there is nothing to show. */
const needed = ['sched_switch', 'sched_waking'];
/** One of the kernel's, so that nothing need be shifted: the agents' clock is CLOCK_MONOTONIC. */
const clock = 'mono';
const periodMs = 50;
const markMs = 1000;
const mostBufferBytes = 64 * 2 ** 20;
const mostCoreBytes = 16 * 2 ** 20;
/** Of one core in one period: what is left is read in the next, so that nobody else here waits long. */
const mostPeriodBytes = 4 * 2 ** 20;
/** Until there is a recording, switches and wake-ups are held; beyond this all of them are dropped. */
const mostHeldRows = 2 ** 21;
/** Chunks that the disk has not taken yet. Beyond that reading waits, and the kernel counts what is lost. */
const mostUnwrittenBytes = 64 * 2 ** 20;
const mark = 'btrace-mark ';
/** Older ones are lost. */
const mostMarks = 64;

interface Core {
  readonly number: number;
  readonly fd: number;
}

interface Mark {
  /** On the recorder's clock, in the middle between before and after it was written; how far off that may be. */
  readonly ns: number;
  readonly errorNs: number;
}

export interface SystemRecorderOptions {
  /** Keep no names of threads. */
  readonly redact: boolean;
  /** Makes the instance of tracefs. */
  readonly open?: typeof openInstance;
}

export class SystemRecorder implements LocalSystemSource {
  readonly #instance: TraceInstance;
  readonly #cores: readonly Core[];
  readonly #pages: RingPages;
  readonly #events = new KernelEvents();
  readonly #pageBytes: number;
  readonly #zeroNs: bigint;
  readonly #redact: boolean;
  readonly #chunks: SystemChunks;
  readonly #marks = new Map<number, Mark>();
  #offset = { ns: 0, errorNs: Infinity, count: 0 };
  #mostOff = 0;
  readonly #buffer: Buffer;
  /** Open all the time: opening it would lie between the two readings of the clock. */
  readonly #marker: number;
  #sink: SystemSink | undefined;
  #startNs = 0;
  #unwritten = 0;
  #readerNs = 0;
  #marksWritten = 0;
  #lastMark = 0;
  #timer: NodeJS.Timeout | undefined;
  #written: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #failure: Error | undefined;

  private constructor(
    instance: TraceInstance,
    cores: readonly Core[],
    formats: readonly EventFormat[],
    layout: NonNullable<ReturnType<typeof parsePageLayout>>,
    redact: boolean,
  ) {
    this.#instance = instance;
    this.#cores = cores;
    this.#pageBytes = layout.pageBytes;
    this.#zeroNs = process.hrtime.bigint();
    this.#pages = new RingPages({ formats, layout, zeroNs: this.#zeroNs }, this.#events);
    this.#redact = redact;
    this.#chunks = new SystemChunks((kind, payload) => this.#send(kind, payload), redact);
    this.#buffer = Buffer.alloc(mostPeriodBytes);
    this.#marker = openSync(path.join(instance.dir, 'trace_marker'), constants.O_WRONLY);
  }

  /** Events are taken from now on. A TargetError says why that cannot be, with what to do. */
  static async start({ redact, open = openInstance }: SystemRecorderOptions): Promise<SystemRecorder> {
    const instance = await open();
    const cores: Core[] = [];
    let recorder: SystemRecorder | undefined;
    try {
      const { dir } = instance;
      const put = (file: string, text: string): void => writeControl(path.join(dir, file), text);
      put('tracing_on', '0');
      put('trace_clock', clock);
      const numbers = readdirSync(path.join(dir, 'per_cpu')).map((name) => Number(name.slice(3)));
      const coreBytes = Math.min(mostCoreBytes, Math.floor(mostBufferBytes / numbers.length));
      put('buffer_size_kb', String(Math.max(64, Math.floor(coreBytes / 1024))));
      const formats: EventFormat[] = [];
      const print = parseEventFormat(
        readFileSync(path.join(dir, '../../events/ftrace/print/format'), 'utf8'),
      );
      if (print !== undefined) formats.push(print);
      for (const event of schedulerEvents) {
        const format = formatOf(path.join(dir, 'events', event));
        if (format === undefined) continue; // this kernel does not have it
        formats.push(format);
        put(path.join('events', event, 'enable'), '1');
      }
      const layout = parsePageLayout(readFileSync(path.join(dir, '../../events/header_page'), 'utf8'));
      const missing = needed.filter((name) => !formats.some((format) => format.name === name));
      if (layout === undefined || missing.length > 0)
        throw new TargetError(
          'not-supported',
          `This kernel's trace has no ${missing.join(' and ') || 'pages that can be read'}.`,
          'Record without --system.',
        );
      for (const number of numbers.sort((a, b) => a - b)) {
        const file = path.join(dir, 'per_cpu', `cpu${number}`, 'trace_pipe_raw');
        cores.push({ number, fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK) });
      }
      recorder = new SystemRecorder(instance, cores, formats, layout, redact);
      put('tracing_on', '1');
      await recorder.#begin();
      return recorder;
    } catch (error) {
      if (recorder !== undefined) closeSync(recorder.#marker);
      for (const { fd } of cores) closeSync(fd);
      await instance.remove();
      throw error;
    }
  }

  /** All programs are traced. */
  watch(): Promise<void> {
    return Promise.resolve();
  }

  hand(sink: SystemSink, { monotonicNs }: StartedClock): void {
    this.#sink = sink;
    this.#startNs = Number(this.#zeroNs - monotonicNs);
    this.#send(ChunkKind.System, System.encode({ source: 'ftrace', clock, cores: this.#cores.length }));
  }

  /** Also removes the instance. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #begin(): Promise<void> {
    await this.#nameProcesses();
    this.#mark();
    this.#timer = setInterval(() => this.#period(), periodMs);
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    let lost = 0;
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#mark();
      // Tracing goes off by the kernel's own file: all cores stop at once, and what they hold stays to be read.
      writeControl(path.join(this.#instance.dir, 'tracing_on'), '0');
      lost = this.#lost();
      for (let before = -1; before !== this.#pages.events;) {
        before = this.#pages.events;
        this.#drain();
      }
    } finally {
      for (const { fd } of this.#cores) closeSync(fd);
      closeSync(this.#marker);
      await this.#instance.remove();
    }
    if (this.#sink !== undefined) this.#sendSystem(lost);
    await this.#written;
  }

  /** An error here would end the process, and with it all that it does beside this: whoever stops is told. */
  #period(): void {
    try {
      this.#readPeriod();
    } catch (error) {
      clearInterval(this.#timer);
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  #readPeriod(): void {
    if (this.#unwritten > mostUnwrittenBytes) return;
    const now = performance.now();
    if (now - this.#lastMark >= markMs) this.#mark();
    this.#drain();
    const { switches, wakes } = this.#events;
    if (this.#sink === undefined && switches.count + wakes.count > mostHeldRows) this.#events.clear();
  }

  #drain(): void {
    const began = process.cpuUsage();
    for (const core of this.#cores) {
      const size = this.#readCore(core);
      if (size > 0) this.#pages.read(this.#buffer.subarray(0, size), core.number);
    }
    this.#takeMarks();
    if (this.#sink !== undefined) this.#chunks.flush(this.#events, this.#startNs);
    const { user, system } = process.cpuUsage(began);
    this.#readerNs += (user + system) * 1000;
  }

  #readCore({ fd }: Core): number {
    let size = 0;
    while (size + this.#pageBytes <= this.#buffer.length) {
      let got = 0;
      try {
        got = readSync(fd, this.#buffer, size, this.#pageBytes, null);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
      if (got < this.#pageBytes) break;
      size += got;
    }
    return size;
  }

  #send(kind: number, payload: Uint8Array): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#unwritten += payload.length;
    // A file that takes no more ends the recording by the agent's own chunks.
    const done = sink(kind, payload)
      .catch(() => undefined)
      .then(() => (this.#unwritten -= payload.length));
    this.#written = Promise.all([this.#written, done]);
  }

  #sendSystem(lost: number): void {
    const { ns, count, errorNs } = this.#offset;
    const { beginNs, endNs } = this.#chunks;
    this.#send(
      ChunkKind.System,
      System.encode({
        offsetNs: Math.round(ns),
        errorNs: count === 0 ? 0 : Math.round(Math.max(errorNs, this.#mostOff)),
        marks: count,
        lost,
        beginNs: Math.round(Math.min(beginNs, endNs)),
        endNs: Math.round(endNs),
        readerNs: this.#readerNs,
        events: this.#pages.events,
      }),
    );
  }

  /** A line of ours in the trace, between two readings of our clock: where both agree, nothing need be shifted. */
  #mark(): void {
    this.#lastMark = performance.now();
    const number = this.#marksWritten++;
    const before = process.hrtime.bigint();
    writeSync(this.#marker, `${mark}${number}`);
    const after = process.hrtime.bigint();
    const half = Number(after - before) / 2;
    this.#marks.set(number, { ns: Number(before - this.#zeroNs) + half, errorNs: half });
  }

  #takeMarks(): void {
    const { prints } = this.#events;
    for (let row = 0; row < prints.count; row++) {
      const time = prints.time[row] as number;
      const text = Buffer.from(prints.bytes(row)).toString('latin1');
      const number = text.startsWith(mark) ? Number(text.slice(mark.length)) : -1;
      const made = this.#marks.get(number);
      if (made === undefined) continue;
      this.#marks.delete(number);
      const off = time - made.ns;
      this.#offset.count++;
      if (made.errorNs < this.#offset.errorNs)
        this.#offset = { ns: off, errorNs: made.errorNs, count: this.#offset.count };
      // Beyond what reading the clock explains, the clocks drift.
      this.#mostOff = Math.max(this.#mostOff, Math.abs(off - this.#offset.ns) - made.errorNs);
    }
    prints.clear();
    // One that the kernel has not handed over yet comes with the next pages.
    for (const number of this.#marks.keys())
      if (number < this.#marksWritten - mostMarks) this.#marks.delete(number);
  }

  /** What the kernel had no room for, of all cores since the begin. */
  #lost(): number {
    let lost = 0;
    for (const { number } of this.#cores) {
      const stats = readFileSync(path.join(this.#instance.dir, 'per_cpu', `cpu${number}`, 'stats'), 'utf8');
      for (const [, count] of stats.matchAll(/^(?:overrun|dropped events): (\d+)$/gm)) lost += Number(count);
    }
    return lost;
  }

  /** Of each thread that runs by now, its process. Those that come later are told by the trace. */
  async #nameProcesses(): Promise<void> {
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
      for (const tid of threads) {
        const name = this.#redact
          ? ''
          : await readFile(`/proc/${pid}/task/${tid}/comm`, 'utf8').catch(() => '');
        this.#chunks.task(Number(tid), Number(pid), name.trim());
      }
    }
  }
}

/** Into a file of the kernel's, which is there and cannot be a link. */
function writeControl(file: string, text: string): void {
  const fd = openSync(file, constants.O_WRONLY);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

function formatOf(dir: string): EventFormat | undefined {
  try {
    return parseEventFormat(readFileSync(path.join(dir, 'format'), 'utf8'));
  } catch {
    return undefined;
  }
}
