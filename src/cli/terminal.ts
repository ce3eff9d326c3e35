/** The command's two streams: results on standard output, everything for the eye on standard error. */
import type { Writable } from 'node:stream';
import { cutEnd, cutStart, padEnd, padStart, widthOf } from './text-width.js';

type Styled = (text: string) => string;

export interface TerminalStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Colours are for terminals, and not where NO_COLOR or TERM=dumb asks for none; FORCE_COLOR asks for them anywhere. */
function wantsColour(stream: TerminalStream, env: NodeJS.ProcessEnv): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] !== '0';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** 0 where the terminal does not know its size, as those that a program makes for another. */
const columnsOf = (stream: TerminalStream): number => stream.columns || 80;

export class Terminal {
  readonly bold: Styled;
  readonly dim: Styled;
  readonly warn: Styled;
  #shown = 0;
  readonly #output: TerminalStream;
  readonly #errors: TerminalStream;

  constructor(
    output: TerminalStream = process.stdout,
    errors: TerminalStream = process.stderr,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.#output = output;
    this.#errors = errors;

    const style = (code: number): Styled =>
      wantsColour(output, env) ? (text) => `\x1b[${code}m${text}\x1b[0m` : (text) => text;
    this.bold = style(1);
    this.dim = style(2);
    this.warn = style(33);
  }

  /** Columns of standard output; 0 when it is no terminal, and lines need not fit. */
  get width(): number {
    return this.#output.isTTY === true ? columnsOf(this.#output) : 0;
  }

  /**
   * After the output of another program, whose last line may have no end: on a terminal, what is shown next begins a line. As
   * many spaces as fit into one end in the next where something stands before them, and else are written over.
   */
  freshLine(): void {
    const stream = [this.#errors, this.#output].find(({ isTTY }) => isTTY === true);
    stream?.write(`${' '.repeat(columnsOf(stream))}\r`);
  }

  print(line = ''): void {
    this.#output.write(`${line}\n`);
  }

  /** A message for the person, never part of the result. */
  note(line: string): void {
    this.endProgress();
    this.#errors.write(`${line}\n`);
  }

  /** One line that is written over; only on a terminal. */
  progress(line: string): void {
    if (this.#errors.isTTY !== true) return;
    const fitting = cutEnd(line, columnsOf(this.#errors) - 1);
    this.#errors.write(`\r${padEnd(fitting, this.#shown)}`);
    this.#shown = widthOf(fitting);
  }

  endProgress(): void {
    if (this.#shown > 0) this.#errors.write(`\r${' '.repeat(this.#shown)}\r`);
    this.#shown = 0;
  }
}

/** What gives way where lines are wider than the terminal, column by column, first come first. */
export interface Narrowing {
  /** Columns that go, some together, so long as the last one has less room than a name wants. */
  readonly spare?: readonly (readonly number[])[];
  /** Columns of names: cut to their ends, where classes and methods are. */
  readonly names?: readonly number[];
}

const nameWidth = 40;
const leastNameWidth = 16;
const between = '  ';

function endOf(text: string, width: number): string {
  return widthOf(text) > width ? `…${cutStart(text, width - 1)}` : text;
}

/** Rows with aligned columns; `right` says which are numbers. What is wider than `width` is cut; 0 leaves it as it is. */
export function table(
  rows: readonly (readonly string[])[],
  right: readonly boolean[],
  width = 0,
  { spare = [], names = [] }: Narrowing = {},
): string[] {
  const widths = right.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  const last = widths.length - 1;
  let columns = [...widths.keys()];
  if (width > 0) {
    const over = (lastWidth = widths[last] ?? 0): number =>
      columns.reduce((sum, column) => sum + (column === last ? lastWidth : (widths[column] ?? 0)), 0) +
      between.length * (columns.length - 1) -
      width;
    const wanted = Math.min(widths[last] ?? 0, nameWidth);
    for (const group of spare)
      if (over(wanted) > 0) columns = columns.filter((column) => !group.includes(column));
    for (const column of names) {
      const now = widths[column] ?? 0;
      widths[column] = Math.min(now, Math.max(now - over(), leastNameWidth));
    }
  }
  return rows.map((row) => {
    const cells = columns.map((column) => {
      const room = widths[column] ?? 0;
      const cell = endOf(row[column] ?? '', room);
      return right[column] === true ? padStart(cell, room) : padEnd(cell, room);
    });
    const line = cells.join(between).trimEnd();
    return width > 0 && widthOf(line) > width ? `${cutEnd(line, width - 1)}…` : line;
  });
}
