/** A table of a report, with its title and a head that is dimmed. */
import type { Terminal } from '../terminal.js';

export function printTable(
  title: string,
  [head = '', ...lines]: readonly string[],
  terminal: Terminal,
): void {
  terminal.print();
  terminal.print(terminal.bold(title));
  terminal.print(terminal.dim(head));
  for (const line of lines) terminal.print(line);
}
