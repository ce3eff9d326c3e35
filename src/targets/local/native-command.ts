/**
 * How the programs of commands are recorded from their start: externally where no library can be loaded into them, by
 * the native agent where they have no runtime.
 */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { Elf } from '../../symbols/native/elf.js';
import { openRegular, readFile } from '../../symbols/read-at.js';
import { TargetError } from '../target.js';
import { type Command, commandBehind, commandOfLine } from './command-behind.js';
import { readElf } from './elf-facts.js';

const setIdBits = 0o6000;

/** The program's file, as execvp() finds it in that folder. */
async function fileOf(program: string, runsIn = ''): Promise<string | undefined> {
  if (program.includes('/')) return path.resolve(runsIn, program);
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(folder, program);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** A program that is recorded externally from its start. */
export interface ExternalProgram {
  readonly name: string;
  /** In words. */
  readonly why: string;
  /** Name of the program that starts it as another process, to which an external recording does not go over. */
  readonly forkedBy: string | undefined;
}

/** Undefined for a program that libraries can be loaded into, and for scripts. */
export async function externalProgramOf(
  words: readonly string[],
  runsIn?: string,
): Promise<ExternalProgram | undefined> {
  const program = await programOf({ words, runsIn });
  if (program === undefined) return undefined;
  const { file, name, forkedBy, hasNoEnvironment } = program;
  const isLost = hasNoEnvironment === true && !(await isLinkedTo(file, jvm));
  const why = (await whyFileExternal(file)) ?? (isLost ? 'env starts it without its environment' : undefined);
  return why === undefined ? undefined : { name, why, forkedBy };
}

/** The program that the command starts in the end; undefined for scripts. */
async function programOf(
  command: Command,
): Promise<(Command & { readonly file: string; readonly name: string }) | undefined> {
  if (process.platform !== 'linux') return undefined;
  const [line = '', ...more] = command.words;
  const isLine = more.length === 0 && /\s/.test(line) && !(await isElf(line, command.runsIn));
  const started = isLine ? commandOfLine(command) : commandBehind(command);
  const [program = ''] = started?.words ?? [];
  const file = await fileOf(program, started?.runsIn);
  if (started === undefined || file === undefined || !(await isElf(program, started.runsIn)))
    return undefined;
  const name = path.basename(program);
  return started.isBehind === true && runners.has(name) ? undefined : { ...started, file, name };
}

async function whyFileExternal(file: string): Promise<string | undefined> {
  const elf = await readElf(file);
  if (elf === undefined) return undefined;
  if (elf.sections.has('.go.buildid') || elf.sections.has('.note.go.buildid')) return 'it is a Go program';
  if (!elf.sections.has('.interp')) return 'it is linked statically';
  if (await isLinkedTo(file, /\0libasan\.so/)) return 'its AddressSanitizer has to be loaded before all else';
  const { mode } = await stat(file);
  return (mode & setIdBits) === 0 ? undefined : "it runs with its file's rights (setuid)";
}

/** They start what their words do not say: what is below them is meant, and that may be a JVM. */
const runners = new Set(
  'fish xargs make ninja cmake sudo doas su unshare strace ltrace gdb script ssh docker podman systemd-run'.split(
    ' ',
  ),
);
/** A table of names that is larger is not read. */
const mostNameBytes = 4 << 20;

const jvm = /\0lib(?:jvm|jli)\.so/;

/** Whether the names that the dynamic linker reads hold this one. */
async function isLinkedTo(program: string, library: RegExp): Promise<boolean> {
  const file = await openRegular(program);
  try {
    const elf = await Elf.open(readFile(file));
    const names = await elf.section('.dynstr');
    return names !== undefined && library.test((await elf.bytesOf(names, mostNameBytes)).toString('latin1'));
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

/** A program without a runtime, into which a library can be loaded. */
export interface NativeProgram {
  /** Set where others start it: only the program of this name is recorded. */
  readonly behindOthers?: string;
}

/** The native program that the command starts, itself or by programs that only start others. */
export async function nativeProgram(
  words: readonly string[],
  runsIn?: string,
): Promise<NativeProgram | undefined> {
  const program = await programOf({ words, runsIn });
  if (program === undefined || program.hasNoEnvironment === true) return undefined;
  const { file, name, isBehind } = program;
  if (runners.has(name)) return undefined;
  if ((await whyFileExternal(file)) !== undefined || (await isLinkedTo(file, jvm))) return undefined;
  if (isBehind !== true) return {};
  return name.includes(',') ? undefined : { behindOthers: name };
}

async function isElf(program: string, runsIn?: string): Promise<boolean> {
  const file = await fileOf(program, runsIn);
  return file !== undefined && (await readElf(file)) !== undefined;
}

/**
 * The environment that carries the agent into a native program. The agent takes itself out again as it begins. In a survey all
 * functions are bound at the start: the first calls of one that is bound later would not be counted.
 */
export function preloaded(
  agent: string,
  options: string,
  env: NodeJS.ProcessEnv,
  isSurvey: boolean,
): NodeJS.ProcessEnv {
  const before = env['LD_PRELOAD'];
  return {
    ...(isSurvey && { LD_BIND_NOW: 'btrace' }),
    ...env,
    LD_PRELOAD: before ? `${agent}:${before}` : agent,
    BTRACE_NATIVE: options,
  };
}

export function notSurveyed(name: string): TargetError {
  return new TargetError(
    'not-supported',
    `The calls of ${name} cannot be counted: no agent for native programs can be in it.`,
    'A survey is of a native program that is linked dynamically (docs/NATIVE.md).',
  );
}
