import path from 'node:path';
import { nameRecording } from '../../targets/session/name-recording.js';
import { isMissing } from '../../targets/session/native-names-thread.js';
import { formatCount } from '../../trace/measure/quantities.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { CliError, ExitCode, UsageError } from '../exit-codes.js';
import { fillFile, forceOption, refuseExisting } from '../new-file.js';
import { piecesOf } from '../open-trace.js';
import type { Terminal } from '../terminal.js';
import { l10n } from '../l10n.js';

const mostTold = 5;

const options: readonly Option[] = [
  { name: 'output', short: 'o', value: 'FILE', help: 'write the recording with names here' },
  {
    name: 'symbols',
    value: 'FOLDER',
    help: 'look for the program’s files and debug information in it, too',
  },
  forceOption,
  jsonOption,
];

async function symbolized(input: Input, terminal: Terminal): Promise<number> {
  const output = input.text('output');
  if (output === undefined) throw new UsageError('Where to? Give -o FILE.');
  const recording = input.operand();
  const folder = input.text('symbols');
  refuseExisting(output, input);
  const named = await fillFile(output, async (sink) => {
    const found = await nameRecording(
      piecesOf(recording),
      folder === undefined ? [] : [path.resolve(folder)],
      sink,
    );
    if (found.isRecording) return found;
    throw new CliError(
      ExitCode.File,
      `${recording} is no recording of BTrace.`,
      'Traces of other tools are named as they are opened.',
    );
  });
  const { functions, places, damaged, missing } = named;
  const problems = named.problems.map(({ what }) => what);
  for (const problem of problems.slice(0, mostTold)) terminal.note(l10n.t('In {0}: {1}', recording, problem));
  for (const file of damaged.slice(0, mostTold))
    terminal.note(l10n.t('{0} is damaged: the debug information in it was left out.', file));
  for (const file of missing.slice(0, mostTold)) terminal.note(`${file} ${isMissing}`);
  if (input.has('json')) {
    terminal.print(JSON.stringify({ file: output, functions, places, problems, damaged, missing }, null, 2));
    return ExitCode.Done;
  }
  terminal.note(
    places === 0
      ? l10n.t(
          'No native function was found that had no name. --symbols names a folder with the files of the same build.',
        )
      : l10n.t('Named {0} native functions, at {1} places:', formatCount(functions), formatCount(places)),
  );
  terminal.print(output);
  return ExitCode.Done;
}

export const symbolize: Command = {
  name: 'symbolize',
  summary: 'name the native functions of a recording that a program made itself',
  usage: ['symbolize RECORDING -o OUTPUT [OPTIONS]'],
  operands: ['recording'],
  description: [
    'Recordings that are made from here have these names. A program that records itself, and a lag file, have places in\nfiles instead. Files of the same build (build id or UUID) name them: those at the paths that the program knew, and\nthose below --symbols.',
  ],
  options,
  examples: [
    'btrace symbolize lag.btrace -o named.btrace',
    'btrace symbolize app.btrace -o app.btrace --force --symbols build/Debug-iphoneos',
  ],
  run: symbolized,
};
