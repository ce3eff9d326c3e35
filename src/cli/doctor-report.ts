/** What `btrace doctor` prints: line by line, without the names that are nobody's business. */
import { plainText } from './plain-text.js';
import type { Terminal } from './terminal.js';
import { errorWords, l10n } from './l10n.js';
import { padEnd } from './text-width.js';

export class Report {
  #problems = 0;
  readonly #hidden = new Map<string, string>();
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get isWell(): boolean {
    return this.#problems === 0;
  }

  /** What is nobody's business, and what it is called in all that follows. */
  hide(name: string, instead: string): void {
    if (name !== '') this.#hidden.set(name, instead);
  }

  line(what: string, how: string): void {
    this.#terminal.print(`${padEnd(what, 20)} ${plainText(this.#withoutNames(how))}`);
  }

  #withoutNames(text: string): string {
    let shown = text;
    // Long ones first: a process is called by its package, and more.
    for (const [name, instead] of [...this.#hidden].sort(([a], [b]) => b.length - a.length))
      shown = shown.replaceAll(name, instead);
    return shown;
  }

  failed(what: string, nextStep: string): void {
    this.#problems++;
    // Names are taken out first: other languages have other quotes around what was asked for.
    const said = (text: string): string => plainText(errorWords(this.#withoutNames(text)));
    this.#terminal.print(this.#terminal.warn(`${padEnd(l10n.t('FAILED'), 20)} ${said(what)}`));
    if (nextStep !== '') this.#terminal.print(`${' '.repeat(20)} ${said(nextStep)}`);
  }

  /** A part of what is looked at; the lines after it are what was found. */
  part(title: string): void {
    this.#terminal.print(`\n${title}`);
  }

  close(): void {
    this.part(l10n.t('In short'));
    this.#terminal.print(
      this.isWell
        ? l10n.t('All is well: this can be recorded.')
        : l10n.t(
            'What FAILED stands above, with what to do. If that does not help, put this report into an issue.',
          ),
    );
  }
}
