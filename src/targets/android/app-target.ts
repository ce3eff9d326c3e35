/** An app on a device: the agent is brought to it, comes in as it runs or with its launch, and is spoken to through the adb server. */
import type { Adb } from '@yume-chan/adb';
import { AgentSession, type SessionParts } from '../session/agent-session.js';
import type { Conversation } from '../session/conversation.js';
import { RecordingFile } from '../session/recording-file.js';
import { type RecordOptions, type Session, type Target, TargetError } from '../target.js';
import { type AdbServer, wordsOf } from './adb-server.js';
import { type AgentFile, bringAgent, findAndroidAgent, readAgent, removeCopy } from './agent-copy.js';
import { abiOf, type App, fullName } from './apps.js';
import { attach, DiedError, RefusedError } from './attach.js';
import { diedOfAgent, forgetKill, hasDied, markDeath } from './death-mark.js';
import { type Device, deviceName } from './device-list.js';
import { isAlive } from './device-shell.js';
import { isFrozen } from './frozen.js';
import { launch, launchLibrary } from './launch.js';
import { leaveApp, type StartKind, timedStart } from './timed-start.js';
import { within } from './patience.js';
import { DeviceTrace } from './device-trace.js';
import { ExternalSession } from './external-recording.js';

/** From which Android apps may be profileable. */
export const profileableSdk = 29;

/** Putting the hooks in stops the app's threads some twenty times, each of which must come to run for that. */
const headerMs = 30_000;

/** Something on a device, or the device itself where it cannot be used. */
export interface AndroidTarget extends Target {
  readonly device: Device;
  /** Its name, with Android's user where that is not the first. */
  readonly fullName: string;
  /** Whose process it is; undefined of a device. */
  readonly packageName?: string;
  /** It takes no agent as it runs; Android samples it. */
  readonly externalOnly: boolean;
  /** Brings the home screen to the front. */
  leave(): Promise<void>;
  /** Starts it as a person does, unrecorded or while it is recorded: how long Android waited for its first frame, if it says so. */
  startTimed(kind: StartKind): Promise<number | undefined>;
}

export interface AppOptions {
  /** Folders the agents may be under: the extension's or the package's. */
  readonly agentRoots: readonly string[];
  /** How long a device that went away while it samples is waited for. */
  readonly returnMs?: number;
  readonly log?: (line: string) => void;
}

export interface Place {
  readonly server: AdbServer;
  readonly device: Device;
  /** In words, with the version of Android. */
  readonly detail: string;
  /** "android 11" */
  readonly os: string;
  readonly sdk: number;
}

/** The agent, on the device and in the app's own folder. */
interface Brought {
  readonly agent: AgentFile;
  readonly copy: string;
}

export class AppTarget implements AndroidTarget {
  readonly kind = 'android';
  readonly name: string;
  readonly fullName: string;
  readonly packageName: string;
  readonly pid: number;
  readonly runtime: string;
  readonly detail: string;
  readonly device: Device;
  readonly refusal: string | undefined;
  readonly launchable: boolean;
  readonly recordsSystem = true;
  readonly launchNeedsLibrary: boolean;
  readonly externalOnly: boolean;
  readonly label: string | undefined;
  readonly abi: string | undefined;
  readonly #place: Place;
  readonly #app: App & { readonly label: string | undefined };
  readonly #options: AppOptions;

  constructor(
    readonly id: string,
    place: Place,
    app: App & { readonly label: string | undefined },
    options: AppOptions,
  ) {
    this.#place = place;
    this.#app = app;
    this.#options = options;

    this.name = app.process;
    this.fullName = fullName(app);
    this.packageName = app.packageName;
    this.label = app.label;
    this.pid = app.pid;
    this.runtime = `ART (API ${place.sdk})`;
    this.abi = app.abi;
    this.externalOnly = app.profileable === true;
    const more = app.pid > 0 ? (this.externalOnly ? 'externally, by Android' : app.abi) : 'not running';
    const user = app.user === 0 ? undefined : `user ${app.user}`;
    this.detail = [place.detail, user, more].filter((part) => part !== undefined).join(' · ');
    this.device = place.device;
    this.launchable = app.isMain;
    this.launchNeedsLibrary = app.access === undefined;
    this.refusal =
      app.access !== undefined || this.externalOnly
        ? undefined
        : `The device does not let this app be looked into (${app.why}). Install a debuggable or profileable build of it, or one with BTrace's library in it (docs/ANDROID.md).`;
  }

