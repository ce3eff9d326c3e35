/**
 * The real Android Runtimes as Debian packages them, as processes on this machine. Each runs one of the sample apps on the
 * rig's own core library; `dex/` is committed, the native parts are compiled once and kept in .cache/.
 */
import { createHash } from 'node:crypto';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cache, find, type PartName, root } from '../../../scripts/setup.mjs';
import { killWithWalks } from './killed.js';
import { monotonicNs } from '../until.js';

const loader = 'ld-linux-x86-64.so.2';
const here = path.join(root, 'test/rigs/art');

/** Frames of both kinds that a phone has without the JIT: shadow frames, and nterp's quick frames. */
export const engines = { interpreter: ['-Xint'], quick: ['-Xusejit:false'] } as const;
export type Engine = keyof typeof engines;

interface ArtVersion {
  /** Of scripts/setup: where its libraries are. */
  readonly part: PartName;
  /** Its boot class path, in dex/. */
  readonly core: string;
  /** In link order: sigchain must come first, it stands in front of libc's signal functions. */
  readonly libraries: string;
  /** It was linked to a newer C library than this machine may have: it runs by its own loader, with its own. */
  readonly ownLibc?: boolean;
}

/** By the version of Android. Every test of the runtime runs on each of them; a further one is a line here, a part of the setup and a core. */
export const versions = {
  11: {
    part: 'art',
    core: 'core.dex',
    libraries:
      'sigchain.so.0 art.so.0 backtrace.so.0 base.so.0 dexfile_external.so.0 dexfile_support.so.0 log.so.0 lz4.so.1 nativebridge.so.0 nativeloader.so.0 ziparchive.so.0 z.so.1',
  },
  14: {
    part: 'art14',
    core: 'core14.dex',
    libraries:
      'sigchain.so.0 art.so.0 backtrace.so.0 base.so.0 cpu_features.so.0 dexfile_external.so.0 dexfile_support.so.0 log.so.0 lz4.so.1 nativebridge.so.0 nativeloader.so.0 ziparchive.so.0 tinyxml2.so.11',
    ownLibc: true,
  },
} as const satisfies Record<number, ArtVersion>;
export type Android = keyof typeof versions;
export const androids = Object.keys(versions).map(Number) as Android[];

export interface ArtRuntime {
  readonly android: Android;
  /** What the launcher, the libraries that libart loads by name, and the sample apps' library are in. */
  readonly folder: string;
  /** The folder of its libart.so.0. */
  readonly libart: string;
  /** The folders of the other libraries that it was built with. */
  readonly libraries: readonly string[];
}

