/**
 * Storms: what could take a program down while it is recorded, in each surrounding there is. A surrounding is a row of a
 * table (jvm.ts has those of HotSpot) and starts a program that makes the storm; a storm says what that program does, how
 * it is recorded and what becomes of it. A seed decides all that is left to chance.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from '../../../scripts/setup.mjs';
import { LocalTargets } from '../../../src/targets/local/local-targets.js';
import type { RecordOptions, Session, SessionEnd } from '../../../src/targets/target.js';
import { decodeRecording } from '../../../src/trace/index.js';
import { startBtrace } from '../../integration/btrace-command.js';
import { recordOptions } from '../record-options.js';
import { strictly } from '../kinds.js';

/** A program that makes a storm. */
export interface StormProgram {
  readonly pid: number;
  /** How it was started, for who repeats it. */
  readonly command: string;
  /** Asks it to end, and waits: its exit code, or null where a signal ended it. */
  end(): Promise<number | null>;
  /** Ends it at once, whatever it does. */
  kill(): Promise<void>;
  /** All that it wrote. */
  output(): string;
  /** What is wrong with what it wrote; empty where nothing is. */
  complaints(): string;
}

/** Where a storm may be: one row of the table. */
export interface Surrounding {
  readonly name: string;
  /** Starts a program with these parts of a storm. What it leaves when it crashes goes into `folder`. */
  start(parts: readonly Part[], seed: number, folder: string): Promise<StormProgram>;
}

export type Part =
  | 'allocate'
  | 'classes'
  | 'retransform'
  | 'threads'
  | 'locks'
  | 'gc'
  | 'overflow'
  | 'exit'
  | 'profile';

interface Recording {
  readonly program: StormProgram;
  readonly file: string;
  readonly folder: string;
  readonly ms: number;
  start(more?: Partial<RecordOptions>): Promise<Session>;
}

export interface Storm {
  readonly name: string;
  readonly parts: readonly Part[];
  /** Records it; the program must be as it was afterwards, but where it says `ends`. */
  run(recording: Recording): Promise<void>;
  /** The program is over when the storm is. */
  readonly ends?: true;
}

/** As often as the agent can: what goes wrong once in a while shall do so soon. */
const often: Partial<RecordOptions> = {
  syncIntervalNs: 100_000,
  asyncIntervalNs: 1_000_000,
  budgetPpm: 200_000,
  allocationIntervalBytes: 4096,
};

async function toItsLimit(recording: Recording, more: Partial<RecordOptions> = often): Promise<void> {
  const session = await recording.start({ maxDurationMs: recording.ms, ...more });
  isEnd(await session.ended, 'limit');
  isReadable(recording.file);
}

function isEnd(end: SessionEnd, ...reasons: readonly SessionEnd['reason'][]): void {
  assert.ok(reasons.includes(end.reason), `it ended by ${end.reason}: ${end.message}`);
}

function isReadable(file: string): void {
  const decoder = decodeRecording(readFileSync(file));
  assert.equal(decoder.refused, '');
  assert.deepEqual(decoder.trace().problems, []);
}

