/**
 * Recording from outside, where the agent cannot go: ART's own sampling (`am profile`), which stops all threads of the app at each sample
 * and gives its samples when it is stopped. They are brought here and written as a recording.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Adb } from '@yume-chan/adb';
import { ArtImporter } from '../../trace/formats/art-import.js';
import { EndReason, Mode } from '../../trace/model/kinds.js';
import type { Trace } from '../../trace/model/trace.js';
import { writeRecording } from '../../trace/formats/recording-export.js';
import type { RecordingFile } from '../session/recording-file.js';
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
import { complains, PUSHED, shell } from './device-shell.js';
import { within } from './patience.js';

/** Each sample suspends the whole app: finer than this, the app is mostly suspended. */
const INTERVAL_US = 1000;
const STATUS_EVERY_MS = 1000;
const WRITTEN_MS = 20_000;
const LOOK_EVERY_MS = 100;
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

interface Ending {
  readonly reason: SessionEnd['reason'];
  readonly message: string;
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
    const script = [
      // Of apps that have ended, where a cable was pulled.
      `for f in ${PUSHED}/btrace-*.trace; do p=\${f##*/btrace-}; [ -d "/proc/\${p%.trace}" ] || rm -f "$f"; done`,
      // Of this one: it is sampled still, for nobody.
      `if [ -f ${remote} ]; then am profile stop ${pid}; rm -f ${remote}; fi >/dev/null 2>&1`,
      // Android makes the file before it looks whether it may.
      `am profile start --sampling ${INTERVAL_US} ${pid} ${remote} || { rm -f ${remote}; exit 1; }`,
    ];
    const said = await shell(parts.adb, script.join('\n'));
    if (complains(said))
      throw new TargetError(
        'not-permitted',
        `Android does not sample ${parts.target.name}: ${reasonIn(said.stderr + said.stdout)}.`,
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
      if (await this.parts.isAlive()) return;
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
    let { reason, message } = asked;
    let trace: Uint8Array | undefined;
    try {
      if (reason !== 'target-exited' && reason !== 'connection-lost') trace = await this.take();
    } catch (error) {
      reason = 'fault';
      message = `What Android sampled could not be taken: ${error instanceof Error ? error.message : String(error)}.`;
    }
    if (reason !== 'connection-lost')
      await shell(this.parts.adb, `rm -f ${this.remote}`).catch((error: unknown) => log(String(error)));
    try {
      if (reason === 'cancelled') await file.remove();
      else await this.write(trace, { reason, message });
    } catch (error) {
      reason = 'fault';
      message = `The recording could not be written: ${error instanceof Error ? error.message : String(error)}.`;
    }
    await file.close().catch((error: unknown) => log(String(error)));
    if (message !== '') log(message);
    return { reason, message, file: this.file, fileBytes: file.bytes };
  }

  private async write(bytes: Uint8Array | undefined, { reason, message }: Ending): Promise<void> {
    const { file, os, device } = this.parts;
    const { name, pid, runtime } = this.target;
    const reasons = {
      stopped: EndReason.Stopped,
      limit: EndReason.Limit,
      'target-exited': EndReason.TargetExited,
      'connection-lost': EndReason.ConnectionLost,
    } as const;
    await writeRecording(
      file,
      {
        mode: Mode.FromOutside,
        modeReason: `sampled by Android every ${INTERVAL_US / 1000} ms, because ${this.parts.reason}`,
        target: { name, pid, runtime, os, device },
        realtimeNs: this.beganAt,
        endReason: reason in reasons ? reasons[reason as keyof typeof reasons] : EndReason.Fault,
        detail: message,
      },
      bytes && imported(bytes),
    );
  }

  /** Stops the sampling, waits until the app has written its file, and brings it here. */
  private async take(): Promise<Uint8Array> {
    const { adb } = this.parts;
    await shell(adb, `am profile stop ${this.target.pid}`);
    return await withSync(adb, undefined, async (sync) => {
      const until = performance.now() + WRITTEN_MS;
      const size = () => within(ANSWER_MS, sync.lstat(this.remote)).catch(() => undefined);
      for (let before = 0n; ;) {
        const now = (await size())?.size ?? 0n;
        if (now > 0n && now === before) break;
        if (performance.now() > until) throw new Error('the app did not write them in time');
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
