/** What `btrace doctor` prints: line by line, without the names that are nobody's business. */
import { plainText } from './plain-text.js';
import type { Terminal } from './terminal.js';

export class Report {
  private problems = 0;
  private readonly hidden = new Map<string, string>();

  constructor(private readonly terminal: Terminal) {}

  get isWell(): boolean {
    return this.problems === 0;
  }

  /** What is nobody's business, and what it is called in all that follows. */
  hide(name: string, instead: string): void {
    if (name !== '') this.hidden.set(name, instead);
  }

  line(what: string, how: string): void {
    this.terminal.print(`${what.padEnd(20)} ${this.plain(how)}`);
  }

  private plain(text: string): string {
    let shown = text;
    // Long ones first: a process is called by its package, and more.
    for (const [name, instead] of [...this.hidden].sort(([a], [b]) => b.length - a.length))
      shown = shown.replaceAll(name, instead);
    return plainText(shown);
  }

  failed(what: string, nextStep: string): void {
    this.problems++;
    this.terminal.print(this.terminal.warn(`${'FAILED'.padEnd(20)} ${this.plain(what)}`));
    if (nextStep !== '') this.line('', nextStep);
  }

  /** A part of what is looked at; the lines after it are what was found. */
  part(title: string): void {
    this.terminal.print(`\n${title}`);
  }

  close(): void {
    this.part('In short');
    this.terminal.print(
      this.isWell
        ? 'All is well: this can be recorded.'
        : 'What FAILED stands above, with what to do. If that does not help, put this report into an issue.',
    );
  }
}
