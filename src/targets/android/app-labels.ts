/** The apps' labels, which no command of a device's shell prints: read from their packages, once for each that is installed. */
import type { Adb } from '@yume-chan/adb';
import { apkLabel } from './apk-label.js';
import type { Device } from './device-list.js';
import { openApk } from './device-file.js';
import { within } from './patience.js';

/** For all of a device, at some ten short commands each. What was not begun by then is left to the next time. */
const deviceMs = 10_000;
const atOnce = 4;
const mostLetters = 60;

interface Wanted {
  readonly device: Device;
  readonly locale: string;
  readonly apks: readonly string[];
}

export class AppLabels {
  /** Undefined: it has none, or is being read. */
  readonly #known = new Map<string, string | undefined>();
  #wanted = new Map<string, Wanted>();

  /** In the device's language where the app knows it. Undefined where it is not known; asking is what has it read. An installation has a path of its own. */
  of(device: Device, locale: string, apk: string): string | undefined {
    const place = placeOf(device, locale);
    const key = `${place} ${apk}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const { apks = [] } = this.#wanted.get(place) ?? {};
    if (!apks.includes(apk)) this.#wanted.set(place, { device, locale, apks: [...apks, apk] });
    return undefined;
  }

  /** Reads those that were asked for. True when more are known than before. Never throws. */
  async read(open: (device: Device) => Promise<Adb>): Promise<boolean> {
    const wanted = this.#wanted;
    this.#wanted = new Map();
    for (const [place, { apks }] of wanted)
      for (const apk of apks) this.#known.set(`${place} ${apk}`, undefined);
    const found = await Promise.all(
      [...wanted.values()].map((one) => this.#ofDevice(one, open).catch(() => false)),
    );
    return found.includes(true);
  }

  async #ofDevice(
    { device, locale, apks }: Wanted,
    open: (device: Device) => Promise<Adb>,
  ): Promise<boolean> {
    const place = placeOf(device, locale);
    const left = [...apks];
    let adb: Adb | undefined;
    let found = false;
    const readSome = async (from: Adb): Promise<void> => {
      for (let apk = left.shift(); apk !== undefined; apk = left.shift()) {
        const text = await openApk(from, apk)
          .then((opened) => apkLabel(opened, locale))
          .catch(() => undefined);
        const label = text?.replaceAll(/\s+/g, ' ').trim();
        if (label === undefined || label === '') continue;
        this.#known.set(`${place} ${apk}`, shortened(label));
        found = true;
      }
    };
    try {
      const opened = (adb = await open(device));
      await within(deviceMs, Promise.all(Array.from({ length: atOnce }, () => readSome(opened))));
    } catch {
      for (const apk of left.splice(0)) this.#known.delete(`${place} ${apk}`);
    } finally {
      await adb?.close();
    }
    return found;
  }
}

/** What is connected anew is asked anew, and what speaks another language now. */
const placeOf = ({ serial, transportId }: Device, locale: string): string =>
  `${serial} ${transportId} ${locale}`;

function shortened(label: string): string {
  const letters = Array.from(label);
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters).join('')}…` : label;
}
