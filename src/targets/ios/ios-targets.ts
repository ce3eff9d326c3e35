/** Apps on iPhones and iPads that have the agent in them, and listen on a port of their device. */
import { AgentSession } from '../session/agent-session.js';
import { configOf, Conversation, StrangerError, type Tokens } from '../session/conversation.js';
import { nativeNames } from '../session/native-names-thread.js';
import { RecordingFile } from '../session/recording-file.js';
import type { Header } from '../../trace/recording/messages.js';
import { type RecordOptions, type Session, type Target, TargetError, type TargetSource } from '../target.js';
import { readDeviceFacts } from './lockdown.js';
import {
  connectUsbmux,
  listUsbmux,
  type UsbmuxAddress,
  usbmuxAddress,
  type UsbmuxDevice,
  watchUsbmux,
} from './usbmux.js';

const welcomeMs = 10_000;
/** Where apps are looked for that nobody named a port of: docs/IOS.md names the first. */
export const usualPorts: readonly number[] = [27184, 27185, 27186, 27187];

export interface IosOptions {
  readonly agentRoots: readonly string[];
  /** Else where libimobiledevice's tools look, each time. */
  readonly address?: UsbmuxAddress;
  /** Of the apps that are looked for; undefined: nobody told it. */
  readonly tokens?: Tokens | undefined;
  /** Somebody wants these devices: it is a failure that the machine has no service for them. */
  readonly isAsked?: boolean;
  /** Where apps and their debug information (dSYM) are on this machine. */
  readonly symbolFolders?: readonly string[];
  readonly log?: (line: string) => void;
}

export interface IosDevice extends UsbmuxDevice {
  readonly name: string;
  readonly version: string;
}

/** What the app was built or started with. */
export interface IosDoor {
  readonly port: number;
  readonly tokens: Tokens;
}

/** 64 hexadecimal digits: the token that the desktop shows, and the one that the app answers with. */
export function parseIosToken(text: string): Tokens | undefined {
  if (!/^[0-9a-f]{64}$/i.test(text)) return undefined;
  const bytes = Buffer.from(text, 'hex');
  return { ours: bytes.subarray(0, 16), theirs: bytes.subarray(16) };
}

export class IosTargets implements TargetSource {
  readonly kind = 'ios';
  readonly #options: IosOptions;
  /** What apps called themselves when they were recorded, by target. */
  readonly #names = new Map<string, string>();

  constructor(options: IosOptions) {
    this.#options = options;
  }

