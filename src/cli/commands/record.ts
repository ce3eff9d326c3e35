import { readFileSync } from 'node:fs';
import { adbOptions, androidTargets } from '../android-targets.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { UsageError } from '../exit-codes.js';
import { iosOption, iosTargets, iosTokens, isForIos } from '../ios-targets.js';
import { localOptions } from '../local-targets.js';
import { refuseExisting } from '../new-file.js';
import { parseCount, parseDuration, parsePercent, parseSize } from '../quantities.js';
import { attachTo, launchWith, recordApp, recordIosApp, recordIosPort } from '../recording/begin.js';
import {
  presetNames,
  type RecordRequest,
  systemPresetNames,
  systemPresetsByWord,
} from '../recording/request.js';
import { follow } from '../recording/follow.js';
import { type NativeFrom, nativeWays } from '../../targets/target.js';
import type { SystemPreset } from '../../targets/system/system-presets.js';
import { l10n } from '../l10n.js';

const options: readonly Option[] = [
  { name: 'pid', short: 'p', value: 'PID', help: 'the process to record' },
  {
    name: 'name',
    short: 'n',
    value: 'TEXT',
    help: 'the program whose main class, jar or name holds TEXT; after --, which of\nseveral JVMs below the command',
  },
  {
    name: 'app',
    short: 'a',
    value: 'PACKAGE',
    help: 'the Android app to record, by its label, too; or a part of its name\nthat no other has; with --ios, an app on an iPhone',
  },
  {
    name: 'device',
    short: 's',
    value: 'SERIAL',
    help: 'the device it runs on, or a part of its serial or model; needed\nwhere several have the app. Alone: the only debuggable app on it',
  },
  {
    name: 'external',
    help: 'with a command after --: a native program, by the kernel’s samples\nand with nothing loaded into it',
  },
  {
    name: 'from',
    value: 'WHERE',
    choices: nativeWays,
    help: 'a native program that runs: outside, by the kernel’s samples; inside,\nby the agent, which is loaded into it; auto, inside where that does\nno harm, and says which and why (default: outside)',
  },
  { name: 'from-launch', help: 'start the app anew and record it from its first message' },
  {
    name: 'started-elsewhere',
    help: 'with --from-launch: wait for who else starts the app, such as a\ntest or a finger (Android 11)',
  },
  iosOption,
  {
    name: 'ios-port',
    value: 'PORT',
    help: 'the app that listens on PORT of it, where that is none of the usual',
  },
  {
    name: 'symbols',
    value: 'FOLDER',
    help: 'with --ios: where the app and its dSYM are on this machine',
  },
  ...adbOptions,
  { name: 'duration', short: 'd', value: 'TIME', help: 'stop after this: 10s, 2m (default: until Ctrl-C)' },
  {
    name: 'output',
    short: 'o',
    value: 'FILE',
    help: 'write here (default: a new file in btrace-recordings/)',
  },
  { name: 'force', short: 'f', help: 'write over FILE' },
  { name: 'preset', value: 'NAME', choices: presetNames, help: `what to look at: ${presetNames.join(', ')}` },
  {
    name: 'interval',
    value: 'TIME',
    help: 'sample each thread so often, in every way (default: every 10ms of\nits CPU time and where it stands, every 1ms at points)',
  },
  {
    name: 'cpu-interval',
    value: 'TIME',
    help: 'the same by CPU time and by the external sampler alone (0: never)',
  },
  { name: 'point-interval', value: 'TIME', help: 'the same at points alone (0: at each of them)' },
  {
    name: 'allocation-interval',
    value: 'SIZE',
    help: 'sample one allocation every so many bytes (default: 64K)',
  },
  { name: 'budget', value: 'PERCENT', help: "of a thread's time that capturing may cost (default: 1%)" },
  {
    name: 'no-signals',
    help: 'do not interrupt threads that run to walk them (a signal after\neach interval of CPU time); let the external sampler walk them',
  },
  { name: 'memory', value: 'SIZE', help: 'the agent holds at most this much, 8M or more (default: 32M)' },
  { name: 'main-only', help: 'the main thread alone, and what holds it up' },
  { name: 'max-size', value: 'SIZE', help: 'stop when the file has this size' },
  { name: 'stop-when-full', help: 'end when the memory is full, instead of streaming' },
  { name: 'ring', value: 'TIME', help: 'keep only the last TIME in memory until stopped or dumped' },
  {
    name: 'dump-when',
    value: 'FILE',
    help: 'with --ring: write out the ring each time FILE appears, and\ndelete FILE',
  },
  {
    name: 'system',
    help: 'record the kernel’s scheduler as well: which core, waiting for one,\nasleep, woken by whom (Android; Linux, as root or with access to\ntracefs: else the program’s own switches alone)',
  },
  {
    name: 'system-preset',
    value: 'NAME',
    choices: systemPresetNames,
    help: `with --app: --system, and more of Android’s own events:\n${systemPresetNames.join(', ')}`,
  },
  {
    name: 'system-config',
    value: 'FILE',
    help: 'with --app: --system, by a configuration in Perfetto’s text format',
  },
  { name: 'redact', help: 'no thread names, texts, arguments, or names outside the platform' },
  { name: 'quiet', short: 'q', help: 'no progress' },
  jsonOption,
];

