/** Compiles and runs the Java programs beside this file, on each JDK there is. */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { find, root } from '../../../scripts/setup.mjs';
import { wide } from '../scale.js';
import { ofKind } from '../kinds.js';

export type ProgramName =
  | 'shop'
  | 'truth'
  | 'storm'
  | 'gale'
  | 'moving'
  | 'native-work'
  | 'bell'
  | 'deadlock'
  | 'places'
  | 'moment'
  | 'crowd'
  | 'stubs'
  | 'handover'
  | 'spawn'
  | 'flight'
  | 'planted';

export const mainClasses: Record<ProgramName, string> = {
  shop: 'com.example.shop.Shop',
  truth: 'Truth',
  storm: 'Storm',
  gale: 'Gale',
  moving: 'Moving',
  'native-work': 'NativeWork',
  bell: 'Bell',
  deadlock: 'Deadlock',
  places: 'Places',
  moment: 'Moment',
  crowd: 'Crowd',
  stubs: 'Stubs',
  handover: 'Handover',
  spawn: 'Spawn',
  flight: 'Flight',
  planted: 'Planted',
};

export interface Jdk {
  readonly home: string;
  readonly version: string;
}

const rig = path.join(root, 'test', 'rigs', 'jvm');

/** The shop's sources come with the extension, beside the sample recording. */
export const shopSources = path.join(root, 'media/sample/com');

function sourcesOf(name: ProgramName): string[] {
  const folder = name === 'shop' ? shopSources : path.join(rig, name);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.java'))
    .map((file) => path.join(folder, file));
}

/** The sources of programs, for who compiles them together as an example of work: `planted` has classes named as others' are. */
export const javaSources = (): string[] =>
  (Object.keys(mainClasses) as ProgramName[])
    .filter((name) => name !== 'planted')
    .flatMap((name) => sourcesOf(name));

/** The JDK that compiles; the tests that need one are skipped, or fail, before they come here. */
export function mainJdk(): Jdk {
  const found = find('jdk');
  if (!found) throw new Error('There is no JDK.');
  return { home: found.at, version: found.version ?? '' };
}

let known: readonly Jdk[] | undefined;

/**
 * Each JVM of version 17 or newer that is installed or named in BTRACE_JDKS (folders, parted as in PATH). A run that has
 * time for one more, in the wide tier or the soak, also gets the one that the setup brings.
 */
export function jdks(): readonly Jdk[] {
  return (known ??= findJdks()); // each file of tests asks
}

/** For what versions of Java differ little in: `npm test` tries it on one JDK, `npm run test:all` on each. */
export function oneJdk(which: 'oldest' | 'newest'): readonly Jdk[] {
  if (wide) return jdks();
  const byAge = jdks().toSorted((one, other) => parseInt(one.version) - parseInt(other.version));
  return byAge.slice(...(which === 'oldest' ? [0, 1] : [-1]));
}

function findJdks(): Jdk[] {
  const installed = existsSync('/usr/lib/jvm')
    ? readdirSync('/usr/lib/jvm').map((name) => path.join('/usr/lib/jvm', name))
    : [];
  const named = (process.env['BTRACE_JDKS'] ?? '').split(path.delimiter).filter((home) => home !== '');
  const hasTime = wide || process.env['BTRACE_STORMS_MS'] !== undefined;
  const brought = hasTime ? (find('jdk21')?.at ?? '') : '';
  const homes = [mainJdk().home, ...named, ...installed, brought].filter((home) =>
    existsSync(path.join(home, 'bin/java')),
  );
  const found = new Map<string, Jdk>();
  for (const home of new Set(homes.map((home) => realpathSync(home)))) {
    const text = execFileSync(path.join(home, 'bin/java'), ['--version'], { encoding: 'utf8' });
    const version = /^\S+ (\S+)/.exec(text)?.[1] ?? '';
    if (parseInt(version) >= 17) found.set(home, { home, version });
  }
  return [...found.values()];
}

/** The folder of the program's classes; compiles it when its sources are newer. Takes about 1.5 s then. */
export function compile(name: ProgramName): string {
  const classes = path.join(root, 'build', 'jvm', name);
  const sources = sourcesOf(name);
  const newest = Math.max(...sources.map((file) => statSync(file).mtimeMs));
  if (existsSync(classes) && statSync(classes).mtimeMs >= newest) return classes;
  mkdirSync(path.dirname(classes), { recursive: true });
  const fresh = mkdtempSync(`${classes}-`);
  const options = ['-g', '--release', '17', '-encoding', 'UTF-8', '-d', fresh];
  execFileSync(path.join(mainJdk().home, 'bin/javac'), [...options, ...sources]);
  try {
    renameSync(fresh, classes);
  } catch {
    // What is there is older, or another suite's, made meanwhile: a program may run of that one already.
    if (statSync(classes).mtimeMs >= newest) rmSync(fresh, { recursive: true });
    else {
      rmSync(classes, { recursive: true });
      renameSync(fresh, classes);
    }
  }
  return classes;
}

