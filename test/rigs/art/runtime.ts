/**
 * The real Android Runtime as Debian packages it (ART 11), as processes on this machine. Each runs one of the sample apps on the
 * rig's own core library; `dex/` is committed, the native parts are compiled once and kept in .cache/.
 */
import { createHash } from 'node:crypto';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cache, find, root } from '../../../scripts/setup.mjs';

const here = path.join(root, 'test/rigs/art');

/** Frames of both kinds that a phone has without the JIT: shadow frames, and nterp's quick frames. */
export const engines = { interpreter: ['-Xint'], quick: ['-Xusejit:false'] } as const;
export type Engine = keyof typeof engines;

export interface ArtRuntime {
  /** What the launcher, the libraries that libart loads by name, and the sample apps' library are in. */
  readonly folder: string;
  /** The folder of its libart.so.0. */
  readonly libart: string;
}

/** In link order: sigchain must come first, it stands in front of libc's signal functions. */
const libraries =
  'sigchain.so.0 art.so.0 backtrace.so.0 base.so.0 dexfile_external.so.0 dexfile_support.so.0 log.so.0 lz4.so.1 nativebridge.so.0 nativeloader.so.0 ziparchive.so.0 z.so.1';

/** Compiles the native parts, when they have changed (4 s). */
export async function artRuntime(): Promise<ArtRuntime> {
  const art = find('art');
  const jdk = find('jdk');
  if (!art || !jdk || !find('compiler'))
    throw new Error('The Android Runtime is not set up: node scripts/setup.mjs compiler jdk art');
  const sources = path.join(here, 'native');
  const hash = createHash('sha256').update(`${art.at} ${jdk.at}`);
  for (const name of readdirSync(sources).sort()) hash.update(readFileSync(path.join(sources, name)));
  const folder = path.join(cache, `art-rig-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return { folder, libart: art.at };

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
    ['launcher.cc', 'framework.cc', 'launch.cc'],
    [
      ...['-rdynamic', `-L${art.at}`, '-Wl,--no-as-needed'],
      ...libraries.split(' ').map((name) => `-l:lib${name}`),
      ...['-ldl', `-Wl,-rpath,${art.at}`],
    ],
  );
  await compile('libjavacore.so', ['javacore.cc'], shared);
  await compile('libicu_jni.so', ['empty.cc'], shared);
  await compile('libopenjdk.so', ['empty.cc'], shared);
  await compile('libopenjdkjvmti.so', ['openjdkjvmti.cc'], shared);
  await compile('libstandin_jvmti.so', ['standin_jvmti.cc'], shared);
  await compile('librefuses.so', ['refuses.cc'], shared);
  await compile('libsample.so', ['sample.cc'], shared);
  await compile('abstract-socket', ['abstract_socket.cc'], []);
  await compile('libprobe.so', ['probe_agent.cc'], shared);
  try {
    renameSync(work, folder);
  } catch {
    rmSync(work, { recursive: true }); // another test run was first
  }
  return { folder, libart: art.at };
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
  kill(): Promise<AppEnd>;
}

export function startApp(runtime: ArtRuntime, options: AppOptions): ArtApp {
  const { folder, libart } = runtime;
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
      ...['--boot', path.join(here, 'dex/core.dex'), '--app', path.join(here, 'dex/apps.dex')],
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
        LD_LIBRARY_PATH: `${folder}:${libart}`,
        ...(options.jvmti !== undefined && { BTRACE_RIG_JVMTI: options.jvmti }),
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
      const from = Number(process.hrtime.bigint());
      return wait(() => {
        const told = truthsIn(output, name).filter((truth) => truth.number('told') > from);
        return told.length >= count ? told : undefined;
      }, `${count} times truth ${name}`);
    },
    system: (command) => void child.stdin.write(`${command}\n`),
    leaveStorage: (bytes) =>
      void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:${bytes}`]),
    quit: () => (child.stdin.end(), ended),
    kill: () => (child.kill('SIGKILL'), ended),
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