  /** An app that does not run is started. What can be recorded externally alone is, and the recording says why. */
  async start(options: RecordOptions, signal?: AbortSignal): Promise<Session> {
    const takesAgent = this.#app.access !== undefined;
    // Android 10 and 11 know of profileable apps, and tell nobody: it is tried.
    const mayBeSampled = this.#app.profileable === undefined && this.#place.sdk >= profileableSdk;
    if (this.refusal !== undefined && options.fromLaunch !== true && !mayBeSampled)
      throw new TargetError('not-permitted', `${this.name} cannot be recorded.`, this.refusal);
    const file = await RecordingFile.create(options.file);
    let adb: Adb | undefined;
    try {
      const open = (adb = await this.#place.server.open(this.device));
      if (takesAgent) return await this.#fromInside(open, file, options, signal);
      return options.fromLaunch === true
        ? await this.#throughLibrary(open, file, options, signal)
        : await this.#recordExternally(
            open,
            file,
            options,
            'it is not debuggable, and takes no agent',
            signal,
          );
    } catch (error) {
      await adb?.close().catch(() => undefined);
      await file.close();
      await file.remove();
      throw error;
    }
  }

  async leave(): Promise<void> {
    await this.#ask((adb) => leaveApp(adb, this.#app));
  }

  async startTimed(kind: StartKind): Promise<number | undefined> {
    return await this.#ask((adb) => timedStart(adb, this.#app, kind));
  }