/** The library that NativeWork loads. */
export const nativeWorkLibrary = (): string => nativeLibrary('native-work/native-work.cc');

/** The library that Spawn loads. */
export const spawnLibrary = (): string => nativeLibrary('spawn/spawn.cc');

/** An agent that holds sampled allocations. */
export const allocationHolder = (): string => nativeLibrary('allocation-holder.cc');

/** Another agent: -agentpath:…=profile, or =retransform. */
export const neighbour = (): string => nativeLibrary('neighbour.cc');

/** An agent that holds a JVM as it ends. */
export const exitHolder = (): string => nativeLibrary('exit-holder.cc');

/** Built when its source is newer. */
function nativeLibrary(file: string): string {
  const source = path.join(rig, file);
  const library = path.join(root, 'build', 'jvm', `lib${path.basename(file, '.cc')}.so`);
  if (existsSync(library) && statSync(library).mtimeMs >= statSync(source).mtimeMs) return library;
  mkdirSync(path.dirname(library), { recursive: true });
  const include = path.join(mainJdk().home, 'include');
  const includes = [`-I${include}`, `-I${path.join(include, 'linux')}`];
  const fresh = `${library}-${process.pid}`; // renamed when whole: another suite may be about to load it
  const options = ['-O2', '-shared', '-fPIC', '-Wl,--build-id', '-o', fresh];
  execFileSync('c++', [...options, ...includes, source]);
  renameSync(fresh, library);
  return library;
}

/** For `below`: what follows `unshare`, and a folder, so that the program runs as in a container. */
export const containerScript = path.join(rig, 'container.sh');

export interface RunOptions {
  readonly jdk?: Jdk;
  readonly vmArgs?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Runs the JVM below another program: ["unshare", "-m"]. Its pid is then found otherwise. */
  readonly below?: readonly string[];
}

/** A sample program that runs until its standard input ends. */
export class JavaProgram {
  /** All it wrote, on both streams. */
  output = '';
  readonly ended: Promise<number | null>;

  private constructor(readonly child: ChildProcessByStdio<Writable, Readable, Readable>) {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.ended = once(child, 'close').then(() => {
      // Nothing that we do may crash a program, also when the test has already seen what it came for.
      if (/fatal error has been detected by the Java Runtime/.test(this.output))
        throw ofKind('crash', new Error(this.output));
      return child.exitCode;
    });
    this.ended.catch(() => undefined); // whoever ends the program is told
  }

  /** Returns when the program says that all its threads run. */
  static async start(name: ProgramName, options: RunOptions = {}): Promise<JavaProgram> {
    const classes = compile(name);
    const java = path.join((options.jdk ?? mainJdk()).home, 'bin/java');
    const command = [
      ...(options.below ?? []),
      java,
      `-XX:ErrorFile=${path.join(root, 'artefacts/hs_err_pid%p.log')}`,
      ...(options.vmArgs ?? []),
      '-cp',
      classes,
      mainClasses[name],
      ...(options.args ?? []),
    ];
    const program = new JavaProgram(
      spawn(command[0]!, command.slice(1), {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: options.env ?? process.env,
      }),
    );
    await program.says(/^(ready|open)$/m);
    return program;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Waits until it has written something that matches. */
  async says(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.output)) {
      const over = new AbortController();
      const data = [this.child.stdout, this.child.stderr].map((stream) =>
        once(stream, 'data', { signal: over.signal }).then(() => true),
      );
      const more = await Promise.race([...data, this.ended.then(() => false)]);
      over.abort();
      await Promise.allSettled(data);
      if (!more && !pattern.test(this.output)) {
        throw new Error(`The program ended without saying ${String(pattern)}:\n${this.output}`);
      }
    }
  }

  /** Stands still until `goOn`: what nobody records must not take the processors from what is tested. */
  rest(): void {
    this.child.kill('SIGSTOP');
  }

  goOn(): void {
    this.child.kill('SIGCONT');
  }

  /** Lets it end as it likes to, and returns its exit code. It was harmed where that is an error's. */
  async end(): Promise<number | null> {
    const hadEnded = this.child.exitCode !== null || this.child.signalCode !== null;
    this.goOn();
    this.child.stdin.on('error', () => undefined).end();
    const code = await this.ended;
    if (code !== 0 && !hadEnded)
      throw ofKind('harm', new Error(`The program ended with ${code}:\n${this.output}`));
    return code;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await this.ended;
  }
}
