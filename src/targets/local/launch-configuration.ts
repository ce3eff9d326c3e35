/** Programs that launch.json describes, as far as they can be started without a debugger: Java and Kotlin classes, native programs. */
import path from 'node:path';

export interface ConfiguredProgram {
  /** As a person called it. */
  readonly name: string;
  readonly what:
    | {
        readonly kind: 'java';
        readonly mainClass: string;
        readonly project: string;
        /** Given as they are; empty: to be found out. */
        readonly classPath: readonly string[];
        readonly vmArgs: readonly string[];
        readonly java: string;
      }
    | { readonly kind: 'native'; readonly program: string };
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Name of a task that builds it, or empty. */
  readonly buildTask: string;
}

/** Of the debuggers for C, C++ and Rust. */
const nativeTypes = new Set(['cppdbg', 'lldb', 'lldb-dap', 'gdb', 'codelldb']);

/**
 * Undefined for what attaches, what asks a person for a part of itself, and other languages. `variables`: of launch.json,
 * "workspaceFolder" → path; "env:NAME" are the environment's.
 */
export function configuredProgram(
  configuration: unknown,
  variables: Readonly<Record<string, string>>,
): ConfiguredProgram | undefined {
  if (typeof configuration !== 'object' || configuration === null) return undefined;
  const given = configuration as Readonly<Record<string, unknown>>;
  const missing: string[] = [];
  const fill = (text: string): string =>
    text.replace(/\$\{([^{}]+)\}/g, (_whole, name: string) => {
      const value = name.startsWith('env:') ? (process.env[name.slice(4)] ?? '') : variables[name];
      if (value === undefined) missing.push(name);
      return value ?? '';
    });
  const text = (key: string): string => (typeof given[key] === 'string' ? fill(given[key]) : '');
  const list = (key: string): string[] => {
    const value = given[key];
    if (typeof value === 'string') return wordsOf(fill(value));
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string').map(fill) : [];
  };
  if (given['request'] !== 'launch') return undefined;
  const folder = text('cwd') || (variables['workspaceFolder'] ?? '');
  const common = {
    name: text('name'),
    args: list('args'),
    folder,
    env: environmentOf(given, fill),
    buildTask: text('preLaunchTask'),
  };
  let what: ConfiguredProgram['what'] | undefined;
  if ((given['type'] === 'java' || given['type'] === 'kotlin') && text('mainClass') !== '') {
    const classPaths = list('classPaths');
    // "$Auto" and the like, and exclusions, ask for what only the language's own extension knows.
    const isGiven = !classPaths.some((one) => /^[$!]/.test(one));
    what = {
      kind: 'java',
      mainClass: text('mainClass').replace(/^.*\//, ''), // "module/package.Class"
      project: text('projectName'),
      classPath: isGiven ? classPaths.map((one) => path.resolve(folder, one)) : [],
      vmArgs: list('vmArgs'),
      java: text('javaExec'),
    };
  } else if (nativeTypes.has(String(given['type'])) && text('program') !== '') {
    what = { kind: 'native', program: path.resolve(folder, text('program')) };
  }
  return what !== undefined && missing.length === 0 ? { ...common, what } : undefined;
}

/** `env` as most have it; `environment` as cppdbg does. */
function environmentOf(
  given: Readonly<Record<string, unknown>>,
  fill: (text: string) => string,
): Record<string, string> {
  const found: Record<string, string> = {};
  const { env, environment } = given;
  if (typeof env === 'object' && env !== null)
    for (const [name, value] of Object.entries(env)) if (typeof value === 'string') found[name] = fill(value);
  if (Array.isArray(environment))
    for (const one of environment as readonly ({ name?: unknown; value?: unknown } | null)[])
      if (typeof one?.name === 'string' && typeof one.value === 'string') found[one.name] = fill(one.value);
  return found;
}

/** As a shell splits them: at white space that is not in quotes. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let isOpen = false;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string;
    if (letter === '\\' && quote !== "'" && at + 1 < line.length) {
      word += line[++at] as string;
      isOpen = true;
    } else if (quote !== '') {
      if (letter === quote) quote = '';
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      isOpen = true;
    } else if (/\s/.test(letter)) {
      if (isOpen) words.push(word);
      word = '';
      isOpen = false;
    } else {
      word += letter;
      isOpen = true;
    }
  }
  if (isOpen) words.push(word);
  return words;
}
