/** The programs of this machine as targets: JVMs, and native programs after them. */
import type { RecordOptions, Session, Target, TargetSource } from '../target.js';
import { bringAgent, findAgent } from './agent-library.js';
import { loadAgent, openAttachSocket } from './attach.js';
import { javaProcess, javaProcessIfAny, type JavaProcess, listJavaProcesses } from './java-processes.js';
import { recordLoaded } from './loaded-recording.js';
import type { LocalOptions } from './local-recording.js';
import { notSurveyed } from './native-command.js';
import { listNativeProcesses } from './native-processes.js';
import { findNative, NativeTarget } from './native-target.js';

const welcomeMs = 20_000;
const afterSilence =
  'Another recording of it may be running, its threads may have more to do than this machine can, or its memory or files are used up: stop the other recording, try again, or restart the program.';

export class LocalTargets implements TargetSource {
  readonly kind = 'local';
  readonly #options: LocalOptions;

  constructor(options: LocalOptions) {
    this.#options = options;
  }

  async list(signal?: AbortSignal): Promise<Target[]> {
    const java = await listJavaProcesses(signal);
    const known = new Set(java.map(({ facts }) => facts.pid));
    const native =
      process.platform === 'linux' ? await listNativeProcesses((pid) => known.has(pid), signal) : [];
    return [
      ...java.map((one) => new LocalTarget(one, this.#options)),
      ...native.map((one) => new NativeTarget(one, this.#options)),
    ];
  }

  /** One process by its pid, whatever it is; a TargetError says why it cannot be a target. */
  async find(pid: number): Promise<Target> {
    if (process.platform !== 'linux') return new LocalTarget(await javaProcess(pid), this.#options);
    const java = await javaProcessIfAny(pid);
    return java ? new LocalTarget(java, this.#options) : await findNative(pid, this.#options);
  }
}

class LocalTarget implements Target {
  readonly kind = 'local';
  readonly id: string;
  readonly name: string;
  readonly pid: number;
  readonly runtime: string;
  readonly detail: string;
  readonly refusal: string | undefined;
  readonly folder: string | undefined;
  readonly startedMs: number | undefined;
  readonly ports: readonly number[];
  readonly #options: LocalOptions;

  constructor(java: JavaProcess, options: LocalOptions) {
    this.#options = options;

    this.pid = java.facts.pid;
    this.id = `local:${this.pid}`;
    this.name = java.name;
    this.runtime = java.runtime;
    this.detail = java.detail;
    this.folder = java.place.folder;
    this.startedMs = java.place.startedMs;
    this.ports = java.place.ports;
    this.refusal = java.refusal && `${java.refusal.message} ${java.refusal.nextStep}`;
  }

  async start(options: RecordOptions, signal?: AbortSignal): Promise<Session> {
    // Looked at anew: the list may be old.
    const java = await javaProcess(this.pid);
    if (java.refusal) throw java.refusal;
    if (options.survey === true) throw notSurveyed(this.name);
    const { root } = java.facts;
    const library = await findAgent(this.#options.agentRoots, java.arch);
    const load = async (agentOptions: string): Promise<void> => {
      const socket = await openAttachSocket(java.facts, signal);
      const inner = root === '' ? library : await bringAgent(library, root);
      await loadAgent(java.facts, socket, inner, agentOptions, signal);
    };
    return await recordLoaded(this, { root, load, welcomeMs, afterSilence }, options, this.#options, signal);
  }
}