  async #ask<T>(question: (adb: Adb) => Promise<T>): Promise<T> {
    const adb = await this.#place.server.open(this.device);
    try {
      return await question(adb);
    } finally {
      await adb.close();
    }
  }

  async #fromInside(
    adb: Adb,
    file: RecordingFile,
    options: RecordOptions,
    signal: AbortSignal | undefined,
  ): Promise<Session> {
    const fromLaunch = options.fromLaunch === true || this.pid === 0;
    let brought: Brought | undefined;
    let conversation: Conversation;
    let system: Tracing | undefined;
    let trace: DeviceTrace | undefined;
    try {
      const abi = await abiOf(adb, this.#app);
      const agent = await readAgent(await findAndroidAgent(this.#options.agentRoots, abi));
      if (await hasDied(adb, agent.pushed, this.#app))
        throw new ExternalOnly('the app died of the agent before');
      const log = (line: string) => this.#log(line);
      const copy = await bringAgent(adb, this.#app, agent, { abi, signal, log });
      brought = { agent, copy };
      signal?.throwIfAborted();
      trace = await this.#traceSystem(adb, options, signal);
      conversation = fromLaunch
        ? await launch(adb, this.#app, this.#place.sdk, copy, options, signal)
        : await attach(adb, this.#app, copy, options, signal);
      system = trace && { source: trace, clock: await clockOf(conversation, signal) };
    } catch (error) {
      await trace?.stop().catch((problem: unknown) => this.#log(wordsOf(problem)));
      const failure = brought ? await this.#withdrawn(adb, brought, error, fromLaunch) : error;
      signal?.throwIfAborted();
      const reason = whyExternal(failure);
      if (reason === undefined) throw failure;
      if (fromLaunch)
        throw new TargetError(
          'not-supported',
          `${this.name} cannot be recorded from its launch: ${reason}.`,
          'Start it, and record it as it runs: externally.',
        );
      return await this.#recordExternally(adb, file, options, reason, signal);
    }
    const target = fromLaunch ? this.#running(conversation.pid) : this;
    const { agent, copy } = brought;
    const cleanUp = async () => {
      if (await isAlive(adb, target.pid)) {
        await forgetKill(adb, agent.pushed, this.#app);
        return;
      }
      if (await diedOfAgent(adb, agent.pushed, this.#app, target.pid, copy))
        await markDeath(adb, agent.pushed, this.#app);
      await removeCopy(adb, this.#app, copy);
    };
    return this.#sessionOf(adb, target, conversation, file, options, system, cleanUp);
  }

  /** The app has the agent in itself: nothing is brought to it, and nothing is left. */
  async #throughLibrary(
    adb: Adb,
    file: RecordingFile,
    options: RecordOptions,
    signal: AbortSignal | undefined,
  ): Promise<Session> {
    const trace = await this.#traceSystem(adb, options, signal);
    try {
      const conversation = await launchLibrary(adb, this.#app, options, signal);
      const system = trace && { source: trace, clock: await clockOf(conversation, signal) };
      return this.#sessionOf(adb, this.#running(conversation.pid), conversation, file, options, system);
    } catch (error) {
      await trace?.stop().catch((problem: unknown) => this.#log(wordsOf(problem)));
      throw error;
    }
  }

  /** Before the app is touched, so that the trace has all of the recording. */
  async #traceSystem(
    adb: Adb,
    options: RecordOptions,
    signal: AbortSignal | undefined,
  ): Promise<DeviceTrace | undefined> {
    if (options.system !== true) return undefined;
    const { process } = this.#app;
    return await DeviceTrace.start(
      adb,
      { process, sdk: this.#place.sdk, log: (line) => this.#log(line) },
      options,
      signal,
    );
  }

  #sessionOf(
    adb: Adb,
    target: AppTarget,
    conversation: Conversation,
    file: RecordingFile,
    options: RecordOptions,
    system: Tracing | undefined,
    cleanUp?: () => Promise<void>,
  ): Session {
    return new AgentSession({
      target,
      options,
      conversation,
      file,
      system,
      // A device that cannot be asked has taken the connection with it: of the app nothing is known.
      targetIsAlive: () => isAlive(adb, target.pid).catch(() => true),
      whyStill: async () =>
        (await isFrozen(adb, this.#app, target.pid).catch(() => false))
          ? `Android has frozen ${target.name} in the background: the recording ends where it was frozen.`
          : undefined,
      release: async () => {
        try {
          await cleanUp?.();
        } catch (error) {
          this.#log(`${this.name} was not cleaned up: ${wordsOf(error)}`);
        } finally {
          await adb.close();
        }
      },
      log: (line) => this.#log(line),
    });
  }

  /** Leaves nothing of a recording that did not begin but the mark of an app that died of it. Returns what there is to tell. */
  async #withdrawn(
    adb: Adb,
    { agent, copy }: Brought,
    error: unknown,
    fromLaunch: boolean,
  ): Promise<unknown> {
    let failure = error;
    try {
      const isSilent = fromLaunch && error instanceof TargetError && error.kind === 'timeout';
      if (isSilent && (await diedOfAgent(adb, agent.pushed, this.#app, 0, copy)))
        failure = new DiedError(
          'agent-refused',
          `${this.name} ended as it was started with the agent.`,
          'Start it, and record it as it runs: externally, by Android itself. Its log (adb logcat) may have the reason.',
          { cause: error },
        );
      if (failure instanceof DiedError) await markDeath(adb, agent.pushed, this.#app);
      await removeCopy(adb, this.#app, copy);
    } catch (problem) {
      this.#log(`${this.name} was not cleaned up: ${wordsOf(problem)}`);
    }
    return failure;
  }

  async #recordExternally(
    adb: Adb,
    file: RecordingFile,
    options: RecordOptions,
    reason: string,
    signal: AbortSignal | undefined,
  ): Promise<Session> {
    if (options.system === true)
      throw new TargetError(
        'not-supported',
        `${this.name} can be recorded externally only (${reason}), and then the system is not recorded beside it.`,
        'Record without the system, or a debuggable build.',
        { about: 'system' },
      );
    this.#log(`${this.name} is recorded externally: ${reason}`);
    const session = await ExternalSession.start({
      adb,
      reopen: () => this.#place.server.open(this.device),
      returnMs: this.#options.returnMs,
      target: this,
      options,
      file,
      os: this.#place.os,
      device: deviceName(this.device),
      reason,
      log: (line) => this.#log(line),
    });
    if (signal?.aborted !== true) return session;
    await session.cancel();
    throw signal.reason;
  }

  #log(line: string): void {
    this.#options.log?.(line);
  }

  #running(pid: number): AppTarget {
    return new AppTarget(this.id, this.#place, { ...this.#app, pid }, this.#options);
  }
}

/** The system's trace beside a session. */
type Tracing = NonNullable<SessionParts['system']>;

/** When the recording begins: its first chunk says so. */
async function clockOf(
  conversation: Conversation,
  signal: AbortSignal | undefined,
): Promise<Tracing['clock']> {
  try {
    return (await within(headerMs, conversation.header(), signal)).clock;
  } catch (error) {
    conversation.close();
    signal?.throwIfAborted();
    throw new TargetError(
      'timeout',
      `The agent is in the app (process ${conversation.pid}), but could not begin to record.`,
      'The app may have ended, or may be stopped in the background: bring it to the front, and try again.',
      { cause: error },
    );
  }
}

/** The agent is not to be used, and why. */
class ExternalOnly extends Error {}

/** Why an app must be recorded externally; undefined where that would not help either. */
function whyExternal(error: unknown): string | undefined {
  if (error instanceof ExternalOnly) return error.message;
  if (error instanceof TargetError && (error.kind === 'agent-missing' || error instanceof RefusedError))
    return error.message.replace(/\.$/, '');
  return undefined;
}
