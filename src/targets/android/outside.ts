/**
 * Recording from outside, where the agent cannot go: ART's own sampling (`am profile`), which stops all threads of the app at each sample
 * and gives its samples when it is stopped. They are brought here and written as a recording.
 */
import { randomBytes } from 'node:crypto';
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
import { wordsOf } from './adb-server.js';
import { reasonIn } from './attach.js';
import { withSync } from './device-file.js';
import { complains, isAlive, PUSHED, quoted, shell, type ShellResult } from './device-shell.js';
import { within } from './patience.js';

/** Each sample suspends the whole app: finer than this, the app is mostly suspended. */
const INTERVAL_US = 1000;
const STATUS_EVERY_MS = 1000;
/** A device that is busy says within this that it does what it is asked. */
const LOOK_MS = 3000;
/** The device samples by itself: a cable that is put in again and an adb server that is restarted are waited for. */
const RETURN_MS = 30_000;
/**
 * Android samples one process of a device at a time, and who starts another one ends the first without a word. So there is a claim, which
 * says whose recording it is and of what, and is touched as long as somebody records; one that is older than this nobody holds any more.
 */
const CLAIM = `${PUSHED}/btrace-sampling`;
const CLAIM_S = 8;
/** What our scripts end with where the app has ended, the claim is another's, and none can be written. */
const GONE = 74;
const TAKEN = 75;
const FULL = 76;
const WRITTEN_MS = 20_000;
const LOOK_EVERY_MS = 100;
/** An app that cannot write its samples is ended by Android. */
const LOOK_FOR_ROOM = "see whether the device's storage is full, and free some";
/** For each piece of the samples. */
const ANSWER_MS = 10_000;

const idle: Omit<SessionStatus, 'elapsedMs' | 'fileBytes' | 'isSilent'> = {
  samples: 0,
  dropped: 0,
  captureNs: 0,
  drainNs: 0,
  processCpuNs: 0,
  memoryBytes: 0,
  effectiveIntervalNs: INTERVAL_US * 1000,
  costs: [],
  hooks: [],
};

export interface OutsideParts {
  /** Closed with the session. */
  readonly adb: Adb;
  /** The same device anew, where that connection is lost. */
  readonly reopen: () => Promise<Adb>;
  readonly returnMs?: number | undefined;
  readonly target: Target;
  readonly options: RecordOptions;
  readonly file: RecordingFile;
  /** In words for the recording: "Android 11", the device, and why from outside. */
  readonly os: string;
  readonly device: string;
  readonly reason: string;
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
  private adb: Adb;
  private isAway = false;

  private constructor(
    private readonly parts: OutsideParts,
    private readonly remote: string,
    private readonly claim: string,
  ) {
    this.target = parts.target;
    this.file = parts.options.file;
    this.adb = parts.adb;
    const asked = new Promise<Ending>((resolve) => (this.end = resolve));
    const over = new AbortController();
    const watching = this.watch(over.signal);
    const { maxDurationMs } = parts.options;
    const words = `the limit of ${maxDurationMs / 1000} s was reached`;
    const limit =
      maxDurationMs > 0
        ? setTimeout(() => this.end({ reason: 'limit', message: words }), maxDurationMs)
        : undefined;
    this.ended = asked
      .then(async (ending) => {
        clearTimeout(limit);
        over.abort();
        await watching;
        return await this.finish(ending);
      })
      .finally(() => this.close());
  }

  /** Throws when Android does not sample this app. */
  static async start(parts: OutsideParts): Promise<OutsideSession> {
    const { pid, name } = parts.target;
    const remote = `${PUSHED}/btrace-${pid}.trace`;
    const claim = `${randomBytes(4).toString('hex')} ${name}`;
    const script = [
      `if [ -f ${CLAIM} ]; then`,
      `age=$(($(date +%s) - $(stat -c %Y ${CLAIM} 2>/dev/null || echo 0)))`,
      // A clock that was set back makes it younger than it can be.
      `if [ $age -ge 0 ] && [ $age -lt ${CLAIM_S} ]; then cat ${CLAIM}; exit ${TAKEN}; fi`,
      `rm -f ${CLAIM}; fi`,
      // Not over another's that came in between.
      `(set -C; printf %s ${quoted(claim)} >${CLAIM}) 2>/dev/null || { [ -s ${CLAIM} ] && cat ${CLAIM} && exit ${TAKEN}; rm -f ${CLAIM}; exit ${FULL}; }`,
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
        `${name} cannot be recorded from outside now: ${/^\w+ (.+)/.exec(said.stdout)?.[1] ?? 'another app'} is, and Android samples one app at a time.`,
        `Stop that recording first. One whose cable was pulled is over after ${CLAIM_S} s.`,
      );
    if (said.code === FULL)
      throw new TargetError(
        'io',
        `${name} cannot be recorded from outside: the device has no room in ${PUSHED}.`,
        'Free some storage on the device.',
      );
    if (complains(said))
      throw new TargetError(
        'not-permitted',
        `Android does not sample ${name}: ${reasonIn(said.stderr + said.stdout)}.`,
        'A debuggable build is needed, or one that its manifest calls profileable.',
      );
    return new OutsideSession(parts, remote, claim);
  }

