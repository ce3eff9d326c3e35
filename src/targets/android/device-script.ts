/**
 * A script that runs on a device as long as somebody here needs it: it says lines, is told lines, and cleans up by itself when
 * the connection ends. adbd then closes the script's input and sends it SIGHUP.
 */
import type { Adb } from '@yume-chan/adb';
import { TargetError } from '../target.js';
import { within } from './patience.js';

type Process = Awaited<ReturnType<NonNullable<Adb['subprocess']['shellProtocol']>['spawn']>>;

const startMs = 10_000;
const endMs = 5000;
/** Letters that are kept of what it says beside its lines, and of a line: the last ones. */
const mostSaid = 4000;
/** Lines that nobody has asked for yet. A script has a handful. */
const mostLines = 100;

export class DeviceScript {
  /** What it and its programs said of errors. */
  said = '';
  readonly #process: Process;
  readonly #writer: ReturnType<Process['stdin']['getWriter']>;
  readonly #lines: string[] = [];
  #rest = '';
  #isOver = false;
  #changed: () => void = () => undefined;
  readonly #exited: Promise<void>;

  private constructor(process: Process) {
    this.#process = process;
    this.#writer = process.stdin.getWriter();
    const stdout = this.#read(process.stdout, (text) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = (lines.pop() ?? '').slice(-mostSaid);
      this.#lines.push(...lines.slice(0, mostLines - this.#lines.length).map((line) => line.trim()));
    });
    const stderr = this.#read(process.stderr, (text) => (this.said = (this.said + text).slice(-mostSaid)));
    this.#exited = Promise.all([stdout, stderr, process.exited.catch(() => undefined)]).then(() => {
      this.#isOver = true;
      this.#changed();
    });
  }

  static async start(adb: Adb, script: string, signal?: AbortSignal): Promise<DeviceScript> {
    const { shellProtocol } = adb.subprocess;
    if (shellProtocol === undefined)
      throw new TargetError(
        'not-supported',
        'The device’s adb is too old to record the system beside an app.',
        'Record without --system. Android 8 and newer can do it.',
        { about: 'system' },
      );
    const spawning = shellProtocol.spawn(script);
    try {
      return new DeviceScript(await within(startMs, spawning, signal));
    } catch (error) {
      // It may run by now: nobody would end it.
      void spawning.then((process) => process.kill()).catch(() => undefined);
      throw error;
    }
  }

  /** Its next line; undefined when it has ended, or the device is away. */
  async line(limitMs: number, signal?: AbortSignal): Promise<string | undefined> {
    const next = async (): Promise<string | undefined> => {
      for (;;) {
        const line = this.#lines.shift();
        if (line !== undefined || this.#isOver) return line;
        await new Promise<void>((resolve) => (this.#changed = resolve));
      }
    };
    return await within(limitMs, next(), signal);
  }

  async tell(line: string): Promise<void> {
    await within(endMs, this.#writer.write(new TextEncoder().encode(`${line}\n`)));
  }

  /** Lets it clean up and end. Never throws. */
  async end(): Promise<void> {
    await within(endMs, this.#writer.close()).catch(() => undefined);
    await within(endMs, this.#exited).catch(() => undefined);
    if (!this.#isOver) await Promise.resolve(this.#process.kill()).catch(() => undefined);
  }

  async #read(stream: Process['stdout'], take: (text: string) => void): Promise<void> {
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        take(decoder.decode(value, { stream: true }));
        this.#changed();
      }
    } catch {
      // The connection is lost: it is over.
    }
  }
}
