/** An app that runs on a device: the agent is brought to it, attached, and spoken to through the adb server. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Adb } from '@yume-chan/adb';
import { AgentSession } from '../session/agent-session.js';
import { configOf, Conversation, newTokens, StrangerError, tokenOptions } from '../session/conversation.js';
import { RecordingFile } from '../session/recording-file.js';
import { type RecordOptions, type Session, TargetError } from '../target.js';
import type { AdbServer } from './adb-server.js';
import { abiOf, bringAgent, findAndroidAgent } from './agent-copy.js';
import type { AndroidOptions, AndroidTarget } from './android-targets.js';
import type { App } from './apps.js';
import type { Device } from './device-list.js';
import { quoted, shell } from './device-shell.js';
import { streamOf } from './socket-stream.js';

/** From the attach to the agent's socket: the app's main thread must get round to it. */
const LISTEN_MS = 10_000;
const TRY_EVERY_MS = 100;
const WELCOME_MS = 10_000;

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

  constructor(
    readonly id: string,
    private readonly place: Place,
    private readonly app: App,
    private readonly options: AndroidOptions,
  ) {
    this.name = app.process;
    this.pid = app.pid;
    this.runtime = `ART (API ${place.sdk})`;
    this.detail = place.detail;
    this.device = place.device;
    this.refusal = app.debuggable
      ? undefined
      : `The device does not let this app be looked into (${app.why}). Install a debuggable build of it.`;
  }

  /** Nothing is left behind when this throws but the agent's file in the app's code_cache. */
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
      const conversation = await this.attach(open, copy, options, signal);
      return new AgentSession({
        target: this,
        options,
        conversation,
        file,
        // A device that cannot be asked has taken the connection with it: of the app nothing is known.
        targetIsAlive: () => this.isAlive(open).catch(() => true),
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

  private async attach(
    adb: Adb,
    copy: string,
    options: RecordOptions,
    signal: AbortSignal | undefined,
  ): Promise<Conversation> {
    const tokens = newTokens();
    const name = `btrace-${randomBytes(8).toString('hex')}`;
    const agent = `${copy}=listen=${name},${tokenOptions(tokens)}`;
    const { stdout, stderr, code } = await shell(
      adb,
      `cmd activity attach-agent ${quoted(this.app.process)} ${quoted(agent)}`,
    );
    if (code !== 0 || /exception|error/i.test(stderr + stdout)) throw this.refused(stderr + stdout);
    const until = performance.now() + LISTEN_MS;
    for (;;) {
      signal?.throwIfAborted();
      try {
        const socket = await adb.createSocket(`localabstract:${name}`);
        return await Conversation.open(streamOf(socket), tokens, configOf(options), WELCOME_MS);
      } catch (error) {
        if (error instanceof StrangerError || performance.now() >= until) throw await this.silent(adb, error);
      }
      await delay(TRY_EVERY_MS, undefined, { signal });
    }
  }

  private refused(words: string): TargetError {
    const unknown = /unknown process/i.test(words);
    const reason = /(?:Exception|Error):\s*(.*)/.exec(words)?.[1] ?? words.trim();
    return new TargetError(
      unknown ? 'not-found' : 'agent-refused',
      unknown ? `${this.name} does not run any more.` : `Android did not attach the agent: ${reason}.`,
      unknown ? 'Start the app and try again.' : 'Android 8 or newer and a debuggable build are needed.',
    );
  }

  private async silent(adb: Adb, cause: unknown): Promise<TargetError> {
    const alive = await this.isAlive(adb).catch(() => true);
    return new TargetError(
      alive ? 'timeout' : 'agent-refused',
      alive
        ? `The agent was attached to ${this.name} but did not answer.`
        : `${this.name} ended while the agent was attached.`,
      alive
        ? 'The app may be busy or stopped in a debugger, or another recording of it may be running: bring it to the front, or restart it.'
        : 'Start it again; see its log (adb logcat) for the reason.',
      { cause },
    );
  }

  private async isAlive(adb: Adb): Promise<boolean> {
    return (await shell(adb, `[ -d /proc/${this.pid} ]`)).code === 0;
  }
}
