import { stat } from 'node:fs/promises';
import path from 'node:path';
import { synthDefaults, synthesize, type SynthTruth } from '../../trace/index.js';
import { type Command, jsonOption, type Option } from '../command-line.js';
import { ExitCode, UsageError } from '../exit-codes.js';
import { fillFile, forceOption, refuseExisting } from '../new-file.js';
import { formatBytes, formatCount } from '../../trace/measure/quantities.js';
import { parseCount, parseDuration } from '../quantities.js';
import { l10n } from '../l10n.js';

const options: readonly Option[] = [
  { name: 'output', short: 'o', value: 'FILE', help: 'write here' },
  forceOption,
  { name: 'samples', value: 'N', help: `captures over all threads (default: ${synthDefaults.samples})` },
  { name: 'threads', value: 'N', help: `(default: ${synthDefaults.threads})` },
  { name: 'depth', value: 'N', help: `mean depth of stacks (default: ${synthDefaults.depth})` },
  { name: 'methods', value: 'N', help: `(default: ${synthDefaults.methods})` },
  {
    name: 'virtual-threads',
    value: 'N',
    help: 'over all threads, which carry them: they wait off these\n(default: none)',
  },
  { name: 'interval', value: 'TIME', help: 'between two captures of a thread (default: 1ms)' },
  { name: 'seed', value: 'N', help: 'the same seed makes the same bytes (default: 1)' },
  {
    name: 'miss-every',
    value: 'N',
    help: 'miss a stretch of the program after so many captures (default: never)',
  },
  { name: 'deflate', help: 'deflate the chunks' },
  {
    name: 'truth',
    value: 'FILE',
    help: 'write the true times of methods and virtual threads here,\nas JSON',
  },
  { name: 'quiet', short: 'q', help: 'no progress' },
  jsonOption,
];

/** More take more memory than a program has here. */
const mostOf = [
  ['threads', 1_000_000],
  ['depth', 50_000],
  ['methods', 1_000_000],
  ['virtualThreads', 1_000_000],
] as const;

function truthJson(truth: SynthTruth): string {
  const methods = truth.names.map((name, at) => ({
    name,
    selfWallNs: truth.selfWall[at],
    totalWallNs: truth.totalWall[at],
    selfCpuNs: truth.selfCpu[at],
    totalCpuNs: truth.totalCpu[at],
    selfBytes: truth.selfBytes[at],
  }));
  const virtualThreads = truth.virtualThreads.map(({ id, wall, cpu, waited, waits }) => ({
    id,
    wallNs: wall,
    cpuNs: cpu,
    waitedNs: waited,
    waits,
  }));
  const { captures, threadWall } = truth;
  return `${JSON.stringify({ captures, threadWallNs: [...threadWall], methods, virtualThreads })}\n`;
}

export const synth: Command = {
  name: 'synth',
  summary: 'make a recording of a made-up program whose true times are known',
  usage: ['synth -o FILE [OPTIONS]'],
  description: ['For tests, benches, and for trying BTrace without anything to record.'],
  options,
  examples: ['btrace synth -o big.btrace --samples 1000000 --truth big.json'],
  async run(input, terminal) {
    const output = input.text('output');
    if (output === undefined) throw new UsageError('Where to? Give -o FILE.');
    const number = (name: string, fallback: number) => input.read(name, parseCount) ?? fallback;
    const wanted = {
      samples: number('samples', synthDefaults.samples),
      threads: number('threads', synthDefaults.threads),
      depth: number('depth', synthDefaults.depth),
      methods: number('methods', synthDefaults.methods),
      virtualThreads: number('virtual-threads', 0),
      seed: number('seed', synthDefaults.seed),
      missEvery: number('miss-every', 0),
      intervalNs: input.read('interval', parseDuration) ?? synthDefaults.intervalNs,
      deflate: input.has('deflate'),
    };
    if (!(wanted.intervalNs >= 1)) throw new UsageError('--interval takes 1 ns or more.');
    for (const [name, most] of mostOf) {
      if (name !== 'virtualThreads' && wanted[name] === 0) throw new UsageError(`--${name} takes 1 or more.`);
      if (wanted[name] > most) {
        const option = name === 'virtualThreads' ? 'virtual-threads' : name;
        throw new UsageError(`--${option} takes ${formatCount(most)} at most.`);
      }
    }
    const truthFile = input.text('truth');
    if (truthFile !== undefined && path.resolve(truthFile) === path.resolve(output))
      throw new UsageError('--truth and --output are two files, not one.');
    for (const file of [output, truthFile]) if (file !== undefined) refuseExisting(file, input);
    const say = (share: number) => {
      if (!input.has('quiet'))
        terminal.progress(l10n.t('Making {0}: {1} %', output, Math.round(100 * share)));
    };
    const truth = await fillFile(output, (sink) => synthesize(sink, wanted, say)).finally(() =>
      terminal.endProgress(),
    );
    if (truthFile !== undefined)
      await fillFile(truthFile, (sink) => sink.write(new TextEncoder().encode(truthJson(truth))));
    const { captures } = truth;
    const { size: bytes } = await stat(output);
    if (input.has('json')) {
      terminal.print(JSON.stringify({ file: output, bytes, captures }, null, 2));
      return ExitCode.Done;
    }
    if (!input.has('quiet'))
      terminal.note(l10n.t('{0} captures, {1}:', formatCount(captures), formatBytes(bytes)));
    terminal.print(output);
    return ExitCode.Done;
  },
};
