import { realpathSync } from 'node:fs';
import { exporters, type StackWeight } from '../../trace/formats/index.js';
import { usualMemoryBytes, weights } from '../../trace/index.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { type ConversionRequest, ownFormat } from '../convert/conversion.js';
import { convertInThread } from '../convert/worker.js';
import { errorPart, ExitCode, UsageError } from '../exit-codes.js';
import { mappingOption } from '../retrace-mapping.js';
import { forceOption, makeFile, refuseExisting } from '../new-file.js';
import { fileError, isFromSystem, memoryOption } from '../open-trace.js';
import { formatBytes } from '../../trace/measure/quantities.js';
import { parseSize } from '../quantities.js';
import { l10n } from '../l10n.js';

const formatIds = [ownFormat, ...exporters.map(({ id }) => id)];
const weightNames: readonly StackWeight[] = [...weights, 'samples'];

/** Of the formats that carry one, which they can. */
const weightsOf: Readonly<Record<string, readonly StackWeight[]>> = {
  collapsed: weightNames,
  speedscope: ['wall', 'cpu'],
  pprof: weightNames,
};

/** Other ends of names that people use for the same formats. */
const otherExtensions: readonly (readonly [string, string])[] = [
  ['.btrace', ownFormat],
  ['.pftrace', 'perfetto'],
  ['.pb', 'perfetto'],
  ['.folded', 'collapsed'],
  ['.pprof', 'pprof'],
  ['.nanoscope', 'nanoscope'],
  ['.nanoscope.txt', 'nanoscope'],
];

function formatFor(output: string): string | undefined {
  const known = [...exporters.map(({ extension, id }) => [extension, id] as const), ...otherExtensions];
  // ".speedscope.json" before ".json"
  const fitting = known
    .filter(([extension]) => output.toLowerCase().endsWith(extension))
    .sort(([a], [b]) => b.length - a.length);
  return fitting[0]?.[1];
}

const options: readonly Option[] = [
  { name: 'output', short: 'o', value: 'FILE', help: 'write here; "-" is standard output' },
  {
    name: 'to',
    value: 'FORMAT',
    choices: formatIds,
    help: `${formatIds.join(', ')}\n(default: by the end of FILE's name)`,
  },
  forceOption,
  { name: 'thread', short: 't', value: 'TEXT', help: 'only threads with TEXT in their names' },
  {
    name: 'weight',
    value: 'WEIGHT',
    choices: weightNames,
    help: `for formats with one weight:\n${weightNames.join(', ')}`,
  },
  memoryOption,
  mappingOption,
  { name: 'redact', help: "to btrace only: take the program's names out" },
  { name: 'quiet', short: 'q', help: 'no progress' },
  jsonOption,
];

function requestOf(input: Input): ConversionRequest {
  const output = input.text('output');
  if (output === undefined) throw new UsageError('Where to? Give -o FILE.');
  const format = input.text('to') ?? formatFor(output);
  if (format === undefined) {
    throw new UsageError(`Which format? The name ${output} does not say; give --to ${formatIds.join('|')}.`);
  }
  if (!formatIds.includes(format)) {
    throw new UsageError(`There is no format "${format}". Formats: ${formatIds.join(', ')}.`);
  }
  const weight = weightNames.find((one) => one === input.text('weight'));
  if (input.has('weight') && weight === undefined) {
    throw new UsageError(`--weight takes ${weightNames.join(', ')}.`);
  }
  const redact = input.has('redact');
  if (redact && format !== ownFormat)
    throw new UsageError('--redact goes with --to btrace: redact first, then convert.');
  if (format === ownFormat && input.has('thread'))
    throw new UsageError('--thread goes with the formats of other tools: a recording keeps all its threads.');
  const weighed = weightsOf[format] ?? [];
  if (weight !== undefined && !weighed.includes(weight))
    throw new UsageError(
      weighed.length === 0
        ? `--weight goes with ${Object.keys(weightsOf).join(' and ')}, not with ${format}.`
        : `--weight takes ${weighed.join(', ')} with --to ${format}.`,
    );
  const mapping = input.text('mapping');
  if (mapping !== undefined && format === ownFormat)
    throw new UsageError(
      '--mapping goes with the formats of other tools: a recording keeps the names that it was made with.',
    );
  return {
    input: input.operand(),
    output,
    format,
    thread: input.text('thread'),
    weight,
    redact,
    mapping,
    memoryBytes: input.read('memory', parseSize) ?? usualMemoryBytes,
  };
}

export const convert: Command = {
  name: 'convert',
  summary: 'write a recording in the format of another tool',
  usage: ['convert FILE -o OUTPUT [OPTIONS]'],
  operands: ['file'],
  description: [
    "FILE is a recording of BTrace's or any trace it can read; it is recognised by its content.\nOUTPUT gets its name when it is whole: Ctrl-C leaves nothing behind.",
  ],
  options,
  examples: [
    'btrace convert demo.btrace -o demo.pftrace           open it in ui.perfetto.dev',
    'btrace convert demo.btrace -o - --to collapsed | flamegraph.pl > demo.svg',
    'btrace convert demo.btrace -o shared.btrace --redact',
  ],
  async run(input, terminal) {
    const request = requestOf(input);
    const toStandardOutput = request.output === '-';
    if (!toStandardOutput) refuseExisting(request.output, input);
    // It would stand within what is written.
    const isQuiet = input.has('quiet') || (toStandardOutput && terminal.width > 0);
    const converted = (output: string, interrupted?: AbortSignal) =>
      convertInThread(
        realpathSync(process.argv[1] ?? ''),
        { ...request, output },
        (line) => {
          if (!isQuiet) terminal.progress(line);
        },
        interrupted,
      ).finally(() => terminal.endProgress());
    if (toStandardOutput) {
      await converted(request.output).catch((error: unknown) => {
        throw isFromSystem(error) ? fileError(errorPart('Standard output'), 'written', error) : error;
      });
      return ExitCode.Done;
    }
    const { bytes, problems } = await makeFile(request.output, converted);
    for (const problem of problems.slice(0, 5)) terminal.note(l10n.t('In {0}: {1}', request.input, problem));
    if (input.has('json')) {
      terminal.print(
        JSON.stringify({ file: request.output, format: request.format, bytes, problems }, null, 2),
      );
      return ExitCode.Done;
    }
    if (!input.has('quiet')) terminal.note(l10n.t('Wrote {0}:', formatBytes(bytes)));
    terminal.print(request.output);
    return ExitCode.Done;
  },
};
