/**
 * Records the switches of one program's threads beside its recording, where the kernel's own trace may not be opened: by a
 * program of ours (`btrace-external --switches`), to which the kernel tells them without root. It ends when its input does,
 * and so whenever this process ends. What has no room in the kernel's buffers is counted.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { ChunkKind } from '../../trace/recording/chunk.js';
import { encodeProgramSwitches, System } from '../../trace/recording/scheduling.js';
import { programSwitchesSource } from '../../trace/system/program-switches.js';
import { SwitchStream } from '../../trace/system/switch-stream.js';
import { TargetError } from '../target.js';
import type { LocalSystemSource, StartedClock, SystemSink } from './system-source.js';

/** The agents' clock, CLOCK_MONOTONIC: nothing need be shifted. */
const clock = 'mono';
const flushMs = 250;
/** Rows of one chunk. */
const mostRows = 2 ** 16;
/** Until there is a recording, rows are held; beyond this all of them are dropped. */
const mostHeldRows = 2 ** 21;
/** Chunks that the disk has not taken yet. Beyond that reading waits, and the kernel counts what is lost. */
const mostUnwrittenBytes = 64 * 2 ** 20;
/** It opens an event for each thread and processor. */
const beginMs = 30_000;
const endMs = 10_000;
/** Letters of what it prints that are kept. */
const mostSaid = 4000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class ProgramSwitches implements LocalSystemSource {
  readonly #child: Child;
  readonly #closed: Promise<unknown>;
  readonly #zeroNs = process.hrtime.bigint();
  readonly #stream = new SwitchStream(this.#zeroNs);
  readonly #timer: NodeJS.Timeout;
  #changed: () => void = () => undefined;
  #said = '';
  #isClosed = false;
  #sink: SystemSink | undefined;
  #startNs = 0;
  #unwritten = 0;
  #readerNs = 0;
  #written: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  private constructor(child: Child) {
    this.#child = child;
    this.#closed = once(child, 'close').then(() => {
      this.#isClosed = true;
      this.#changed();
    });
    child.stdin.on('error', () => undefined); // it has ended, which `close` tells
    child.stderr.on('data', (bytes: Buffer) => {
      if (this.#said.length < mostSaid) this.#said += bytes.toString();
    });
    child.stdout.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#timer = setInterval(() => this.#flush(), flushMs);
  }

  /** `program`: where `btrace-external` is. A TargetError says why the kernel does not let this user ask, with what to do. */
  static async start(program: string): Promise<ProgramSwitches> {
    const child = spawn(program, ['--switches'], { stdio: ['pipe', 'pipe', 'pipe'] });
    await once(child, 'spawn').catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new TargetError(
        'io',
        `${program} cannot be run: ${why}.`,
        'See that this user may read and run it, or install BTrace anew.',
      );
    });
    const made = new ProgramSwitches(child);
    await made.#until(() => made.#stream.isAllowed);
    return made;
  }

  async watch(pid: number): Promise<void> {
    this.#child.stdin.write(`${pid}\n`);
    await this.#until(() => !Number.isNaN(this.#stream.beginNs));
  }

  hand(sink: SystemSink, { monotonicNs }: StartedClock): void {
    this.#sink = sink;
    this.#startNs = Number(this.#zeroNs - monotonicNs);
    this.#send(
      ChunkKind.System,
      System.encode({ source: programSwitchesSource, clock, cores: availableParallelism() }),
    );
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  /** Ends the other program where it does not get there. */
  async #until(isThere: () => boolean): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      this.#changed();
    }, beginMs);
    while (!isThere() && !this.#isClosed && !late.signal.aborted)
      await new Promise<void>((resolve) => (this.#changed = resolve));
    clearTimeout(timer);
    if (isThere()) return;
    this.#child.kill('SIGKILL');
    await this.#closed;
    clearInterval(this.#timer);
    const [what = '', nextStep = ''] = this.#said.trim().split('\n').slice(-2);
    if (nextStep === '')
      throw new TargetError('timeout', 'The kernel did not begin to tell of switches.', 'Try again.');
    throw new TargetError('not-permitted', what, nextStep);
  }

  async #stop(): Promise<void> {
    const isWhole = await this.#end();
    clearInterval(this.#timer);
    this.#flush();
    if (this.#sink !== undefined) this.#sendSystem();
    await this.#written;
    if (!isWhole && this.#sink !== undefined)
      throw new Error('the program that reads the switches ended before the recording did');
  }

  /** False where it did not come to say that it ends. */
  async #end(): Promise<boolean> {
    this.#child.stdout.resume();
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endMs);
    await this.#closed;
    clearTimeout(timer);
    return !Number.isNaN(this.#stream.endNs);
  }

  #take(bytes: Buffer): void {
    const began = process.cpuUsage();
    const stream = this.#stream;
    stream.append(bytes);
    if (stream.rows.count >= mostRows && this.#sink !== undefined) this.#flush();
    else if (stream.rows.count > mostHeldRows) stream.beginLater();
    const { user, system } = process.cpuUsage(began);
    this.#readerNs += (user + system) * 1000;
    this.#changed();
  }

  #flush(): void {
    if (this.#sink === undefined) return;
    const { rows } = this.#stream;
    for (let from = 0; from < rows.count; from += mostRows)
      this.#send(
        ChunkKind.ProgramSwitches,
        encodeProgramSwitches(rows, from, Math.min(rows.count, from + mostRows), this.#startNs),
      );
    this.#stream.clear();
    if (this.#unwritten > mostUnwrittenBytes) this.#child.stdout.pause();
  }

  #send(kind: number, payload: Uint8Array): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#unwritten += payload.length;
    // A file that takes no more ends the recording by the agent's own chunks.
    const done = sink(kind, payload)
      .catch(() => undefined)
      .then(() => {
        this.#unwritten -= payload.length;
        if (this.#unwritten <= mostUnwrittenBytes) this.#child.stdout.resume();
      });
    this.#written = Promise.all([this.#written, done]);
  }

  #sendSystem(): void {
    const { beginNs, endNs, lost, events, costNs } = this.#stream;
    const at = (ns: number): number => (Number.isNaN(ns) ? 0 : Math.round(ns + this.#startNs));
    this.#send(
      ChunkKind.System,
      System.encode({
        ...{ lost, events },
        beginNs: at(beginNs),
        endNs: at(endNs),
        readerNs: this.#readerNs + costNs,
      }),
    );
  }
}
