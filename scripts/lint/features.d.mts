/** What the page may name. */
export interface Known {
  /** Of package.json. */
  readonly scripts: readonly string[];
  /** The full titles of a suite's tests; undefined where there is no such suite. */
  titlesOf(suite: string): readonly string[] | undefined;
  /** Why the command line refuses these words, if it does. */
  parse(args: readonly string[]): string | undefined;
  /** The titles of the commands in VS Code, with their category. */
  readonly palette: readonly string[];
  /** Also of a pattern that matches some. */
  isFile(path: string): boolean;
}

export interface Row {
  readonly number: number;
  readonly cells: number;
  readonly status: string;
  readonly test: string;
}

export function rowsOf(page: string): Row[];
export function waysOf(page: string): { readonly number: number; readonly text: string }[];
export function simpleCommands(line: string): string[][];
export function complaints(page: string, known: Known): string[];
