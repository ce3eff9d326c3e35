/** The device: a folder for its files, a shell, apps that are real ART processes, and faults on demand. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { root } from '../../../scripts/setup.mjs';
import { type AppOptions, type ArtApp, type ArtRuntime, startApp } from '../art/runtime.js';
import { serveSync } from './sync.js';
import { DeviceConnection, type Serve, words } from './wire.js';

const bin = path.join(root, 'test/rigs/phone/bin');
const features = 'shell_v2,cmd,stat_v2,fixed_push_mkdir';
/** From which Android adbd tells which apps are debuggable, and which profileable. */
const TRACK_APP_SDK = 31;
/** Packet kinds of the shell protocol, version 2. */
const Shell = { stdout: 1, stderr: 2, exit: 3 } as const;

export interface PhoneFaults {
  /** Nobody has allowed this computer. */
  unauthorized: boolean;
  /** It takes connections and says nothing. */
  silent: boolean;
  /** A slow link; undefined: as fast as it can. */
  bytesPerSecond: number | undefined;
  /** No room for a push. */
  full: boolean;
  /** An app dies as the agent is attached to it, and does not come to it where it is started with one. */
  agentKills: boolean;
}

type Launch = Omit<AppOptions, 'name' | 'debuggable' | 'agents' | 'properties'>;

export interface Installed {
  readonly debuggable: boolean;
  /** Its manifest lets the shell profile it. */
  readonly profileable?: boolean;
  /** Its processes say that they run the runtime's program of 32 bits. */
  readonly is32?: boolean;
  /** Came with the device. */
  readonly ofSystem?: boolean;
  /** What its manifest calls its process; default as the package. */
  readonly mainProcess?: string;
  /** What `am start` starts. */
  readonly launch: Launch;
  /** Its package, one of `apkOf` or another. */
  readonly apk: Buffer;
  /** Android's users that have it. */
  readonly users: readonly number[];
  /** What icons start, in Android's order: its own, and those of libraries in it. */
  readonly launchers: readonly string[];
  /** Of its native code, as the package manager chose it. */
  readonly nativeAbi: string;
}

/** Made by `apks/make.sh`: shop.apk has a label for each language, bank.apk has one in its manifest, and our library in itself. */
export const apkOf = (name: 'shop' | 'bank'): Buffer =>
  readFileSync(path.join(root, `test/rigs/phone/apks/${name}.apk`));

export interface PhoneOptions {
  readonly model?: string;
  readonly sdk?: number;
  readonly release?: string;
  readonly abis?: string;
  readonly locale?: string;
}

const baseApk = (packageName: string, folder: string): string => `${folder}/${packageName}-rig==/base.apk`;

export class Phone {
  readonly faults: PhoneFaults = {
    unauthorized: false,
    silent: false,
    bytesPerSecond: undefined,
    full: false,
    agentKills: false,
  };
  /** Every shell command that was asked for, as it came. */
  readonly commands: string[] = [];
  private readonly connections = new Set<net.Socket>();
  private readonly apps = new Map<string, ArtApp>();
  /** A process may be called otherwise. */
  private readonly packageOf = new WeakMap<ArtApp, string>();
  private readonly packages = new Map<
    string,
    Installed & { readonly folder: string; readonly user: number }
  >();
  private readonly server = net.createServer((tcp) => this.connected(tcp));
  /** The kernel's, of which each package has one. */
  private users = 100;
  private installations = 0;
  private isRoot = false;

  private constructor(
    private readonly folder: string,
    private readonly runtime: ArtRuntime,
    private readonly options: PhoneOptions,
  ) {}

