import path from 'node:path';
import { type FindingOptions, findingsIn, findingText } from '../../trace/findings/registry.js';
import type { Evidence, Finding } from '../../trace/findings/finding.js';
import { type LagFrame, lagStack } from '../../trace/measure/lag-stack.js';
import { messageFigures } from '../../trace/measure/messages.js';
import { formatCount, formatNs, formatShare } from '../../trace/measure/quantities.js';
import type { Scope, Trace } from '../../trace/index.js';
import { threadIndexes } from '../choose-threads.js';
import { type Command, type Input, jsonOption, type Option } from '../command-line.js';
import { CliError, ExitCode, UsageError } from '../exit-codes.js';
import { mappingOption, retraced } from '../retrace-mapping.js';
import { memoryOption, openWithProgress } from '../open-trace.js';
import { plainText } from '../plain-text.js';
import { earlierRecording } from '../earlier-recording.js';
import { parseDuration, parseSize } from '../quantities.js';
import { findingJson } from '../report/findings.js';
import { threadWord } from '../report/words.js';
import { l10n } from '../l10n.js';

const options: readonly Option[] = [
  { name: 'range', value: 'A..B', help: 'only this time of the recording, such as 1.2s..1.5s' },
  { name: 'message', value: 'ID', help: 'only this loop message of the main thread, or the longest' },
  { name: 'thread', short: 't', value: 'TEXT', help: 'only threads with TEXT in their names' },
  {
    name: 'since',
    value: 'FILE',
    help: 'also what takes longer than in FILE, or in the last recording of\nthe same program in the same folder (last)',
  },
  memoryOption,
  mappingOption,
  jsonOption,
];

/** Of the range: calls that take less are not gone into. */
const leastOfLag = 0.1;

