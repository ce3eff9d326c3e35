import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { launch } from '../../targets/local/launch.js';
import { defaultMemoryBytes, recordingPresets } from '../../targets/presets.js';
import type { RecordOptions } from '../../targets/target.js';
import { CallSurveyor, SampleKind } from '../../trace/index.js';
import { type Command, jsonOption } from '../command-line.js';
import { CliError, ExitCode, UsageError } from '../exit-codes.js';
import { localOptions } from '../local-targets.js';
import { readPieces } from '../open-trace.js';
import { plainText } from '../plain-text.js';
import { parseCount, parseDuration } from '../quantities.js';
import { attachWith, type Begin } from '../recording/begin.js';
import { begun, exitCodes, stopAtSignal } from '../recording/follow.js';
import { printSurvey, surveyJson } from '../survey.js';

const usualRows = 40;

/** By CPU time, so that threads have names; and nothing at points, which are counted alone. */
const optionsOf = (file: string, maxDurationMs: number): RecordOptions => ({
  ...recordingPresets.balanced,
  file,
  kinds: [SampleKind.CpuTimer, SampleKind.ExternalSampler],
  survey: true,
  memoryBytes: defaultMemoryBytes,
  policy: 'stream',
  ringNs: 0,
  maxDurationMs,
  maxBytes: 0,
});

function nothingCounted(name: string, why: string): CliError {
  return new CliError(
    ExitCode.Target,
    `No calls of ${plainText(name)} were counted${why === '' ? '.' : `: ${plainText(why)}`}`,
    'Functions that a program imports by address are not counted (docs/NATIVE.md), and an agent of an older BTrace counts none: install or build both anew.',
  );
}

export const survey: Command = {
  name: 'survey',
  summary: 'count how often a native program calls each function that it imports',
  usage: ['survey [OPTIONS] -- ./program …', 'survey (--pid PID | --name TEXT) [OPTIONS]'],
  startsCommand: true,
  description: [
    'Says by function and by thread how often it is called, which functions are points of a recording today, and\nwhich are frequent enough to be one. The program is started with the agent in it, and all its functions are\nbound at its start; into one that runs, the agent is loaded. docs/NATIVE.md.',
  ],
  options: [
    { name: 'pid', short: 'p', value: 'PID', help: 'a program that runs' },
    { name: 'name', short: 'n', value: 'TEXT', help: 'the one whose name holds TEXT' },
    {
      name: 'duration',
      short: 'd',
      value: 'TIME',
      help: 'stop after this (default: until it ends, or Ctrl-C)',
    },
    { name: 'top', value: 'COUNT', help: `how many functions to show (default: ${usualRows})` },
    jsonOption,
  ],
  examples: ['btrace survey -d 10s -- sqlite3 shop.db ".read work.sql"', 'btrace survey --pid 4711 -d 10s'],
  async run(input, terminal) {
    const pid = input.read('pid', parseCount);
    const name = input.text('name');
    const most = input.read('top', parseCount) ?? usualRows;
    const durationMs = (input.read('duration', parseDuration) ?? 0) / 1e6;
    const isStarted = input.rest.length > 0;
    if ([isStarted, pid !== undefined, name !== undefined].filter(Boolean).length !== 1)
      throw new UsageError('Which program? Give --pid, or --name, or a command after --');
    const folder = await mkdtemp(path.join(os.tmpdir(), 'btrace-survey-'));
    try {
      const options = optionsOf(path.join(folder, 'survey.btrace'), durationMs);
      const local = localOptions(terminal);
      const begin: Begin = isStarted
        ? async (signal) => {
            const launched = await launch(input.rest, options, { ...local, printsToErrors: true }, signal);
            return { session: launched.session, launched };
          }
        : attachWith(
            pid !== undefined ? { pid } : { name: name ?? '' },
            () => Promise.resolve(options),
            local,
          );
      const recorded = await begun(begin);
      const off = stopAtSignal(recorded, terminal);
      const { session, launched } = recorded;
      const end = await session.ended.finally(off);
      const surveyor = new CallSurveyor();
      await readPieces(end.file, (bytes) => surveyor.append(bytes));
      const found = surveyor.survey();
      if (!found.isSurvey) throw nothingCounted(session.target.name, found.why || end.message);
      if (input.has('json')) terminal.print(JSON.stringify(surveyJson(session.target.name, found), null, 2));
      else printSurvey(session.target.name, found, most, terminal);
      const code = exitCodes[end.reason];
      const exit = await launched?.exit;
      return code === ExitCode.Done ? (exit ?? code) : code;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