  status(): SessionStatus {
    return {
      ...idle,
      elapsedMs: performance.now() - this.began,
      fileBytes: this.parts.file.bytes,
      isSilent: this.isAway,
      outside: this.parts.reason,
    };
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

  get whyNoDump(): TargetError {
    return new TargetError('not-supported', 'A recording from outside keeps no ring.', 'Stop it to see it.');
  }

  dump(): Promise<SessionEnd> {
    return Promise.reject(this.whyNoDump);
  }

  /** Looks after the app and the claim, and tells how it goes, until it is over. Never throws. */
  private async watch(signal: AbortSignal): Promise<void> {
    const look = `[ -d /proc/${this.target.pid} ] || exit ${GONE}; ${this.unlessTaken}; touch -c ${CLAIM}`;
    const { returnMs = RETURN_MS } = this.parts;
    for (let seen = performance.now(); ;) {
      await delay(STATUS_EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      for (const listener of this.listeners) listener(this.status());
      try {
        const { code } = await this.ask(look, LOOK_MS);
        this.isAway = false;
        seen = performance.now();
        if (code === GONE)
          this.end({
            reason: 'target-exited',
            message: `${this.target.name} ended, and with it what was sampled: Android gives samples only of an app that runs.`,
          });
        else if (code === TAKEN) this.end(taken);
      } catch (error) {
        this.isAway = true;
        if (performance.now() - seen >= returnMs) this.end(lost(error));
      }
    }
  }

  private get unlessTaken(): string {
    return `[ "$(cat ${CLAIM} 2>/dev/null)" = ${quoted(this.claim)} ] || exit ${TAKEN}`;
  }

  /** Where the connection is lost, over a new one. */
  private async ask(command: string, limitMs?: number): Promise<ShellResult> {
    try {
      return await shell(this.adb, command, limitMs);
    } catch (error) {
      const adb = await this.parts.reopen().catch(() => {
        throw error;
      });
      await this.close();
      this.adb = adb;
      return await shell(adb, command, limitMs);
    }
  }

  private async close(): Promise<void> {
    await Promise.resolve(this.adb.close()).catch((error: unknown) =>
      this.parts.log(`cleaning up: ${String(error)}`),
    );
  }

  /** Never throws. */
  private async finish(asked: Ending): Promise<SessionEnd> {
    const { file, log } = this.parts;
    let ending = asked;
    let trace: Trace | undefined;
    if (asked.reason !== 'target-exited' && asked.reason !== 'connection-lost')
      try {
        const { code } = await this.ask(`${this.unlessTaken}; am profile stop ${this.target.pid}`);
        if (code === TAKEN) ending = taken;
      } catch (error) {
        ending = lost(error);
      }
    if (ending.reason === 'stopped' || ending.reason === 'limit')
      try {
        trace = imported(await this.take());
        ending = { ...asked, message: sentences([asked.message, ...(await this.missing(trace))]) };
      } catch (error) {
        ending = { reason: 'fault', message: `What Android sampled could not be taken: ${wordsOf(error)}.` };
      }
    if (ending.reason !== 'connection-lost')
      await this.ask(`rm -f ${this.remote} ${CLAIM}`).catch((error: unknown) => log(wordsOf(error)));
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
    const { reason, message } = asked.reason === 'cancelled' ? asked : ending;
    return { reason, message, file: this.file, fileBytes: file.bytes };
  }

  /** What is not there of that which was sampled, and what may be done about it. */
  private async missing({ problems }: Trace): Promise<string[]> {
    const torn = problems.filter(({ offset }) => offset !== undefined).map(({ what }) => `${what}.`);
    if (torn.length === 0) return [];
    const isRunning = await isAlive(this.adb, this.target.pid).catch(() => true);
    return isRunning
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
        modeReason: `sampled by Android every ${INTERVAL_US / 1000} ms: ${this.parts.reason}`,
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
    return await withSync(this.adb, undefined, async (sync) => {
      const until = performance.now() + WRITTEN_MS;
      const size = () => within(ANSWER_MS, sync.lstat(this.remote)).catch(() => undefined);
      let isGone = false;
      for (let before = 0n; ;) {
        const now = (await size())?.size ?? 0n;
        if (now > 0n && now === before) break;
        if (performance.now() > until) throw new Error('the app did not write it in time');
        if (now === 0n && isGone)
          throw new Error(`the app ended before it had written any of it: ${LOOK_FOR_ROOM}`);
        isGone = now === 0n && !(await isAlive(this.adb, this.target.pid));
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

const taken: Ending = {
  reason: 'connection-lost',
  message:
    'The device was away for a while, and another recording from outside has ended this one: Android samples one app at a time.',
};

const lost = (error: unknown): Ending => ({
  reason: 'connection-lost',
  message: `The device went away (${wordsOf(error)}), and what was sampled is on it.`,
});

function imported(bytes: Uint8Array): Trace {
  const importer = new ArtImporter();
  importer.append(bytes);
  return importer.finish();
}
