import { writeFile } from 'node:fs/promises';
import { synthDefaults, synthesize, type SynthTruth } from '../../trace/index.js';
import { type Command, type Option } from '../command-line.js';
import { ExitCode, UsageError } from '../exit-codes.js';
import { fileError } from '../open-trace.js';
import { NewFile } from '../new-file.js';
import { formatBytes, formatCount } from '../../trace/measure/quantities.js';
import { parseCount, parseDuration } from '../quantities.js';

const options: readonly Option[] = [
  { name: 'output', short: 'o', value: 'FILE', help: 'write here' },
  { name: 'samples', value: 'N', help: `captures over all threads (default: ${synthDefaults.samples})` },
  { name: 'threads', value: 'N', help: `(default: ${synthDefaults.threads})` },
  { name: 'depth', value: 'N', help: `mean depth of stacks (default: ${synthDefaults.depth})` },
  { name: 'methods', value: 'N', help: `(default: ${synthDefaults.methods})` },
  { name: 'interval', value: 'TIME', help: 'between two captures of a thread (default: 1ms)' },
  { name: 'seed', value: 'N', help: 'the same seed makes the same bytes (default: 1)' },
  {
    name: 'miss-every',
    value: 'N',
    help: 'miss a stretch of the program after so many captures (default: never)',
  },
  { name: 'deflate', help: 'deflate the chunks' },
  { name: 'truth', value: 'FILE', help: 'write the true times of each method here, as JSON' },
];

function truthJson(truth: SynthTruth): string {
  const methods = truth.names.map((name, at) => ({
    name,
    selfWallNs: truth.selfWall[at],
    totalWallNs: truth.totalWall[at],
    selfCpuNs: truth.selfCpu[at],
    totalCpuNs: truth.totalCpu[at],
    selfBytes: truth.selfBytes[at],
  }));
  return `${JSON.stringify({ captures: truth.captures, threadWallNs: [...truth.threadWall], methods })}\n`;
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
    const file = await NewFile.create(output);
    const truth = await file.fill((sink) =>
      synthesize(sink, {
        samples: number('samples', synthDefaults.samples),
        threads: number('threads', synthDefaults.threads),
        depth: number('depth', synthDefaults.depth),
        methods: number('methods', synthDefaults.methods),
        seed: number('seed', synthDefaults.seed),
        missEvery: number('miss-every', 0),
        intervalNs: input.read('interval', parseDuration) ?? synthDefaults.intervalNs,
        deflate: input.has('deflate'),
      }),
    );
    const truthFile = input.text('truth');
    if (truthFile !== undefined) {
      await writeFile(truthFile, truthJson(truth)).catch((error: unknown) => {
        throw fileError(truthFile, 'written', error);
      });
    }
    terminal.note(`${formatCount(truth.captures)} captures, ${formatBytes(file.bytes)}:`);
    terminal.print(output);
    return ExitCode.Done;
  },
};
