/** The machine's adb server: where it is, started if none runs, asked in its own protocol through Tango. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Adb, AdbBanner, AdbServerClient, AdbServerTransport } from '@yume-chan/adb';
import { TargetError } from '../target.js';
import { AdbConnector } from './adb-connection.js';
import { type Device, parseDevices } from './device-list.js';
import { within } from './patience.js';

const defaultPort = 5037;
const startMs = 15_000;
/** For what the server itself answers, and for what it asks the device once as it is opened. */
const usualAnswerMs = 10_000;

/** "HOST:PORT", "HOST", "[::1]:PORT" or ":PORT"; undefined when it is none of these. */
export function parseServer(text: string): { host?: string; port?: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s\][]*))(?::(\d{1,5}))?$/.exec(text.trim());
  if (!match) return undefined;
  const host = match[1] ?? match[2] ?? '';
  const port = match[3] === undefined ? undefined : Number(match[3]);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  return { ...(host !== '' && { host }), ...(port !== undefined && { port }) };
}

/** Where adb itself looks for its server: ADB_SERVER_SOCKET ("tcp:HOST:PORT", "tcp:PORT"), or address and port apart. */
export function serverInEnvironment(env = process.env): { host?: string; port?: number } {
  const socket = /^tcp:(.+)$/.exec(env['ADB_SERVER_SOCKET'] ?? '')?.[1];
  if (socket !== undefined) return parseServer(/^\d+$/.test(socket) ? `:${socket}` : socket) ?? {};
  const host = env['ANDROID_ADB_SERVER_ADDRESS'];
  const port = Number(env['ANDROID_ADB_SERVER_PORT']);
  return { ...(host && { host }), ...(port > 0 && { port }) };
}

export interface AdbOptions {
  /** Of the server; default what the environment says to adb, else this machine and 5037. A server elsewhere is never started. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The adb program; default that of ANDROID_HOME, then of PATH, then of where Android Studio puts the SDK. */
  readonly program?: string | undefined;
  readonly answerMs?: number;
}

