import { recognise, recogniseBytes } from '../../trace/formats/index.js';
import { type PointSurvey, PointSurveyor } from '../../trace/index.js';
import { type Command, jsonOption } from '../command-line.js';
import { CliError, ExitCode } from '../exit-codes.js';
import { infoJson, printInfo } from '../info.js';
import { memoryOption, openWithProgress, readPieces, withProgress } from '../open-trace.js';
import { parseSize } from '../quantities.js';
import { type Terminal } from '../terminal.js';

async function surveyOf(file: string, terminal: Terminal): Promise<PointSurvey> {
  const surveyor = new PointSurveyor();
  await withProgress(terminal, `Counting the points of ${file}`, (say) =>
    readPieces(file, (bytes) => surveyor.append(bytes), say),
  );
  return surveyor.survey();
}

/** Before much of it is read: a trace of another tool has no points. */
async function refuseOthers(file: string): Promise<void> {
  await readPieces(file, (bytes) => {
    if (recognise(bytes.subarray(0, recogniseBytes)).format === 'btrace') return false;
    throw new CliError(ExitCode.File, `${file} is no recording of BTrace: it has no points.`);
  });
}

export const info: Command = {
  name: 'info',
  summary: 'say what is in a recording: target, settings, hooks, losses, damage',
  usage: ['info FILE [OPTIONS]'],
  operands: ['file'],
  description: [],
  options: [
    {
      name: 'points',
      help: 'say which points came how often, and how much of the CPU time they alone would see;\nto count each: record with --point-interval 0 --budget 0',
    },
    memoryOption,
    jsonOption,
  ],
  examples: [],
  async run(input, terminal) {
    const file = input.operand();
    const memory = input.read('memory', parseSize);
    if (input.has('points')) await refuseOthers(file);
    const trace = await openWithProgress(file, terminal, memory);
    const points = input.has('points') ? await surveyOf(file, terminal) : undefined;
    if (input.has('json')) terminal.print(JSON.stringify(infoJson(file, trace, points), null, 2));
    else printInfo(file, trace, terminal, points);
    return ExitCode.Done;
  },
};
