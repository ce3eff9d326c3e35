/** Begins the system's trace on a device: by its tracing service, or, where that is missing or refuses, by atrace. */
import type { Adb } from '@yume-chan/adb';
import { type RecordOptions, TargetError } from '../target.js';
import { DeviceScript } from './device-script.js';
import { quoted, shell } from './device-shell.js';
import { within } from './patience.js';
import { atraceBufferKb, choiceOf, completed, configText, encoded } from './trace-config.js';
import { atraceScript, busyLine, serviceScript } from './trace-scripts.js';

/** From which Android there is a tracing service, and from which it reads configurations as text. */
const serviceSdk = 28;
const textSdk = 29;

const settleMs = 10_000;
/** Of a second, that a service takes at most to refuse a configuration once its client has connected. */
const takenTenths = 7;
/** What the client says then, in every version. */
const connected = 'Connected to the Perfetto traced service';
const answerMs = 15_000;

export interface RunningTrace {
  readonly script: DeviceScript;
  readonly pid: string;
  readonly file: string;
  readonly isService: boolean;
}

export interface TracedApp {
  /** As Android's tracing knows it: the name of its process. */
  readonly process: string;
  readonly sdk: number;
  readonly log: (line: string) => void;
}

/** A program that has ended, and whose shell has not taken note of it yet, has no command line any more. */
export const runs = (pid: string): string => `grep -q . /proc/${pid}/cmdline 2>/dev/null`;

/** Throws a TargetError that says why the device does not trace, with what to do. */
export async function startTrace(
  adb: Adb,
  app: TracedApp,
  options: RecordOptions,
  signal: AbortSignal | undefined,
): Promise<RunningTrace> {
  if (app.sdk < serviceSdk) {
    if (options.systemConfig !== undefined)
      throw new TargetError(
        'not-supported',
        'Configurations of the system’s trace are for Android 9 and newer.',
        'Leave it out: this device is traced by atrace.',
        { about: 'system' },
      );
    return await runAtrace(adb, app, options, signal, 'Android has a tracing service from version 9 on');
  }
  const config = options.systemConfig === undefined ? undefined : completed(options.systemConfig, options);
  const text = config ?? configText(options, app.process);
  try {
    return await runService(adb, text, app.sdk, signal);
  } catch (error) {
    signal?.throwIfAborted();
    // A device whose service does not run, or runs no more traces, may still have the older way.
    if (config !== undefined || !(error instanceof TargetError) || error.kind !== 'not-permitted')
      throw error;
    app.log(`${error.message} Trying atrace.`);
    return await runAtrace(adb, app, options, signal, error.message);
  }
}

async function runService(
  adb: Adb,
  text: string,
  sdk: number,
  signal: AbortSignal | undefined,
): Promise<RunningTrace> {
  const binary = encoded(text);
  if ('why' in binary && sdk < textSdk)
    throw new TargetError(
      'not-supported',
      `Android 9 cannot use this configuration of the system’s trace: ${binary.why}.`,
      'Leave that out of the configuration, or use Android 10 or newer.',
      { about: 'system' },
    );
  const feed =
    'bytes' in binary
      ? `echo ${Buffer.from(binary.bytes).toString('base64')} | base64 -d | perfetto -c -`
      : `printf %s ${quoted(text)} | perfetto --txt -c -`;
  return await begun(adb, serviceScript(feed), signal, true);
}

async function runAtrace(
  adb: Adb,
  app: TracedApp,
  options: RecordOptions,
  signal: AbortSignal | undefined,
  why: string,
): Promise<RunningTrace> {
  const ring = options.policy === 'stop-when-full' ? '' : '-c ';
  const { categories } = choiceOf(options);
  // Names that atrace does not know would be refused; these two turn on what the scheduler tells.
  const names = ['sched', 'freq', ...categories.filter((name) => atraceNames.has(name))].join(' ');
  try {
    return await begun(
      adb,
      atraceScript(`-b ${atraceBufferKb} ${ring}-a ${quoted(app.process)} ${names}`),
      signal,
      false,
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof TargetError) || error.kind === 'busy') throw error;
    throw new TargetError(
      error.kind,
      `The device does not trace its system. ${why.replace(/\.$/, '')}. ${error.message}`,
      'Record without --system.',
      { cause: error, about: 'system' },
    );
  }
}

/** Those that atrace has had since Android 5. */
const atraceNames: ReadonlySet<string> = new Set([
  'am',
  'binder_driver',
  'dalvik',
  'gfx',
  'input',
  'view',
  'wm',
  'disk',
  'res',
  'hal',
  'video',
]);

async function begun(
  adb: Adb,
  text: string,
  signal: AbortSignal | undefined,
  isService: boolean,
): Promise<RunningTrace> {
  const script = await DeviceScript.start(adb, text, signal);
  try {
    const line = await script.line(settleMs, signal);
    if (line === busyLine) throw busy();
    const [, pid, file] = /^tracing (\d+) (\/\S+)$/.exec(line ?? '') ?? [];
    if (pid === undefined || file === undefined) throw await refusal(script, isService);
    if (isService && !(await isTaken(adb, script, pid, file, signal))) throw await refusal(script, isService);
    return { script, pid, file, isService };
  } catch (error) {
    await script.end();
    throw error;
  }
}

/**
 * Whether the service has taken the configuration: it has written, or its client has connected and lives on for a while. One that
 * refuses ends its client.
 */
async function isTaken(
  adb: Adb,
  script: DeviceScript,
  pid: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const look = `${runs(pid)} || exit 1; [ -s ${file} ] && exit 2`;
  const command = `n=0; while [ $n -lt ${takenTenths} ]; do ${look}; n=$((n + 1)); sleep 0.1; done`;
  for (const until = performance.now() + settleMs; performance.now() < until;) {
    const isConnected = script.said.includes(connected);
    const { code } = await within(answerMs, shell(adb, command), signal);
    if (code === 1) return false;
    if (code === 2 || isConnected) return true;
  }
  return true;
}

const busy = (): TargetError =>
  new TargetError(
    'busy',
    'Another recording of BTrace traces the system of this device, and by atrace there can be no two at a time.',
    'End that recording first, or record without --system.',
    { about: 'system' },
  );

/** Its program may have ended before its words have come: they are all here once the script has ended, too. */
async function refusal(script: DeviceScript, isService: boolean): Promise<TargetError> {
  await script.end();
  const why = reasonIn(script.said);
  const what = isService ? 'tracing service (perfetto)' : 'command atrace';
  return new TargetError(
    'not-permitted',
    why === undefined
      ? `The device’s ${what} is missing, or did not begin to trace.`
      : `The device’s ${what} did not begin to trace: ${why}.`,
    'Record without --system.',
    { about: 'system' },
  );
}

/** The client of the service says these where all is well. */
const noReason = new RegExp(`^(?:$|${connected}|Wrote \\d+ bytes|SIG\\w+ received)`);

/** The last line that is one, without the place in its program's source that Perfetto puts before it. */
export function reasonIn(said: string): string | undefined {
  const lines = said.split('\n').map((line) => line.replace(/^\[[\d.]+\]\s+\S+\.cc:\d+\s+/, '').trim());
  return lines
    .filter((line) => !noReason.test(line))
    .at(-1)
    ?.replace(/\.$/, '');
}
