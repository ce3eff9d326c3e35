import { readFile } from 'node:fs/promises';
import type { Scope, Trace } from '../../trace/index.js';
import { formatLength } from '../../trace/measure/quantities.js';
import { comparedLength } from '../../trace/compare/comparison.js';
import { threadIndexes } from '../choose-threads.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { compareSets, setOptions } from '../compare/compare-sets.js';
import { differencesJson } from '../compare/json.js';
import { exemptPattern, parseLimit } from '../compare/limit.js';
import { type CompareRequest, type Differences, measureDifferences } from '../compare/measure.js';
import { printDifferences } from '../compare/print.js';
import { CliError, ExitCode, UsageError } from '../exit-codes.js';
import { retraced } from '../retrace-mapping.js';
import { fileError, memoryOption, openWithProgress } from '../open-trace.js';
import { parseCount, parseDuration, parseSize } from '../quantities.js';
import { sortKeys as reportSortKeys, sorts } from '../report/measure.js';
import type { Terminal } from '../terminal.js';
import { l10n } from '../l10n.js';

/** Lengths that differ by no more are not worth a word. */
const alikeWithin = 0.02;

/** What a program still holds at its end has no noise that is known. */
const sortKeys = reportSortKeys.filter((key) => key !== 'held');

const options: readonly Option[] = [
  { name: 'top', short: 'n', value: 'N', help: 'how many methods (default: 20)' },
  {
    name: 'sort',
    value: 'BY',
    choices: sortKeys,
    help: `${sortKeys.join(', ')}\n(default: self-cpu, or self-wall where one has no CPU time)`,
  },
  { name: 'all', help: 'also differences that sampling alone may have made' },
  { name: 'scale', help: 'as if BEFORE were as long as AFTER: for programs that do the same all the time' },
  { name: 'thread', short: 't', value: 'TEXT', help: 'only threads with TEXT in their names' },
  { name: 'from', value: 'TIME', help: 'from this time after the begin of each' },
  { name: 'to', value: 'TIME', help: 'to this time after the begin of each' },
  {
    name: 'fail-above',
    value: 'LIMIT',
    help: 'exit with 6 if all of it or a method takes clearly more than LIMIT longer:\n50ms, 10MB, or 5% of the sum before',
  },
  { name: 'exempt', value: 'FILE', help: 'methods that may differ: a name a line, * for anything' },
  ...setOptions,
  memoryOption,
  { name: 'mapping', value: 'FILE', help: 'names of AFTER as written, by its R8 or ProGuard mapping' },
  { name: 'mapping-before', value: 'FILE', help: 'the same of BEFORE' },
  jsonOption,
];

function scopeOf(trace: Trace, file: string, input: Input): Scope {
  const [fromNs, toNs] = [input.read('from', parseDuration), input.read('to', parseDuration)];
  if (toNs !== undefined && toNs <= (fromNs ?? 0)) throw new UsageError('--to is a time after --from.');
  const lengthNs = trace.endNs - trace.beginNs;
  if (fromNs !== undefined && fromNs >= lengthNs)
    throw new UsageError(`--from is after the end of ${file}, which is ${formatLength(lengthNs)} long.`);
  return {
    threads: threadIndexes(trace, input.text('thread')),
    beginNs: fromNs === undefined ? -Infinity : trace.beginNs + fromNs,
    endNs: toNs === undefined ? Infinity : trace.beginNs + toNs,
  };
}

type Asked = Omit<CompareRequest, 'sort' | 'key'> & { readonly sort: string | undefined };

/** What is wrong with it is said before files are read. */
async function asked(input: Input): Promise<Asked> {
  const sort = input.text('sort');
  if (sort !== undefined && !sortKeys.includes(sort))
    throw new UsageError(`--sort takes ${sortKeys.join(', ')}; not "${sort}".`);
  const limit = input.text('fail-above');
  const exempt = input.text('exempt');
  return {
    top: input.read('top', parseCount) ?? 20,
    sort,
    isScaled: input.has('scale'),
    all: input.has('all'),
    limit: limit === undefined ? undefined : parseLimit(limit, sorts.get(sort ?? '')?.weight ?? 'wall'),
    exempt: exempt === undefined ? undefined : exemptPattern(await textOf(exempt)),
  };
}

