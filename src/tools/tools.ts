/** The tools that language models get: docs/TOOLS.md describes each. */
import { compareTraces, lengthRatio } from '../trace/compare/comparison.js';
import { isClear, methodDifferences } from '../trace/compare/differences.js';
import { findingsIn, findingText } from '../trace/findings/registry.js';
import {
  lineFigures,
  methodFigures,
  type Scope,
  sumScope,
  type Trace,
  type Weight,
  wholeTrace,
} from '../trace/index.js';
import {
  formatBytes,
  formatCount,
  formatLength,
  formatNs,
  formatShare,
} from '../trace/measure/quantities.js';
import { dataNote, paged, quoted, withinBudget } from './answer.js';
import {
  type ListedTarget,
  numberInput,
  optionalText,
  textInput,
  type Tool,
  ToolInputError,
  type ToolInput,
} from './tool.js';

const file = { type: 'string', description: 'Path of the recording or trace.' } as const;
const page = { type: 'number', description: 'Page of the answer, from 0 on.' } as const;
const from = { type: 'number', description: 'Begin of the range, in seconds after the begin.' } as const;
const to = { type: 'number', description: 'End of the range, in seconds after the begin.' } as const;
const thread = { type: 'string', description: 'Only threads with this text in their names.' } as const;
const by = { type: 'string', description: 'cpu (default), wall, wait or allocatedBytes.' } as const;
const method = { type: 'string', description: 'Qualified name of a method, as an answer has it.' } as const;

const mostSeconds = 60;
/** How long a program is recorded unless another length is asked for. */
export const usualSeconds = 5;
const queryRows = 50;
const weightsAsked: readonly Weight[] = ['cpu', 'wall', 'wait', 'allocatedBytes'];

function scopeOf(trace: Trace, input: ToolInput): Scope {
  const text = optionalText(input, 'thread')?.toLowerCase();
  const threads =
    text === undefined ? [] : trace.threads.filter(({ name }) => name.toLowerCase().includes(text));
  if (text !== undefined && threads.length === 0)
    throw new ToolInputError(
      `No thread has that in its name. There are: ${trace.threads
        .slice(0, 20)
        .map(({ name }) => quoted(name))
        .join(', ')}`,
    );
  const begin = numberInput(input, 'from', 0) * 1e9;
  const end = input['to'] === undefined ? Infinity : numberInput(input, 'to', 0) * 1e9;
  if (end <= begin) throw new ToolInputError('"to" has to be later than "from".');
  return {
    threads: threads.map(({ index }) => index),
    beginNs: begin === 0 ? -Infinity : trace.beginNs + begin,
    endNs: trace.beginNs + end,
  };
}

function weightOf({ info }: Trace, input: ToolInput): Weight {
  const asked = optionalText(input, 'by');
  if (asked === undefined) return info.hasCpu ? 'cpu' : 'wall';
  const weight = weightsAsked.find((one) => one === asked);
  if (weight === undefined) throw new ToolInputError(`"by" is one of ${weightsAsked.join(', ')}.`);
  if (weight === 'cpu' && !info.hasCpu) throw new ToolInputError('This trace has no CPU times: ask by wall.');
  if (weight === 'allocatedBytes' && !info.hasAllocations)
    throw new ToolInputError('This trace has no allocations.');
  return weight;
}

const format = (weight: Weight, value: number): string =>
  weight === 'allocatedBytes' ? formatBytes(value) : formatNs(value);

/** What an answer is worth: exact, or of how many samples. */
function trustOf(trace: Trace): string {
  if (trace.info.exact) return 'Times are exact.';
  const samples = trace.threads.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
  const lost = trace.losses.reduce((sum, { count }) => sum + count, 0);
  return `Sampled: ${formatCount(samples)} samples, ${formatCount(lost)} lost; shares below ${formatShare(3 / Math.max(3, samples))} and counts are not reliable.`;
}

