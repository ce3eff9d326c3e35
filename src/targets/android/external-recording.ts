/**
 * External recording, where the agent cannot go: ART's own sampling (`am profile`), which stops all threads of the app at each sample
 * and gives its samples when it is stopped. They are brought here and written as a recording.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Adb } from '@yume-chan/adb';
import { ArtImporter } from '../../trace/formats/art-import.js';
import { Mode } from '../../trace/model/kinds.js';
import type { Trace } from '../../trace/model/trace.js';
import { writeRecording } from '../../trace/formats/recording-export.js';
import { type Ending, endOfFile, footerReasons, sentences } from '../session/ending.js';
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
import { complains, isAlive, pushFolder, quoted, shell, type ShellResult } from './device-shell.js';
import { within } from './patience.js';

/** Each sample suspends the whole app: finer than this, the app is mostly suspended. */
const intervalUs = 1000;
const statusEveryMs = 1000;
/** A device that is busy says within this that it does what it is asked. */
const lookMs = 3000;
/** The device samples by itself: a cable that is put in again and an adb server that is restarted are waited for. */
const mostReturnMs = 30_000;
/**
 * Android samples one process of a device at a time, and who starts another one ends the first without a word. So there is a claim, which
 * says whose recording it is and of what, and is touched as long as somebody records; one that is older than this nobody holds any more.
 */
const claimFolder = `${pushFolder}/btrace-sampling`;
const claimS = 8;
/** What our scripts end with where the app has ended, the claim is another's, and none can be written. */
const gone = 74;
const takenCode = 75;
const full = 76;
const writtenMs = 20_000;
const lookEveryMs = 100;
/** An app that cannot write its samples is ended by Android. */
const lookForRoom = "see whether the device's storage is full, and free some";
/** For each piece of the samples. */
const answerMs = 10_000;

const idle: Omit<SessionStatus, 'elapsedMs' | 'fileBytes' | 'isSilent'> = {
  samples: 0,
  dropped: 0,
  captureNs: 0,
  drainNs: 0,
  processCpuNs: 0,
  memoryBytes: 0,
  effectiveIntervalNs: intervalUs * 1000,
  costs: [],
  hooks: [],
};

export interface ExternalParts {
  /** Closed with the session. */
  readonly adb: Adb;
  /** The same device anew, where that connection is lost. */
  readonly reopen: () => Promise<Adb>;
  readonly returnMs?: number | undefined;
  readonly target: Target;
  readonly options: RecordOptions;
  readonly file: RecordingFile;
  /** In words for the recording: "Android 11", the device, and why it is an external recording. */
  readonly os: string;
  readonly device: string;
  readonly reason: string;
  readonly log: (line: string) => void;
}

export class ExternalSession implements Session {
  readonly target: Target;
  readonly file: string;
  readonly ended: Promise<SessionEnd>;
  readonly #began = performance.now();
  readonly #beganAt = BigInt(Date.now()) * 1_000_000n;
  readonly #listeners = new Set<(status: SessionStatus) => void>();
  #end: (ending: Ending) => void = () => undefined;
  #adb: Adb;
  #isAway = false;
  readonly #parts: ExternalParts;
  readonly #remote: string;
  readonly #claim: string;

