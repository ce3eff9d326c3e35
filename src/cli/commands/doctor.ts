/** A recording tried on a device, step by step, and told in a report that can go into an issue. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { AndroidTargets } from '../../targets/android/android-targets.js';
import type { AndroidTarget } from '../../targets/android/app-target.js';
import { chooseTarget } from '../../targets/android/choose-target.js';
import type { Device } from '../../targets/android/device-list.js';
import { DEFAULT_MEMORY_BYTES, recordingPresets } from '../../targets/presets.js';
import { type RecordOptions, TargetError } from '../../targets/target.js';
import { HookState, Mode, SampleKind, type Trace } from '../../trace/index.js';
import { wholeTrace } from '../../trace/measure/scope.js';
import { sumScope } from '../../trace/measure/sums.js';
import { adbOptions, androidTargets } from '../android-targets.js';
import type { Command, Input } from '../command-line.js';
import { ExitCode } from '../exit-codes.js';
import { Report } from '../doctor-report.js';
import { describeMethods } from '../info.js';
import { openTrace } from '../open-trace.js';
import { packageVersion } from '../package.js';
import { formatCount, formatNs } from '../../trace/measure/quantities.js';
import { parseDuration } from '../quantities.js';
import { wordOf } from '../report/words.js';
import { trustFacts } from '../trust.js';

const DEFAULT_NS = 3e9;

export const doctor: Command = {
  name: 'doctor',
  summary: 'try to record on a device, and print a report for an issue',
  usage: ['doctor [--device SERIAL] [--app PACKAGE] [OPTIONS]'],
  description: [
    'Asks adb, the device and an app on it what recording needs, records the app for a moment, and says of\neach step how it went. Names of the app, its methods and the serial of the device are not in the report.',
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
    ...adbOptions,
  ],
  examples: ['btrace doctor --app com.example.shop'],
  async run(input, terminal) {
    const report = new Report(terminal);
    terminal.print('BTrace, tried out on an Android device');
    report.part('This computer');
    const targets = androidTargets(input, terminal, true);
    report.line(
      'btrace',
      `${packageVersion()} on ${os.platform()} ${os.arch()}, Node ${process.versions.node}`,
    );
    try {
      await examine(targets, input, report);
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
  report.hide(`"${wanted.device}"`, '"the device"');
  report.hide(`"${wanted.app}"`, '"the app"');
  for (const { serial } of devices) report.hide(serial, 'the device');
  for (const { name, packageName } of all) {
    // A device that cannot be used is called by its model and serial.
    if (packageName === undefined) continue;
    report.hide(name, 'the app');
    report.hide(packageName, 'the app');
  }
  report.line('devices', devices.map(({ state }) => state).join(', ') || 'none');
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
  report.part('The app');
  if (target.refusal !== undefined)
    throw new TargetError('not-permitted', 'It cannot be recorded.', target.refusal);
  const how = target.outsideOnly
    ? 'is profileable, runs'
    : `lets itself be looked into, ${target.pid > 0 ? 'runs' : 'is started'}`;
  report.line('app', target.abi === undefined ? how : `${how}, ${target.abi}`);
  try {
    await tryOut(target, input.read('duration', parseDuration) ?? DEFAULT_NS, report);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    report.failed(error.message, error.nextStep);
  }
  if (!report.isWell) await tellLog(targets, target.device, report);
}

async function tellDevice(targets: AndroidTargets, device: Device, report: Report): Promise<void> {
  report.part('The device');
  for (const [name, fact] of await targets.describeDevice(device)) report.line(name, fact);
}

/** Only where something failed: it is long, and for whoever looks for the reason. */
async function tellLog(targets: AndroidTargets, device: Device, report: Report): Promise<void> {
  const lines = await targets.agentLog(device).catch(() => []);
  for (const line of lines.length > 0 ? lines : ['nothing about agents'])
    report.line("the device's log", line);
}

async function tryOut(target: AndroidTarget, durationNs: number, report: Report): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'btrace-doctor-'));
  try {
    const began = performance.now();
    report.part('A recording of it');
    const session = await target.start(options(path.join(folder, 'try.btrace'), durationNs));
    report.line('began after', formatNs((performance.now() - began) * 1e6));
    const end = await session.ended;
    const problem = end.reason !== 'limit' && end.reason !== 'stopped';
    if (problem) report.failed(`The recording ended: ${end.reason}. ${end.message}`, '');
    else report.line('ended', end.reason);
    const trace = await openTrace(end.file);
    tell(trace, report);
    if (trace.info.mode === Mode.FromOutside && !target.outsideOnly)
      report.failed(
        'The agent could not be used: there are stacks alone, no waits, owners or allocations.',
        'The reason stands above, at "how".',
      );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const options = (file: string, durationNs: number): RecordOptions => ({
  ...recordingPresets.balanced,
  file,
  memoryBytes: DEFAULT_MEMORY_BYTES,
  policy: 'stream',
  ringNs: 0,
  maxDurationMs: durationNs / 1e6,
  maxBytes: 0,
});

function tell(trace: Trace, report: Report): void {
  const { info, hooks, status, problems, threads } = trace;
  report.line('how', `${wordOf(Mode, info.mode)}${info.modeReason === '' ? '' : `: ${info.modeReason}`}`);
  report.line('runtime', [info.runtime, info.os, info.arch].filter((part) => part !== '').join(', '));
  report.line(
    'samples',
    `${formatCount(threads.reduce((sum, one) => sum + one.sampleCount, 0))} in ${threads.length} threads`,
  );
  report.line('methods', describeMethods(trace.methods));
  for (const { kind, count, totalNs } of status?.costs ?? [])
    if (count > 0)
      report.line(
        `at ${wordOf(SampleKind, kind)}`,
        `${formatCount(count)} captures, ${formatNs(totalNs / count)} each`,
      );
  // What was in is taken out at the end, and says so.
  const worked = hooks.filter(({ state }) => state === HookState.Installed || state === HookState.Removed);
  report.line('hooks that worked', worked.map(({ name }) => name).join(', ') || 'none');
  for (const { name, state, why } of hooks) {
    if (worked.some((one) => one.name === name)) {
      if (why !== '') report.line(`hook ${name}`, why);
      continue;
    }
    const how = `${wordOf(HookState, state)}${why === '' ? '' : `: ${why}`}`;
    if (state === HookState.Failed) report.failed(`hook ${name}: ${how}`, '');
    else report.line(`hook ${name}`, how);
  }
  for (const { isWarning, text } of trustFacts(trace, sumScope(trace, wholeTrace)))
    report.line(isWarning ? 'NOTE' : '', text);
  for (const { what } of problems) report.failed(what, '');
  if (threads.every(({ sampleCount }) => sampleCount === 0))
    report.failed(
      'Nothing was sampled.',
      'Bring the app to the front, do something in it meanwhile, and try again.',
    );
}