/** By name; the only one that ends with `name`, if none is called so. */
function methodNamed({ methods }: Trace, name: string): number {
  const ends: number[] = [];
  for (let at = 0; at < methods.count; at++) {
    const own = methods.qualifiedName(at);
    if (own === name) return at;
    if (own.endsWith(`.${name}`)) ends.push(at);
  }
  if (ends.length === 1 && ends[0] !== undefined) return ends[0];
  throw new ToolInputError(
    ends.length === 0 ? 'The recording has no such method.' : 'Several methods end so: give the whole name.',
  );
}

const listTargets: Tool = {
  name: 'btrace_list_targets',
  title: 'List programs that can be recorded',
  description:
    'Lists running programs and apps that BTrace can record, with the id that btrace_record takes.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Only programs with this text in their names.' },
      page,
    },
    required: [],
  },
  needsConsent: false,
  async run(host, input) {
    const text = optionalText(input, 'name')?.toLowerCase() ?? '';
    const found = (await host.listTargets()).filter(({ name }) => name.toLowerCase().includes(text));
    // Any machine has dozens of native programs, and few of them are meant.
    const isNative = ({ runtime }: ListedTarget): number => Number(runtime === 'native');
    const rows = found
      .sort((a, b) => isNative(a) - isNative(b))
      .map(
        ({ id, name, runtime, refusal }) =>
          `${quoted(id)} ${quoted(name)} ${runtime}${refusal === undefined ? '' : ` (cannot be recorded: ${refusal})`}`,
      );
    return `${dataNote}\n${paged(rows, numberInput(input, 'page', 0))}`;
  },
};

const record: Tool = {
  name: 'btrace_record',
  title: 'Record a running program',
  description:
    'Records a program for some seconds, after a person has agreed, and gives the path of the recording.',
  inputSchema: {
    type: 'object',
    properties: {
      target: { type: 'string', description: 'Id from btrace_list_targets.' },
      seconds: {
        type: 'number',
        description: `How long, at most ${mostSeconds} (default: ${usualSeconds}).`,
      },
    },
    required: ['target'],
  },
  needsConsent: true,
  async run(host, input) {
    const id = textInput(input, 'target');
    const seconds = numberInput(input, 'seconds', usualSeconds);
    if (seconds < 1 || seconds > mostSeconds)
      throw new ToolInputError(`"seconds" is from 1 to ${mostSeconds}.`);
    const target = (await host.listTargets()).find((one) => one.id === id);
    if (target === undefined) throw new ToolInputError('No target has this id: see btrace_list_targets.');
    if (target.refusal !== undefined) return `It cannot be recorded: ${target.refusal}`;
    const made = await host.record(target.id, seconds);
    return 'refusal' in made ? `Not recorded: ${made.refusal}` : `Recorded into ${quoted(made.file)}.`;
  },
};

const open: Tool = {
  name: 'btrace_open',
  title: 'Open a recording',
  description:
    'Says what a recording or trace is of: program, length, threads, what it knows and how far to trust it.',
  inputSchema: { type: 'object', properties: { file }, required: ['file'] },
  needsConsent: false,
  async run(host, input) {
    const trace = await host.open(textInput(input, 'file'));
    const { info, beginNs, endNs, threads } = trace;
    const busiest = threads
      .map((one) => ({
        name: one.name,
        cpu: sumScope(trace, { ...wholeTrace, threads: [one.index] }, 'times').sum.cpu,
      }))
      .sort((a, b) => b.cpu - a.cpu)
      .slice(0, 10);
    return [
      dataNote,
      `Program ${quoted(info.targetName)}, ${quoted(info.runtime)}, ${formatLength(endNs - beginNs)}, ${threads.length} ${threads.length === 1 ? 'thread' : 'threads'}.`,
      trustOf(trace),
      `Knows: ${[info.hasCpu ? 'CPU time' : '', info.hasAllocations ? 'allocations' : '', trace.system ? 'the scheduler' : ''].filter((one) => one !== '').join(', ') || 'wall time'}.`,
      ...busiest.map(({ name, cpu }) => `Thread ${quoted(name)}: ${formatNs(cpu)} CPU`),
    ].join('\n');
  },
};

