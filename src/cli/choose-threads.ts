import type { Trace } from '../trace/index.js';
import { CliError, ExitCode } from './exit-codes.js';
import { plainText } from './plain-text.js';

/** Indexes of the threads with `text` in their names; all, said by an empty list, when nothing is asked. */
export function threadIndexes(trace: Trace, text: string | undefined): number[] {
  if (text === undefined) return [];
  const wanted = trace.threads.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  if (wanted.length > 0) return wanted.map(({ index }) => index);
  const names = trace.threads.slice(0, 30).map(({ name }) => plainText(name));
  throw new CliError(
    ExitCode.Usage,
    `No thread has "${text}" in its name.`,
    `There are: ${names.join(', ')}${trace.threads.length > names.length ? ' …' : ''}`,
  );
}
