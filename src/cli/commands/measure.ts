import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { newRecordingFile } from '../../targets/recording-folder.js';
import { type StartKind, startKinds } from '../../targets/android/timed-start.js';
import { nameOfCommand } from '../../targets/local/java-command.js';
import { fewestRuns } from '../../trace/compare/run-sets.js';
import type { Trace } from '../../trace/index.js';
import { figuresOf } from '../../trace/measure/run-figures.js';
import { adbOptions, androidTargets } from '../android-targets.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { filesOf, judgedSets, openedRuns, setOptions } from '../compare/compare-sets.js';
import { jsonReport, textReport } from '../compare/set-report.js';
import { ExitCode, UsageError } from '../exit-codes.js';
import { localOptions } from '../local-targets.js';
import { commandWords } from '../measure/command-words.js';
import { type LaunchFigures, printFigures, spreadsOf } from '../measure/figures.js';
import { type Launch, recordLaunches, type Side } from '../measure/launches.js';
import { memoryOption } from '../open-trace.js';
import { plainText } from '../plain-text.js';
import { parseCount, parseDuration } from '../quantities.js';
import { launchWith, recordStart } from '../recording/begin.js';
import { presetNames, type RecordRequest, recordingsFolder } from '../recording/request.js';
import type { Terminal } from '../terminal.js';
import { requestOf } from './record.js';
import { l10n } from '../l10n.js';

const usualLaunches = 10;
/** Of an app, which does not end by itself. */
const usualAppNs = 5e9;

const options: readonly Option[] = [
  { name: 'launches', value: 'N', help: `how many count (default: ${usualLaunches})` },
  { name: 'warm-up', value: 'N', help: 'launches before these that do not count (default: 1)' },
  {
    name: 'against',
    value: 'COMMAND',
    help: 'launch this one in turns with the one after --, and compare: the build\nbefore, in one word with quotes',
  },
  ...setOptions
    .filter(({ name }) => name !== 'new')
    .map((one) =>
      one.name === 'base'
        ? { ...one, help: 'compare with these runs, files or folders of an earlier measure' }
        : one,
    ),
  { name: 'exempt', value: 'FILE', help: 'methods that may differ, as of btrace compare' },
  { name: 'app', short: 'a', value: 'PACKAGE', help: 'start this Android app each time' },
  {
    name: 'start',
    value: 'KINDS',
    choices: startKinds,
    help: `how the app is started: ${startKinds.join(', ')}, or several in turns\n(default: cold)`,
  },
  { name: 'device', short: 's', value: 'SERIAL', help: 'the device it runs on' },
  ...adbOptions,
  {
    name: 'duration',
    short: 'd',
    value: 'TIME',
    help: 'end each launch after this (default: when it ends itself; apps 5s)',
  },
  { name: 'name', short: 'n', value: 'TEXT', help: 'which of several JVMs below the command' },
  { name: 'preset', value: 'NAME', choices: presetNames, help: `what to look at: ${presetNames.join(', ')}` },
  {
    name: 'output',
    short: 'o',
    value: 'FOLDER',
    help: 'for the recordings (default: a new one in btrace-recordings/)',
  },
  memoryOption,
  { name: 'mapping', value: 'FILE', help: 'names as written, by an R8 or ProGuard mapping' },
  { name: 'mapping-before', value: 'FILE', help: 'the same of those before' },
  jsonOption,
];

interface Asked {
  readonly launches: number;
  readonly warmUp: number;
  readonly folder: string;
}

async function asked(input: Input, name: string): Promise<Asked> {
  const launches = input.read('launches', parseCount) ?? usualLaunches;
  if (launches < 1) throw new UsageError('--launches takes 1 or more.');
  const isCompared = input.has('against') || input.has('base');
  if (isCompared && launches < fewestRuns)
    throw new UsageError(`To compare, --launches takes ${fewestRuns} or more, to tell how much runs differ.`);
  const given = input.text('output');
  const folder =
    given ?? (await newRecordingFile(recordingsFolder, name, new Date())).replace(/\.btrace$/, '');
  await mkdir(folder, { recursive: true });
  const there = await readdir(folder);
  if (there.length > 0) throw new UsageError(`${folder} is not empty: give --output a new folder.`);
  return { launches, warmUp: input.read('warm-up', parseCount) ?? 1, folder };
}

/** Here --memory is for the traces that are read afterwards, not for the agent. */
const recordRequest = (input: Input): RecordRequest => ({ ...requestOf(input), memoryBytes: undefined });

const isStartKind = (word: string): word is StartKind => startKinds.some((kind) => kind === word);

function parseStarts(text: string): StartKind[] {
  const words = [...new Set(text.split(',').map((word) => word.trim()))];
  const kinds = words.filter(isStartKind);
  if (kinds.length < words.length)
    throw new UsageError(`--start takes ${startKinds.join(', ')}, or several with commas; not "${text}".`);
  return kinds;
}