const hotMethodsTool: Tool = {
  name: 'btrace_hot_methods',
  title: 'Hottest methods',
  description:
    'Lists the methods with the most time or allocations in themselves (self) and with all they call (total).',
  inputSchema: { type: 'object', properties: { file, by, thread, from, to, page }, required: ['file'] },
  needsConsent: false,
  async run(host, input) {
    const trace = await host.open(textInput(input, 'file'));
    const weight = weightOf(trace, input);
    const sums = sumScope(trace, scopeOf(trace, input));
    const figures = methodFigures(sums, trace.methods.count);
    const [self, total] = [figures.self[weight], figures.total[weight]];
    const rows = [...figures.method.keys()]
      .filter((row) => (total[row] ?? 0) > 0)
      .sort((a, b) => (self[b] ?? 0) - (self[a] ?? 0) || (total[b] ?? 0) - (total[a] ?? 0))
      .map((row) => {
        const name = quoted(trace.methods.qualifiedName(figures.method[row] ?? 0));
        const share = formatShare((self[row] ?? 0) / sums.sum[weight]);
        return `self ${format(weight, self[row] ?? 0)} (${share}), total ${format(weight, total[row] ?? 0)}: ${name}`;
      });
    return `${dataNote} ${trustOf(trace)}\nBy ${weight}, of ${format(weight, sums.sum[weight])}:\n${paged(rows, numberInput(input, 'page', 0))}`;
  },
};

const callTree: Tool = {
  name: 'btrace_call_tree',
  title: 'Call tree',
  description: 'Lists the callees of a chain of calls, by time. Without a path: the outermost calls.',
  inputSchema: {
    type: 'object',
    properties: {
      file,
      path: { type: 'string', description: 'Qualified names from the root on, joined by " > ".' },
      ...{ by, thread, from, to, page },
    },
    required: ['file'],
  },
  needsConsent: false,
  async run(host, input) {
    const trace = await host.open(textInput(input, 'file'));
    const weight = weightOf(trace, input);
    const sums = sumScope(trace, scopeOf(trace, input));
    const total = sums.total(weight);
    let path = 0;
    for (const name of optionalText(input, 'path')?.split(' > ') ?? []) {
      let child = sums.child(path);
      const nameAt = (at: number): string => trace.methods.qualifiedName(sums.paths.method[at] ?? 0);
      while (child !== 0 && nameAt(child) !== name.trim()) child = sums.sibling(child);
      if (child === 0) throw new ToolInputError(`Nothing on that path is called ${quoted(name)}.`);
      path = child;
    }
    const children: number[] = [];
    for (let child = sums.child(path); child !== 0; child = sums.sibling(child)) children.push(child);
    const rows = children
      .filter((child) => (total[child] ?? 0) > 0)
      .sort((a, b) => (total[b] ?? 0) - (total[a] ?? 0))
      .map((child) => {
        const value = total[child] ?? 0;
        return `${format(weight, value)} (${formatShare(value / sums.sum[weight])}): ${quoted(trace.methods.qualifiedName(sums.paths.method[child] ?? 0))}`;
      });
    return `${dataNote} ${trustOf(trace)}\n${paged(rows, numberInput(input, 'page', 0))}`;
  },
};

