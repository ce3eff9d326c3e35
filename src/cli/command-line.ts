/** Commands declared once: the declaration parses the command line and is its help. */
import { parseArgs } from 'node:util';
import { UsageError } from './exit-codes.js';
import { helpWords, l10n } from './l10n.js';
import type { Terminal } from './terminal.js';

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What stands for its value in the help; an option without is a switch. */
  readonly value?: string;
  /** All that its value may be, where that is a list: for completion in a shell. */
  readonly choices?: readonly string[];
  /** It takes all words up to the next option, and may be there more than once. */
  readonly many?: boolean;
  readonly help: string;
}

export interface Command {
  readonly name: string;
  /** One line in the list of commands. */
  readonly summary: string;
  readonly usage: readonly string[];
  /** What each of its operands is, such as a file. Absent: it takes none. */
  readonly operands?: readonly string[];
  /** Of its first operand there may be several. */
  readonly takesSeveral?: boolean;
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

type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** What was typed after the command's name. */
export class Input {
  readonly #values: Values;
  readonly #words: readonly string[];
  readonly #named: readonly string[];

  constructor(
    values: Values,
    words: readonly string[],
    named: readonly string[],
    /** Everything after `--`. */
    readonly rest: readonly string[],
  ) {
    this.#values = values;
    this.#words = words;
    this.#named = named;
  }

  /** What the command is about; of several, the one that `Command.operands` has there. */
  operand(at = 0): string {
    const word = this.#words[at];
    if (word === undefined || word === '') throw new UsageError(`Which ${helpWords(this.#named[at] ?? '')}?`);
    return word;
  }

  /** All of them, as they were typed. */
  get operands(): readonly string[] {
    return this.#words;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** Of an option that takes several. */
  all(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
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
    [...command.options, helpOption].map(({ name, short, value, many }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short && { short }),
        ...(many && { multiple: true }),
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: spread(command, own),
      options,
      allowPositionals: true,
    });
    const rest = split < 0 ? [] : args.slice(split + 1);
    // As of a shell's variable that is not set.
    const empty = Object.keys(values).find((name) => values[name] === '');
    if (empty !== undefined) throw new UsageError(`--${empty} takes something, not "".`);
    refuseExtra(command, positionals, rest);
    return new Input(values, positionals, command.operands ?? [], rest);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw parseError(error);
  }
}

/** Node's message names the option; what it adds about '--' and '--option=-value' helps nobody here. */
function parseError(error: unknown): UsageError {
  const said = error instanceof Error ? error.message : String(error);
  const [, option, wrong = ''] = /^[^']*'(.*?)'( argument | does not |\. |$)/s.exec(said) ?? [];
  if (option === undefined) return new UsageError(said);
  if (wrong === ' argument ') return new UsageError(`Option '${option}' argument missing.`);
  if (wrong === ' does not ') return new UsageError(`Option '${option}' does not take an argument.`);
  return new UsageError(`Unknown option '${option}'.`);
}

/** "--base a b" → "--base a --base b". */
function spread({ options }: Command, words: readonly string[]): string[] {
  const many = new Set(options.filter((one) => one.many === true).map(({ name }) => `--${name}`));
  let open: string | undefined;
  let isFirst = false;
  return words.flatMap((word) => {
    if (word.startsWith('-')) {
      open = many.has(word) ? word : undefined;
      isFirst = true;
      return [word];
    }
    if (open === undefined || isFirst) {
      isFirst = false;
      return [word];
    }
    return [open, word];
  });
}

/** A word that is passed over may be an option that was mistyped. */
function refuseExtra(
  { name, operands = [], startsCommand, takesSeveral }: Command,
  words: readonly string[],
  rest: readonly string[],
): void {
  const [only = ''] = operands;
  if (operands.length === 0 && words.length > 0)
    throw new UsageError(
      startsCommand === true
        ? `What is "${words.join(' ')}"? A command to start goes after --`
        : `What is "${words.join(' ')}"? btrace ${name} takes options alone.`,
    );
  if (operands.length === 1 && words.length > 1 && takesSeveral !== true)
    throw new UsageError(`One ${helpWords(only)} at a time, not ${words.join(', ')}.`);
  if (words.length > operands.length && takesSeveral !== true)
    throw new UsageError(
      `What is "${words[operands.length] ?? ''}"? btrace ${name} takes ${operands.map(helpWords).join(l10n.t(' and '))}.`,
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
    const [first = '', ...more] = helpWords(help).split('\n');
    return [
      `${(left[at] ?? '').padEnd(width)}${first}`,
      ...more.map((line) => ' '.repeat(width) + line),
    ].join('\n');
  });
}

export function helpOf(command: Command): string {
  return [
    `btrace ${command.name} – ${helpWords(command.summary)}`,
    '',
    l10n.t('Usage:'),
    ...command.usage.map((line) => `  btrace ${line}`),
    ...command.description.flatMap((paragraph) => ['', helpWords(paragraph)]),
    '',
    l10n.t('Options:'),
    ...optionLines([...command.options, helpOption]),
    ...(command.examples.length > 0
      ? ['', l10n.t('Examples:'), ...command.examples.map((line) => `  ${line}`)]
      : []),
  ].join('\n');
}

export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `btrace – ${l10n.t('records what a running program does and says where its time went')}`,
    '',
    l10n.t('Usage:'),
    '  btrace COMMAND [OPTIONS]',
    '',
    l10n.t('Commands:'),
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${helpWords(summary)}`),
    '',
    `  btrace COMMAND --help   ${l10n.t('what a command takes')}`,
    `  btrace --version        ${l10n.t('the version')}`,
    '',
    l10n.t(
      'Exit codes: 0 done, 1 unforeseen, 2 command line, 3 target, 4 file, 5 recording cut short, 6 slower than allowed,\n7 took too long, 130 interrupted.',
    ),
  ].join('\n');
}
