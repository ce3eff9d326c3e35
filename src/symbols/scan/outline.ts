/** Collects declarations while a scanner walks the tokens: scopes that open and close, and lines that end with them. */
import { markAt, type Tokens } from './tokens.js';

export type DeclarationKind = 'class' | 'method' | 'constructor' | 'function' | 'initializer';

export interface Declaration {
  readonly kind: DeclarationKind;
  /** As the runtime calls it: constructors are `<init>`, static initializers `<clinit>`, a property's getter `getTotal`. */
  readonly name: string;
  /**
   * Binary name of the class around it (of itself for a class) without the package: "Shop$Cart", "ShopKt". Empty for C++ functions,
   * whose `name` is qualified. A class without a name of its own ends in "$": the compiler's number is not in the text.
   */
  readonly className: string;
  /** Parameters in the text; −1 where that says nothing (a class, a property). */
  readonly parameters: number;
  /** From 0: of the name, and of the last line. */
  readonly line: number;
  readonly endLine: number;
  /** Column of the name, and of the end of the name. */
  readonly column: number;
  readonly endColumn: number;
}

export interface Scanned {
  readonly packageName: string;
  /** In the order of the text. */
  readonly declarations: readonly Declaration[];
}

interface OpenDeclaration {
  readonly kind: DeclarationKind;
  readonly name: string;
  readonly className: string;
  readonly parameters: number;
  readonly line: number;
  endLine: number;
  readonly column: number;
  readonly endColumn: number;
}

export class Outline {
  readonly declarations: OpenDeclaration[] = [];
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** Adds one whose name is the token `at`; its end is that line until `end` says otherwise. */
  add(
    kind: DeclarationKind,
    name: string,
    className: string,
    parameters: number,
    at: number,
  ): OpenDeclaration {
    const tokens = this.#tokens;
    const begin = tokens.begin[at] ?? 0;
    const line = tokens.line[at] ?? 0;
    const lineBegin = tokens.text.lastIndexOf('\n', begin - 1) + 1;
    const declaration: OpenDeclaration = {
      kind,
      name,
      className,
      parameters,
      line,
      endLine: line,
      column: begin - lineBegin,
      endColumn: (tokens.end[at] ?? begin) - lineBegin,
    };
    this.declarations.push(declaration);
    return declaration;
  }

  end(declaration: OpenDeclaration | undefined, at: number): void {
    if (declaration === undefined) return;
    const last = Math.min(Math.max(at, 0), this.#tokens.count - 1);
    declaration.endLine = Math.max(declaration.line, this.#tokens.line[last] ?? declaration.line);
  }

  result(): Declaration[] {
    return this.declarations;
  }
}

export type { OpenDeclaration };

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The token after the bracket that pairs with the one at `at`; the end of the text when there is none. */
export function afterPair(tokens: Tokens, at: number): number {
  const open = markAt(tokens, at);
  const close = closing[open];
  let depth = 0;
  for (let i = at; i < tokens.count; i++) {
    const mark = markAt(tokens, i);
    if (mark === open) depth += 1;
    else if (mark === close && --depth === 0) return i + 1;
  }
  return tokens.count;
}

/** Longer ones are none: each "<" of a text may have to be tried. */
export const maxGenerics = 500;

/** The token after generic arguments that begin at `at`; `at` itself when what follows cannot be that. */
export function afterGenerics(tokens: Tokens, at: number): number {
  if (markAt(tokens, at) !== '<') return at;
  const last = Math.min(tokens.count, at + maxGenerics);
  let depth = 0;
  for (let i = at; i < last; i++) {
    const mark = markAt(tokens, i);
    if (mark === '<') depth += 1;
    else if (mark === '>' && markAt(tokens, i - 1) !== '-' && --depth === 0) return i + 1;
    else if (mark === ';' || mark === '{' || mark === '}') return at;
  }
  return at;
}

/** How many parameters are between the parenthesis at `open` and its pair. */
export function parameterCount(tokens: Tokens, open: number): number {
  const end = afterPair(tokens, open) - 1;
  let count = 0;
  let any = false;
  for (let i = open + 1; i < end; i++) {
    const mark = markAt(tokens, i);
    if (mark === '(' || mark === '[' || mark === '{') {
      i = afterPair(tokens, i) - 1;
      any = true;
    } else if (mark === '<') {
      // A comparison in a default value has no ">" before the next comma that matters: generics are tried as such.
      const after = afterGenerics(tokens, i);
      if (after > i && after <= end) i = after - 1;
    } else if (mark === ',') {
      if (any) count += 1;
      any = false;
    } else {
      any = true;
    }
  }
  return any ? count + 1 : count;
}
