/** The device: a folder for its files, what adb may ask of it, and faults on demand. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { ArtRuntime } from '../art/runtime.js';
import { type AppFaults, Apps } from './apps.js';
import { Shells, type TracingCommand } from './shells.js';
import { serveSync } from './sync.js';
import { DeviceConnection, type Serve } from './wire.js';

const features = 'shell_v2,cmd,stat_v2,fixed_push_mkdir';
/** From which Android adbd tells which apps are debuggable, and which profileable. */
const trackAppSdk = 31;
/** From which Android the tracing service is there, and from which it runs without being asked for. */
const serviceSdk = 28;
const servicesRunsSdk = 30;

export interface PhoneFaults extends AppFaults {
  /** Nobody has allowed this computer. */
  unauthorized: boolean;
  /** It takes connections and says nothing. */
  silent: boolean;
  /** A slow link; undefined: as fast as it can. */
  bytesPerSecond: number | undefined;
  /** No room for a push. */
  full: boolean;
  /** The device's build has left these commands out. */
  readonly missing: Set<TracingCommand>;
}

export interface PhoneOptions {
  readonly model?: string;
  readonly sdk?: number;
  readonly release?: string;
  readonly abis?: string;
  readonly locale?: string;
}

export class Phone {
  readonly faults: PhoneFaults = {
    unauthorized: false,
    silent: false,
    bytesPerSecond: undefined,
    full: false,
    missing: new Set(),
    agentKills: false,
    endsApps: false,
  };
  /** Every shell command that was asked for, as it came. */
  readonly commands: string[] = [];
  readonly apps: Apps;
  readonly #connections = new Set<net.Socket>();
  readonly #shells: Shells;
  readonly #server = net.createServer((tcp) => this.#connected(tcp));
  readonly #folder: string;
  readonly #runtime: ArtRuntime;
  readonly #options: PhoneOptions;

  private constructor(folder: string, runtime: ArtRuntime, options: PhoneOptions) {
    this.#folder = folder;
    this.#runtime = runtime;
    this.#options = options;
    this.#shells = new Shells(folder, this.faults.missing);
    this.apps = new Apps(runtime, (devicePath) => this.resolve(devicePath), this.faults);
  }

