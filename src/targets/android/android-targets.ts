/** Apps on the devices of an adb server as targets. */
import type { Adb } from '@yume-chan/adb';
import type { TargetSource } from '../target.js';
import { TargetError } from '../target.js';
import { type AdbOptions, AdbServer } from './adb-server.js';
import { type AndroidTarget, type AppOptions, AppTarget } from './app-target.js';
import { fullName, listApps, type Probe, type Probes } from './apps.js';
import { chooseTarget, type Wanted } from './choose-target.js';
import { type Device, deviceId, deviceName, deviceRefusal } from './device-list.js';
import { AppLabels } from './app-labels.js';
import { agentLog, deviceFacts } from './device-facts.js';
import { shell } from './device-shell.js';
import { watchDevices } from './watch-devices.js';

const listMs = 10_000;

/** A line each. The language as a person has chosen it, and as the device came. */
const propertyNames = [
  'ro.build.version.release',
  'ro.build.version.sdk',
  'persist.sys.locale',
  'ro.product.locale',
]
  .map((name) => `getprop ${name}`)
  .join('; ');

export interface AndroidOptions extends AdbOptions, AppOptions {
  /**
   * Whether listing may start an adb server. Without, a machine where no server runs has a failure that offers to start one, or,
   * where there is no adb either, no Android targets.
   */
  readonly startServer: boolean;
}

export class AndroidTargets implements TargetSource {
  readonly kind = 'android';

  /** What processes said when they were looked into, by device and process: a device is asked once for each. */
  #known: Probed = new Map();
  readonly #labels = new AppLabels();
  readonly #watching = new Set<() => void>();
  readonly #options: AndroidOptions;

  constructor(options: AndroidOptions) {
    this.#options = options;
  }

  watch(changed: () => void): () => void {
    const stop = watchDevices(() => new AdbServer(this.#options), changed);
    this.#watching.add(changed);
    return () => {
      this.#watching.delete(changed);
      stop();
    };
  }

  /**
   * The apps of every device that is ready, and each other device as a target that says what it needs. Labels that are not known yet are read
   * afterwards for who watches, and are in the next list.
   */
  async list(signal?: AbortSignal): Promise<AndroidTarget[]> {
    // Made anew each time: the settings may have changed.
    const server = new AdbServer(this.#options);
    const devices = await server.devices(this.#options.startServer);
    const before = this.#known;
    const probed: Probed = new Map();
    const lists = await Promise.all(
      devices.map((device) => this.#targetsOf(server, device, probesOf(device, before, probed))),
    );
    this.#known = probed;
    signal?.throwIfAborted();
    if (this.#watching.size > 0) void this.readLabels();
    return lists.flat();
  }

  /** Those that the last list had not; true when there are more of them now. Who watches is told. */
  async readLabels(): Promise<boolean> {
    const server = new AdbServer(this.#options);
    const found = await this.#labels.read((device) => server.open(device));
    if (found) for (const changed of this.#watching) changed();
    return found;
  }

  /** The one target that was meant; what is left out is found where there is only one. Labels are read where no package is called so. */
  async choose(wanted: Wanted): Promise<AndroidTarget> {
    const targets = await this.list();
    const text = wanted.app?.toLowerCase();
    const isPackage = text === undefined || targets.some(({ name }) => name.toLowerCase().includes(text));
    return chooseTarget(isPackage || !(await this.readLabels()) ? targets : await this.list(), wanted);
  }

  /** Those that the server knows, ready or not, with apps on them or without. */
  async devices(): Promise<Device[]> {
    return await new AdbServer(this.#options).devices(this.#options.startServer);
  }

  /** Where the adb server is, and its version. */
  async describeServer(): Promise<string> {
    await this.devices();
    return await new AdbServer(this.#options).describe();
  }

  /** What an issue about this device needs; nothing that tells whose it is. */
  async describeDevice(device: Device): Promise<[string, string][]> {
    return await this.#ask(device, deviceFacts);
  }

  /** What the device's log says of agents. Names of apps may be in it. */
  async agentLog(device: Device): Promise<string[]> {
    return await this.#ask(device, agentLog);
  }

  async #ask<T>(device: Device, question: (adb: Adb) => Promise<T>): Promise<T> {
    const adb = await new AdbServer(this.#options).open(device);
    try {
      return await question(adb);
    } finally {
      await adb.close();
    }
  }

  async #targetsOf(server: AdbServer, device: Device, probes: Probes): Promise<AndroidTarget[]> {
    const id = `android:${deviceId(device)}`;
    const refusal = deviceRefusal(device);
    if (refusal !== undefined) return [new UnusableDevice(id, device, refusal)];
    try {
      const adb = await server.open(device);
      // A device that hangs must not hold up the others: closing ends what waits for it.
      const limit = setTimeout(() => void adb.close(), listMs);
      try {
        const [apps, properties] = await Promise.all([listApps(adb, probes), shell(adb, propertyNames)]);
        const [release = '', sdk = '', chosen = '', first = ''] = properties.stdout
          .split('\n')
          .map((line) => line.trim());
        const place = {
          os: `android ${release}`,
          server,
          device,
          detail: `${deviceName(device)} · Android ${release}`,
          sdk: Number(sdk),
        };
        return apps.map((app) => {
          const { access, profileable, apk } = app;
          const label =
            (access ?? profileable) && apk ? this.#labels.of(device, chosen || first, apk) : undefined;
          return new AppTarget(`${id}:${fullName(app)}`, place, { ...app, label }, this.#options);
        });
      } finally {
        clearTimeout(limit);
        await adb.close();
      }
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      // It went while it was asked; the other devices' apps are listed all the same.
      return [new UnusableDevice(id, device, `${error.message} ${error.nextStep}`)];
    }
  }
}

type Probed = Map<string, Probe>;

/** The processes of one device: those that were asked before, and those that are there now. */
function probesOf(device: Device, before: Probed, now: Probed): Probes {
  const key = ({
    pid,
    process,
    user,
    apk = '',
  }: {
    pid: number;
    process: string;
    user: number;
    apk?: string;
  }) => `${device.serial} ${device.transportId} ${pid} ${process} ${user} ${apk}`;
  return {
    get: (row) => before.get(key(row)),
    set: (row, probe) => void now.set(key(row), probe),
  };
}

class UnusableDevice implements AndroidTarget {
  readonly kind = 'android';
  readonly name: string;
  readonly pid = 0;
  readonly runtime = '';
  readonly detail: string;
  readonly externalOnly = false;
  readonly fullName: string;

  constructor(
    readonly id: string,
    readonly device: Device,
    readonly refusal: string,
  ) {
    this.name = this.fullName = deviceName(device);
    this.detail = device.state;
  }

  start = (): Promise<never> => this.#refused();
  leave = (): Promise<never> => this.#refused();
  startTimed = (): Promise<never> => this.#refused();

  #refused(): Promise<never> {
    return Promise.reject(new TargetError('not-permitted', `${this.name} cannot be used.`, this.refusal));
  }
}
