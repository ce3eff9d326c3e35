/** The btrace command: finds which command is meant, runs it, and turns what goes wrong into a sentence and an exit code. */
import { TargetError } from '../targets/target.js';
import { type Command, helpOf, overview, parseInput } from './command-line.js';
import { commands } from './commands/index.js';
import { isConversionThread, runConversionThread } from './convert/worker.js';
import { CliError, errorPart, ExitCode, UsageError } from './exit-codes.js';
import { fileError } from './open-trace.js';
import { packageVersion } from './package.js';
import { plainLines } from './plain-text.js';
import { Terminal } from './terminal.js';
import { errorWords, speak, speakToMachines } from './l10n.js';

function commandOf(name: string): Command {
  const command = commands.find((one) => one.name === name);
  if (!command) {
    throw new UsageError(
      `There is no command "${name}". Commands: ${commands.map((one) => one.name).join(', ')}.`,
    );
  }
  return command;
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  const leftOver = new Map([
    ['help', rest.slice(1)],
    ['--help', rest],
    ['-h', rest],
    ['--version', rest],
  ]);
  const extra = leftOver.get(name ?? '') ?? [];
  if (extra.length > 0) throw new UsageError(`What is "${extra.join(' ')}"?`);
  if (name === undefined || name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    terminal.print(overview(commands));
    return name === undefined ? ExitCode.Usage : ExitCode.Done;
  }
  if (name === '--version') {
    terminal.print(packageVersion());
    return ExitCode.Done;
  }
  if (name === 'help') {
    terminal.print(helpOf(commandOf(rest[0] ?? '')));
    return ExitCode.Done;
  }
  const command = commandOf(name);
  const input = parseInput(command, rest);
  if (input.has('help')) {
    terminal.print(helpOf(command));
    return ExitCode.Done;
  }
  // Completion is a program for the shell.
  if (input.has('json') || input.has('csv') || name === 'completion') speakToMachines();
  return await command.run(input, terminal);
}

function explain(error: unknown, terminal: Terminal, name: string): number {
  if (error instanceof UsageError) {
    const help = name === '' ? '--help' : `${name} --help`;
    terminal.note(
      `btrace: ${plainLines(errorWords(error.message))}\n${errorWords(errorPart(`See: btrace ${help}`))}`,
    );
    return error.exitCode;
  }
  if (error instanceof TargetError || error instanceof CliError) {
    terminal.note(`btrace: ${plainLines(errorWords(error.message))}`);
    if (error.nextStep !== '') terminal.note(errorWords(error.nextStep));
    return error instanceof CliError ? error.exitCode : error.kind === 'io' ? ExitCode.File : ExitCode.Target;
  }
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    terminal.note(
      `btrace: ${errorWords(errorPart('The current folder is gone.'))}\n${errorWords(errorPart('Go to one that is there: cd'))}`,
    );
    return ExitCode.File;
  }
  terminal.note(`btrace: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return ExitCode.Failed;
}

async function start(): Promise<void> {
  const terminal = new Terminal();
  // A reader that has seen enough (`btrace report | head`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(
      error.code === 'EPIPE'
        ? ExitCode.Done
        : explain(fileError(errorPart('Standard output'), 'written', error), terminal, ''),
    );
  });
  // Whoever stopped reading what is for the eye alone: the work goes on.
  process.stderr.on('error', () => undefined);
  const args = process.argv.slice(2);
  const name = commands.find((one) => one.name === args[0])?.name ?? '';
  process.exitCode = await run(args, terminal).catch((error: unknown) => explain(error, terminal, name));
  // What was interrupted may leave something to wait for, such as a program that was started.
  if (process.exitCode === ExitCode.Interrupted) process.exit();
}

speak(process.env, process.platform);
void (isConversionThread ? runConversionThread() : start());