  static async start(runtime: ArtRuntime, options: PhoneOptions = {}): Promise<Phone> {
    const phone = new Phone(await mkdtemp(path.join(tmpdir(), 'btrace-phone-')), runtime, options);
    await mkdir(path.join(phone.folder, 'data/local/tmp'), { recursive: true });
    const libraries = path.join(phone.folder, 'apex/com.android.art/lib64');
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
      'ro.product.cpu.abilist': abis.join(),
      'ro.product.cpu.abilist32': abis.filter((abi) => !abi.includes('64')).join(),
      'ro.product.cpu.abilist64': abis.filter((abi) => abi.includes('64')).join(),
    };
    const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(path.join(phone.folder, 'props'), lines.join(''));
    await writeFile(path.join(phone.folder, 'packages'), '');
    await writeFile(path.join(phone.folder, 'processes'), '');
    await writeFile(path.join(phone.folder, 'system'), '');
    await writeFile(path.join(phone.folder, 'frozen'), '');
    await writeFile(path.join(phone.folder, 'user'), '0\n');
    phone.server.listen(0, '127.0.0.1');
    await once(phone.server, 'listening');
    return phone;
  }

  /** What `adb connect` takes, and the device's serial. */
  get serial(): string {
    return `127.0.0.1:${(this.server.address() as net.AddressInfo).port}`;
  }

  /** The adb server has a connection to it. */
  get isConnected(): boolean {
    return this.connections.size > 0;
  }

  /** Where a path of the device lies on this machine. */
  resolve(devicePath: string): string {
    return path.join(this.folder, path.posix.normalize(devicePath));
  }

  /** The agents in a folder of the device; beside each may be what it reads. */
  async agentsIn(devicePath: string): Promise<string[]> {
    return (await readdir(this.resolve(devicePath))).filter((name) => name.endsWith('.so'));
  }

  async uninstall(packageName: string): Promise<void> {
    await this.apps.get(packageName)?.kill();
    await this.removeCode(packageName);
    this.packages.delete(packageName);
    await rm(this.resolve(`/data/data/${packageName}`), { recursive: true, force: true });
    await this.writePackages();
  }

  /** As `pm install -r`: the app ends, its code_cache is emptied, its package lies elsewhere. */
  async upgrade(packageName: string, changes: Partial<Installed> = {}): Promise<void> {
    await this.apps.get(packageName)?.kill();
    await rm(this.resolve(`/data/data/${packageName}/code_cache`), { recursive: true, force: true });
    await this.removeCode(packageName);
    await this.install(packageName, { ...this.packages.get(packageName), ...changes });
  }

  /** A line of the device's log. */
  async says(line: string): Promise<void> {
    await writeFile(path.join(this.folder, 'log'), `${line}\n`, { flag: 'a' });
  }

  /** Somebody chooses another language. */
  async setLocale(locale: string): Promise<void> {
    await writeFile(path.join(this.folder, 'props'), `persist.sys.locale=${locale}\n`, { flag: 'a' });
  }

  /** Another of Android's users is before the screen, as all are in a car. */
  async switchUser(user: number): Promise<void> {
    await writeFile(path.join(this.folder, 'user'), `${user}\n`);
  }

  /** As Android does with a process that has been in the background for some seconds: nothing of it runs. */
  async freeze({ pid }: ArtApp): Promise<void> {
    process.kill(pid, 'SIGSTOP');
    await writeFile(path.join(this.folder, 'frozen'), `${pid}\n`);
  }

  async unfreeze({ pid }: ArtApp): Promise<void> {
    await writeFile(path.join(this.folder, 'frozen'), '');
    process.kill(pid, 'SIGCONT');
  }

  /** As after `adb root`, on a build for developers. */
  async becomeRoot(): Promise<void> {
    this.isRoot = true;
    await writeFile(path.join(this.folder, 'root'), '');
  }

  /** ActivityManager refuses every agent, in these words, from now on. */
  async refuseAgents(exception: string): Promise<void> {
    await writeFile(path.join(this.folder, 'refuses'), exception);
  }

  /** No room for what apps write, from now on. */
  async fillApps(): Promise<void> {
    await writeFile(path.join(this.folder, 'full'), '');
  }

  async install(packageName: string, installed: Partial<Installed> = {}): Promise<void> {
    const folder = `/data/app/~~${++this.installations}==`;
    const whole = {
      debuggable: true,
      launch: { engine: 'quick', app: 'Jank', arguments: [0] } as const,
      apk: apkOf('shop'),
      users: [0],
      launchers: ['.MainActivity'],
      nativeAbi: 'null',
      ...installed,
      folder,
      user: this.packages.get(packageName)?.user ?? this.users++,
    };
    this.packages.set(packageName, whole);
    for (const user of whole.users) await mkdir(this.dataOf(packageName, user), { recursive: true });
    const apk = this.resolve(baseApk(packageName, folder));
    await mkdir(path.dirname(apk), { recursive: true });
    await writeFile(apk, whole.apk);
    await this.writePackages();
  }

  private async removeCode(packageName: string): Promise<void> {
    const folder = this.packages.get(packageName)?.folder;
    if (folder !== undefined) await rm(this.resolve(folder), { recursive: true, force: true });
  }

  private async writePackages(): Promise<void> {
    const lines = [...this.packages].map(
      ([name, { debuggable, profileable, folder, users, user, nativeAbi }]) =>
        `${name} ${debuggable ? 'debuggable' : profileable === true ? 'profileable' : 'release'} ${baseApk(name, folder)} ${users.join()} ${user} ${nativeAbi}\n`,
    );
    await writeFile(path.join(this.folder, 'packages'), lines.join(''));
    const write = async (name: string, of: (one: [string, Installed]) => string[]) =>
      await writeFile(path.join(this.folder, name), [...this.packages].flatMap(of).join(''));
    await write('of-system', ([name, { ofSystem }]) => (ofSystem === true ? [`${name}\n`] : []));
    await write('mains', ([name, { mainProcess }]) => [`${name} ${mainProcess ?? name}\n`]);
    const icons = [...this.packages].flatMap(([name, { launchers }]) =>
      launchers.map((one) => `${name}/${one}\n`),
    );
    await writeFile(path.join(this.folder, 'launchers'), icons.join(''));
  }

  private dataOf(packageName: string, user: number): string {
    return this.resolve(`${user === 0 ? '/data/data' : `/data/user/${user}`}/${packageName}`);
  }

  /** Starts an installed app, as a finger on its icon does, or another process of it; resolves when its first screen is there. */
  async launch(
    packageName: string,
    options?: Launch,
    process = this.mainOf(packageName),
    user = 0,
  ): Promise<ArtApp> {
    const app = this.begin(packageName, options, [], process, user);
    await app.until(/^started /m);
    return app;
  }

  private mainOf(packageName: string): string {
    return this.packages.get(packageName)?.mainProcess ?? packageName;
  }

  /** The app of this name that runs, or ran last, for the user. */
  app(packageName: string, user = 0): ArtApp | undefined {
    return this.apps.get(user === 0 ? packageName : `${packageName}@${user}`);
  }

  private begin(
    packageName: string,
    options?: Launch,
    agents: readonly string[] = [],
    process = packageName,
    user = 0,
  ): ArtApp {
    const installed = this.packages.get(packageName);
    if (!installed) throw new Error(`${packageName} is not installed`);
    const data = this.dataOf(packageName, user);
    const startup = path.join(data, 'code_cache/startup_agents');
    const waiting = existsSync(startup) && installed.debuggable ? readdirSync(startup) : [];
    const app = startApp(this.runtime, {
      ...(options ?? installed.launch),
      name: process,
      debuggable: installed.debuggable || this.isRoot,
      agents: [...agents, ...waiting.map((name) => `${startup}/${name}=${data}`)],
      properties: path.join(this.folder, 'props'),
    });
    this.apps.set(user === 0 ? process : `${process}@${user}`, app);
    this.packageOf.set(app, packageName);
    const program = `app_process${installed.is32 === true ? 32 : 64}`;
    const row = `${app.pid} u${user}_a${installed.user} ${process} ${program}\n`;
    writeFileSync(path.join(this.folder, 'processes'), row, { flag: 'a' });
    return app;
  }

  /** Pulls the cable: every connection breaks. */
  cut(): void {
    for (const tcp of this.connections) tcp.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await Promise.all([...this.apps.values()].map((app) => app.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }

  private connected(tcp: net.Socket): void {
    this.connections.add(tcp);
    tcp.once('close', () => this.connections.delete(tcp));
    const model = (this.options.model ?? 'Rig Phone').replaceAll(' ', '_');
    const { faults } = this;
    new DeviceConnection(tcp, {
      banner: `device::ro.product.name=rig;ro.product.model=${model};ro.product.device=rig;features=${features}${this.tracksApps ? ',track_app' : ''}`,
      answers: !faults.silent,
      trusts: !faults.unauthorized,
      get bytesPerSecond() {
        return faults.bytesPerSecond;
      },
      serve: (service) => this.serve(service),
    });
  }

  private async serve(service: string): Promise<Serve | undefined> {
    const shell = /^(shell|exec)((?:,[^:]*)?):(.*)$/s.exec(service);
    if (shell) {
      const [, , flags = '', command = ''] = shell;
      return (stream) => this.shell(stream, command, flags.split(',').includes('v2'));
    }
    if (service === 'sync:') return (stream) => serveSync(stream, (at) => this.resolve(at), this.faults);
    if (service === 'track-app' && this.tracksApps)
      return (stream) => void stream.resume().write(this.trackedApps());
    if (service.startsWith('localabstract:')) return await this.abstractSocket(service.slice(14));
    return undefined;
  }

  private get tracksApps(): boolean {
    return (this.options.sdk ?? 30) >= TRACK_APP_SDK;
  }

  /** A message of adbd's: AppProcesses with a ProcessEntry each, its pid, whether it is debuggable, and whether profileable. */
  private trackedApps(): Buffer {
    const entries = [...this.apps.values()].flatMap((app) => {
      const { pid } = app;
      const { debuggable, profileable = false } = this.packages.get(this.packageOf.get(app) ?? '') ?? {};
      if (debuggable !== true && !profileable) return [];
      const number = [(pid & 127) | 128, ((pid >> 7) & 127) | 128, pid >> 14];
      const entry = [
        8,
        ...number,
        16,
        Number(debuggable),
        24,
        Number(profileable),
        34,
        6,
        ...Buffer.from('x86_64'),
      ];
      return [10, entry.length, ...entry];
    });
    const message = Buffer.from(entries);
    return Buffer.concat([Buffer.from(message.length.toString(16).padStart(4, '0')), message]);
  }

  /** This machine's sh runs it, with the device's commands before its own and the device's files in their place. */
  private async shell(stream: Duplex, command: string, v2: boolean): Promise<void> {
    this.commands.push(command);
    const mapped = command.replaceAll(
      /(?<![\w.-])\/(?=data\/local\/tmp|data\/(?:data|user|app)\/|apex\/)/g,
      `${this.folder}/`,
    );
    const child = spawn('sh', ['-c', mapped], {
      cwd: this.folder,
      env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, PHONE: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const packet = (kind: number, data: Buffer) =>
      v2 ? Buffer.concat([Buffer.from([kind]), words(data.length), data]) : data;
    child.stdout.on('data', (data: Buffer) => stream.write(packet(Shell.stdout, data)));
    child.stderr.on('data', (data: Buffer) => stream.write(packet(Shell.stderr, data)));
    stream.resume(); // standard input and window sizes: nobody sends them to a command
    const [code] = (await once(child, 'close')) as [number | null];
    await this.tellApps();
    stream.end(v2 ? packet(Shell.exit, Buffer.from([code ?? 255])) : undefined);
  }

  /** adbd connects before it says that the stream is open; a name that nobody listens on is no service. */
  private async abstractSocket(name: string): Promise<Serve | undefined> {
    const child = spawn(path.join(this.runtime.folder, 'abstract-socket'), [name], {
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

  /** What `cmd` left for an app. */
  private async tellApps(): Promise<void> {
    const file = path.join(this.folder, 'system');
    const lines = await readFile(file, 'utf8');
    if (lines === '') return;
    await writeFile(file, '');
    for (const line of lines.trim().split('\n')) {
      const [what = '', whom = '', ...rest] = line.split(' ');
      const agents = this.faults.agentKills ? [] : rest.slice(1);
      if (what === 'start') this.begin(whom, undefined, agents, this.mainOf(whom), Number(rest[0]));
      else if (what === 'force-stop') await this.app(this.mainOf(whom), Number(rest[0]))?.kill();
      else {
        const app = [...this.apps.values()].find(({ pid }) => pid === Number(whom));
        if (what === 'attach-agent' && this.faults.agentKills) await app?.kill();
        else app?.system(`${what} ${rest.join(' ')}`);
      }
    }
  }
}
