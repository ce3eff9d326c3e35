import { adbOptions, androidTargets } from '../android-targets.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { UsageError } from '../exit-codes.js';
import { localOptions } from '../local-targets.js';
import { refuseExisting } from '../new-file.js';
import { parseCount, parseDuration, parsePercent, parseSize } from '../quantities.js';
import { attachTo, launchWith, recordApp } from '../recording/begin.js';
import { presetNames, type RecordRequest } from '../recording/request.js';
import { follow } from '../recording/follow.js';

const options: readonly Option[] = [
  { name: 'pid', short: 'p', value: 'PID', help: 'the process to record' },
  {
    name: 'name',
    short: 'n',
    value: 'TEXT',
    help: 'the program whose main class or jar holds TEXT; after --, which of\nseveral JVMs below the command',
  },
  {
    name: 'app',
    short: 'a',
    value: 'PACKAGE',
    help: 'the Android app to record, by its label, too; or a part of its name\nthat no other has',
  },
  {
    name: 'device',
    short: 's',
    value: 'SERIAL',
    help: 'the device it runs on, or a part of its serial or model; needed\nwhere several have the app. Alone: the only debuggable app on it',
  },
  { name: 'from-launch', help: 'start the app anew and record it from its first message' },
  {
    name: 'started-elsewhere',
    help: 'with --from-launch: wait for who else starts the app, such as a\ntest or a finger (Android 11)',
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
  { name: 'preset', value: 'NAME', help: `what to look at: ${presetNames.join(', ')}` },
  { name: 'interval', value: 'TIME', help: 'between two captures of a thread at points (default: 1ms)' },
  {
    name: 'async-interval',
    value: 'TIME',
    help: 'a thread not captured for this long is captured from outside\n(default: 10ms; 0: never)',
  },
  {
    name: 'allocation-interval',
    value: 'SIZE',
    help: 'sample one allocation every so many bytes (default: 64K)',
  },
  { name: 'budget', value: 'PERCENT', help: "of a thread's time that capturing may cost (default: 1%)" },
  {
    name: 'no-signals',
    help: 'do not interrupt threads that run to walk them (a signal after\neach 10 ms of CPU time); walk them from outside instead',
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
  { name: 'redact', help: 'no thread names, texts, arguments, or names outside the platform' },
  { name: 'quiet', short: 'q', help: 'no progress' },
  jsonOption,
];

/** As the agent has it: it takes more than it is told to hold otherwise. */
const LEAST_MEMORY_BYTES = 8 * 2 ** 20;

function parseMemory(text: string, option: string): number {
  const bytes = parseSize(text, option);
  if (bytes < LEAST_MEMORY_BYTES) throw new UsageError(`--${option} takes 8MB or more, not "${text}".`);
  return bytes;
}

function requestOf(input: Input): RecordRequest {
  const ringNs = input.read('ring', parseDuration);
  if (input.has('dump-when') && ringNs === undefined) throw new UsageError('--dump-when goes with --ring.');
  if (ringNs !== undefined && input.has('stop-when-full')) {
    throw new UsageError('--ring and --stop-when-full exclude each other.');
  }
  const preset = input.text('preset') ?? 'balanced';
  if (!presetNames.includes(preset)) {
    throw new UsageError(`There is no preset "${preset}". Presets: ${presetNames.join(', ')}.`);
  }
  return {
    preset,
    output: input.text('output'),
    force: input.has('force'),
    durationMs: (input.read('duration', parseDuration) ?? 0) / 1e6,
    syncIntervalNs: input.read('interval', parseDuration),
    asyncIntervalNs: input.read('async-interval', parseDuration),
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
  };
}

export const record: Command = {
  name: 'record',
  summary: 'record a running Java program or Android app, or start one and record it',
  usage: [
    'record (--pid PID | --name TEXT) [OPTIONS]',
    'record --app PACKAGE [--device SERIAL] [OPTIONS]',
    'record [OPTIONS] -- java …',
  ],
  startsCommand: true,
  description: [
    'Attaches to a program that runs, or starts the command after -- with the agent in it from its first moment\n(Gradle and Maven too: the JVMs below get it by JAVA_TOOL_OPTIONS). Ctrl-C ends the recording well; a\nprogram that was started here then runs on. Its exit code becomes that of btrace.',
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
    const local = localOptions(terminal);
    const follower = {
      quiet: input.has('quiet'),
      json: input.has('json'),
      dumpWhen: input.text('dump-when'),
      request,
    };
    const [app, device] = [input.text('app'), input.text('device')];
    if (app !== undefined || device !== undefined) {
      if (pid !== undefined || name !== undefined || input.rest.length > 0) {
        throw new UsageError(
          '--app and --device are for Android; --pid, --name and a command are for this machine.',
        );
      }
      const android = androidTargets(input, terminal, true);
      const waits = input.has('started-elsewhere');
      if (waits && !request.fromLaunch) throw new UsageError('--started-elsewhere goes with --from-launch.');
      const ready = waits ? () => terminal.note('Start the app now.') : undefined;
      return await follow(recordApp(android, { app, device }, request, ready), follower, terminal);
    }
    if (request.fromLaunch) throw new UsageError('--from-launch goes with --app.');
    if (input.rest.length > 0) {
      if (pid !== undefined) throw new UsageError('Either --pid or a command after --, not both.');
      return await follow(launchWith(input.rest, name, request, local), follower, terminal);
    }
    if ((pid === undefined) === (name === undefined)) {
      throw new UsageError('Which program? Give --pid, or --name, or --app, or a command after --');
    }
    const chosen = pid !== undefined ? { pid } : { name: name ?? '' };
    return await follow(attachTo(chosen, request, local), follower, terminal);
  },
};
