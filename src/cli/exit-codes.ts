/** What `btrace` says to the shell that called it; docs/CLI.md has the same table. */
export const ExitCode = {
  Done: 0,
  /** Something that was not foreseen. */
  Failed: 1,
  /** The command line was not understood. */
  Usage: 2,
  /** There is no such target, or it cannot be recorded. */
  Target: 3,
  /** A file cannot be read or written, or is no trace. */
  File: 4,
  /** The recording ended before it should have; what there was until then is in the file. */
  CutShort: 5,
  /** `compare`: something takes more than it may. */
  Slower: 6,
  /** `query`: it took longer than it may. */
  TimedOut: 7,
  /** Ctrl-C, for commands other than `record`, which it ends well. */
  Interrupted: 130,
} as const;

/** Ends the command with a message and a next step. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    readonly exitCode: number,
    message: string,
    readonly nextStep = '',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class UsageError extends CliError {
  constructor(message: string) {
    super(ExitCode.Usage, message);
  }
}

/** A part of an error's sentence. It is in English as the sentence is, and is translated with it: `npm run texts` finds it here. */
export const errorPart = (text: string): string => text;
