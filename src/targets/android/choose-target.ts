/** Which of the listed targets a person means who names a device, an app, both in part, or neither. */
import { TargetError } from '../target.js';
import type { AndroidTarget } from './app-target.js';
import { deviceName, modelAndSerial } from './device-list.js';

export interface Wanted {
  /** A serial, a part of one or of the model, or `transport_id:N` as `adb devices -l` prints it. */
  readonly device: string | undefined;
  /** A package or process, or what it is called on the phone; or a part of that. */
  readonly app: string | undefined;
}

/** What is called exactly so; where nothing is, what has it in its name. */
function called<T>(all: readonly T[], text: string, names: (one: T) => readonly string[]): T[] {
  const exact = all.filter((one) => names(one).includes(text));
  // A number is no name: 1 is not meant by who has 12.
  if (exact.length > 0 || /^transport_id:/.test(text)) return exact;
  const lower = text.toLowerCase();
  return all.filter((one) => names(one).some((name) => name.toLowerCase().includes(lower)));
}

const rows = (lines: readonly string[]) => [...new Set(lines)].map((line) => `\n  ${line}`).join('');

function onDevice(targets: readonly AndroidTarget[], text: string): AndroidTarget[] {
  const found = called(targets, text, ({ device }) => [
    device.serial,
    device.model,
    `transport_id:${device.transportId}`,
  ]);
  const names = rows(targets.map(({ device }) => deviceName(device)));
  if (found.length === 0)
    throw new TargetError(
      'not-found',
      `No device with apps on it is called "${text}".${names && ` There are:${names}`}`,
      'See them with: adb devices -l',
    );
  const devices = new Map(found.map(({ device }) => [`${device.serial} ${device.transportId}`, device]));
  if (devices.size > 1) {
    const several = [...devices.values()].map(
      (device) => `transport_id:${device.transportId}  ${modelAndSerial(device)}`,
    );
    throw new TargetError(
      'not-found',
      `${devices.size} devices are called "${text}":${rows(several)}`,
      'Choose one with --device transport_id:N',
    );
  }
  return found;
}

export function chooseTarget(all: readonly AndroidTarget[], { device, app }: Wanted): AndroidTarget {
  if (all.length === 0)
    throw new TargetError(
      'not-found',
      'No app runs on a device here.',
      'Connect a device with USB debugging switched on (adb devices shows it), and start the app.',
    );
  const targets = device === undefined ? all : onDevice(all, device);
  const recordable = targets.filter(({ refusal }) => refusal === undefined);
  // Who names none means what is being worked on, and not an app of a store that may be sampled.
  const own = recordable.filter(({ externalOnly }) => !externalOnly);
  const usable = own.length > 0 ? own : recordable;
  const found =
    app === undefined
      ? usable
      : called(targets, app, ({ name, fullName, label }) => [
          name,
          fullName,
          ...(label === undefined ? [] : [label]),
        ]);
  // An app's further processes ("package:part") are meant only when they are named.
  const [only, ...others] = found.length > 1 && app !== undefined ? withoutParts(found, app) : found;
  if (others.length > 0)
    throw new TargetError(
      'not-found',
      `${others.length + 1} apps ${app === undefined ? 'can be recorded' : `are called "${app}"`}:${rows(
        [only, ...others].map((one) => `${one?.fullName ?? ''}  on ${one ? deviceName(one.device) : ''}`),
      )}`,
      'Choose one with --app and --device.',
    );
  if (only) return only;
  const refused = targets.find(({ pid, refusal }) => pid === 0 && refusal !== undefined);
  if (refused)
    throw new TargetError('not-permitted', `${refused.name} cannot be used.`, refused.refusal ?? '');
  throw new TargetError(
    'not-found',
    app === undefined
      ? 'None of the apps that run can be recorded: they are neither debuggable nor profileable.'
      : `No app that runs is called "${app}".`,
    'Install a debuggable build, start it on the device, and see it with: btrace list',
  );
}

function withoutParts(found: readonly AndroidTarget[], app: string): readonly AndroidTarget[] {
  if (app.includes(':')) return found;
  const whole = found.filter(({ name }) => !name.includes(':'));
  return whole.length > 0 ? whole : found;
}