/** As the agent has it: it takes more than it is told to hold otherwise. */
const leastMemoryBytes = 8 * 2 ** 20;

function parseMemory(text: string, option: string): number {
  const bytes = parseSize(text, option);
  if (bytes < leastMemoryBytes) throw new UsageError(`--${option} takes 8MB or more, not "${text}".`);
  return bytes;
}

/** Of everything at once none at all makes no sense. */
function parseInterval(text: string, option: string): number {
  const ns = parseDuration(text, option);
  if (ns > 0) return ns;
  throw new UsageError(
    `--${option} takes a time above 0. At each point: --point-interval 0. Not by CPU time: --cpu-interval 0.`,
  );
}

function systemPresetOf(text: string): SystemPreset {
  const preset = systemPresetsByWord.get(text);
  if (preset !== undefined) return preset;
  throw new UsageError(`There is no system preset "${text}". Presets: ${systemPresetNames.join(', ')}.`);
}

function nativeWayOf(text: string): NativeFrom {
  const way = nativeWays.find((one) => one === text);
  if (way !== undefined) return way;
  throw new UsageError(`--from takes ${nativeWays.join(', ')}, not "${text}".`);
}

function textOfFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The configuration ${file} cannot be read: ${why}.`);
  }
}

export function requestOf(input: Input): RecordRequest {
  const ringNs = input.read('ring', parseDuration);
  if (input.has('dump-when') && ringNs === undefined) throw new UsageError('--dump-when goes with --ring.');
  if (ringNs !== undefined && input.has('stop-when-full')) {
    throw new UsageError('--ring and --stop-when-full exclude each other.');
  }
  if (input.has('system-preset') && input.has('system-config'))
    throw new UsageError('--system-preset and --system-config exclude each other.');
  const preset = input.text('preset') ?? 'balanced';
  if (!presetNames.includes(preset)) {
    throw new UsageError(`There is no preset "${preset}". Presets: ${presetNames.join(', ')}.`);
  }
  const intervalNs = input.read('interval', parseInterval);
  return {
    preset,
    output: input.text('output'),
    force: input.has('force'),
    durationMs: (input.read('duration', parseDuration) ?? 0) / 1e6,
    syncIntervalNs: input.read('point-interval', parseDuration) ?? intervalNs,
    asyncIntervalNs: input.read('cpu-interval', parseDuration) ?? intervalNs,
    allocationIntervalBytes: input.read('allocation-interval', parseSize),
    budgetPercent: input.read('budget', parsePercent),
    memoryBytes: input.read('memory', parseMemory),
    mainOnly: input.has('main-only'),
    noSignals: input.has('no-signals'),
    maxBytes: input.read('max-size', parseSize) ?? 0,
    stopWhenFull: input.has('stop-when-full'),
    fromLaunch: input.has('from-launch'),
    ringNs,
    redact: input.has('redact'),
    system: input.has('system') || input.has('system-preset') || input.has('system-config'),
    nativeFrom: input.read('from', nativeWayOf),
    systemPreset: input.read('system-preset', systemPresetOf),
    systemConfig: input.read('system-config', textOfFile),
  };
}

function parsePort(text: string, option: string): number {
  const port = parseCount(text, option);
  if (port < 1 || port > 0xffff)
    throw new UsageError(`--${option} takes a number up to 65535, not "${text}".`);
  return port;
}

export const record: Command = {
  name: 'record',
  summary: 'record a running Java or native program or Android app, or start one and record it',
  usage: [
    'record (--pid PID | --name TEXT) [OPTIONS]',
    'record --app PACKAGE [--device SERIAL] [OPTIONS]',
    'record --ios [--app NAME] [--device NAME] [--symbols FOLDER] [OPTIONS]',
    'record [OPTIONS] -- java …',
    'record [OPTIONS] [--external] -- ./program …',
  ],
  startsCommand: true,
  description: [
    'Attaches to a program that runs, or starts the command after -- with the agent in it from its first moment\n(Gradle and Maven too: the JVMs below get it by JAVA_TOOL_OPTIONS). Ctrl-C ends the recording well; a\nprogram that was started here then runs on. Its exit code becomes that of btrace.',
    'A native program (C, C++, Rust …) after -- has the agent in it, too. One that runs, or with --external, is\nrecorded externally, by the kernel, where kernel.perf_event_paranoid is 2 or less; docs/NATIVE.md. Static and\nGo programs are always recorded so. With --from inside the agent is loaded into one that runs.',
    'The file can be read at any time, also while it is written; docs/RECORDING.md says what it reveals.',
  ],
  options,
  examples: [
    'btrace record --name Shop --duration 10s',
    'btrace record -o start.btrace -- java -jar shop.jar',
    'btrace record --name GradleWorkerMain -- gradle --no-daemon test',
    'btrace record --app com.example.shop --from-launch',
    'btrace record --pid 4711 --ring 30s      and then, when it matters: btrace dump --pid 4711',
  ],
  async run(input, terminal) {
    const request = requestOf(input);
    if (request.output !== undefined) refuseExisting(request.output, input);
    const pid = input.read('pid', parseCount);
    const name = input.text('name');
    const local = {
      ...localOptions(terminal),
      say: (line: string) => {
        if (!input.has('quiet')) terminal.note(line);
      },
    };
    const follower = {
      quiet: input.has('quiet'),
      json: input.has('json'),
      dumpWhen: input.text('dump-when'),
      request,
    };
    const [app, device] = [input.text('app'), input.text('device')];
    const iosPort = input.read('ios-port', parsePort);
    if (iosPort !== undefined || (await isForIos(input, terminal))) {
      if (pid !== undefined || name !== undefined || input.rest.length > 0)
        throw new UsageError('--ios goes with --app, --device and --symbols.');
      if (request.system || request.fromLaunch || request.nativeFrom !== undefined)
        throw new UsageError('--system, --from-launch and --from are not for iPhones and iPads.');
      const tokens = iosTokens();
      if (tokens === undefined)
        throw new UsageError(
          'BTRACE_IOS_TOKEN must have the app’s token: 64 hexadecimal digits (docs/IOS.md).',
        );
      const ios = iosTargets(input, terminal, true);
      const begin =
        iosPort === undefined
          ? recordIosApp(ios, { app, device }, request, (line) => {
              if (!follower.quiet) terminal.note(line);
            })
          : recordIosPort(ios, { port: iosPort, tokens }, device, request);
      return await follow(begin, follower, terminal);
    }
    if (app !== undefined || device !== undefined) {
      const isForHere = pid !== undefined || name !== undefined || request.nativeFrom !== undefined;
      if (isForHere || input.rest.length > 0) {
        throw new UsageError(
          '--app and --device are for Android; --pid, --name, --from and a command are for this machine.',
        );
      }
      const android = androidTargets(input, terminal, true);
      const waits = input.has('started-elsewhere');
      if (waits && !request.fromLaunch) throw new UsageError('--started-elsewhere goes with --from-launch.');
      const ready = waits ? () => terminal.note(l10n.t('Start the app now.')) : undefined;
      return await follow(recordApp(android, { app, device }, request, ready), follower, terminal);
    }
    if (request.fromLaunch) throw new UsageError('--from-launch goes with --app.');
    if (request.systemPreset !== undefined || request.systemConfig !== undefined)
      throw new UsageError('--system-preset and --system-config go with --app.');
    if (request.system && request.ringNs !== undefined)
      throw new UsageError('--system records from now on and keeps no ring: leave out --ring.');
    if (input.rest.length > 0) {
      if (request.nativeFrom !== undefined)
        throw new UsageError('--from is for a program that runs; with a command after --, see --external.');
      if (pid !== undefined) throw new UsageError('Either --pid or a command after --, not both.');
      const how = { ...local, external: input.has('external') };
      return await follow(launchWith(input.rest, name, request, how), follower, terminal);
    }
    if (input.has('external')) throw new UsageError('--external goes with a command after --.');
    if ((pid === undefined) === (name === undefined)) {
      throw new UsageError('Which program? Give --pid, or --name, or --app, or a command after --');
    }
    const chosen = pid !== undefined ? { pid } : { name: name ?? '' };
    return await follow(attachTo(chosen, request, local), follower, terminal);
  },
};
