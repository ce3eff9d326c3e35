/**
 * The command behind programs that only start others: `env`, `nice`, `sh -c` and the like. By their words alone, as their
 * manuals tell which of them are options, values of options, and the command.
 */
import path from 'node:path';

export interface Command {
  readonly words: readonly string[];
  /** The folder that it runs in; without, this process's. */
  readonly runsIn?: string | undefined;
  /** Other programs start it. */
  readonly isBehind?: boolean;
  /** Name of one of those that starts it as another process, not in its own place. */
  readonly forkedBy?: string | undefined;
  /** It does not get the environment of what starts it. */
  readonly hasNoEnvironment?: boolean | undefined;
}

interface Starter {
  /** Options with a value. */
  readonly withValue: ReadonlySet<string>;
  /** So many words stand between the options and the command: a time limit, a mask. */
  readonly words: number;
  readonly forks: boolean;
}

const starter = (options: string, words = 0, forks = false): Starter => ({
  withValue: new Set(options.split(' ')),
  words,
  forks,
});

const starters = new Map([
  ['env', starter('-u --unset -C --chdir -S --split-string')],
  ['nice', starter('-n --adjustment')],
  ['ionice', starter('-c --class -n --classdata -p --pid -P --pgid -u --uid')],
  ['nohup', starter('')],
  ['time', starter('-f --format -o --output', 0, true)],
  ['timeout', starter('-k --kill-after -s --signal', 1, true)],
  ['stdbuf', starter('-i --input -o --output -e --error')],
  ['setsid', starter('')],
  ['taskset', starter('', 1)],
  ['numactl', starter('-i --interleave -N --cpunodebind -m --membind -C --physcpubind -p --preferred -P')],
  ['chrt', starter('-T --sched-runtime -P --sched-period -D --sched-deadline', 1)],
]);

const shells = new Set('sh bash dash zsh ksh'.split(' '));

/** What a shell takes for more than words. */
const shellSyntax = /[;&|<>()$`'"\\*?[\]{}\n]/;

const isAssignment = (word: string): boolean => /^\w+=/.test(word);

/** Undefined where that is not one command: a line for a shell that is more than words, or a script. */
export function commandBehind(command: Command): Command | undefined {
  const [program = '', ...rest] = command.words;
  const name = path.basename(program);
  if (shells.has(name)) {
    const [option = '', line = ''] = rest;
    if (!/^-\w*c$/.test(option)) return undefined;
    // Not every shell becomes the last program of a line: dash does not.
    const forkedBy = command.forkedBy ?? name;
    return commandOfLine({ ...command, forkedBy, words: [line] });
  }
  const how = starters.get(name);
  return how === undefined ? command : started(command, name, how, rest);
}

/** The command of a line for a shell. */
export function commandOfLine(command: Command): Command | undefined {
  const [line = ''] = command.words;
  if (shellSyntax.test(line)) return undefined;
  const words = wordsOf(line);
  const first = words.findIndex((word) => !isAssignment(word));
  if (first < 0) return undefined;
  return commandBehind({ ...command, words: words.slice(first), isBehind: true });
}

function started(
  command: Command,
  name: string,
  how: Starter,
  given: readonly string[],
): Command | undefined {
  let { runsIn, hasNoEnvironment, forkedBy } = command;
  if (how.forks) forkedBy ??= name;
  const { options, rest } = optionsOf(given, how.withValue);
  let words = rest.slice(how.words);
  for (const [option, value] of options) {
    if (name === 'setsid' && (option === '-f' || option === '--fork')) forkedBy ??= name;
    if (name !== 'env') continue;
    if (option === '-i' || option === '--ignore-environment') hasNoEnvironment = true;
    if (option === '-C' || option === '--chdir') runsIn = path.resolve(runsIn ?? '', value);
    if (option === '-S' || option === '--split-string') {
      if (shellSyntax.test(value)) return undefined;
      // Its words may be options of `env`, too, as in the first line of a script.
      const again = { ...command, runsIn, hasNoEnvironment };
      return started(again, name, how, [...wordsOf(value), ...words]);
    }
  }
  if (name === 'env') {
    if (words[0] === '-') [hasNoEnvironment, words] = [true, words.slice(1)];
    while (isAssignment(words[0] ?? '')) words = words.slice(1);
  }
  if (words.length === 0) return undefined;
  return commandBehind({ words, runsIn, isBehind: true, forkedBy, hasNoEnvironment });
}

function optionsOf(
  words: readonly string[],
  withValue: ReadonlySet<string>,
): { options: (readonly [option: string, value: string])[]; rest: readonly string[] } {
  const options: [string, string][] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return { options, rest: words.slice(at + 1) };
    if (!word.startsWith('-') || word === '-') break;
    if (word.startsWith('--')) {
      const equals = word.indexOf('=');
      const option = equals < 0 ? word : word.slice(0, equals);
      if (equals >= 0) options.push([option, word.slice(equals + 1)]);
      else options.push([option, withValue.has(option) ? (words[++at] ?? '') : '']);
      continue;
    }
    for (let letter = 1; letter < word.length; letter++) {
      const option = `-${word[letter] ?? ''}`;
      if (!withValue.has(option)) {
        options.push([option, '']);
        continue;
      }
      options.push([option, word.slice(letter + 1) || (words[++at] ?? '')]);
      break;
    }
  }
  return { options, rest: words.slice(at) };
}

function wordsOf(line: string): string[] {
  return line.trim().split(/\s+/);
}