/** Compiles the native parts, when they have changed (4 s). */
export async function artRuntime(android: Android = 11): Promise<ArtRuntime> {
  const version: ArtVersion = versions[android];
  const art = find(version.part);
  const jdk = find('jdk');
  if (!art || !jdk || !find('compiler'))
    throw new Error(
      `Android ${android}'s runtime is not set up: node scripts/setup.mjs compiler jdk ${version.part}`,
    );
  const libc = path.dirname(art.at);
  const others = version.ownLibc ? [art.at, libc, path.join(path.dirname(libc), '7zip')] : [art.at];
  const sources = path.join(here, 'native');
  const hash = createHash('sha256').update(JSON.stringify([art.at, jdk.at, version]));
  for (const name of readdirSync(sources).sort()) hash.update(readFileSync(path.join(sources, name)));
  const folder = path.join(cache, `art-rig-${hash.digest('hex').slice(0, 16)}`);
  const runtime = { android, folder, libart: art.at, libraries: others };
  if (existsSync(folder)) return runtime;

  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(`${folder}.part-`); // renamed when whole, so that an interrupted build is never taken for one
  const compile = async (output: string, from: readonly string[], options: readonly string[]) => {
    const include = [`-I${jdk.at}/include`, `-I${jdk.at}/include/linux`];
    const warnings = ['-Wall', '-Wextra', '-Werror'];
    const files = from.map((name) => path.join(sources, name));
    await promisify(execFile)('g++', [
      ...['-O1', '-g', '-std=c++17', ...warnings, ...include, ...files, '-o', path.join(work, output)],
      ...options,
    ]);
  };
  const shared = ['-shared', '-fPIC'];
  for (const folder of ['root', 'data']) mkdirSync(path.join(work, folder));
  await compile(
    'launcher',
    ['launcher.cc', 'framework.cc', 'launch.cc', 'mend.cc'],
    [
      ...['-rdynamic', ...others.map((at) => `-L${at}`), '-Wl,--no-as-needed'],
      ...version.libraries.split(' ').map((name) => `-l:lib${name}`),
      ...['-ldl', ...others.map((at) => `-Wl,-rpath,${at}`)],
      // Not all that its libraries need is in the C library that this machine links by.
      ...(version.ownLibc
        ? ['-Wl,--unresolved-symbols=ignore-in-shared-libs', `-Wl,--dynamic-linker=${libc}/${loader}`]
        : []),
    ],
  );
  await compile('libjavacore.so', ['javacore.cc'], shared);
  await compile('libicu_jni.so', ['empty.cc'], shared);
  await compile('libopenjdk.so', ['empty.cc'], shared);
  await compile('libopenjdkjvmti.so', ['openjdkjvmti.cc'], shared);
  await compile('libstandin_jvmti.so', ['standin_jvmti.cc'], shared);
  await compile('librefuses.so', ['refuses.cc'], shared);
  // Its threads run on when the runtime has unloaded it, as the app ends.
  await compile('libsample.so', ['sample.cc'], [...shared, '-Wl,-z,nodelete']);
  await compile('abstract-socket', ['abstract_socket.cc'], []);
  await compile('libprobe.so', ['probe_agent.cc'], shared);
  try {
    renameSync(work, folder);
  } catch {
    rmSync(work, { recursive: true }); // another test run was first
  }
  return runtime;
}

export interface AppOptions {
  readonly engine: Engine;
  /** Simple name of a class in apps/sample. */
  readonly app: string;
  /** Of its package, and so of its process; default com.example and the app's name. */
  readonly name?: string;
  readonly arguments?: readonly (string | number)[];
  /** As the manifest says it: agents may be attached. Default true. */
  readonly debuggable?: boolean;
  /** CheckJNI ends the app at a slip in JNI, its own or the agent's. Default: as Android has it, when it is debuggable. */
  readonly checkJni?: boolean;
  /** Further options for the runtime, such as `-agentpath:`. */
  readonly options?: readonly string[];
  /** Agents that the system attaches before the app's own code runs: PATH=OPTIONS. */
  readonly agents?: readonly string[];
  /** The device's system properties: a file with name=value a line. */
  readonly properties?: string;
  /** With a stand-in for JVMTI, which answers, or knows nothing. Default: there is none. */
  readonly jvmti?: 'answers' | 'fails';
  /** libsample has a native thread, "cruncher", that uses CPU time. */
  readonly crunches?: boolean;
  /** A class, with slashes, whose natives are as if they had neither been registered nor called. */
  readonly notLookedUp?: string;
  /** The working directory and home of the app; default the runtime's folder. */
  readonly folder?: string;
}

/** One fact of the app's own: `truth NAME key=value …`. Numbers are numbers. */
export interface Truth {
  readonly name: string;
  number(key: string): number;
  text(key: string): string;
}

export interface AppEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running app. */
export interface ArtApp {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly ended: Promise<AppEnd>;
  /** What it wrote so far, both streams. */
  output(): string;
  truths(name: string): Truth[];
  /** Settles when the output matches; rejects when the app ends before. */
  until(pattern: RegExp): Promise<RegExpMatchArray>;
  /** `count` facts of this name, or more, that it tells from now on: what it told before may lie in the pipe still. */
  more(name: string, count: number): Promise<Truth[]>;
  /** A line to the app's system thread: `attach-agent PATH=OPTIONS`, `profile start FILE US`, `profile stop`. */
  system(command: string): void;
  /** From now on no file of its grows beyond `bytes`: all storage that is left to it. */
  leaveStorage(bytes: number): void;
  /** Asks the app to end by itself, which destroys the runtime in order. */
  quit(): Promise<AppEnd>;
  /** Ends it at once, between two walks of the agent's, or with so many under way. */
  kill(walks?: number): Promise<AppEnd>;
}