export const storms: readonly Storm[] = [
  { name: 'allocations during collections', parts: ['allocate', 'classes', 'gc'], run: toItsLimit },
  { name: 'classes that come, change and go', parts: ['classes', 'retransform', 'gc'], run: toItsLimit },
  { name: 'threads that come and go', parts: ['threads', 'locks', 'allocate'], run: toItsLimit },
  { name: 'stacks that overflow', parts: ['overflow', 'classes', 'allocate'], run: toItsLimit },
  { name: 'another profiler', parts: ['profile', 'allocate', 'locks', 'overflow'], run: toItsLimit },
  {
    name: 'starts and stops',
    parts: ['allocate', 'threads', 'locks', 'gc'],
    async run(recording) {
      for (const begin = performance.now(); performance.now() - begin < recording.ms;) {
        rmSync(recording.file, { force: true });
        const session = await recording.start(often);
        isEnd(await session.stop(), 'stopped');
        isReadable(recording.file);
      }
    },
  },
  {
    name: 'an exit while recording',
    parts: ['allocate', 'threads', 'exit'],
    ends: true,
    async run(recording) {
      const session = await recording.start(often);
      await wait(recording.ms);
      assert.equal(await recording.program.end(), 0);
      isEnd(await session.ended, 'target-exited');
      isReadable(recording.file);
    },
  },
  {
    name: 'kill -9 while recording',
    parts: ['allocate', 'threads', 'locks'],
    ends: true,
    async run(recording) {
      const session = await recording.start(often);
      await wait(recording.ms);
      await recording.program.kill();
      isEnd(await session.ended, 'target-exited', 'connection-lost');
      assert.equal(decodeRecording(readFileSync(recording.file)).refused, '');
    },
  },
  {
    name: 'a desktop that stands still, and one that is killed',
    parts: ['allocate', 'threads', 'gc'],
    async run({ program, folder, ms, file }) {
      const interval = [
        '--interval',
        '100us',
        '--budget',
        '20%',
        '--allocation-interval',
        '4K',
        '--memory',
        '8M',
      ];
      const desktop = startBtrace(folder, [
        'record',
        '-p',
        String(program.pid),
        '-f',
        '-o',
        file,
        ...interval,
      ]);
      await desktop.says(/Recording/);
      desktop.child.kill('SIGSTOP');
      await wait(ms);
      desktop.child.kill('SIGCONT');
      await wait(ms / 4);
      desktop.child.kill('SIGKILL');
      await desktop.ended;
    },
  },
  {
    name: 'a full disk',
    parts: ['allocate', 'classes'],
    async run({ program, folder, file }) {
      const asked = [
        'record',
        '-p',
        String(program.pid),
        '-f',
        '-o',
        file,
        '-d',
        '20s',
        '--interval',
        '100us',
      ];
      const below = 'ulimit -f 64; exec "$@"'; // blocks of 512 bytes
      const { err } = await startBtrace(folder, [...asked, '--budget', '20%'], { below }).ended;
      assert.match(err, /The disk is full/);
    },
  },
];

/** The agent that is loaded, by its build id. */
function buildId(): string {
  const text = execFileSync('file', [path.join(root, 'build/native/host/libbtrace-agent.so')], {
    encoding: 'utf8',
  });
  return /BuildID\[sha1\]=(\w+)/.exec(text)?.[1] ?? text;
}

/** Makes a storm in a surrounding. Where it goes wrong, what is needed to repeat it stays in artefacts/storms/. */
export async function makeStorm(
  storm: Storm,
  surrounding: Surrounding,
  seed: number,
  ms: number,
): Promise<void> {
  const title = `${surrounding.name} - ${storm.name}`;
  const folder = path.join(root, 'artefacts/storms', `${title.replace(/[^\w.-]+/g, '-')}-${seed}`);
  mkdirSync(folder, { recursive: true });
  const targets = new LocalTargets({ agentRoots: [root], log: () => undefined });
  const file = path.join(folder, 'recording.btrace');
  let program: StormProgram | undefined;
  try {
    program = await surrounding.start(storm.parts, seed, folder);
    const { pid } = program;
    await storm.run({
      program,
      folder,
      file,
      ms,
      start: async (more = {}) => await (await targets.find(pid)).start(recordOptions(file, more)),
    });
    const code = storm.ends === true ? 0 : await program.end();
    const complaints = program.complaints();
    const crashes = readdirSync(folder).filter((name) => name.startsWith('hs_err'));
    strictly('harm', () => {
      assert.equal(code, 0, 'how the program ended');
      assert.equal(complaints, '');
      assert.deepEqual(crashes, [], 'the program crashed');
    });
    rmSync(folder, { recursive: true });
  } catch (error) {
    await program?.kill();
    const repeat = {
      surrounding: surrounding.name,
      storm: storm.name,
      seed,
      ms,
      command: program?.command,
      agent: buildId(),
      again: `BTRACE_STORM='${title}' BTRACE_SEED=${seed} npm run soak -- storms --minutes 10`,
      why: String(error),
    };
    writeFileSync(path.join(folder, 'repeat.json'), `${JSON.stringify(repeat, undefined, 2)}\n`);
    if (program) writeFileSync(path.join(folder, 'output.txt'), program.output());
    throw new Error(`${title}, seed ${seed}: see ${path.relative(root, folder)}`, { cause: error });
  } finally {
    if (program && existsSync(`/proc/${program.pid}`)) await program.kill();
  }
}

/** The same numbers for the same seed: the next below `limit`, each time it is called. */
export function chances(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