  private constructor(parts: ExternalParts, remote: string, claim: string) {
    this.#parts = parts;
    this.#remote = remote;
    this.#claim = claim;

    this.target = parts.target;
    this.file = parts.options.file;
    this.#adb = parts.adb;
    const asked = new Promise<Ending>((resolve) => (this.#end = resolve));
    const over = new AbortController();
    const watching = this.#watch(over.signal);
    const { maxDurationMs } = parts.options;
    const words = `the limit of ${maxDurationMs / 1000} s was reached`;
    const limit =
      maxDurationMs > 0
        ? setTimeout(() => this.#end({ reason: 'limit', message: words }), maxDurationMs)
        : undefined;
    this.ended = asked.then(async (ending) => {
      try {
        clearTimeout(limit);
        over.abort();
        await watching;
        return await this.#finish(ending);
      } finally {
        await this.#close();
      }
    });
  }

  /** Throws when Android does not sample this app. */
  static async start(parts: ExternalParts): Promise<ExternalSession> {
    const { pid, name } = parts.target;
    const remote = `${pushFolder}/btrace-${pid}.trace`;
    const claim = `${randomBytes(4).toString('hex')} ${name}`;
    const script = [
      `if [ -f ${claimFolder} ]; then`,
      `age=$(($(date +%s) - $(stat -c %Y ${claimFolder} 2>/dev/null || echo 0)))`,
      // A clock that was set back makes it younger than it can be.
      `if [ $age -ge 0 ] && [ $age -lt ${claimS} ]; then cat ${claimFolder}; exit ${takenCode}; fi`,
      `rm -f ${claimFolder}; fi`,
      // Not over another's that came in between.
      `(set -C; printf %s ${quoted(claim)} >${claimFolder}) 2>/dev/null || { [ -s ${claimFolder} ] && cat ${claimFolder} && exit ${takenCode}; rm -f ${claimFolder}; exit ${full}; }`,
      // Of apps that have ended, where a cable was pulled.
      `for f in ${pushFolder}/btrace-*.trace; do p=\${f##*/btrace-}; [ -d "/proc/\${p%.trace}" ] || rm -f "$f"; done`,
      // Of this one: it is sampled still, for nobody.
      `if [ -f ${remote} ]; then am profile stop ${pid}; rm -f ${remote}; fi >/dev/null 2>&1`,
      // Android makes the file before it looks whether it may.
      `am profile start --sampling ${intervalUs} ${pid} ${remote} || { rm -f ${remote} ${claimFolder}; exit 1; }`,
    ];
    const said = await shell(parts.adb, script.join('\n'));
    if (said.code === takenCode)
      throw new TargetError(
        'busy',
        `${name} cannot be recorded externally now: ${/^\w+ (.+)/.exec(said.stdout)?.[1] ?? 'another app'} is, and Android samples one app at a time.`,
        `Stop that recording first. One whose cable was pulled is over after ${claimS} s.`,
      );
    if (said.code === full)
      throw new TargetError(
        'io',
        `${name} cannot be recorded externally: the device has no room in ${pushFolder}.`,
        'Free some storage on the device.',
      );
    if (complains(said))
      throw new TargetError(
        'not-permitted',
        `Android does not sample ${name}: ${reasonIn(said.stderr + said.stdout)}.`,
        'A debuggable build is needed, or one that its manifest calls profileable.',
      );
    return new ExternalSession(parts, remote, claim);
  }

  status(): SessionStatus {
    return {
      ...idle,
      elapsedMs: performance.now() - this.#began,
      fileBytes: this.#parts.file.bytes,
      isSilent: this.#isAway,
      external: this.#parts.reason,
    };
  }

  onStatus(listener: (status: SessionStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): Promise<SessionEnd> {
    this.#end({
      reason: 'stopped',
      message: `Recorded externally, by Android's own sampling: ${this.#parts.reason}.`,
    });
    return this.ended;
  }

  cancel(): Promise<SessionEnd> {
    this.#end({ reason: 'cancelled', message: '' });
    return this.ended;
  }

  get whyNoDump(): TargetError {
    return new TargetError('not-supported', 'An external recording keeps no ring.', 'Stop it to see it.');
  }

  dump(): Promise<SessionEnd> {
    return Promise.reject(this.whyNoDump);
  }

  /** Looks after the app and the claim, and tells how it goes, until it is over. Never throws. */
  async #watch(signal: AbortSignal): Promise<void> {
    const look = `[ -d /proc/${this.target.pid} ] || exit ${gone}; ${this.#unlessTaken}; touch -c ${claimFolder}`;
    const { returnMs = mostReturnMs } = this.#parts;
    for (let seen = performance.now(); ;) {
      await delay(statusEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      for (const listener of this.#listeners) listener(this.status());
      try {
        const { code } = await this.#ask(look, lookMs);
        this.#isAway = false;
        seen = performance.now();
        if (code === gone)
          this.#end({
            reason: 'target-exited',
            message: `${this.target.name} ended, and with it what was sampled: Android gives samples only of an app that runs.`,
          });
        else if (code === takenCode) this.#end(taken);
      } catch (error) {
        this.#isAway = true;
        if (performance.now() - seen >= returnMs) this.#end(lost(error));
      }
    }
  }

  get #unlessTaken(): string {
    return `[ "$(cat ${claimFolder} 2>/dev/null)" = ${quoted(this.#claim)} ] || exit ${takenCode}`;
  }