/** What cannot be compared is refused: a figure of one trace alone would look like a difference. */
function requestFor(before: Trace, after: Trace, given: Asked): CompareRequest {
  const hasCpu = before.info.hasCpu && after.info.hasCpu;
  const sort = given.sort ?? (hasCpu ? 'self-cpu' : 'self-wall');
  const key = sorts.get(sort) ?? { by: 'self', weight: 'wall' };
  const has = ({ info }: Trace): boolean =>
    key.weight === 'cpu' ? info.hasCpu : key.weight === 'allocatedBytes' ? info.hasAllocations : true;
  if (!has(before) || !has(after)) {
    throw new CliError(
      ExitCode.Usage,
      has(before)
        ? `AFTER has not recorded what ${sort} compares.`
        : has(after)
          ? `BEFORE has not recorded what ${sort} compares.`
          : `They have not recorded what ${sort} compares.`,
      'Compare by --sort self-wall.',
    );
  }
  return { ...given, sort, key };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw fileError(file, 'read', error);
  }
}

function noteLengths({ before, after }: Differences, input: Input, terminal: Terminal): void {
  const [one, other] = [comparedLength(before), comparedLength(after)];
  if (input.has('scale') || input.has('json') || Math.abs(other / one - 1) <= alikeWithin) return;
  terminal.note(
    l10n.t(
      'What is compared is {0} and {1} long. Of a program that does the same all the time, --scale compares what it does in the same time.',
      formatLength(one),
      formatLength(other),
    ),
  );
}

export const compare: Command = {
  name: 'compare',
  summary: 'tell what takes more, and less, in one recording than in another',
  usage: ['compare BEFORE AFTER [OPTIONS]', 'compare --base FILE… --new FILE… [OPTIONS]'],
  operands: ['BEFORE', 'AFTER'],
  description: [
    'BEFORE and AFTER are recordings, or any traces that btrace can read: of two builds, two inputs, two machines.',
    'Methods are matched by name. Of samples, differences are told that chance would make in 1 of 20 cases at most;\nbut two runs of one program differ, too: compare two of the same to see by how much.',
    'With --base and --new two sets of runs are compared, by call path, the main thread first: what takes 10 ms more and\nis no chance, and new calls of 5 ms. That ends with exit code 6, too, but for methods in --exempt.',
    'In a pipeline, --fail-above ends with exit code 6 where something became slower.',
  ],
  options,
  examples: [
    'btrace compare main.btrace branch.btrace',
    'btrace compare main.btrace branch.btrace --sort total-wall --thread main',
    'btrace compare --base runs/main --new runs/branch --exempt known.txt --html report.html',
    'btrace compare release-1.btrace release-2.btrace --fail-above 5% --exempt known.txt',
  ],
  async run(input, terminal) {
    if (input.has('base') || input.has('new')) return compareSets(input, terminal);
    const files = [input.operand(0), input.operand(1)] as const;
    const given = await asked(input);
    const memory = input.read('memory', parseSize);
    const opened = async (file: string, mapping: string): Promise<Trace> =>
      retraced(await openWithProgress(file, terminal, memory), input.text(mapping), (text) =>
        terminal.note(text),
      );
    const before = await opened(files[0], 'mapping-before');
    const after = await opened(files[1], 'mapping');
    const request = requestFor(before, after, given);
    const beforeScope = scopeOf(before, files[0], input);
    const afterScope = scopeOf(after, files[1], input);
    terminal.progress(l10n.t('Comparing'));
    const found = measureDifferences(
      { trace: before, scope: beforeScope },
      { trace: after, scope: afterScope },
      request,
    );
    terminal.endProgress();
    if (input.has('json')) terminal.print(JSON.stringify(differencesJson(files, found), null, 2));
    else printDifferences(found, terminal);
    noteLengths(found, input, terminal);
    return found.failed.length > 0 ? ExitCode.Slower : ExitCode.Done;
  },
};