const why: Tool = {
  name: 'btrace_why',
  title: 'Why was it slow?',
  description:
    'Tells what a recording, or a part of it, was slow by: findings, the costliest first, with evidence.',
  inputSchema: { type: 'object', properties: { file, thread, from, to }, required: ['file'] },
  needsConsent: false,
  async run(host, input) {
    const trace = await host.open(textInput(input, 'file'));
    const isPart = ['thread', 'from', 'to'].some((name) => input[name] !== undefined);
    const findings = findingsIn(trace, isPart ? { scope: scopeOf(trace, input) } : {});
    if (findings.length === 0) return 'Nothing stands out.';
    const lines = findings.map(({ title, explanation, nextStep, shareOfTime, certainty, evidence }) => {
      const [first] = evidence;
      const place =
        first?.method === undefined
          ? ''
          : ` At ${quoted(trace.methods.qualifiedName(first.method))} in ${quoted(trace.methods.file(first.method))}${first.line === undefined ? '' : `, line ${first.line}`}.`;
      const range =
        first?.beginNs === undefined || first.endNs === undefined
          ? ''
          : ` From ${((first.beginNs - trace.beginNs) / 1e9).toFixed(3)} s to ${((first.endNs - trace.beginNs) / 1e9).toFixed(3)} s.`;
      const share = shareOfTime === undefined ? '' : ` (${formatShare(shareOfTime)} of the time)`;
      return `- ${quoted(findingText(title))}${share}, ${certainty ?? 'observed'}. ${quoted(findingText(explanation))}${place}${range}${nextStep ? ` Next: ${quoted(findingText(nextStep))}` : ''}`;
    });
    return `${dataNote} ${trustOf(trace)}\n${lines.join('\n')}`;
  },
};

const compare: Tool = {
  name: 'btrace_compare',
  title: 'Compare two recordings',
  description:
    'Lists methods whose own time clearly differs between two recordings, beyond the noise of sampling.',
  inputSchema: {
    type: 'object',
    properties: { before: file, after: file, by, page },
    required: ['before', 'after'],
  },
  needsConsent: false,
  async run(host, input) {
    const sides = await Promise.all(['before', 'after'].map((name) => host.open(textInput(input, name))));
    const [before, after] = sides.map((trace) => ({ trace, scope: wholeTrace }));
    if (before === undefined || after === undefined) throw new ToolInputError('Two files are needed.');
    const weight = weightOf(after.trace, input);
    const comparison = compareTraces(before, after, lengthRatio(before, after));
    const differences = methodDifferences(comparison, 'self', weight);
    const nameOf = (at: number): string => {
      const [names, own] = comparison.methods.of(at);
      return names.qualifiedName(own);
    };
    const rows = [...differences.after.keys()]
      .map((at) => ({
        at,
        more: (differences.after[at] ?? 0) - (differences.before[at] ?? 0),
        noise: differences.noise[at] ?? 0,
      }))
      .filter(({ more, noise }) => isClear(more, noise))
      .sort((a, b) => Math.abs(b.more) - Math.abs(a.more))
      .map(({ at, more, noise }) => {
        const [was, is] = [differences.before[at] ?? 0, differences.after[at] ?? 0];
        return `${more > 0 ? '+' : '−'}${format(weight, Math.abs(more))} (${format(weight, was)} → ${format(weight, is)}, noise ${format(weight, noise)}): ${quoted(nameOf(at))}`;
      });
    return `${dataNote} The one before is scaled to the other's length.\n${paged(rows, numberInput(input, 'page', 0))}`;
  },
};

const query: Tool = {
  name: 'btrace_query',
  title: 'Ask in SQL',
  description:
    'Answers a read-only SQL query over a recording (DuckDB dialect). Tables in Perfetto’s words: slice, thread, process, sched_slice, counter; and call, sample, wait, link, message, method, line. Times are ns.',
  inputSchema: {
    type: 'object',
    properties: { file, sql: { type: 'string', description: 'One SELECT statement.' } },
    required: ['file', 'sql'],
  },
  needsConsent: false,
  async run(host, input) {
    const { columns, rows, isCut } = await host.query(
      textInput(input, 'file'),
      textInput(input, 'sql'),
      queryRows,
    );
    const lines = rows.map((row) =>
      row.map((value) => (typeof value === 'string' ? quoted(value) : String(value))).join('\t'),
    );
    const more = isCut ? [`There are more than ${queryRows} rows: use LIMIT and OFFSET.`] : [];
    return [dataNote, columns.map(quoted).join('\t'), ...lines, ...more].join('\n');
  },
};

