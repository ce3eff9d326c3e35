/**
 * The system's trace beside the recording of an app: the device's own tracing service (Android 9 and newer), else atrace. The
 * service writes into a file on the device, which is brought here as it grows and decoded. Memory here: one piece of it, but all
 * of the scheduler's events by atrace, whose clock is known only at the end.
 *
 * Nothing is left on the device: the script there ends the trace, deletes the file and switches the service off again when it
 * is told to, and when the connection ends. If the script is killed, the trace ends at its limit, and the next script removes
 * what is left.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Adb } from '@yume-chan/adb';
import { ChunkKind } from '../../trace/recording/chunk.js';
import { System } from '../../trace/recording/scheduling.js';
import { SystemChunks } from '../../trace/system/system-chunks.js';
import type { StartedClock, SystemSink, SystemSource } from '../system/system-source.js';
import type { RecordOptions } from '../target.js';
import { wordsOf } from './adb-server.js';
import { within } from './patience.js';
import { reasonIn, type RunningTrace, runs, startTrace, type TracedApp } from './start-trace.js';
import { serviceDecoder, textDecoder, type TraceDecoder } from './trace-decoder.js';

const pollMs = 1000;
const answerMs = 15_000;
/** The service flushes all that writes into the trace, for 5 s at most, and stops them, again for 5 s. */
const finishMs = 30_000;
const blockBytes = 64 * 1024;
const pieceBlocks = 64;

export class DeviceTrace implements SystemSource {
  readonly #adb: Adb;
  readonly #running: RunningTrace;
  readonly #redact: boolean;
  readonly #over = new AbortController();
  #decoder: TraceDecoder | undefined;
  #sink: SystemSink | undefined;
  #written: Promise<unknown> = Promise.resolve();
  #following: Promise<void> = Promise.resolve();
  #offset = 0;
  /** Why nothing more comes. */
  #failure: string | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(adb: Adb, running: RunningTrace, redact: boolean) {
    this.#adb = adb;
    this.#running = running;
    this.#redact = redact;
  }

  /** The device traces from now on. A TargetError says why it does not, with what to do. */
  static async start(
    adb: Adb,
    app: TracedApp,
    options: RecordOptions,
    signal: AbortSignal | undefined,
  ): Promise<DeviceTrace> {
    const running = await startTrace(adb, app, options, signal);
    return new DeviceTrace(adb, running, options.redact === true);
  }

  hand(sink: SystemSink, clock: StartedClock): void {
    this.#sink = sink;
    const chunks = new SystemChunks((kind, payload) => this.#send(kind, payload), this.#redact);
    const { isService } = this.#running;
    this.#decoder = isService ? serviceDecoder(chunks, clock) : textDecoder(chunks, clock);
    this.#send(
      ChunkKind.System,
      System.encode({ source: isService ? 'perfetto' : 'atrace', clock: 'boottime' }),
    );
    this.#following = this.#follow(this.#over.signal);
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    this.#over.abort();
    await this.#following;
    const { script } = this.#running;
    const decoder = this.#decoder;
    try {
      if (decoder === undefined) return;
      if (this.#failure === undefined) await this.#finish().catch((error: unknown) => this.#fail(error));
      const { system, damage } = decoder.finish();
      this.#send(ChunkKind.System, System.encode(system));
      await this.#written;
      const failure = this.#failure ?? (damage === '' ? undefined : damage);
      if (failure !== undefined) throw new Error(failure);
    } finally {
      await script.end();
    }
  }

  async #finish(): Promise<void> {
    const { script } = this.#running;
    await script.tell('stop');
    const line = await script.line(finishMs);
    if (line === undefined) throw new Error(reasonIn(script.said) ?? 'the device ended the trace');
    await this.#fetch();
    if (line !== 'done 0')
      this.#fail(new Error(reasonIn(script.said) ?? 'the device did not finish the trace'));
  }

  /** Brings what is new, again and again. Never throws. */
  async #follow(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted || this.#failure !== undefined;
    while (!isOver()) {
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
      if (isOver()) return;
      try {
        const isRunning = await this.#fetch();
        if (!isRunning && !isOver())
          this.#fail(
            new Error(
              reasonIn(this.#running.script.said) ??
                'the device ended it by itself, as it does at the limit of its time or size',
            ),
          );
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= wordsOf(error);
  }

  /** All that the file has by now. False where the trace had ended before. */
  async #fetch(): Promise<boolean> {
    const { pid, file } = this.#running;
    const { shellProtocol } = this.#adb.subprocess;
    for (;;) {
      const [skip, behind] = [Math.floor(this.#offset / blockBytes), this.#offset % blockBytes];
      const command = `${runs(pid)}; code=$?; dd if=${file} bs=${blockBytes} skip=${skip} count=${pieceBlocks} 2>/dev/null; exit $code`;
      const { stdout, exitCode } = await within(
        answerMs,
        shellProtocol?.spawnWait(command) ?? Promise.reject(new Error('the device has no shell')),
      );
      const piece = stdout.subarray(behind);
      this.#offset += piece.length;
      this.#decoder?.take(piece);
      await this.#written;
      if (stdout.length < blockBytes * pieceBlocks) return exitCode === 0;
    }
  }

  #send(kind: number, payload: Uint8Array): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    // A file that takes no more ends the recording by the agent's own chunks.
    const done = sink(kind, payload).catch(() => undefined);
    this.#written = Promise.all([this.#written, done]);
  }
}