/** "main, 1.20 s to 1.35 s, Cart.load:12" */
function placeOf(trace: Trace, { thread, beginNs, endNs, method, line }: Evidence): string {
  const name = trace.threads.find(({ index }) => index === thread)?.name;
  const time = (ns: number): string => formatNs(ns - trace.beginNs);
  return [
    name,
    beginNs === undefined
      ? undefined
      : endNs === undefined
        ? l10n.t('at {0}', time(beginNs))
        : l10n.t('{0} to {1}', time(beginNs), time(endNs)),
    method === undefined
      ? undefined
      : `${trace.methods.qualifiedName(method)}${line === undefined ? '' : `:${line}`}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** What a person reads of a finding: the sentence, its share and how sure it is; then why, and what to do. */
function* linesOf(trace: Trace, finding: Finding): Generator<string> {
  const { title, explanation, nextStep, shareOfTime, certainty, evidence } = finding;
  const share = shareOfTime === undefined ? '' : l10n.t(' ({0} of the time)', formatShare(shareOfTime));
  yield `${findingText(title, l10n.findings)}${share}${certainty === 'estimated' ? l10n.t(', by estimate') : ''}`;
  yield `  ${findingText(explanation, l10n.findings)}`;
  for (const one of evidence.slice(0, 3)) yield `  ${placeOf(trace, one)}`;
  if (nextStep !== undefined) yield `  ${findingText(nextStep, l10n.findings)}`;
}

function parseRange(text: string, option: string): readonly [number, number] {
  const [from = '', to = '', ...more] = text.split('..');
  if (from === '' || to === '' || more.length > 0)
    throw new UsageError(`--${option} takes two times such as 1.2s..1.5s, not "${text}".`);
  const range = [parseDuration(from, option), parseDuration(to, option)] as const;
  if (range[1] <= range[0]) throw new UsageError(`--${option} ends before it begins.`);
  return range;
}

/** A loop message of a main thread, by its number. */
function messageScope(trace: Trace, wanted: string): Scope {
  const loops = trace.threads.filter(({ isMain }) => isMain).map(({ index }) => index);
  const { count, thread, id, begin, end } = messageFigures(trace, loops);
  if (loops.length === 0 || count === 0)
    throw new CliError(
      ExitCode.Usage,
      'The main thread of this recording handles no loop messages.',
      'Ask about a time by --range.',
    );
  const rows = Array.from({ length: count }, (_, row) => row);
  const length = (row: number): number => (end[row] ?? 0) - (begin[row] ?? 0);
  const row =
    wanted === 'longest'
      ? rows.reduce((a, b) => (length(b) > length(a) ? b : a))
      : rows.find((at) => String(id[at]) === wanted);
  if (row === undefined)
    throw new CliError(
      ExitCode.Usage,
      `No loop message has the number ${wanted}.`,
      `They go from ${id[0] ?? 0} to ${id[count - 1] ?? 0}; --message longest takes the longest one.`,
    );
  return { threads: [thread[row] ?? 0], beginNs: begin[row] ?? 0, endNs: end[row] ?? 0 };
}

function scopeOf(trace: Trace, input: Input): Scope | undefined {
  const [range, message] = [input.read('range', parseRange), input.text('message')];
  if (range !== undefined && message !== undefined)
    throw new UsageError('--range and --message each say a time: give one of them.');
  const threads = threadIndexes(trace, input.text('thread'));
  if (message !== undefined) return messageScope(trace, message);
  if (range === undefined)
    return threads.length === 0 ? undefined : { threads, beginNs: trace.beginNs, endNs: trace.endNs };
  const [from, to] = range;
  if (from >= trace.endNs - trace.beginNs)
    throw new UsageError(
      `--range begins after the end of the recording, which is ${formatNs(trace.endNs - trace.beginNs)} long.`,
    );
  return { threads, beginNs: trace.beginNs + from, endNs: Math.min(trace.beginNs + to, trace.endNs) };
}

interface Lag {
  readonly thread: string;
  readonly lengthNs: number;
  readonly frames: readonly LagFrame[];
}

/** Of the thread that was asked for, else of the main thread. */
function lagOf(trace: Trace, { threads, beginNs, endNs }: Scope): Lag | undefined {
  const wanted = threads[0];
  const thread = trace.threads.find(({ index, isMain }) =>
    wanted === undefined ? isMain : index === wanted,
  );
  if (thread === undefined) return undefined;
  const lengthNs = endNs - beginNs;
  const frames = lagStack(trace, thread.index, beginNs, endNs, lengthNs * leastOfLag);
  return { thread: threadWord(thread.name, thread.tid), lengthNs, frames };
}

function* lagLines(trace: Trace, { thread, lengthNs, frames }: Lag): Generator<string> {
  yield l10n.t('Where the time of "{0}" went, the longest call at each level:', thread);
  for (const { method, ns, calls, line } of frames) {
    const place = line > 0 ? `:${line}` : '';
    const times = calls > 1 ? l10n.t(', {0} calls', formatCount(calls)) : '';
    yield `  ${formatNs(ns)} (${formatShare(ns / lengthNs)}) ${trace.methods.qualifiedName(method)}${place}${times}`;
  }
  if (frames.length === 0) yield `  ${l10n.t('No call is known that took a tenth of it.')}`;
}

export const why: Command = {
  name: 'why',
  summary: 'tell what a recording was slow by, the costliest first',
  usage: ['why FILE [OPTIONS]'],
  operands: ['file'],
  description: [
    'Rules look for locks and who holds them, deadlocks, waits and sleeps of the main thread, garbage collections,\nclass loading and compilers, hot methods, threads and hand-overs by the thousand, a start on one thread, and threads\nthat got no core (with a system trace).',
    'Each finding has its share of the time, how sure it is, and where it was seen. A healthy program has none.\nFor a range or a message, the calls that it went into are told as well.',
  ],
  options,
  examples: [
    'btrace why slow-start.btrace',
    'btrace why shop.btrace --range 1.2s..1.5s',
    'btrace why shop.btrace --message longest',
    'btrace why today.btrace --since last',
  ],
  async run(input, terminal) {
    const file = input.operand();
    const memory = input.read('memory', parseSize);
    const open = async (name: string): Promise<Trace> =>
      retraced(await openWithProgress(name, terminal, memory), input.text('mapping'), (text) =>
        terminal.note(text),
      );
    const trace = await open(file);
    const scope = scopeOf(trace, input);
    const since = input.text('since');
    if (since !== undefined && scope !== undefined)
      throw new UsageError('--since compares whole recordings: leave out --range, --message and --thread.');
    const earlier = since === 'last' ? await earlierRecording(file, trace) : since;
    const findOptions: FindingOptions = {
      ...(scope && { scope }),
      ...(earlier !== undefined && { baseline: await open(earlier) }),
    };
    const findings = findingsIn(trace, findOptions);
    const lag = scope && lagOf(trace, scope);
    if (input.has('json')) {
      const told = findings.map((one) => findingJson(trace, one));
      const frames = lag?.frames.map(({ method, ...frame }) => ({
        method: trace.methods.qualifiedName(method),
        ...frame,
      }));
      const since = earlier === undefined ? {} : { since: earlier };
      terminal.print(
        JSON.stringify({ file, ...since, findings: told, ...(frames && { lagStack: frames }) }, null, 2),
      );
      return ExitCode.Done;
    }
    if (earlier !== undefined) terminal.note(l10n.t('Compared with {0}.', path.basename(earlier)));
    if (findings.length === 0) terminal.print(l10n.t('Nothing stands out.'));
    findings.forEach((finding, at) => {
      if (at > 0) terminal.print();
      const [head = '', ...more] = linesOf(trace, finding);
      terminal.print(terminal.bold(plainText(head)));
      for (const line of more) terminal.print(plainText(line));
    });
    if (lag !== undefined) {
      terminal.print();
      for (const line of lagLines(trace, lag)) terminal.print(plainText(line));
    }
    return ExitCode.Done;
  },
};
