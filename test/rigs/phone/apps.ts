/** What is installed on the device, and the processes of it: real ART processes. */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';
import { type AppOptions, type ArtApp, type ArtRuntime, startApp } from '../art/runtime.js';

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

const baseApk = (packageName: string, folder: string): string => `${folder}/${packageName}-rig==/base.apk`;

/** What goes wrong with apps. */
export interface AppFaults {
  /** An app dies as the agent is attached to it, and does not come to it where it is started with one. */
  agentKills: boolean;
  /** Memory is so short that an app ends as it is left. */
  endsApps: boolean;
}

export class Apps {
  readonly #apps = new Map<string, ArtApp>();
  /** A process may be called otherwise. */
  readonly #packageOf = new WeakMap<ArtApp, string>();
  readonly #packages = new Map<string, Installed & { readonly folder: string; readonly user: number }>();
  /** The kernel's, of which each package has one. */
  #users = 100;
  #installations = 0;
  /** Of what `cmd` left, bytes. */
  #taken = 0;
  /** Whose screen is seen. */
  #front: ArtApp | undefined;
  readonly #runtime: ArtRuntime;
  readonly #resolve: (devicePath: string) => string;
  readonly #faults: Readonly<AppFaults>;

  /** `resolve`: where a path of the device lies on this machine. */
  constructor(runtime: ArtRuntime, resolve: (devicePath: string) => string, faults: Readonly<AppFaults>) {
    this.#runtime = runtime;
    this.#resolve = resolve;
    this.#faults = faults;
  }

