/**
 * Cuts Java, Kotlin and C++ into the few tokens that declarations are made of. Comments, strings (with Kotlin's templates and
 * text blocks), character literals and preprocessor lines are passed over; whatever is malformed ends at its line or at the end
 * of the text, never in an endless loop. One pass, O(n); columns of numbers, no object per token.
 */
import { grown } from '../../trace/assemble/grow.js';

export type Language = 'java' | 'kotlin' | 'cpp';

export const TokenKind = {
  Word: 1,
  /** A single character: { } ( ) [ ] < > ; , : . = @ * & ~ ? … */
  Mark: 2,
  /** A literal that was passed over. */
  Literal: 3,
} as const;

export interface Tokens {
  readonly text: string;
  readonly count: number;
  readonly kind: Uint8Array;
  readonly begin: Int32Array;
  readonly end: Int32Array;
  /** Line of each token, from 0. */
  readonly line: Int32Array;
}

export function wordAt(tokens: Tokens, at: number): string {
  return at >= 0 && at < tokens.count && tokens.kind[at] === TokenKind.Word
    ? tokens.text.slice(tokens.begin[at], tokens.end[at])
    : '';
}

/** The character of a mark, or empty. */
export function markAt(tokens: Tokens, at: number): string {
  return at >= 0 && at < tokens.count && tokens.kind[at] === TokenKind.Mark
    ? (tokens.text[tokens.begin[at] ?? 0] ?? '')
    : '';
}

const tab = 9;
const newline = 10;
const space = 32;
const quote = 34;
const hash = 35;
const dollar = 36;
const apostrophe = 39;
const star = 42;
const dot = 46;
const slash = 47;
const backslash = 92;
const backtick = 96;
const openBrace = 123;
const closeBrace = 125;

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

/** Everything above ASCII counts as a letter: names may be in any script. */
function isWord(c: number): boolean {
  return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95 || c === dollar || isDigit(c) || c > 127;
}

class TokenList implements Tokens {
  count = 0;
  kind = new Uint8Array(1024);
  begin = new Int32Array(1024);
  end = new Int32Array(1024);
  line = new Int32Array(1024);

  constructor(readonly text: string) {}

  add(kind: number, begin: number, end: number, line: number): void {
    if (this.count === this.kind.length) this.#grow();
    this.kind[this.count] = kind;
    this.begin[this.count] = begin;
    this.end[this.count] = end;
    this.line[this.count] = line;
    this.count += 1;
  }

  #grow(): void {
    const size = this.count * 2;
    this.kind = grown(this.kind, size);
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.line = grown(this.line, size);
  }
}

/** `limit`: stop after so many tokens, for who only wants the beginning. */
export function tokenize(text: string, language: Language, limit = Infinity): Tokens {
  const tokens = new TokenList(text);
  const length = text.length;
  let at = 0;
  let line = 0;
  /** Whether only blanks stand before `at` on its line: a C++ directive may begin here. */
  let lineStart = true;

  // Not by `indexOf`, which would look for the end of a long line once for each literal on it.
  const linesIn = (from: number, to: number): void => {
    for (let i = from; i < to; i++) if (text.charCodeAt(i) === newline) line += 1;
  };
  /** Adds one literal that ends at `end`, and goes on there. */
  const literal = (end: number): void => {
    tokens.add(TokenKind.Literal, at, end, line);
    linesIn(at, end);
    at = end;
  };

  while (at < length && tokens.count < limit) {
    const c = text.charCodeAt(at);
    if (c === newline) {
      line += 1;
      at += 1;
      lineStart = true;
      continue;
    }
    if (c === space || (c >= tab && c <= 13) || c === 0xfeff || c === 0xa0) {
      at += 1;
      continue;
    }
    if (c === slash && text.charCodeAt(at + 1) === slash) {
      at = lineEnd(text, at);
      continue;
    }
    if (c === slash && text.charCodeAt(at + 1) === star) {
      const end = commentEnd(text, at, language === 'kotlin');
      linesIn(at, end);
      at = end;
      continue;
    }
    if (c === hash && lineStart && language === 'cpp') {
      const end = directiveEnd(text, at);
      linesIn(at, end);
      at = end;
      continue;
    }
    lineStart = false;
    if (isWord(c)) {
      if (isDigit(c)) {
        literal(numberEnd(text, at, language));
        continue;
      }
      let end = at + 1;
      while (end < length && isWord(text.charCodeAt(end))) end += 1;
      if (language === 'cpp' && text.charCodeAt(end) === quote && text.charCodeAt(end - 1) === 82) {
        literal(rawStringEnd(text, end));
        continue;
      }
      tokens.add(TokenKind.Word, at, end, line);
      at = end;
      continue;
    }
    if (c === backtick && language === 'kotlin') {
      const end = text.indexOf('`', at + 1);
      const close = end < 0 || end > lineEnd(text, at) ? lineEnd(text, at) : end;
      tokens.add(TokenKind.Word, at + 1, close, line);
      at = close + 1;
      continue;
    }
    if (c === quote) {
      literal(stringEnd(text, at, language));
      continue;
    }
    if (c === apostrophe) {
      literal(quotedEnd(text, at, apostrophe));
      continue;
    }
    tokens.add(TokenKind.Mark, at, at + 1, line);
    at += 1;
  }
  return tokens;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function commentEnd(text: string, from: number, nests: boolean): number {
  if (!nests) {
    const end = text.indexOf('*/', from + 2);
    return end < 0 ? text.length : end + 2;
  }
  let depth = 1;
  let at = from + 2;
  while (depth > 0) {
    const close = text.indexOf('*/', at);
    if (close < 0) return text.length;
    const open = text.indexOf('/*', at);
    if (open >= 0 && open < close) {
      depth += 1;
      at = open + 2;
    } else {
      depth -= 1;
      at = close + 2;
    }
  }
  return at;
}

/** 0x1F, 1_000, 1e-3, 1.5f, and C++'s 1'000. */
function numberEnd(text: string, from: number, language: Language): number {
  let at = from + 1;
  for (;;) {
    const c = text.charCodeAt(at);
    const next = text.charCodeAt(at + 1);
    const inside =
      isWord(c) ||
      (c === dot && isDigit(next)) ||
      (c === apostrophe && language === 'cpp' && isWord(next)) ||
      ((c === 43 || c === 45) &&
        /[eEpP]/.test(text[at - 1] ?? '') &&
        !/^0[xX]/.test(text.slice(from, from + 2)));
    if (!inside) return at;
    at += 1;
  }
}

/** 'a', "b\"": ends at its quote, or at the end of its line when that is missing. */
function quotedEnd(text: string, from: number, mark: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === backslash) at += 1;
    else if (c === mark) return at + 1;
    else if (c === newline) return at;
  }
  return text.length;
}