export function startApp(runtime: ArtRuntime, options: AppOptions): ArtApp {
  const { folder, libart, libraries, android } = runtime;
  const child = spawn(
    path.join(folder, 'launcher'),
    [
      ...(options.debuggable === false ? ['--release'] : []),
      ...(options.agents ?? []).flatMap((agent) => ['--attach-agent', agent]),
      ...((options.checkJni ?? options.debuggable !== false) ? ['-Xcheck:jni'] : []),
      ...['--name', options.name ?? `com.example.${options.app.toLowerCase()}`],
      ...(options.notLookedUp === undefined ? [] : ['--not-looked-up', options.notLookedUp]),
      ...engines[options.engine],
      ...(options.jvmti === undefined ? [] : ['-Xplugin:libstandin_jvmti.so']),
      ...(options.options ?? []),
      ...['--boot', path.join(here, 'dex', versions[android].core), '--app', path.join(here, 'dex/apps.dex')],
      ...['android.app.ActivityThread', `sample.${options.app}`],
      ...(options.arguments ?? []).map(String),
    ],
    {
      cwd: options.folder ?? folder,
      env: {
        ...process.env,
        ANDROID_ROOT: path.join(folder, 'root'),
        ANDROID_ART_ROOT: path.join(folder, 'root'),
        ANDROID_DATA: path.join(folder, 'data'),
        LD_LIBRARY_PATH: [folder, libart, ...libraries].join(':'),
        ...(options.jvmti !== undefined && { BTRACE_RIG_JVMTI: options.jvmti }),
        ...(options.crunches && { BTRACE_RIG_CRUNCHES: '1' }),
        ...(options.properties !== undefined && { BTRACE_RIG_PROPERTIES: options.properties }),
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let output = '';
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      for (const watcher of watchers) watcher();
    });
  }
  child.stdin.on('error', () => undefined); // it ended before it read all
  const ended = new Promise<AppEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal });
      for (const watcher of watchers) watcher();
    });
  });
  /** The first answer of `look`, which is asked whenever the app has written something. */
  const wait = <T>(look: () => T | undefined, what: string) =>
    new Promise<T>((resolve, reject) => {
      const again = () => {
        const answer = look();
        const over = child.exitCode !== null || child.signalCode !== null;
        if (answer === undefined && !over) return;
        watchers.delete(again);
        if (answer !== undefined) resolve(answer);
        else reject(new Error(`The app ended before it wrote ${what}:\n${output}`));
      };
      watchers.add(again);
      again();
    });
  return {
    pid: child.pid ?? 0,
    process: child,
    ended,
    output: () => output,
    truths: (name) => truthsIn(output, name),
    until: (pattern) => wait(() => pattern.exec(output) ?? undefined, pattern.source),
    more: (name, count) => {
      const from = monotonicNs();
      return wait(() => {
        const told = truthsIn(output, name).filter((truth) => truth.number('told') > from);
        return told.length >= count ? told : undefined;
      }, `${count} times truth ${name}`);
    },
    system: (command) => void child.stdin.write(`${command}\n`),
    leaveStorage: (bytes) =>
      void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:${bytes}`]),
    quit: () => (child.stdin.end(), ended),
    kill: async (walks = 0) => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        await killWithWalks(child.pid, walks);
      return await ended;
    },
  };
}

function truthsIn(output: string, name: string): Truth[] {
  return [...output.matchAll(/^truth (\S+)(.*)$/gm)]
    .filter((match) => match[1] === name)
    .map((match) => {
      const facts = new Map(
        (match[2] ?? '')
          .trim()
          .split(' ')
          .map((fact) => fact.split('=') as [string, string]),
      );
      const text = (key: string) => {
        const value = facts.get(key);
        if (value === undefined) throw new Error(`The app's truth ${name} has no ${key}: ${match[0]}`);
        return value;
      };
      return { name, text, number: (key) => Number(text(key)) };
    });
}
