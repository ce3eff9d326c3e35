import { threadIndexes } from '../choose-threads.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { ExitCode, UsageError } from '../exit-codes.js';
import { mappingOption, retraced } from '../retrace-mapping.js';
import { memoryOption, openWithProgress } from '../open-trace.js';
import { formatLength } from '../../trace/measure/quantities.js';
import { parseCount, parseDuration, parseSize } from '../quantities.js';
import { reportJson } from '../report/json.js';
import { measure, sortKeys, type ReportRequest } from '../report/measure.js';
import { askedJson, printAsked } from '../report/asked.js';
import { printReport } from '../report/print.js';
import { l10n } from '../l10n.js';

const options: readonly Option[] = [
  { name: 'top', short: 'n', value: 'N', help: 'how many methods (default: 20)' },
  {
    name: 'sort',
    value: 'BY',
    choices: sortKeys,
    help: `${sortKeys.join(', ')}\n(default: self-cpu, or self-wall where no CPU time was recorded)`,
  },
  { name: 'thread', short: 't', value: 'TEXT', help: 'only threads with TEXT in their names' },
  { name: 'slow', value: 'TIME', help: 'also calls of TIME and longer that no callee explains' },
  { name: 'threads', value: 'N', help: 'also the N background threads with the most CPU time' },
  { name: 'locks', help: 'also locks that the main thread waited for, by owner' },
  { name: 'per-thread', help: 'the hottest methods of each thread' },
  { name: 'from', value: 'TIME', help: 'from this time after the begin' },
  { name: 'to', value: 'TIME', help: 'to this time after the begin' },
  memoryOption,
  mappingOption,
  jsonOption,
];

function requestOf(input: Input): ReportRequest {
  const sort = input.text('sort');
  if (sort !== undefined && !sortKeys.includes(sort)) {
    throw new UsageError(`--sort takes ${sortKeys.join(', ')}; not "${sort}".`);
  }
  const [fromNs, toNs] = [input.read('from', parseDuration), input.read('to', parseDuration)];
  if (toNs !== undefined && toNs <= (fromNs ?? 0)) throw new UsageError('--to is a time after --from.');
  return {
    top: input.read('top', parseCount) ?? 20,
    sort,
    fromNs,
    toNs,
    perThread: input.has('per-thread'),
    mapping: input.text('mapping'),
  };
}

export const report: Command = {
  name: 'report',
  summary: 'print the hottest methods of a recording, and how far to trust it',
  usage: ['report FILE [OPTIONS]'],
  operands: ['file'],
  description: [
    "FILE is a recording of BTrace's or any trace it can read (Perfetto, Chrome JSON, speedscope, collapsed stacks …).",
    'Self is the time in a method itself, total with all that it called; a method that calls itself is counted once.\nWall is time on the clock, waiting included; CPU is time on a processor.',
  ],
  options,
  examples: [
    'btrace report demo.btrace',
    'btrace report demo.btrace --slow 20ms --threads 10 --locks',
    'btrace report demo.btrace --thread customer --sort total-wall',
    'btrace report release.btrace --mapping app/build/outputs/mapping/release/mapping.txt',
  ],
  async run(input, terminal) {
    const file = input.operand();
    const request = requestOf(input);
    const asked = {
      slowNs: input.read('slow', parseDuration),
      threads: input.read('threads', parseCount),
      locks: input.has('locks'),
    };
    const trace = await retraced(
      await openWithProgress(file, terminal, input.read('memory', parseSize)),
      request.mapping,
      (text) => terminal.note(text),
    );
    const lengthNs = trace.endNs - trace.beginNs;
    if (request.fromNs !== undefined && request.fromNs >= lengthNs)
      throw new UsageError(`--from is after the end of ${file}, which is ${formatLength(lengthNs)} long.`);
    const threads = threadIndexes(trace, input.text('thread'));
    terminal.progress(l10n.t('Adding up {0}', file));
    const measured = measure(trace, threads, request);
    terminal.endProgress();
    if (input.has('json')) {
      const told = { ...reportJson(file, measured), ...askedJson(measured, asked) };
      terminal.print(JSON.stringify(told, null, 2));
    } else {
      printReport(measured, terminal);
      printAsked(measured, asked, terminal);
    }
    return ExitCode.Done;
  },
};