/** The program to measure, after the one that it is compared with. */
function sidesOf(input: Input, terminal: Terminal): readonly Side[] {
  const [app, device, against] = [input.text('app'), input.text('device'), input.text('against')];
  if (app !== undefined) {
    if (input.rest.length > 0 || against !== undefined)
      throw new UsageError('--app stands alone: --against and a command after -- are for this machine.');
    const android = androidTargets(input, terminal, true);
    const durationMs = (input.read('duration', parseDuration) ?? usualAppNs) / 1e6;
    const request = { ...recordRequest(input), durationMs };
    const kinds = input.read('start', parseStarts) ?? ['cold'];
    if (kinds.length > 1 && input.has('base'))
      throw new UsageError('With --base give --start one kind: each is compared with its own.');
    return kinds.map((kind) => ({
      name: kinds.length > 1 ? kind : '',
      begin: (output) => recordStart(android, { app, device }, kind, { ...request, output }),
    }));
  }
  if (input.has('start'))
    throw new UsageError(
      '--start is for apps. A command is a new process each time, whose files the --warm-up has brought into memory.',
    );
  if (input.rest.length === 0) throw new UsageError('Which program? Give a command after --, or --app.');
  const local = { ...localOptions(terminal), printsToErrors: true };
  const side = (name: string, command: readonly string[]): Side => ({
    name,
    begin: (output) => launchWith(command, input.text('name'), { ...recordRequest(input), output }, local),
  });
  if (against === undefined) return [side('', input.rest)];
  if (input.has('base')) throw new UsageError('Either --against or --base.');
  return [side('before', commandWords(against)), side('after', input.rest)];
}

export const measure: Command = {
  name: 'measure',
  summary: 'launch a program again and again, record each launch, and tell the spread or what became slower',
  usage: ['measure [OPTIONS] -- java …', 'measure --app PACKAGE [OPTIONS]'],
  startsCommand: true,
  description: [
    'One run of a program differs from the next. Ten launches tell the mean of its length and CPU time, and how far to\ntrust it (± is for 19 of 20 cases). A program that does not end by itself is ended after --duration.',
    'With --against or --base two sets of launches are compared as btrace compare does it: by call path, the main thread\nfirst. That ends with exit code 6 if something takes clearly longer and is not in --exempt.',
  ],
  options,
  examples: [
    'btrace measure --launches 20 -- java -jar shop.jar --exit-after-start',
    'btrace measure --against "java -jar base/shop.jar" --markdown comment.md -- java -jar new/shop.jar',
    'btrace measure -o runs/new --base runs/main -- java -jar shop.jar',
    'btrace measure --app com.example.shop --duration 3s',
    'btrace measure --app com.example.shop --start cold,warm,hot',
  ],
  async run(input, terminal) {
    const sides = sidesOf(input, terminal);
    const name = input.text('app') ?? nameOfCommand(input.rest);
    const earlier = input.has('base') ? await filesOf(input.all('base'), 'base') : undefined;
    const given = await asked(input, name);
    const launches = await recordLaunches(sides, given, terminal);
    const opened = async (runs: readonly Launch[], mapping: string): Promise<RunSet> => {
      const traces = await openedRuns(
        runs.map(({ file }) => file),
        mapping,
        input,
        terminal,
      );
      const figures = traces.map((trace, at) => ({
        ...figuresOf(trace),
        screenNs: runs[at]?.screenNs ?? null,
      }));
      return { traces, figures };
    };
    if (sides.length > 1 && !input.has('against')) {
      const kinds: [string, RunSet][] = [];
      for (const [at, side] of sides.entries())
        kinds.push([side.name, await opened(launches[at] ?? [], 'mapping')]);
      printKinds(kinds, { name, folder: given.folder, isJson: input.has('json') }, terminal);
      return ExitCode.Done;
    }
    const after = await opened(launches.at(-1) ?? [], 'mapping');
    const beforeRuns =
      earlier?.map((file) => ({ file, screenNs: null })) ?? (launches.length > 1 ? launches[0] : undefined);
    const before = beforeRuns && (await opened(beforeRuns, 'mapping-before'));
    const report = before && (await judgedSets(before.traces, after.traces, input, terminal));
    const isWorse = report !== undefined && report.failed.length > 0;
    if (input.has('json')) {
      const told = {
        folder: path.resolve(given.folder),
        after: toldOf(after),
        ...(before && { before: toldOf(before) }),
      };
      terminal.print(JSON.stringify({ ...told, ...(report && { comparison: jsonReport(report) }) }, null, 2));
      return isWorse ? ExitCode.Slower : ExitCode.Done;
    }
    if (before !== undefined) {
      printFigures(l10n.t('{0} before', name), before.figures, terminal);
      terminal.print();
    }
    printFigures(before === undefined ? name : l10n.t('{0} after', name), after.figures, terminal);
    if (report !== undefined) for (const line of ['', ...textReport(report)]) terminal.print(plainText(line));
    terminal.note(l10n.t('The recordings are in {0}.', given.folder));
    return isWorse ? ExitCode.Slower : ExitCode.Done;
  },
};

/** The launches of one kind. */
interface RunSet {
  readonly traces: readonly Trace[];
  readonly figures: readonly LaunchFigures[];
}

/** Kinds of starts are not compared: each has its own figures. */
function printKinds(
  kinds: readonly (readonly [string, RunSet])[],
  { name, folder, isJson }: { readonly name: string; readonly folder: string; readonly isJson: boolean },
  terminal: Terminal,
): void {
  if (isJson) {
    const starts = Object.fromEntries(kinds.map(([kind, set]) => [kind, toldOf(set)]));
    terminal.print(JSON.stringify({ folder: path.resolve(folder), starts }, null, 2));
    return;
  }
  for (const [at, [kind, { figures }]] of kinds.entries()) {
    if (at > 0) terminal.print();
    printFigures(`${name} ${kind}`, figures, terminal);
  }
  terminal.note(l10n.t('The recordings are in {0}.', folder));
}

function toldOf({ figures }: RunSet) {
  return { launches: figures, spread: spreadsOf(figures) };
}
