/** What the adb server says of its devices, and what a person does about those that are not ready. */

export interface Device {
  readonly serial: string;
  /** As adb says it: "device" is the one that is ready. */
  readonly state: string;
  readonly model: string;
  /** The adb server's own number for it, until it is connected anew. */
  readonly transportId: bigint;
  /** Another one that is connected calls itself so, too, as cheap ones do. */
  readonly sharesSerial: boolean;
}

/** What adb calls the states of devices; "no permissions" has a reason behind it. */
const states =
  'device|offline|unauthorized|authorizing|connecting|detached|host|bootloader|recovery|rescue|sideload|unknown|no permissions';
/**
 * A serial may hold anything, single spaces too. Up to 22 characters are filled up with spaces; behind a longer one, as all those of wireless
 * debugging are, a single space stands before the state.
 */
const behindSerial = new RegExp(`\\t| {2}| (?=(?:${states})(?: |$))`);
const firstPair = /(?:usb|product|model|device|transport_id):/;

/** Lines of `host:devices-l`: serial, state, then `key:value` pairs. A state may have several words. */
export function parseDevices(text: string): Device[] {
  const devices: Omit<Device, 'sharesSerial'>[] = [];
  for (const line of text.split('\n')) {
    const end = 1 + line.slice(1).search(behindSerial);
    if (end === 0) continue;
    const [serial, rest] = [line.slice(0, end), line.slice(end).trimStart()];
    const words = rest.split(/\s/).map((word) => /^(\w+):(.+)$/.exec(word));
    const pairs = new Map(words.flatMap((match) => (match ? [[match[1], match[2]]] : [])));
    const pairsAt = rest.search(firstPair);
    const state = (pairsAt < 0 ? rest : rest.slice(0, pairsAt)).trim();
    const transport = pairs.get('transport_id');
    devices.push({
      serial,
      state,
      model: (pairs.get('model') ?? '').replaceAll('_', ' '),
      transportId: transport !== undefined && /^\d+$/.test(transport) ? BigInt(transport) : 0n,
    });
  }
  const has = (serial: string) => devices.filter((device) => device.serial === serial).length;
  return devices.map((device) => ({ ...device, sharesSerial: has(device.serial) > 1 }));
}

export const modelAndSerial = ({ model, serial }: Device): string =>
  model ? `${model} (${serial})` : serial;

/** What a person tells it from the others by, in lists and in questions. */
export const deviceName = (device: Device): string =>
  device.sharesSerial
    ? `${modelAndSerial(device)}, transport_id:${device.transportId}`
    : modelAndSerial(device);

/** What tells a device from every other; the adb server's own number only where the serial does not do. */
export const deviceId = ({ serial, sharesSerial, transportId }: Device): string =>
  sharesSerial ? `${serial}@${transportId}` : serial;

/** Why a device cannot be used now and what to do; undefined when it is ready. */
export function deviceRefusal(device: Device): string | undefined {
  const { state } = device;
  if (state === 'device') return undefined;
  if (state === 'unauthorized' || state === 'authorizing')
    return 'It does not trust this computer yet. Unlock it and allow USB debugging in the question it shows; if it shows none, pull the cable and put it in again.';
  if (state === 'offline')
    return 'It is connected but does not answer. Pull the cable and put it in again, or switch wireless debugging off and on.';
  if (state.startsWith('no permissions'))
    return 'This user may not open the USB device. On Linux install the udev rules for Android (Debian: apt-get install android-sdk-platform-tools-common) and plug it in again.';
  if (/^(recovery|rescue|sideload|bootloader|fastboot)/.test(state))
    return `It is in ${state} mode. Start Android on it.`;
  return `It is not ready: adb calls its state "${state}". Wait a moment, or connect it again.`;
}
