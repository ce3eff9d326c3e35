/**
 * Recording from outside, where the agent cannot go: ART's own sampling (`am profile`), which stops all threads of the app at each sample
 * and gives its samples when it is stopped. They are brought here and written as a recording.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Adb } from '@yume-chan/adb';
import { ArtImporter } from '../../trace/formats/art-import.js';
import { Mode } from '../../trace/model/kinds.js';
import type { Trace } from '../../trace/model/trace.js';
import { writeRecording } from '../../trace/formats/recording-export.js';
import { type Ending, endOfFile, FOOTER_REASONS, sentences } from '../session/ending.js';
import { FileError, type RecordingFile } from '../session/recording-file.js';
import {
  type RecordOptions,
  type Session,
  type SessionEnd,
  type SessionStatus,
  type Target,
  TargetError,
} from '../target.js';
import { reasonIn } from './attach.js';
import { withSync } from './device-file.js';
import { complains, PUSHED, quoted, shell } from './device-shell.js';
import { within } from './patience.js';

/** Each sample suspends the whole app: finer than this, the app is mostly suspended. */
const INTERVAL_US = 1000;
const STATUS_EVERY_MS = 1000;
/**
 * Android samples one process of a device at a time, and who starts another one ends the first without a word. So there is a claim, which
 * says who is sampled and is touched as long as somebody records; one that is older than this nobody holds any more.
 */
const CLAIM = `${PUSHED}/btrace-sampling`;
const CLAIM_S = 8;
const TAKEN = 75;
const WRITTEN_MS = 20_000;
const LOOK_EVERY_MS = 100;
/** An app that cannot write its samples is ended by Android. */
const LOOK_FOR_ROOM = "see whether the device's storage is full, and free some";
/** For each piece of the samples. */
const ANSWER_MS = 10_000;

const idle: Omit<SessionStatus, 'elapsedMs' | 'fileBytes'> = {
  samples: 0,
  dropped: 0,
  captureNs: 0,
  drainNs: 0,
  processCpuNs: 0,
  memoryBytes: 0,
  effectiveIntervalNs: INTERVAL_US * 1000,
  costs: [],
  hooks: [],
  isSilent: false,
};

export interface OutsideParts {
  readonly adb: Adb;
  readonly target: Target;
  readonly options: RecordOptions;
  readonly file: RecordingFile;
  /** In words for the recording: "Android 11", the device, and why from outside. */
  readonly os: string;
  readonly device: string;
  readonly reason: string;
  readonly isAlive: () => Promise<boolean>;
  readonly release: () => Promise<void>;
  readonly log: (line: string) => void;
}

export class OutsideSession implements Session {
  readonly target: Target;
  readonly file: string;
  readonly ended: Promise<SessionEnd>;
  private readonly began = performance.now();
  private readonly beganAt = BigInt(Date.now()) * 1_000_000n;
  private readonly listeners = new Set<(status: SessionStatus) => void>();
  private end: (ending: Ending) => void = () => undefined;

  private constructor(
    private readonly parts: OutsideParts,
    private readonly remote: string,
  ) {
    this.target = parts.target;
    this.file = parts.options.file;
    const asked = new Promise<Ending>((resolve) => (this.end = resolve));
    const look = setInterval(() => void this.look(), STATUS_EVERY_MS);
    const { maxDurationMs } = parts.options;
    const words = `the limit of ${maxDurationMs / 1000} s was reached`;
    const limit =
      maxDurationMs > 0
        ? setTimeout(() => this.end({ reason: 'limit', message: words }), maxDurationMs)
        : undefined;
    this.ended = asked
      .then((ending) => {
        clearInterval(look);
        clearTimeout(limit);
        return this.finish(ending);
      })
      .finally(() => parts.release().catch((error: unknown) => parts.log(`cleaning up: ${String(error)}`)));
  }

  /** Throws when Android does not sample this app. */
  static async start(parts: OutsideParts): Promise<OutsideSession> {
    const { pid } = parts.target;
    const remote = `${PUSHED}/btrace-${pid}.trace`;
    const { name } = parts.target;
    const script = [
      `if [ -f ${CLAIM} ] && [ $(($(date +%s) - $(stat -c %Y ${CLAIM}))) -lt ${CLAIM_S} ]; then cat ${CLAIM}; exit ${TAKEN}; fi`,
      `rm -f ${CLAIM}`,
      // Not over another's that came in between.
      `(set -C; printf %s ${quoted(name)} >${CLAIM}) 2>/dev/null || { cat ${CLAIM}; exit ${TAKEN}; }`,
      // Of apps that have ended, where a cable was pulled.
      `for f in ${PUSHED}/btrace-*.trace; do p=\${f##*/btrace-}; [ -d "/proc/\${p%.trace}" ] || rm -f "$f"; done`,
      // Of this one: it is sampled still, for nobody.
      `if [ -f ${remote} ]; then am profile stop ${pid}; rm -f ${remote}; fi >/dev/null 2>&1`,
      // Android makes the file before it looks whether it may.
      `am profile start --sampling ${INTERVAL_US} ${pid} ${remote} || { rm -f ${remote} ${CLAIM}; exit 1; }`,
    ];
    const said = await shell(parts.adb, script.join('\n'));
    if (said.code === TAKEN)
      throw new TargetError(
        'busy',
        `${name} cannot be recorded from outside now: ${said.stdout.trim() || 'another app'} is, and Android samples one app at a time.`,
        `Stop that recording first. One whose cable was pulled is over after ${CLAIM_S} s.`,
      );
    if (complains(said))
      throw new TargetError(
        'not-permitted',
        `Android does not sample ${name}: ${reasonIn(said.stderr + said.stdout)}.`,
        'A debuggable build is needed, or one that its manifest calls profileable.',
      );
    return new OutsideSession(parts, remote);
  }