  async uninstall(packageName: string): Promise<void> {
    await this.#apps.get(packageName)?.kill();
    await this.#removeCode(packageName);
    this.#packages.delete(packageName);
    await rm(this.#resolve(`/data/data/${packageName}`), { recursive: true, force: true });
    await this.#writePackages();
  }

  /** As `pm install -r`: the app ends, its code_cache is emptied, its package lies elsewhere. */
  async upgrade(packageName: string, changes: Partial<Installed> = {}): Promise<void> {
    await this.#apps.get(packageName)?.kill();
    await rm(this.#resolve(`/data/data/${packageName}/code_cache`), { recursive: true, force: true });
    await this.#removeCode(packageName);
    await this.install(packageName, { ...this.#packages.get(packageName), ...changes });
  }

  /** As Android does with a process that has been in the background for some seconds: nothing of it runs. */
  async freeze({ pid }: ArtApp): Promise<void> {
    process.kill(pid, 'SIGSTOP');
    await writeFile(this.#resolve('frozen'), `${pid}\n`);
  }

  async unfreeze({ pid }: ArtApp): Promise<void> {
    await writeFile(this.#resolve('frozen'), '');
    process.kill(pid, 'SIGCONT');
  }

  async install(packageName: string, installed: Partial<Installed> = {}): Promise<void> {
    const folder = `/data/app/~~${++this.#installations}==`;
    const whole = {
      debuggable: true,
      launch: { engine: 'quick', app: 'Jank', arguments: [0] } as const,
      apk: apkOf('shop'),
      users: [0],
      launchers: ['.MainActivity'],
      nativeAbi: 'null',
      ...installed,
      folder,
      user: this.#packages.get(packageName)?.user ?? this.#users++,
    };
    this.#packages.set(packageName, whole);
    for (const user of whole.users) await mkdir(this.#dataOf(packageName, user), { recursive: true });
    const apk = this.#resolve(baseApk(packageName, folder));
    await mkdir(path.dirname(apk), { recursive: true });
    await writeFile(apk, whole.apk);
    await this.#writePackages();
  }

  async #removeCode(packageName: string): Promise<void> {
    const folder = this.#packages.get(packageName)?.folder;
    if (folder !== undefined) await rm(this.#resolve(folder), { recursive: true, force: true });
  }

  async #writePackages(): Promise<void> {
    const lines = [...this.#packages].map(
      ([name, { debuggable, profileable, folder, users, user, nativeAbi }]) =>
        `${name} ${debuggable ? 'debuggable' : profileable === true ? 'profileable' : 'release'} ${baseApk(name, folder)} ${users.join()} ${user} ${nativeAbi}\n`,
    );
    await writeFile(this.#resolve('packages'), lines.join(''));
    const write = async (name: string, of: (one: [string, Installed]) => string[]) =>
      await writeFile(this.#resolve(name), [...this.#packages].flatMap(of).join(''));
    await write('of-system', ([name, { ofSystem }]) => (ofSystem === true ? [`${name}\n`] : []));
    await write('mains', ([name, { mainProcess }]) => [`${name} ${mainProcess ?? name}\n`]);
    const icons = [...this.#packages].flatMap(([name, { launchers }]) =>
      launchers.map((one) => `${name}/${one}\n`),
    );
    await writeFile(this.#resolve('launchers'), icons.join(''));
  }

  #dataOf(packageName: string, user: number): string {
    return this.#resolve(`${user === 0 ? '/data/data' : `/data/user/${user}`}/${packageName}`);
  }

  /** Starts an installed app, as a finger on its icon does, or another process of it; resolves when its first screen is there. */
  async launch(
    packageName: string,
    options?: Launch,
    process = this.#mainOf(packageName),
    user = 0,
  ): Promise<ArtApp> {
    const app = this.#begin(packageName, options, [], process, user);
    await app.until(/^started /m);
    return app;
  }

  #mainOf(packageName: string): string {
    return this.#packages.get(packageName)?.mainProcess ?? packageName;
  }

  /** The app of this name that runs, or ran last, for the user. */
  app(packageName: string, user = 0): ArtApp | undefined {
    return this.#apps.get(user === 0 ? packageName : `${packageName}@${user}`);
  }

  #begin(
    packageName: string,
    options?: Launch,
    agents: readonly string[] = [],
    process = packageName,
    user = 0,
  ): ArtApp {
    const installed = this.#packages.get(packageName);
    if (!installed) throw new Error(`${packageName} is not installed`);
    const data = this.#dataOf(packageName, user);
    const startup = path.join(data, 'code_cache/startup_agents');
    const waiting = existsSync(startup) && installed.debuggable ? readdirSync(startup) : [];
    const app = startApp(this.#runtime, {
      ...(options ?? installed.launch),
      name: process,
      debuggable: installed.debuggable || existsSync(this.#resolve('root')),
      agents: [...agents, ...waiting.map((name) => `${startup}/${name}=${data}`)],
      properties: this.#resolve('props'),
    });
    this.#apps.set(user === 0 ? process : `${process}@${user}`, app);
    this.#packageOf.set(app, packageName);
    const program = `app_process${installed.is32 === true ? 32 : 64}`;
    const row = `${app.pid} u${user}_a${installed.user} ${process} ${program}\n`;
    writeFileSync(this.#resolve('processes'), row, { flag: 'a' });
    return app;
  }

  /** A message of adbd's: AppProcesses with a ProcessEntry each, its pid, whether it is debuggable, and whether profileable. */
  tracked(): Buffer {
    const entries = [...this.#apps.values()].flatMap((app) => {
      const { pid } = app;
      const { debuggable, profileable = false } = this.#packages.get(this.#packageOf.get(app) ?? '') ?? {};
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

  /** What `cmd` left for apps. Several shells may ask at once: each line is taken by one of them. */
  async tell(): Promise<void> {
    let left: Buffer;
    try {
      // Only ever added to: a shell may have it open, to write its line in a moment.
      left = readFileSync(this.#resolve('system')).subarray(this.#taken);
    } catch {
      return; // nobody left anything
    }
    const end = left.lastIndexOf('\n') + 1;
    this.#taken += end;
    for (const line of left.toString('utf8', 0, end).split('\n').slice(0, -1)) {
      const [what = '', whom = '', ...rest] = line.split(' ');
      if (what === 'home') await this.#home();
      else if (what === 'start') this.#start(whom, rest);
      else if (what === 'force-stop') await this.app(this.#mainOf(whom), Number(rest[0]))?.kill();
      else {
        const app = [...this.#apps.values()].find(({ pid }) => pid === Number(whom));
        if (what === 'attach-agent' && this.#faults.agentKills) await app?.kill();
        else app?.system(`${what} ${rest.join(' ')}`);
      }
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#apps.values()].map((app) => app.kill()));
  }

  async #home(): Promise<void> {
    const left = this.#front;
    this.#front = undefined;
    if (this.#faults.endsApps) await left?.kill();
  }

  /** A running app shows its screen again, or makes it anew; another one is begun. `answer`: a file for how it was and how long it took. */
  #start(packageName: string, [user = '0', screen, answer = '-', ...agents]: readonly string[]): void {
    const began = performance.now();
    const known = this.app(this.#mainOf(packageName), Number(user));
    const running = known?.process.exitCode === null && known.process.signalCode === null ? known : undefined;
    const app =
      running ??
      this.#begin(
        packageName,
        undefined,
        this.#faults.agentKills ? [] : agents,
        this.#mainOf(packageName),
        Number(user),
      );
    const isInFront = running !== undefined && this.#front === running && screen === 'front';
    const shown = app.output().match(/^displayed$/gm)?.length ?? 0;
    this.#front = app;
    if (!isInFront) running?.system(screen === 'new' ? 'start-activity' : 'resume-activity');
    if (answer === '-') return;
    const state = running === undefined ? 'COLD' : screen === 'new' ? 'WARM' : 'HOT';
    const told = (text: string): void => {
      writeFileSync(`${answer}-part`, text);
      renameSync(`${answer}-part`, answer);
    };
    if (isInFront) told('UNKNOWN(0) 0\n');
    else
      void app.until(new RegExp(`(?:^displayed$[^]*?){${shown + 1}}`, 'm')).then(
        () => told(`${state} ${Math.round(performance.now() - began)}\n`),
        () => told('UNKNOWN(0) 0\n'),
      );
  }
}