  /** Where the connection is lost, over a new one. */
  async #ask(command: string, limitMs?: number): Promise<ShellResult> {
    try {
      return await shell(this.#adb, command, limitMs);
    } catch (error) {
      const adb = await this.#parts.reopen().catch(() => {
        throw error;
      });
      await this.#close();
      this.#adb = adb;
      return await shell(adb, command, limitMs);
    }
  }

  async #close(): Promise<void> {
    await Promise.resolve(this.#adb.close()).catch((error: unknown) =>
      this.#parts.log(`cleaning up: ${String(error)}`),
    );
  }

  /** Never throws. */
  async #finish(asked: Ending): Promise<SessionEnd> {
    const { file, log } = this.#parts;
    let ending = asked;
    let trace: Trace | undefined;
    if (asked.reason !== 'target-exited' && asked.reason !== 'connection-lost')
      try {
        const { code } = await this.#ask(`${this.#unlessTaken}; am profile stop ${this.target.pid}`);
        if (code === takenCode) ending = taken;
      } catch (error) {
        ending = lost(error);
      }
    if (ending.reason === 'stopped' || ending.reason === 'limit')
      try {
        trace = imported(await this.#take());
        ending = { ...asked, message: sentences([asked.message, ...(await this.#missing(trace))]) };
      } catch (error) {
        ending = { reason: 'fault', message: `What Android sampled could not be taken: ${wordsOf(error)}.` };
      }
    if (ending.reason !== 'connection-lost')
      await this.#ask(`rm -f ${this.#remote} ${claimFolder}`).catch((error: unknown) => log(wordsOf(error)));
    try {
      if (asked.reason === 'cancelled') await file.remove();
      else await this.#write(trace, ending);
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
  async #missing({ problems }: Trace): Promise<string[]> {
    const torn = problems.filter(({ offset }) => offset !== undefined).map(({ what }) => `${what}.`);
    if (torn.length === 0) return [];
    const isRunning = await isAlive(this.#adb, this.target.pid).catch(() => true);
    return isRunning
      ? torn
      : [...torn, `${this.target.name} ended as it wrote what was sampled: ${lookForRoom}.`];
  }

  async #write(trace: Trace | undefined, { reason, message }: Ending): Promise<void> {
    const { file, os, device } = this.#parts;
    const { name, pid, runtime } = this.target;
    await writeRecording(
      file,
      {
        mode: Mode.External,
        modeReason: `sampled by Android every ${intervalUs / 1000} ms: ${this.#parts.reason}`,
        target: { name, pid, runtime, os, device },
        realtimeNs: this.#beganAt,
        endReason: footerReasons[reason],
        detail: message,
      },
      trace,
    );
  }

  /** Waits until the app has written its file, and brings it here. */
  async #take(): Promise<Uint8Array> {
    return await withSync(this.#adb, undefined, async (sync) => {
      const until = performance.now() + writtenMs;
      const size = () => within(answerMs, sync.lstat(this.#remote)).catch(() => undefined);
      let isGone = false;
      for (let before = 0n; ;) {
        const now = (await size())?.size ?? 0n;
        if (now > 0n && now === before) break;
        if (performance.now() > until) throw new Error('the app did not write it in time');
        if (now === 0n && isGone)
          throw new Error(`the app ended before it had written any of it: ${lookForRoom}`);
        isGone = now === 0n && !(await isAlive(this.#adb, this.target.pid));
        before = now;
        await delay(lookEveryMs);
      }
      const pieces: Uint8Array[] = [];
      const reader = sync.read(this.#remote).getReader();
      for (;;) {
        const { done, value } = await within(answerMs, reader.read());
        if (done) return Buffer.concat(pieces);
        pieces.push(value);
      }
    });
  }
}

const taken: Ending = {
  reason: 'connection-lost',
  message:
    'The device was away for a while, and another external recording has ended this one: Android samples one app at a time.',
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
