/** Programs of iOS and macOS, built and run on Linux (README.md). */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { find, root } from '../../../scripts/setup.mjs';
import { build, built } from '../../abi/build.js';
import { waitLimitMs } from '../wait-limit.js';
import { atLast } from '../until.js';

const here = path.join(root, 'test/rigs/darwin');
const to = path.join(root, 'build/native/darwin-rig');

const limitMs = 2 * waitLimitMs;

export type Fixups = 'chained' | 'classic';

/** What the agent is shipped for that this machine can run, and what it is built with. */
export const darwinMachines = {
  x86_64: {
    preset: 'macos-x86_64',
    target: 'x86_64-apple-macos12.0',
    platform: ['macos', '12.0', '12.0'],
    compiler: ['g++'],
    below: [],
    needs: ['compiler', 'clang'],
    runsOn: 'x64',
    /** Points by which a share may miss the truth. */
    tolerance: 0.03,
  },
  arm64: {
    preset: 'ios-arm64',
    target: 'arm64-apple-ios15.0',
    platform: ['ios', '15.0', '15.0'],
    compiler: ['aarch64-linux-gnu-g++', '-static'],
    below: ['qemu-aarch64'],
    needs: ['qemu', 'clang'],
    runsOn: undefined,
    tolerance: 0.08,
  },
} as const;
export type DarwinMachine = keyof typeof darwinMachines;

/** What this machine lacks to build and run such programs; undefined: nothing. */
export function whyNoDarwin(machine: DarwinMachine): string | undefined {
  const { needs, runsOn } = darwinMachines[machine];
  if (runsOn !== undefined && runsOn !== process.arch) return `it needs a machine of ${runsOn}`;
  const lacks = needs.find((part) => find(part) === undefined);
  return lacks === undefined ? undefined : `it needs setup part ${lacks}`;
}

const newest = (files: readonly string[]): number => Math.max(...files.map((file) => statSync(file).mtimeMs));
const inFolder = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder)
    .filter((name) => ending.test(name))
    .map((name) => path.join(folder, name));

/** Runs the commands if what they make is older than what they make it from. */
function make(made: string, from: readonly string[], commands: readonly (readonly string[])[]): string {
  if (existsSync(made) && statSync(made).mtimeMs > newest(from)) return made;
  mkdirSync(path.dirname(made), { recursive: true });
  for (const [command = '', ...args] of commands)
    execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  return made;
}

function loader(machine: DarwinMachine): string {
  const [compiler = '', ...flags] = darwinMachines[machine].compiler;
  const folder = path.join(here, 'loader');
  const made = path.join(to, machine, 'macho-run');
  // Some seconds of compiling for each processor without optimising.
  const options = ['-std=c++20', '-O0', '-fno-omit-frame-pointer', '-Wall', '-Wextra', '-Werror', '-pthread'];
  return make(made, inFolder(folder, /\.(?:cc|h)$/), [
    [compiler, ...options, ...flags, '-o', made, ...inFolder(folder, /\.cc$/)],
  ]);
}

/** The agent's library as it is shipped. */
export function darwinLibrary(machine: DarwinMachine): string {
  const { preset } = darwinMachines[machine];
  build(preset);
  return path.join(built(preset), 'libbtrace.dylib');
}

const compiling = [
  '-std=c++20',
  '-O2',
  '-g',
  '-ffreestanding',
  '-fno-exceptions',
  '-fno-rtti',
  '-fno-stack-protector',
  '-funwind-tables',
];

const imageFlags = { offset: 24, inSharedCache: 0x80000000 };
const takenOut = '<redacted>';

