/** Commands declared once: the declaration parses the command line and is its help. */
import { parseArgs } from 'node:util';
import { UsageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What stands for its value in the help; an option without is a switch. */
  readonly value?: string;
  readonly help: string;
}

export interface Command {
  readonly name: string;
  /** One line in the list of commands. */
  readonly summary: string;
  readonly usage: readonly string[];
  /** What each of its operands is, such as a file. Absent: it takes none. */
  readonly operands?: readonly string[];
  /** A command to start may stand after --. */
  readonly startsCommand?: boolean;
  /** Paragraphs of the help between usage and options. */
  readonly description: readonly string[];
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  run(input: Input, terminal: Terminal): Promise<number>;
}

export const jsonOption: Option = { name: 'json', help: 'print the result as JSON' };
const helpOption: Option = { name: 'help', short: 'h', help: 'show this help' };

/** What was typed after the command's name. */
export class Input {
  constructor(
    private readonly values: Readonly<Record<string, string | boolean | undefined>>,
    private readonly words: readonly string[],
    private readonly named: readonly string[],
    /** Everything after `--`. */
    readonly rest: readonly string[],
  ) {}

  /** What the command is about; of several, the one that `Command.operands` has there. */
  operand(at = 0): string {
    const word = this.words[at];
    if (word === undefined || word === '') throw new UsageError(`Which ${this.named[at] ?? ''}?`);
    return word;
  }

  has(name: string): boolean {
    return this.values[name] !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The value, read by one of the functions of quantities.ts; undefined when not given. */
  read<T>(name: string, by: (text: string, option: string) => T): T | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : by(text, name);
  }
}

export function parseInput(command: Command, args: readonly string[]): Input {
  const split = args.indexOf('--');
  const own = split < 0 ? args : args.slice(0, split);
  const options = Object.fromEntries(
    [...command.options, helpOption].map(({ name, short, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...own], options, allowPositionals: true });
    const rest = split < 0 ? [] : args.slice(split + 1);
    // As of a shell's variable that is not set.
    const empty = Object.keys(values).find((name) => values[name] === '');
    if (empty !== undefined) throw new UsageError(`--${empty} takes something, not "".`);
    refuseExtra(command, positionals, rest);
    return new Input(values, positionals, command.operands ?? [], rest);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Node's sentence names the option; what it adds about '--' helps nobody here.
    const said = (error instanceof Error ? error.message : String(error)).split('. ')[0] ?? '';
    throw new UsageError(`${said.replace(/\.$/, '')}.`);
  }
}

/** A word that is passed over may be an option that was mistyped. */
function refuseExtra(
  { name, operands = [], startsCommand }: Command,
  words: readonly string[],
  rest: readonly string[],
): void {
  const hint = startsCommand === true ? ' A command to start goes after --' : '';
  const [only = ''] = operands;
  if (operands.length === 0 && words.length > 0)
    throw new UsageError(`What is "${words.join(' ')}"?${hint || ` btrace ${name} takes options alone.`}`);
  if (operands.length === 1 && words.length > 1)
    throw new UsageError(`One ${only} at a time, not ${words.join(', ')}.`);
  if (words.length > operands.length)
    throw new UsageError(
      `What is "${words[operands.length] ?? ''}"? btrace ${name} takes ${operands.join(' and ')}.`,
    );
  if (startsCommand !== true && rest.length > 0)
    throw new UsageError(`What is "${rest.join(' ')}"? btrace ${name} starts no command.`);
}

function optionLines(options: readonly Option[]): string[] {
  const left = options.map(
    ({ name, short, value }) => `  ${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`,
  );
  const width = Math.max(...left.map((text) => text.length)) + 2;
  return options.map(({ help }, at) => {
    const [first = '', ...more] = help.split('\n');
    return [
      `${(left[at] ?? '').padEnd(width)}${first}`,
      ...more.map((line) => ' '.repeat(width) + line),
    ].join('\n');
  });
}

export function helpOf(command: Command): string {
  return [
    `btrace ${command.name} – ${command.summary}`,
    '',
    'Usage:',
    ...command.usage.map((line) => `  btrace ${line}`),
    ...command.description.flatMap((paragraph) => ['', paragraph]),
    '',
    'Options:',
    ...optionLines([...command.options, helpOption]),
    ...(command.examples.length > 0 ? ['', 'Examples:', ...command.examples.map((line) => `  ${line}`)] : []),
  ].join('\n');
}

export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'btrace – records what a running program does and says where its time went',
    '',
    'Usage:',
    '  btrace COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '  btrace COMMAND --help   what a command takes',
    '  btrace --version        the version',
    '',
    'Exit codes: 0 done, 1 unforeseen, 2 command line, 3 target, 4 file, 5 recording cut short, 6 slower than allowed,\n130 interrupted.',
  ].join('\n');
}
