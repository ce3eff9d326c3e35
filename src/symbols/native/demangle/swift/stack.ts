/** Reads numbers, identifiers and references back, and keeps what was read. */
import { Cursor, isDigit } from '../cursor.js';
import { fromPunycode } from '../punycode.js';
import { Unreadable } from '../unreadable.js';
import { node, nominal, type SwiftKind, type SwiftNode } from './node.js';

/** A reference back may push what it stands for many times: as often as the compiler merges. */
const mostRepeats = 2048;
const mostPushes = 100_000;
const mostWords = 26;

export class SwiftStack extends Cursor {
  /** Of Swift 4: labels stand in the parameters' tuple. */
  readonly isOld: boolean;
  readonly #nodes: SwiftNode[] = [];
  readonly #substitutions: SwiftNode[] = [];
  readonly #words: string[] = [];
  #pushes = 0;

  constructor(from: string, at: number, isOld: boolean) {
    super(from, at);
    this.isOld = isOld;
  }

  get isRead(): boolean {
    return this.isAtEnd;
  }

  get height(): number {
    return this.#nodes.length;
  }

  // ---------------------------------------------------------------- the stack

  push(one: SwiftNode): void {
    if (++this.#pushes > mostPushes) throw new Unreadable();
    this.#nodes.push(one);
  }

  has(kind: SwiftKind): boolean {
    return this.#nodes.at(-1)?.kind === kind;
  }

  popIf(kind: SwiftKind): SwiftNode | undefined {
    return this.has(kind) ? this.#nodes.pop() : undefined;
  }

  pop(kind: SwiftKind): SwiftNode {
    return this.popIf(kind) ?? fail();
  }

  /** What was pushed as "one, first mark, others"; none where the mark of an empty list stands. */
  list<T>(read: () => T): T[] {
    if (this.popIf('empty') !== undefined) return [];
    const all: T[] = [];
    for (let isFirst = false; !isFirst;) {
      isFirst = this.popIf('first') !== undefined;
      all.push(read());
    }
    return all.reverse();
  }

  types(): SwiftNode[] {
    return this.list(() => this.pop('type'));
  }

  /** Of a declaration. */
  name(): SwiftNode {
    return this.popIf('name') ?? this.pop('identifier');
  }

  moduleIf(): SwiftNode | undefined {
    const identifier = this.popIf('identifier');
    return identifier === undefined ? this.popIf('module') : node('module', identifier.text);
  }

  module(): SwiftNode {
    return this.moduleIf() ?? fail();
  }

  /** What holds a declaration. */
  context(): SwiftNode {
    const found = this.moduleIf() ?? this.popIf('entity') ?? this.pop('type');
    return found.kind === 'type' && found.declared === undefined ? fail() : found;
  }

  entity(): SwiftNode {
    return this.popIf('entity') ?? this.pop('type');
  }

  nominal(): SwiftNode {
    const found = this.pop('type');
    return found.declared === undefined ? fail() : found;
  }

  protocol(): SwiftNode {
    const known = this.popIf('type');
    if (known !== undefined) return known.declared?.sort === 'protocol' ? known : fail();
    const name = this.name();
    return nominal(this.context(), name.text, 'protocol');
  }

  // ---------------------------------------------------------------- numbers

  /** −1 where there is none. */
  naturalOrNone(): number {
    let digits = '';
    while (isDigit(this.peek())) digits += this.take(1);
    if (digits.length > 6) throw new Unreadable();
    return digits === '' ? -1 : Number(digits);
  }

  natural(): number {
    const value = this.naturalOrNone();
    return value < 0 ? fail() : value;
  }

  /** "_" is 0, "0_" 1. */
  index(): number {
    const value = this.naturalOrNone();
    this.expect('_');
    return value + 1;
  }

  // ---------------------------------------------------------------- references back

  remember(one: SwiftNode): SwiftNode {
    this.#substitutions.push(one);
    return one;
  }

  /** After the A. All but the last are pushed here. */
  substitution(): SwiftNode {
    for (let repeats = -1; ;) {
      const c = this.take(1);
      if (c === '_') return this.#substitutions[repeats + 27] ?? fail();
      const isLast = c >= 'A' && c <= 'Z';
      if (isLast || (c >= 'a' && c <= 'z')) {
        const found = this.#substitutions[c.charCodeAt(0) - (isLast ? 65 : 97)] ?? fail();
        this.repeat(found, repeats - 1);
        if (isLast) return found;
        this.push(found);
        repeats = -1;
      } else {
        this.at -= 1;
        repeats = this.natural();
      }
    }
  }

  repeat(one: SwiftNode, times: number): void {
    if (times > mostRepeats) throw new Unreadable();
    for (let count = 0; count < times; count++) this.push(one);
  }

  // ---------------------------------------------------------------- identifiers

  identifier(): SwiftNode {
    if (!isDigit(this.peek())) throw new Unreadable();
    const hasZero = this.skip('0');
    const text = hasZero && this.skip('0') ? this.#encoded() : hasZero ? this.#ofWords() : this.#literal();
    return text === '' ? fail() : this.remember(node('identifier', text));
  }

  #literal(): string {
    const text = this.take(this.natural());
    let begin = -1;
    for (let at = 0; at <= text.length; at++) {
      const c = text.charAt(at);
      if (begin >= 0 && endsWord(c, text.charAt(at - 1))) {
        if (at - begin >= 2 && this.#words.length < mostWords) this.#words.push(text.slice(begin, at));
        begin = -1;
      }
      if (begin < 0 && c !== '' && c !== '_' && !isDigit(c)) begin = at;
    }
    return text;
  }

  /** Words of earlier identifiers by letters, the last one's in upper case, and what is new by its length. */
  #ofWords(): string {
    let text = '';
    for (let mayBeWord = true; mayBeWord;) {
      while (mayBeWord && /[a-zA-Z]/.test(this.peek())) {
        const c = this.take(1);
        mayBeWord = c >= 'a';
        text += this.#words[c.charCodeAt(0) - (mayBeWord ? 97 : 65)] ?? fail();
      }
      if (this.skip('0')) break;
      text += this.#literal();
    }
    return text;
  }

  #encoded(): string {
    const length = this.natural();
    this.skip('_');
    // Signs of ASCII that no identifier has are moved to where no character is.
    return fromPunycode(this.take(length), 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ', (point) =>
      point >= 0xd800 && point < 0xd880 ? point - 0xd800 : point,
    );
  }
}

function endsWord(c: string, before: string): boolean {
  const isUpper = (one: string): boolean => one >= 'A' && one <= 'Z';
  return c === '' || c === '_' || (isUpper(c) && !isUpper(before));
}

export function fail(): never {
  throw new Unreadable();
}