/** A library of the system: as they lie in its shared cache, without names in its symbol table but `named`. */
export function darwinSystemLibrary(name: string, machine: DarwinMachine, named: readonly string[]): string {
  const { target, platform } = darwinMachines[machine];
  const folder = path.join(here, 'programs');
  const source = path.join(folder, `${name}.mm`);
  const made = path.join(to, machine, 'chained', name);
  const object = `${made}.o`;
  make(
    made,
    [source, path.join(folder, 'libsystem.h')],
    [
      [
        'clang++-19',
        '-target',
        target,
        ...compiling,
        '-nostdlibinc',
        '-nostdinc++',
        '-c',
        source,
        '-o',
        object,
      ],
      [
        ...[
          'ld64.lld-19',
          '-dylib',
          '-x',
          '-S',
          // That of 19 crashes as it makes relative ones.
          '-no_objc_relative_method_lists',
          '-fixup_chains',
          '-arch',
          machine,
          '-platform_version',
          ...platform,
        ],
        ...['-install_name', `/System/Library/Frameworks/${name}.framework/${name}`],
        ...[`-L${folder}`, '-lSystem', object, '-o', made],
      ],
    ],
  );
  const bytes = readFileSync(made);
  bytes.writeUInt32LE(
    (bytes.readUInt32LE(imageFlags.offset) | imageFlags.inSharedCache) >>> 0,
    imageFlags.offset,
  );
  const defined = execFileSync('llvm-nm-19', ['--defined-only', '--just-symbol-name', made], {
    encoding: 'utf8',
  });
  for (const symbol of defined.split('\n')) {
    if (symbol === '' || named.includes(symbol)) continue;
    // Behind the 0 of another; the exports have their names elsewhere, in parts.
    const at = bytes.lastIndexOf(`\0${symbol}\0`) + 1;
    if (at > 0) bytes.write(`${takenOut}\0`, at, 'latin1');
  }
  writeFileSync(made, bytes);
  return made;
}

/** `more`: sources below native-agent that are part of the program. `frameworks`, `libraries`: what it needs beside libSystem. */
export function darwinProgram(
  name: string,
  machine: DarwinMachine,
  fixups: Fixups,
  more: readonly string[] = [],
  frameworks: readonly string[] = [],
  libraries: readonly string[] = [],
): string {
  const { target, platform } = darwinMachines[machine];
  const folder = path.join(here, 'programs');
  const agent = path.join(root, 'native-agent');
  const shared = path.join(root, 'test/rigs/native');
  const sources = [path.join(folder, `${name}.cc`), ...more.map((file) => path.join(agent, file))];
  const made = path.join(to, machine, fixups, name);
  const objects = sources.map((source) => `${made}.${path.basename(source)}.o`);
  const headers = ['-nostdlibinc', '-nostdinc++', `-I${agent}`, `-I${shared}`, '-Wall', '-Wno-format'];
  const needs = [...frameworks.map((framework) => path.join(folder, `${framework}.tbd`)), ...libraries];
  const link = ['-arch', machine, '-platform_version', ...platform, ...needs, `-L${folder}`, '-lSystem'];
  // Sources of the agent's take code from headers as well.
  const headerFolders = [folder, shared, path.join(agent, 'base'), path.join(agent, 'os/darwin')];
  const taken = headerFolders.flatMap((from) => inFolder(from, /\.h$/));
  return make(
    made,
    [...sources, ...taken, ...needs, path.join(folder, 'libSystem.tbd')],
    [
      ...sources.map((source, at) => [
        ...['clang++-19', '-target', target, ...compiling, ...headers],
        ...['-c', source, '-o', objects[at] as string],
      ]),
      [
        'ld64.lld-19',
        ...link,
        fixups === 'chained' ? '-fixup_chains' : '-no_fixup_chains',
        ...objects,
        '-o',
        made,
      ],
    ],
  );
}

export interface DarwinRun {
  readonly pid: number;
  readonly isAlive: () => boolean;
  readonly ended: Promise<{ readonly code: number; readonly out: string }>;
  readonly kill: () => void;
}

/** Ends by itself, or when it is killed. */
export function runDarwin(
  machine: DarwinMachine,
  program: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): DarwinRun {
  const [command = '', ...rest] = [...darwinMachines[machine].below, loader(machine), program, ...args];
  const child = spawn(command, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // One that waits for ever must not outlive the tests.
  child.once(
    'exit',
    atLast(() => child.kill('SIGKILL'), limitMs),
  );
  let out = '';
  child.stdout.on('data', (text) => (out += String(text)));
  return {
    pid: child.pid ?? 0,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    ended: once(child, 'close').then(([code, signal]) => ({ code: Number(code ?? signal), out })),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
