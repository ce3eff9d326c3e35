/** A recording tried on a device, step by step, and told in a report that can go into an issue. */
import os from 'node:os';
import type { AndroidTargets } from '../../targets/android/android-targets.js';
import type { AndroidTarget } from '../../targets/android/app-target.js';
import { chooseTarget } from '../../targets/android/choose-target.js';
import type { Device } from '../../targets/android/device-list.js';
import type { IosTargets } from '../../targets/ios/ios-targets.js';
import { TargetError } from '../../targets/target.js';
import { adbOptions, androidTargets } from '../android-targets.js';
import type { Command, Input } from '../command-line.js';
import { ExitCode } from '../exit-codes.js';
import { Report } from '../doctor-report.js';
import { tryOut } from '../doctor-trial.js';
import { iosOption, iosTargets, isForIos } from '../ios-targets.js';
import { packageVersion } from '../package.js';
import { parseDuration } from '../quantities.js';
import { l10n } from '../l10n.js';

const defaultNs = 3e9;
const durationOf = (input: Input): number => input.read('duration', parseDuration) ?? defaultNs;

export const doctor: Command = {
  name: 'doctor',
  summary: 'try to record on a device, and print a report for an issue',
  usage: ['doctor [--device SERIAL] [--app PACKAGE] [OPTIONS]', 'doctor --ios [--device NAME] [OPTIONS]'],
  description: [
    'Asks adb (or usbmuxd), the device and an app on it what recording needs, records the app for a moment, and says of\neach step how it went. Names of the app, its methods and the serial of the device are not in the report.',
  ],
  options: [
    { name: 'device', short: 's', value: 'SERIAL', help: 'the device, where there are several' },
    {
      name: 'app',
      short: 'a',
      value: 'PACKAGE',
      help: 'the debuggable app to try it on, where there are several',
    },
    { name: 'duration', short: 'd', value: 'TIME', help: 'how long to record (default: 3s)' },
    iosOption,
    ...adbOptions,
  ],
  examples: ['btrace doctor --app com.example.shop'],
  async run(input, terminal) {
    const report = new Report(terminal);
    const isIos = await isForIos(input, terminal);
    terminal.print(
      isIos
        ? l10n.t('BTrace, tried out on an iPhone or iPad')
        : l10n.t('BTrace, tried out on an Android device'),
    );
    report.part(l10n.t('This computer'));
    report.line(
      'btrace',
      l10n.t('{0} on {1} {2}, Node {3}', packageVersion(), os.platform(), os.arch(), process.versions.node),
    );
    try {
      if (isIos) await examineIos(iosTargets(input, terminal, true), input, report);
      else await examine(androidTargets(input, terminal, true), input, report);
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      report.failed(error.message, error.nextStep);
    }
    report.close();
    return report.isWell ? ExitCode.Done : ExitCode.Target;
  },
};

async function examine(targets: AndroidTargets, input: Input, report: Report): Promise<void> {
  report.line('adb', await targets.describeServer());
  const wanted = { device: input.text('device'), app: input.text('app') };
  const [devices, all] = await Promise.all([targets.devices(), targets.list()]);
  report.hide(os.homedir(), '~');
  // What is asked for and not there is in quotes; it may be a letter.
  report.hide(`"${wanted.device}"`, `"${l10n.t('the device')}"`);
  report.hide(`"${wanted.app}"`, `"${l10n.t('the app')}"`);
  for (const { serial } of devices) report.hide(serial, l10n.t('the device'));
  for (const { name, packageName } of all) {
    // A device that cannot be used is called by its model and serial.
    if (packageName === undefined) continue;
    report.hide(name, l10n.t('the app'));
    report.hide(packageName, l10n.t('the app'));
  }
  report.line(l10n.t('devices'), devices.map(({ state }) => state).join(', ') || l10n.t('none'));
  let target: AndroidTarget;
  try {
    target = chooseTarget(all, wanted);
  } catch (error) {
    // Without an app, of the only device that is ready there is still something to tell.
    const [only, ...others] = devices.filter(({ state }) => state === 'device');
    if (only && others.length === 0) await tellDevice(targets, only, report);
    throw error;
  }
  if (target.device.state === 'device') await tellDevice(targets, target.device, report);
  report.part(l10n.t('The app'));
  if (target.refusal !== undefined)
    throw new TargetError('not-permitted', 'It cannot be recorded.', target.refusal);
  const how = target.externalOnly
    ? l10n.t('is profileable, runs')
    : target.pid > 0
      ? l10n.t('lets itself be looked into, runs')
      : l10n.t('lets itself be looked into, is started');
  report.line(l10n.t('app'), target.abi === undefined ? how : `${how}, ${target.abi}`);
  try {
    await tryOut(target, target.externalOnly, durationOf(input), report);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    report.failed(error.message, error.nextStep);
  }
  if (!report.isWell) await tellLog(targets, target.device, report);
}

async function tellDevice(targets: AndroidTargets, device: Device, report: Report): Promise<void> {
  report.part(l10n.t('The device'));
  for (const [name, fact] of await targets.describeDevice(device)) report.line(name, fact);
}

/** Only where something failed: it is long, and for whoever looks for the reason. */
async function tellLog(targets: AndroidTargets, device: Device, report: Report): Promise<void> {
  const lines = await targets.agentLog(device).catch(() => []);
  for (const line of lines.length > 0 ? lines : [l10n.t('nothing about agents')])
    report.line(l10n.t("the device's log"), line);
}

async function examineIos(targets: IosTargets, input: Input, report: Report): Promise<void> {
  const devices = await targets.devices();
  report.hide(os.homedir(), '~');
  const wanted = input.text('device');
  if (wanted !== undefined) report.hide(`"${wanted}"`, `"${l10n.t('the device')}"`);
  devices.forEach(({ name, serial }, at) => {
    report.hide(name, l10n.t('device {0}', at + 1));
    report.hide(serial, l10n.t('device {0}', at + 1));
  });
  report.line('usbmuxd', l10n.t('answers'));
  report.line(
    l10n.t('devices'),
    devices.map(({ version }) => (version === '' ? 'iOS' : `iOS ${version}`)).join(', ') || l10n.t('none'),
  );
  const [target, ...others] = await targets.choose(wanted);
  if (target === undefined) return;
  report.part(l10n.t('The app'));
  report.line(l10n.t('listens at'), [target, ...others].map(({ name }) => name).join(', '));
  try {
    await tryOut(target, false, durationOf(input), report);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    report.failed(error.message, error.nextStep);
  }
}
