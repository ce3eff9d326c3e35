/** For a suite: the real adb server, a folder with the agents, and for each test a device that nothing is on yet. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AndroidTargets } from '../../../src/targets/android/android-targets.js';
import type { AndroidTarget } from '../../../src/targets/android/app-target.js';
import { keepPairs } from '../art/pairs.js';
import { agentLibrary } from '../art/record.js';
import {
  type Android,
  androids,
  type AppOptions,
  type ArtApp,
  type ArtRuntime,
  artRuntime,
} from '../art/runtime.js';
import { Phone, type PhoneOptions } from './phone.js';
import { AdbServerProcess } from './server.js';

export class PhoneBench {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'btrace-android-'));
  readonly #extra: Phone[] = [];
  #files = 0;
  phone!: Phone;

  constructor(
    readonly runtime: ArtRuntime,
    readonly server: AdbServerProcess,
  ) {
    // The device is this machine's kind: its agent is the one for it.
    mkdirSync(path.join(this.agents, 'agents/android-x86_64'), { recursive: true });
    symlinkSync(agentLibrary, path.join(this.agents, 'agents/android-x86_64/libbtrace-agent.so'));
  }

  /** Where the targets look for agents. */
  get agents(): string {
    return path.join(this.folder, 'package');
  }

  /** What targets need to find the adb server's devices. */
  options(agents = this.agents) {
    return { agentRoots: [agents], port: this.server.port, startServer: false };
  }

  /** An app as the targets find it, on the only device that has it. */
  async target(app: string, agents = this.agents): Promise<AndroidTarget> {
    return await new AndroidTargets(this.options(agents)).choose({ app, device: undefined });
  }

  /** A name for the next recording. */
  file(): string {
    return path.join(this.folder, `${++this.#files}.btrace`);
  }

  async connect(phone = this.phone): Promise<void> {
    await this.server.adb('connect', phone.serial);
  }

  /** Under a serial as long as those of wireless debugging, which adb lists in another form; returns it. */
  async connectWireless(): Promise<string> {
    const serial = this.phone.serial.replace('0.1:', '0.0000000000001:');
    await this.server.adb('connect', serial);
    return serial;
  }

  /** Another device beside the test's own. */
  async another(options: PhoneOptions, runtime = this.runtime): Promise<Phone> {
    const phone = await Phone.start(runtime, options);
    this.#extra.push(phone);
    return phone;
  }

  /** Installs an app and starts it. */
  async launched(packageName: string, options: Partial<AppOptions> = {}): Promise<ArtApp> {
    await this.phone.apps.install(packageName, {
      launch: { engine: 'quick', app: 'Jank', arguments: [0], ...options },
    });
    return await this.phone.apps.launch(packageName);
  }

  async begin(): Promise<void> {
    this.phone = await Phone.start(this.runtime);
  }

  async end(): Promise<void> {
    for (const phone of [this.phone, ...this.#extra.splice(0)]) {
      await this.server.adb('disconnect', phone.serial).catch(() => undefined); // its server may be gone
      await phone.stop();
    }
  }
}

/** Registers the hooks; the bench is there once the tests run. */
export function withPhone(android?: Android): () => PhoneBench {
  let bench: PhoneBench;
  before(async () => (bench = new PhoneBench(await artRuntime(android), await AdbServerProcess.start())));
  after(async () => {
    await bench.server.stop();
    rmSync(bench.folder, { recursive: true });
  });
  beforeEach(() => bench.begin());
  afterEach(() => bench.end());
  return () => bench;
}

/**
 * A suite that runs on each Android Runtime there is: what is done by engine on one engine each, the rest, which is of adb and of our
 * side, on the newest alone. In the wide tier all runs on all.
 */
export function onEachPhone(title: string, suite: (bench: () => PhoneBench) => void): void {
  for (const android of androids) {
    const registered = describe(`${title} (Android ${android})`, () => suite(withPhone(android)));
    keepPairs(registered, android, android === androids.at(-1));
  }
}