async function isProgram(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The adb program, or undefined where there is none. */
export async function findAdb(asked: string | undefined, env = process.env): Promise<string | undefined> {
  if (asked) return (await isProgram(asked)) ? asked : undefined;
  const name = process.platform === 'win32' ? 'adb.exe' : 'adb';
  const sdks = [env['ANDROID_HOME'], env['ANDROID_SDK_ROOT']].filter(
    (sdk) => sdk !== undefined && sdk !== '',
  );
  const home = env['HOME'] ?? '';
  // Android Studio sets neither: an editor that is started by its icon has no other way to it.
  const studio = [
    home && path.join(home, 'Android/Sdk'),
    home && path.join(home, 'Library/Android/sdk'),
    env['LOCALAPPDATA'] && path.join(env['LOCALAPPDATA'], 'Android/Sdk'),
  ].filter((sdk) => sdk !== undefined && sdk !== '');
  const tools = (sdk = '') => path.join(sdk, 'platform-tools');
  const folders = [...sdks.map(tools), ...(env['PATH'] ?? '').split(path.delimiter), ...studio.map(tools)];
  for (const folder of folders) {
    const file = path.join(folder, name);
    if (folder !== '' && (await isProgram(file))) return file;
  }
  return undefined;
}

export class AdbServer {
  readonly #host: string;
  readonly #port: number;
  readonly #answerMs: number;
  readonly #options: AdbOptions;

  constructor(options: AdbOptions = {}) {
    this.#options = options;

    const usual = serverInEnvironment();
    this.#host = options.host ?? usual.host ?? '127.0.0.1';
    this.#port = options.port ?? usual.port ?? defaultPort;
    this.#answerMs = options.answerMs ?? usualAnswerMs;
  }

  /**
   * All devices that the server knows, ready or not. Where none runs it is started, or, when it may not be, that is the
   * failure; a machine without adb has no devices then.
   */
  async devices(mayStart: boolean): Promise<Device[]> {
    try {
      return await this.#ask();
    } catch (error) {
      if (!isRefused(error)) throw this.#unusable(error);
    }
    if (!mayStart && this.#isLocal) {
      if ((await findAdb(this.#options.program)) === undefined) return [];
      throw new TargetError(
        'not-found',
        'No adb server runs on this machine, so Android devices are not seen.',
        'Start it with: adb start-server',
        { remedy: { title: 'Start the adb Server', run: () => this.#start() } },
      );
    }
    await this.#start();
    try {
      return await this.#ask();
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  async describe(): Promise<string> {
    const where = this.#isLocal ? 'on this machine' : 'elsewhere';
    try {
      const version = await this.#answer((client) => client.getVersion());
      return `server of protocol ${version} ${where}, port ${this.#port}`;
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  async open(device: Device): Promise<Adb> {
    try {
      const { transportId } = await this.#numbered(device);
      return await this.#answer((client) => openDevice(client, device.serial, transportId));
    } catch (error) {
      throw new TargetError(
        'io',
        `${device.serial} could not be opened: ${wordsOf(error)}.`,
        'See that the cable is in and that the device is unlocked.',
        { cause: error },
      );
    }
  }

  /** As the server has it now: one that was restarted numbers its devices anew, and another one may have the number that this one had. */
  async #numbered({ serial, transportId }: Device): Promise<Device> {
    const called = (await this.#ask()).filter((device) => device.serial === serial);
    const device = called.length === 1 ? called[0] : called.find((one) => one.transportId === transportId);
    if (device) return device;
    throw new Error(called.length === 0 ? 'it is not connected' : 'several devices have its serial now');
  }

  /** Calls `told` for the devices that are there (`first`) and at each change, until `signal` or the server ends it. */
  async track(told: (first: boolean) => void, signal: AbortSignal): Promise<void> {
    const client = new AdbServerClient(this.#connector());
    const connection = await client.createConnection('host:track-devices', { signal });
    const close = () => void Promise.resolve(connection.dispose()).catch(() => undefined);
    signal.addEventListener('abort', close, { once: true });
    try {
      // Ends by what reading throws when either side closes.
      for (let first = true; ; first = false) {
        await connection.readString();
        told(first);
      }
    } finally {
      signal.removeEventListener('abort', close);
      await connection.dispose();
    }
  }

  async #ask(): Promise<Device[]> {
    return await this.#answer(async (client) => {
      const connection = await client.createConnection('host:devices-l');
      try {
        return parseDevices(await connection.readString());
      } finally {
        await connection.dispose();
      }
    });
  }

  /** Over connections of its own, of which none is left open where no answer comes. */
  async #answer<T>(question: (client: AdbServerClient) => Promise<T>): Promise<T> {
    const connector = this.#connector();
    try {
      return await within(this.#answerMs, question(new AdbServerClient(connector)));
    } catch (error) {
      connector.abandon();
      throw error;
    }
  }

  #connector(): AdbConnector {
    return new AdbConnector({ host: this.#host, port: this.#port });
  }

  get #place(): string {
    return `${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.#port}`;
  }

  get #isLocal(): boolean {
    return this.#host === '127.0.0.1' || this.#host === 'localhost';
  }

  async #start(): Promise<void> {
    const local = this.#isLocal;
    const program = local ? await findAdb(this.#options.program) : undefined;
    if (program === undefined)
      throw new TargetError(
        'not-found',
        local
          ? 'No adb server runs on this machine, and there is no adb to start one with.'
          : `No adb server answers at ${this.#place}.`,
        local
          ? 'Install the Android SDK platform tools (Debian: apt-get install adb) and set ANDROID_HOME or PATH.'
          : 'Start one there: adb -a nodaemon server.',
      );
    try {
      await promisify(execFile)(program, ['-P', String(this.#port), 'start-server'], { timeout: startMs });
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #unusable(error: unknown): TargetError {
    return new TargetError(
      'io',
      `The adb server at ${this.#place} cannot be used: ${wordsOf(error)}.`,
      'Try adb kill-server, then adb devices.',
      { cause: error },
    );
  }
}

/**
 * Tango's own `createAdb` also asks the server to wait until the device is gone, which nobody here needs: every stream of a device that is
 * gone ends. And adb 29's server burns a third of a second of CPU time whenever such a wait is given up.
 */
async function openDevice(client: AdbServerClient, serial: string, number: bigint): Promise<Adb> {
  const { transportId, features } = await client.getDeviceFeatures(
    number > 0n ? { transportId: number } : { serial },
  );
  const banner = new AdbBanner(undefined, undefined, undefined, undefined, features);
  const never = new Promise<void>(() => undefined);
  return new Adb(new AdbServerTransport(client, serial, banner, transportId, never));
}

export const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/(?<![.\s])[.\s]+$/, '');

function isRefused(error: unknown): boolean {
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  return code === 'ECONNREFUSED' || (Array.isArray(errors) && errors.some(isRefused));
}