  static async start(runtime: ArtRuntime, options: PhoneOptions = {}): Promise<Phone> {
    const phone = new Phone(await mkdtemp(path.join(tmpdir(), 'btrace-phone-')), runtime, options);
    await mkdir(path.join(phone.#folder, 'data/local/tmp'), { recursive: true });
    await mkdir(path.join(phone.#folder, 'data/misc/perfetto-traces'), { recursive: true });
    if ((options.sdk ?? 30) < serviceSdk) phone.faults.missing.add('perfetto');
    const libraries = path.join(phone.#folder, 'apex/com.android.art/lib64');
    await mkdir(libraries, { recursive: true });
    await symlink(path.join(runtime.libart, 'libart.so.0'), path.join(libraries, 'libart.so'));
    const abis = (options.abis ?? 'x86_64').split(',');
    const properties = {
      'ro.build.version.sdk': options.sdk ?? 30,
      'ro.build.version.release': options.release ?? '11',
      'ro.build.fingerprint':
        'rig/phone/phone:11/RP1A.200720.009/eng.alice.20201020.101010:userdebug/dev-keys',
      'ro.build.version.security_patch': '2020-10-05',
      'ro.product.manufacturer': 'Rig',
      'ro.product.model': options.model ?? 'Rig Phone',
      'ro.product.locale': options.locale ?? 'en-US',
      ...((options.sdk ?? 30) >= servicesRunsSdk && { 'persist.traced.enable': 1 }),
      'ro.product.cpu.abilist': abis.join(),
      'ro.product.cpu.abilist32': abis.filter((abi) => !abi.includes('64')).join(),
      'ro.product.cpu.abilist64': abis.filter((abi) => abi.includes('64')).join(),
    };
    const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(path.join(phone.#folder, 'props'), lines.join(''));
    await writeFile(path.join(phone.#folder, 'packages'), '');
    await writeFile(path.join(phone.#folder, 'processes'), '');
    await writeFile(path.join(phone.#folder, 'frozen'), '');
    await writeFile(path.join(phone.#folder, 'user'), '0\n');
    phone.#server.listen(0, '127.0.0.1');
    await once(phone.#server, 'listening');
    return phone;
  }

  /** What `adb connect` takes, and the device's serial. */
  get serial(): string {
    return `127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`;
  }

  /** The adb server has a connection to it. */
  get isConnected(): boolean {
    return this.#connections.size > 0;
  }

  /** Where a path of the device lies on this machine. */
  resolve(devicePath: string): string {
    return path.join(this.#folder, path.posix.normalize(devicePath));
  }

  /** The agents in a folder of the device; beside each may be what it reads. */
  async agentsIn(devicePath: string): Promise<string[]> {
    return (await readdir(this.resolve(devicePath))).filter((name) => name.endsWith('.so'));
  }

  /** A line of the device's log. */
  async says(line: string): Promise<void> {
    await writeFile(path.join(this.#folder, 'log'), `${line}\n`, { flag: 'a' });
  }

  /** Somebody chooses another language. */
  async setLocale(locale: string): Promise<void> {
    await writeFile(path.join(this.#folder, 'props'), `persist.sys.locale=${locale}\n`, { flag: 'a' });
  }

  /** Another of Android's users is before the screen, as all are in a car. */
  async switchUser(user: number): Promise<void> {
    await writeFile(path.join(this.#folder, 'user'), `${user}\n`);
  }

  /** As after `adb root`, on a build for developers. */
  async becomeRoot(): Promise<void> {
    await writeFile(path.join(this.#folder, 'root'), '');
  }

  /** ActivityManager refuses every agent, in these words, from now on. */
  async refuseAgents(exception: string): Promise<void> {
    await writeFile(path.join(this.#folder, 'refuses'), exception);
  }

  /** The tracing service refuses every trace, in these words, from now on. */
  async refuseTraces(why: string): Promise<void> {
    await writeFile(path.join(this.#folder, 'traced-refuses'), why);
  }

  /** The kernel's buffers have this room for each core, and are read so seldom: much is lost. */
  async narrowTraces(bufferKb: number, drainMs: number): Promise<void> {
    await writeFile(path.join(this.#folder, 'kernel-buffer-kb'), String(bufferKb));
    await writeFile(path.join(this.#folder, 'drain-ms'), String(drainMs));
  }

  /** A property as it is now, as the shell would see it. */
  async property(name: string): Promise<string> {
    const lines = (await readFile(path.join(this.#folder, 'props'), 'utf8')).split('\n');
    const last = lines.filter((line) => line.startsWith(`${name}=`)).at(-1);
    return last?.slice(name.length + 1) ?? '';
  }

  /** Settles when no shell's script runs any more. */
  async scriptsEnded(): Promise<void> {
    await this.#shells.ended();
  }

  /** No room for what apps write, from now on. */
  async fillApps(): Promise<void> {
    await writeFile(path.join(this.#folder, 'full'), '');
  }

  /** Pulls the cable: every connection breaks. */
  cut(): void {
    for (const tcp of this.#connections) tcp.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await this.scriptsEnded();
    await this.apps.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #connected(tcp: net.Socket): void {
    this.#connections.add(tcp);
    tcp.once('close', () => this.#connections.delete(tcp));
    const model = (this.#options.model ?? 'Rig Phone').replaceAll(' ', '_');
    const { faults } = this;
    new DeviceConnection(tcp, {
      banner: `device::ro.product.name=rig;ro.product.model=${model};ro.product.device=rig;features=${features}${this.#tracksApps ? ',track_app' : ''}`,
      answers: !faults.silent,
      trusts: !faults.unauthorized,
      get bytesPerSecond() {
        return faults.bytesPerSecond;
      },
      serve: (service) => this.#serve(service),
    });
  }

  async #serve(service: string): Promise<Serve | undefined> {
    const shell = /^(shell|exec)((?:,[^:]*)?):(.*)$/s.exec(service);
    if (shell) {
      const [, , flags = '', command = ''] = shell;
      return (stream) => this.#shell(stream, command, flags.split(',').includes('v2'));
    }
    if (service === 'sync:') return (stream) => serveSync(stream, (at) => this.resolve(at), this.faults);
    if (service === 'track-app' && this.#tracksApps)
      return (stream) => void stream.resume().write(this.apps.tracked());
    if (service.startsWith('localabstract:')) return await this.#abstractSocket(service.slice(14));
    return undefined;
  }

  get #tracksApps(): boolean {
    return (this.#options.sdk ?? 30) >= trackAppSdk;
  }

  async #shell(stream: Duplex, command: string, v2: boolean): Promise<void> {
    this.commands.push(command);
    await this.#shells.run(stream, command, v2, () => this.apps.tell());
  }

  /** adbd connects before it says that the stream is open; a name that nobody listens on is no service. */
  async #abstractSocket(name: string): Promise<Serve | undefined> {
    const child = spawn(path.join(this.#runtime.folder, 'abstract-socket'), [name], {
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    });
    const [input, output, , connected] = child.stdio as [Writable, Readable, null, Readable, undefined];
    const [answer] = (await Promise.race([once(connected, 'data'), once(child, 'exit')])) as [unknown];
    if (!Buffer.isBuffer(answer)) return undefined;
    return (stream) => {
      input.on('error', () => undefined); // the app closed first
      stream.pipe(input);
      output.pipe(stream);
      stream.once('close', () => child.kill());
    };
  }
}