function stringEnd(text: string, from: number, language: Language): number {
  if (language === 'kotlin') return kotlinStringEnd(text, from);
  if (language === 'java' && text.startsWith('"""', from)) {
    for (let at = from + 3; at < text.length; at++) {
      if (text.charCodeAt(at) === backslash) at += 1;
      else if (text.startsWith('"""', at)) return at + 3;
    }
    return text.length;
  }
  return quotedEnd(text, from, quote);
}

/** R"x( … )x" */
function rawStringEnd(text: string, quoteAt: number): number {
  const open = text.indexOf('(', quoteAt);
  if (open < 0 || open - quoteAt > 17) return quoteAt + 1;
  const close = `)${text.slice(quoteAt + 1, open)}"`;
  const end = text.indexOf(close, open);
  return end < 0 ? text.length : end + close.length;
}

/**
 * A Kotlin string may hold code that holds strings: "a ${f("b")} c". Each entry of the stack is a string (its quotes: 1 or 3) or
 * the depth of braces in a template.
 */
function kotlinStringEnd(text: string, from: number): number {
  const quotesAt = (at: number): 1 | 3 => (text.startsWith('"""', at) ? 3 : 1);
  const strings: (1 | 3)[] = [quotesAt(from)];
  const braces: number[] = [];
  let inString = true;
  let at = from + (strings[0] ?? 1);
  while (at < text.length) {
    const c = text.charCodeAt(at);
    if (inString) {
      const quotes = strings[strings.length - 1] ?? 1;
      if (c === dollar && text.charCodeAt(at + 1) === openBrace) {
        braces.push(1);
        inString = false;
        at += 2;
      } else if (quotes === 1 && c === backslash) {
        at += 2;
      } else if (quotes === 1 && c === newline) {
        return at;
      } else if (c === quote && (quotes === 1 || text.startsWith('"""', at))) {
        at += quotes;
        // Quotes before the closing three belong to the text.
        while (quotes === 3 && text.charCodeAt(at) === quote) at += 1;
        strings.pop();
        if (strings.length === 0) return at;
        inString = false;
      } else {
        at += 1;
      }
      continue;
    }
    if (c === quote) {
      const quotes = quotesAt(at);
      strings.push(quotes);
      inString = true;
      at += quotes;
    } else if (c === apostrophe) {
      at = quotedEnd(text, at, apostrophe);
    } else if (c === openBrace) {
      braces[braces.length - 1] = (braces[braces.length - 1] ?? 0) + 1;
      at += 1;
    } else if (c === closeBrace) {
      const depth = (braces.pop() ?? 1) - 1;
      if (depth > 0) braces.push(depth);
      else inString = true;
      at += 1;
    } else {
      at += 1;
    }
  }
  return text.length;
}

/**
 * Passes over a directive with its continued lines. Of the branches of a condition the first counts (the second for `#if 0`):
 * taking both would leave braces that do not pair.
 */
function directiveEnd(text: string, from: number): number {
  const end = continuedLineEnd(text, from);
  const directive = text.slice(from, Math.min(end, from + 40)).replace(/^#\s*/, '');
  if (/^(else|elif|elifdef|elifndef)\b/.test(directive)) return branchEnd(text, end, false);
  if (/^if\s+0\b/.test(directive)) return branchEnd(text, end, true);
  return end;
}

function continuedLineEnd(text: string, from: number): number {
  let end = lineEnd(text, from);
  while (
    end < text.length &&
    text
      .slice(Math.max(from, end - 2), end)
      .replace('\r', '')
      .endsWith('\\')
  ) {
    end = lineEnd(text, end + 1);
  }
  return end;
}

/** The end of the line that closes this branch: `#endif`, or `#else` where that is wanted. */
function branchEnd(text: string, from: number, stopAtElse: boolean): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const begin = at + 1;
    at = lineEnd(text, begin);
    const directive = /^[ \t]*#[ \t]*([a-z]+)/.exec(text.slice(begin, Math.min(at, begin + 80)))?.[1];
    if (directive === undefined) continue;
    if (directive.startsWith('if')) depth += 1;
    else if (directive === 'endif' && depth-- === 0) return at;
    else if (stopAtElse && depth === 0 && directive.startsWith('el')) return at;
  }
  return text.length;
}
