// What recording costs native programs with the agent in them, at the defaults: npm run bench:native -- [--quick]
// Ways take turns, because the machine's speed changes more than they cost. Times are CPU times of the program's
// process by the kernel, with the agent's own threads. heaptrack is the allocation profiler that Debian has; what it
// does in other processes is not counted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../scripts/setup.mjs';
import { type AgentCommand, launch } from '../../src/targets/local/launch.js';
import { NativePrograms } from '../rigs/native/programs.js';
import { recordOptions } from '../rigs/record-options.js';
import { isQuick, say } from './figure.js';

const rounds = isQuick ? 1 : 9;
const turnMs = isQuick ? 300 : 1500;
const heaptrack = '/usr/bin/heaptrack';
const allocationsPerSecond = 5e6;

const programs = new NativePrograms();
const program = programs.compile('pairs', ['-O2']);

const pairNsOf = (output: string): number => {
  const line = /^\{"pairNs.*\}$/m.exec(output)?.[0];
  if (line === undefined) throw new Error(`the program said: ${output}`);
  return (JSON.parse(line) as { pairNs: number }).pairNs;
};

async function outputOf([command = '', ...args]: readonly string[], env = process.env): Promise<string> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return output;
}

let recordings = 0;

type Way = (args: readonly string[]) => Promise<number>;

const bare: Way = async (args) => pairNsOf(await outputOf([program, ...args]));

const recorded: Way = async (args) => {
  let output = Promise.resolve('');
  const run = ({ args: command, env }: AgentCommand) => {
    output = outputOf(command, env);
    return Promise.resolve({ exit: output.then(() => 0), kill: () => undefined });
  };
  const options = recordOptions(path.join(programs.folder, `${recordings++}.btrace`));
  const { session } = await launch(
    [program, ...args],
    options,
    { agentRoots: [root], run },
    AbortSignal.timeout(60_000),
  );
  await session.ended;
  return pairNsOf(await output);
};

const byHeaptrack: Way = async (args) =>
  pairNsOf(await outputOf([heaptrack, '-o', path.join(programs.folder, 'h'), program, ...args]));

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Each way's ns a pair, a value for each round. */
async function inTurns(args: readonly string[], ways: readonly Way[]): Promise<number[][]> {
  const found = ways.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, way] of ways.entries()) found[at]?.push(await way([String(turnMs), ...args]));
  return found;
}

const slowdown = (alone: readonly number[], with_: readonly number[]): number =>
  (median(with_.map((value, round) => value / (alone[round] ?? Number.NaN))) - 1) * 100;

try {
  say('native.load', loadavg()[0] ?? 0, '');
  const peers = existsSync(heaptrack) ? [byHeaptrack] : [];
  const [alone = [], with_ = [], peer = []] = await inTurns(['0'], [bare, recorded, ...peers]);
  const cost = median(with_) - median(alone);
  say('native.pair.alone', median(alone), 'ns');
  say('native.pair.recorded', median(with_), 'ns');
  say('native.pair.cost', cost, 'ns', ['<=', 16]);
  if (peer.length > 0) {
    say('native.pair.heaptrack', median(peer), 'ns');
    say('native.pair.cost-of-heaptrack', cost / (median(peer) - median(alone)), 'x', ['<=', 0.3]);
  }
  const [clockAlone = [], clock = []] = await inTurns(['0', 'clock'], [bare, recorded]);
  say('native.clock.alone', median(clockAlone), 'ns');
  say('native.clock.cost', median(clock) - median(clockAlone), 'ns', ['<=', 8]);
  // So many steps with each pair that the program allocates as often as is asked.
  const steps = 1000;
  const stepNs = (await bare([String(turnMs), String(steps), 'none'])) / steps;
  const work = Math.round((1e9 / allocationsPerSecond - median(alone)) / stepNs);
  const [pacedAlone = [], paced = []] = await inTurns([String(work)], [bare, recorded]);
  say('native.paced.alone', 1e3 / median(pacedAlone), 'M/s');
  say('native.paced.slowdown', slowdown(pacedAlone, paced), '%', ['<=', 3]);
  const [computeAlone = [], compute = []] = await inTurns([String(steps), 'none'], [bare, recorded]);
  say('native.compute.slowdown', slowdown(computeAlone, compute), '%', ['<=', 1]);
} finally {
  programs.remove();
}