  get #address(): UsbmuxAddress {
    return this.#options.address ?? usbmuxAddress();
  }

  /** The apps that listen at one of the usual ports; a device without one says what is missing. */
  async list(): Promise<Target[]> {
    let devices: IosDevice[];
    try {
      devices = await this.devices();
    } catch (error) {
      if (this.#options.isAsked === true || !(error instanceof TargetError)) throw error;
      this.#options.log?.(error.message);
      return [];
    }
    return (await Promise.all(devices.map((device) => this.#appsOn(device)))).flat();
  }

  watch(changed: () => void): () => void {
    return watchUsbmux(this.#address, changed);
  }

  async #appsOn(device: IosDevice): Promise<Target[]> {
    const { tokens } = this.#options;
    if (tokens === undefined)
      return [withoutApp(device, 'Its apps have a token, which BTrace was not told (docs/IOS.md).')];
    const listens = await Promise.all(usualPorts.map((port) => this.#answers(device, port)));
    const apps = usualPorts
      .filter((_, at) => listens[at])
      .map((port) => this.#target(device, { port, tokens }));
    return apps.length > 0 ? apps : [withoutApp(device, noApp)];
  }

  async #answers(device: IosDevice, port: number): Promise<boolean> {
    try {
      (await connectUsbmux(this.#address, device, port)).destroy();
      return true;
    } catch {
      return false;
    }
  }

  /** Those on devices that have this in their name or serial, and can be recorded. */
  async choose(device: string | undefined): Promise<Target[]> {
    const found = await Promise.all((await this.#devicesCalled(device)).map((one) => this.#appsOn(one)));
    const apps = found.flat();
    const ready = apps.filter(({ refusal }) => refusal === undefined);
    const [first] = apps;
    if (ready.length === 0 && first !== undefined)
      throw new TargetError('not-found', `There is no app to record on ${first.name}.`, first.refusal ?? '');
    return ready;
  }

  /** Those on a cable, by name. */
  async devices(): Promise<IosDevice[]> {
    const found = (await listUsbmux(this.#address)).filter(({ isOnCable }) => isOnCable);
    const facts = await Promise.all(found.map((device) => readDeviceFacts(this.#address, device)));
    return found
      .map((device, at) => ({ name: device.serial, version: '', ...device, ...facts[at] }))
      .sort((a, b) => a.name.localeCompare(b.name));
  }

  /** The app behind this door. `device`: a part of its name or serial; undefined: the only one. */
  async app(door: IosDoor, device: string | undefined): Promise<Target> {
    const found = await this.#devicesCalled(device);
    const [only, ...others] = found;
    if (only === undefined || others.length > 0)
      throw new TargetError(
        'not-found',
        `Several devices are connected: ${found.map(({ name, serial }) => `${name} (${serial})`).join(', ')}.`,
        'Say which by --device, with a part of its name or serial.',
      );
    return this.#target(only, door);
  }

  /** One at least. */
  async #devicesCalled(device: string | undefined): Promise<IosDevice[]> {
    const found = (await this.devices()).filter((one) => isCalled(one, device));
    if (found.length > 0) return found;
    throw new TargetError(
      'not-found',
      `No iPhone or iPad${device === undefined ? '' : ` "${device}"`} is connected by a cable.`,
      'Connect it, unlock it and trust this computer.',
    );
  }

  #target(device: IosDevice, door: IosDoor): Target {
    const id = `ios:${device.serial}:${door.port}`;
    const target: Target = {
      id,
      kind: 'ios',
      name: this.#names.get(id) ?? `app on port ${door.port}`,
      pid: 0,
      runtime: 'native',
      detail: inWords(device),
      refusal: undefined,
      start: (options, signal) => this.#start(target, device, door, options, signal),
    };
    return target;
  }

  async #start(
    target: Target,
    device: IosDevice,
    door: IosDoor,
    options: RecordOptions,
    signal: AbortSignal | undefined,
  ): Promise<Session> {
    const socket = await connectUsbmux(this.#address, device, door.port);
    let file: RecordingFile | undefined;
    try {
      signal?.throwIfAborted();
      file = await RecordingFile.create(options.file);
      const { conversation, header } = await this.#enter(socket, door, options, device);
      this.#names.set(target.id, header.target.name);
      return new AgentSession({
        target: {
          ...target,
          name: header.target.name,
          pid: conversation.pid,
          runtime: header.target.runtime,
        },
        options,
        conversation,
        file,
        nativeNames: nativeNames(
          { root: '', folders: this.#options.symbolFolders },
          this.#options.agentRoots,
          (line) => this.#options.log?.(line),
        ),
        // An app that ends closes its socket, and so does a cable that is pulled: the device tells which.
        targetIsAlive: () => this.#listens(device, door.port),
        release: () => Promise.resolve(),
        log: (line) => this.#options.log?.(line),
      });
    } catch (error) {
      socket.destroy();
      await file?.close();
      await file?.remove();
      signal?.throwIfAborted();
      throw error;
    }
  }

  async #enter(
    socket: Parameters<typeof Conversation.open>[0],
    door: IosDoor,
    options: RecordOptions,
    device: IosDevice,
  ): Promise<{ conversation: Conversation; header: Header }> {
    try {
      const conversation = await Conversation.open(socket, door.tokens, configOf(options), welcomeMs);
      return { conversation, header: await conversation.header() };
    } catch (error) {
      if (!(error instanceof StrangerError)) throw error;
      throw new TargetError(
        'not-permitted',
        `The app on port ${door.port} of ${device.name} did not let us in: ${error.message}.`,
        'It has another token, or is being recorded already (docs/IOS.md).',
        { cause: error },
      );
    }
  }

  /** Whether the device is there and does not answer that nobody listens. */
  async #listens(device: IosDevice, port: number): Promise<boolean> {
    try {
      (await connectUsbmux(this.#address, device, port)).destroy();
      return true;
    } catch (error) {
      const isThere = (await listUsbmux(this.#address).catch(() => [])).some(({ id }) => id === device.id);
      return !isThere || !(error instanceof TargetError);
    }
  }
}

const noApp = `No app with BTrace in it listens there: start one, at port ${usualPorts[0]} (docs/IOS.md).`;

const inWords = ({ name, version }: IosDevice): string =>
  [name, version === '' ? '' : `iOS ${version}`].filter((word) => word !== '').join(' · ');

/** A device that is there and has nothing to record. */
function withoutApp(device: IosDevice, refusal: string): Target {
  return {
    id: `ios:${device.serial}`,
    kind: 'ios',
    name: device.name,
    pid: 0,
    runtime: '',
    detail: inWords(device),
    refusal,
    start: () => Promise.reject(new TargetError('not-found', `${device.name} cannot be recorded.`, refusal)),
  };
}

/** By a part of its name or serial. */
export function isCalled({ name, serial }: IosDevice, text: string | undefined): boolean {
  const wanted = text?.toLowerCase() ?? '';
  return [name, serial].some((word) => word.toLowerCase().includes(wanted));
}