  status(): SessionStatus {
    return { ...idle, elapsedMs: performance.now() - this.began, fileBytes: this.parts.file.bytes };
  }

  onStatus(listener: (status: SessionStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  stop(): Promise<SessionEnd> {
    this.end({
      reason: 'stopped',
      message: `Recorded from outside, by Android's own sampling: ${this.parts.reason}.`,
    });
    return this.ended;
  }

  cancel(): Promise<SessionEnd> {
    this.end({ reason: 'cancelled', message: '' });
    return this.ended;
  }

  dump(): Promise<SessionEnd> {
    return Promise.reject(
      new TargetError('not-supported', 'A recording from outside keeps no ring.', 'Stop it to see it.'),
    );
  }

  private async look(): Promise<void> {
    const status = this.status();
    for (const listener of this.listeners) listener(status);
    try {
      if (await this.parts.isAlive()) {
        // A device that is gone says so the next time.
        await shell(this.parts.adb, `touch -c ${CLAIM}`).catch(() => undefined);
        return;
      }
      this.end({
        reason: 'target-exited',
        message: `${this.target.name} ended, and with it what was sampled: Android gives samples only of an app that runs.`,
      });
    } catch (error) {
      this.end({
        reason: 'connection-lost',
        message: `The device went away (${error instanceof Error ? error.message : String(error)}), and what was sampled is on it.`,
      });
    }
  }

  /** Never throws. */
  private async finish(asked: Ending): Promise<SessionEnd> {
    const { file, log } = this.parts;
    let ending = asked;
    let trace: Trace | undefined;
    const isOver = asked.reason === 'target-exited' || asked.reason === 'connection-lost';
    try {
      if (!isOver) await shell(this.parts.adb, `am profile stop ${this.target.pid}`);
      if (!isOver && asked.reason !== 'cancelled') {
        trace = imported(await this.take());
        ending = { ...asked, message: sentences([asked.message, ...(await this.missing(trace))]) };
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (asked.reason === 'cancelled') log(why);
      else ending = { reason: 'fault', message: `What Android sampled could not be taken: ${why}.` };
    }
    if (asked.reason !== 'connection-lost')
      await shell(this.parts.adb, `rm -f ${this.remote} ${CLAIM}`).catch((error: unknown) =>
        log(String(error)),
      );
    try {
      if (asked.reason === 'cancelled') await file.remove();
      else await this.write(trace, ending);
    } catch (error) {
      ending =
        error instanceof FileError
          ? endOfFile(error)
          : { reason: 'fault', message: sentences([String(error)]) };
    }
    await file.close().catch((error: unknown) => log(String(error)));
    if (ending.message !== '') log(ending.message);
    return { ...ending, file: this.file, fileBytes: file.bytes };
  }

  /** What is not there of that which was sampled, and what may be done about it. */
  private async missing({ problems }: Trace): Promise<string[]> {
    const torn = problems.filter(({ offset }) => offset !== undefined).map(({ what }) => `${what}.`);
    if (torn.length === 0) return [];
    const isAlive = await this.parts.isAlive().catch(() => true);
    return isAlive
      ? torn
      : [...torn, `${this.target.name} ended as it wrote what was sampled: ${LOOK_FOR_ROOM}.`];
  }

  private async write(trace: Trace | undefined, { reason, message }: Ending): Promise<void> {
    const { file, os, device } = this.parts;
    const { name, pid, runtime } = this.target;
    await writeRecording(
      file,
      {
        mode: Mode.FromOutside,
        modeReason: `sampled by Android every ${INTERVAL_US / 1000} ms, because ${this.parts.reason}`,
        target: { name, pid, runtime, os, device },
        realtimeNs: this.beganAt,
        endReason: FOOTER_REASONS[reason],
        detail: message,
      },
      trace,
    );
  }

  /** Waits until the app has written its file, and brings it here. */
  private async take(): Promise<Uint8Array> {
    const { adb } = this.parts;
    return await withSync(adb, undefined, async (sync) => {
      const until = performance.now() + WRITTEN_MS;
      const size = () => within(ANSWER_MS, sync.lstat(this.remote)).catch(() => undefined);
      let isGone = false;
      for (let before = 0n; ;) {
        const now = (await size())?.size ?? 0n;
        if (now > 0n && now === before) break;
        if (performance.now() > until) throw new Error('the app did not write it in time');
        if (now === 0n && isGone)
          throw new Error(`the app ended before it had written any of it: ${LOOK_FOR_ROOM}`);
        isGone = now === 0n && !(await this.parts.isAlive());
        before = now;
        await delay(LOOK_EVERY_MS);
      }
      const pieces: Uint8Array[] = [];
      const reader = sync.read(this.remote).getReader();
      for (;;) {
        const { done, value } = await within(ANSWER_MS, reader.read());
        if (done) return Buffer.concat(pieces);
        pieces.push(value);
      }
    });
  }
}

function imported(bytes: Uint8Array): Trace {
  const importer = new ArtImporter();
  importer.append(bytes);
  return importer.finish();
}