const annotate: Tool = {
  name: 'btrace_annotate',
  title: 'Figures by source line',
  description:
    'Lists the lines of a source file that have time in a recording, with the text of the line if it is found.',
  inputSchema: {
    type: 'object',
    properties: {
      file,
      source: { type: 'string', description: 'Name of the source file, such as Shop.java.' },
      page,
    },
    required: ['file', 'source'],
  },
  needsConsent: false,
  async run(host, input) {
    const trace = await host.open(textInput(input, 'file'));
    const name = textInput(input, 'source');
    const base = name.slice(name.lastIndexOf('/') + 1);
    const text = (await host.source(name))?.text.split('\n');
    const figures = lineFigures(trace, wholeTrace);
    const byLine = new Map<number, { self: number; total: number }>();
    const [self, total] = trace.info.hasCpu
      ? [figures.selfCpu, figures.totalCpu]
      : [figures.selfWall, figures.totalWall];
    for (let row = 0; row < figures.count; row++) {
      const of = trace.methods.file(figures.method[row] ?? 0);
      if (of.slice(of.lastIndexOf('/') + 1) !== base) continue;
      const line = figures.line[row] ?? 0;
      const known = byLine.get(line) ?? { self: 0, total: 0 };
      byLine.set(line, { self: known.self + (self[row] ?? 0), total: known.total + (total[row] ?? 0) });
    }
    const rows = [...byLine]
      .filter(([, sums]) => sums.total > 0)
      .sort(([a], [b]) => a - b)
      .map(([line, sums]) => {
        const code = text?.[line - 1]?.trim();
        return `line ${line}: self ${formatNs(sums.self)}, total ${formatNs(sums.total)}${code === undefined ? '' : `: ${quoted(code)}`}`;
      });
    return `${dataNote} ${trustOf(trace)}\n${trace.info.hasCpu ? 'CPU' : 'Wall'} time by line:\n${paged(rows, numberInput(input, 'page', 0))}`;
  },
};

const linesAround = 8;

const sourceOfFrame: Tool = {
  name: 'btrace_source',
  title: 'Source of a method',
  description: 'Gives the file, the line and some lines of source of a method in a recording.',
  inputSchema: { type: 'object', properties: { file, method }, required: ['file', 'method'] },
  needsConsent: false,
  async run(host, input) {
    const trace = await host.open(textInput(input, 'file'));
    const { methods } = trace;
    const at = methodNamed(trace, textInput(input, 'method'));
    const [name, line] = [methods.file(at), methods.firstLine(at)];
    if (name === '') return 'The recording does not say which file it is in.';
    // Two packages may have files of one name: the package's folder decides.
    const owner = methods.className(at);
    const folder = owner.includes('.')
      ? `${owner.slice(0, owner.lastIndexOf('.')).replaceAll('.', '/')}/`
      : '';
    const found = await host.source(`${folder}${name}`);
    if (found === undefined)
      return `${dataNote}\n${quoted(name)}, line ${line}. The file is not in these folders.`;
    const first = Math.max(0, line - 1 - 2);
    const lines = found.text
      .split('\n')
      .slice(first, first + 2 * linesAround)
      .map((code, row) => `${first + row + 1}: ${quoted(code)}`);
    return `${dataNote}\n${quoted(found.path)}, line ${line}:\n${lines.join('\n')}`;
  },
};

export const tools: readonly Tool[] = [
  ...[listTargets, record, open, hotMethodsTool, callTree, why],
  ...[compare, query, annotate, sourceOfFrame],
];

/** The answer within its budget. What is wrong with the input is an answer, too: the model may try again. */
export async function answerOf(
  tool: Tool,
  host: Parameters<Tool['run']>[0],
  input: ToolInput,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  try {
    return { text: withinBudget(await tool.run(host, input)), isError: false };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { text: withinBudget(error instanceof ToolInputError ? said : quoted(said)), isError: true };
  }
}
