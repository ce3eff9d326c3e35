/** An app on a device: the agent is brought to it, comes in as it runs or with its launch, and is spoken to through the adb server. */
import type { Adb } from '@yume-chan/adb';
import { AgentSession } from '../session/agent-session.js';
import { RecordingFile } from '../session/recording-file.js';
import { type RecordOptions, type Session, TargetError } from '../target.js';
import type { AdbServer } from './adb-server.js';
import { abiOf, bringAgent, findAndroidAgent } from './agent-copy.js';
import type { AndroidOptions, AndroidTarget } from './android-targets.js';
import type { App } from './apps.js';
import { attach } from './attach.js';
import type { Device } from './device-list.js';
import { shell } from './device-shell.js';
import { launch } from './launch.js';

export interface Place {
  readonly server: AdbServer;
  readonly device: Device;
  /** In words, with the version of Android. */
  readonly detail: string;
  readonly sdk: number;
}

export class AppTarget implements AndroidTarget {
  readonly kind = 'android';
  readonly name: string;
  readonly pid: number;
  readonly runtime: string;
  readonly detail: string;
  readonly device: Device;
  readonly refusal: string | undefined;
  readonly launchable: boolean;

  constructor(
    readonly id: string,
    private readonly place: Place,
    private readonly app: App,
    private readonly options: AndroidOptions,
  ) {
    this.name = app.process;
    this.pid = app.pid;
    this.runtime = `ART (API ${place.sdk})`;
    this.detail = app.pid > 0 ? place.detail : `${place.detail} · not running`;
    this.device = place.device;
    this.launchable = app.debuggable && app.process === app.packageName;
    this.refusal = app.debuggable
      ? undefined
      : `The device does not let this app be looked into (${app.why}). Install a debuggable build of it.`;
  }

  /** An app that does not run is started. Nothing is left behind when this throws but the agent's file in the app's code_cache. */
  async start(options: RecordOptions, signal?: AbortSignal): Promise<Session> {
    if (this.refusal !== undefined)
      throw new TargetError('not-permitted', `${this.name} cannot be recorded.`, this.refusal);
    const log = this.options.log ?? (() => undefined);
    const file = await RecordingFile.create(options.file);
    let adb: Adb | undefined;
    try {
      const open = (adb = await this.place.server.open(this.device));
      const library = await findAndroidAgent(this.options.agentRoots, await abiOf(open, this.app));
      const copy = await bringAgent(open, this.app, library);
      signal?.throwIfAborted();
      const fromLaunch = options.fromLaunch === true || this.pid === 0;
      const conversation = fromLaunch
        ? await launch(open, this.app, this.place.sdk, copy, options, signal)
        : await attach(open, this.app, copy, options, signal);
      const target = fromLaunch ? this.running(conversation.pid) : this;
      return new AgentSession({
        target,
        options,
        conversation,
        file,
        // A device that cannot be asked has taken the connection with it: of the app nothing is known.
        targetIsAlive: () => isAlive(open, target.pid).catch(() => true),
        release: () => open.close(),
        log,
      });
    } catch (error) {
      await adb?.close().catch(() => undefined);
      await file.close();
      await file.remove();
      throw error;
    }
  }

  private running(pid: number): AppTarget {
    return new AppTarget(this.id, this.place, { ...this.app, pid }, this.options);
  }
}

export async function isAlive(adb: Adb, pid: number): Promise<boolean> {
  return (await shell(adb, `[ -d /proc/${pid} ]`)).code === 0;
}
