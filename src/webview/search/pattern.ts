/**
 * Regular expressions whose time is bounded: letters × states, whatever the pattern and the name. The browser's own may
 * take exponential time, and both the pattern and the names come from outside.
 *
 * Known: letters, `.`, classes `[a-z]` `[^…]` `\d \w \s \D \W \S`, groups, `|`, `* + ?` `{n}` `{n,}` `{n,m}`, `^ $`.
 * Case never counts. A match anywhere in the name is a match.
 */

export class PatternError extends Error {
  override readonly name = 'PatternError';
  constructor(readonly reason: 'unfinished' | 'unknown' | 'too-large') {
    super(reason);
  }
}

type Test = (code: number) => boolean;

type Node =
  | { readonly kind: 'letter'; readonly test: Test }
  | { readonly kind: 'begin' | 'end' | 'empty' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly least: number; readonly most: number };

const mostLetters = 1000;
/** States of the machine; the time for a name is at most its letters × this. */
const mostStates = 500;
const mostBuilt = 20 * mostStates;
const mostRepeats = 100;
/** Sets of states that are kept, so that a letter costs one look where others came by before. */
const mostPlaces = 500;
const asciiCodes = 128;

const isDigit: Test = (code) => code >= 48 && code <= 57;
const isWord: Test = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: Test = (code) => code === 32 || (code >= 9 && code <= 13) || code === 160;
const shorthand: Readonly<Record<string, Test>> = {
  d: isDigit,
  w: isWord,
  s: isSpace,
  D: (code) => !isDigit(code),
  W: (code) => !isWord(code),
  S: (code) => !isSpace(code),
};

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Node {
    const node = this.#choice(0);
    if (this.#at < this.#source.length) throw new PatternError('unfinished');
    return node;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #next(): string {
    if (this.#at >= this.#source.length) throw new PatternError('unfinished');
    return this.#source.charAt(this.#at++);
  }

  #choice(level: number): Node {
    if (level > 50) throw new PatternError('too-large');
    const parts = [this.#sequence(level)];
    while (this.#peek() === '|') {
      this.#at++;
      parts.push(this.#sequence(level));
    }
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'choice', parts };
  }

  #sequence(level: number): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
      parts.push(this.#repeated(this.#atom(level)));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(of: Node): Node {
    let node = of;
    while (true) {
      const sign = this.#peek();
      if (sign === '*' || sign === '+' || sign === '?') {
        this.#at++;
        node = { kind: 'repeat', of: node, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
        continue;
      }
      const counted = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(this.#source.slice(this.#at));
      if (counted === null) return node;
      this.#at += counted[0].length;
      const least = Number(counted[1]);
      const most = counted[2] === undefined ? least : counted[3] === '' ? Infinity : Number(counted[3]);
      if (least > mostRepeats || (most !== Infinity && (most > mostRepeats || most < least))) {
        throw new PatternError('too-large');
      }
      node = { kind: 'repeat', of: node, least, most };
    }
  }

  #atom(level: number): Node {
    const letter = this.#next();
    switch (letter) {
      case '(': {
        if (this.#source.startsWith('?:', this.#at)) this.#at += 2;
        else if (this.#peek() === '?') throw new PatternError('unknown');
        const inner = this.#choice(level + 1);
        if (this.#next() !== ')') throw new PatternError('unfinished');
        return inner;
      }
      case '[':
        return { kind: 'letter', test: this.#class() };
      case '.':
        return { kind: 'letter', test: () => true };
      case '^':
        return { kind: 'begin' };
      case '$':
        return { kind: 'end' };
      case '*':
      case '+':
      case '?':
        throw new PatternError('unfinished');
      case '\\':
        return { kind: 'letter', test: this.#escaped() };
      default:
        return { kind: 'letter', test: letterTest(letter) };
    }
  }

  #escaped(): Test {
    const letter = this.#next();
    const known = shorthand[letter];
    if (known !== undefined) return known;
    if (isWord(letter.charCodeAt(0))) throw new PatternError('unknown');
    return letterTest(letter);
  }

  #class(): Test {
    const isNegated = this.#peek() === '^';
    if (isNegated) this.#at++;
    const tests: Test[] = [];
    let isFirst = true;
    while (this.#peek() !== ']' || isFirst) {
      isFirst = false;
      const letter = this.#next();
      if (letter === '\\') {
        tests.push(this.#escaped());
      } else if (this.#peek() === '-' && this.#source.charAt(this.#at + 1) !== ']') {
        this.#at++;
        tests.push(rangeTest(letter, this.#next()));
      } else {
        tests.push(letterTest(letter));
      }
    }
    this.#at++;
    const any: Test = (code) => tests.some((test) => test(code));
    return isNegated ? (code) => !any(code) : any;
  }
}

/** Names are compared in lower case; classes are tried in both. */
function letterTest(letter: string): Test {
  const lower = letter.toLowerCase().charCodeAt(0);
  return (code) => code === lower;
}

function rangeTest(from: string, to: string): Test {
  const low = from.charCodeAt(0);
  const high = to.charCodeAt(0);
  if (high < low) throw new PatternError('unfinished');
  return (code) => {
    const upper = code >= 97 && code <= 122 ? code - 32 : code;
    return (code >= low && code <= high) || (upper >= low && upper <= high);
  };
}

type State =
  | { readonly kind: 'letter'; readonly test: Test; next: number }
  | { readonly kind: 'fork'; next: number; other: number }
  | { readonly kind: 'begin' | 'end'; next: number }
  | { readonly kind: 'found' };

/** Where a name can be in the pattern at one of its letters, and what was found out of where it goes from there. */
interface Place {
  /** Letter states. */
  readonly states: readonly number[];
  readonly isFound: boolean;
  readonly isFoundAtEnd: boolean;
  /** By the code of a letter of ASCII; undefined as long as no name came by. */
  readonly next: (Place | undefined)[];
}

/** Thompson's construction: all states a name can be in are followed at once, and sets of them that came up are kept. */
export class Pattern {
  readonly #states: State[] = [];
  readonly #start: number;
  readonly #seen: Int32Array;
  #step = 0;
  #built = 0;
  readonly #begin: Place;
  readonly #places = new Map<string, Place>();

  constructor(source: string) {
    if (source.length > mostLetters) throw new PatternError('too-large');
    const tree = new Parser(source).parse();
    this.#start = this.#build(tree, this.#add({ kind: 'found' }));
    this.#seen = new Int32Array(this.#states.length);
    this.#begin = this.#place([], true);
  }

  #add(state: State): number {
    if (this.#states.length >= mostStates) throw new PatternError('too-large');
    return this.#states.push(state) - 1;
  }

  /** States for `node` that go on to `next`; built from the end. */
  #build(node: Node, next: number): number {
    // What is empty has no states, and can be repeated as often as not: it is the work that is bounded.
    if (this.#built++ > mostBuilt) throw new PatternError('too-large');
    switch (node.kind) {
      case 'empty':
        return next;
      case 'letter':
        return this.#add({ kind: 'letter', test: node.test, next });
      case 'begin':
      case 'end':
        return this.#add({ kind: node.kind, next });
      case 'sequence':
        return node.parts.reduceRight((after, part) => this.#build(part, after), next);
      case 'choice':
        return node.parts
          .map((part) => this.#build(part, next))
          .reduceRight((other, first) => this.#add({ kind: 'fork', next: first, other }));
      case 'repeat': {
        let from = next;
        if (node.most === Infinity) {
          const fork: State = { kind: 'fork', next: 0, other: next };
          const loop = this.#add(fork);
          fork.next = this.#build(node.of, loop);
          from = loop;
        } else {
          for (let more = node.least; more < node.most; more++) {
            from = this.#add({ kind: 'fork', next: this.#build(node.of, from), other: next });
          }
        }
        for (let more = 0; more < node.least; more++) from = this.#build(node.of, from);
        return from;
      }
    }
  }

  test(name: string): boolean {
    const lower = name.toLowerCase();
    let place = this.#begin;
    for (let at = 0; at < lower.length && !place.isFound; at++) {
      const code = lower.charCodeAt(at);
      place = place.next[code] ?? this.#after(place, code);
    }
    return place.isFound || place.isFoundAtEnd;
  }

  #after(place: Place, code: number): Place {
    const reached: number[] = [];
    for (const index of place.states) {
      const state = this.#states[index];
      if (state?.kind === 'letter' && state.test(code)) reached.push(state.next);
    }
    const after = this.#place(reached, false);
    if (code < asciiCodes) place.next[code] = after;
    return after;
  }

  /** All that is reached from some states, and from the start, for a match may begin at any letter. */
  #place(from: readonly number[], isBegin: boolean): Place {
    const states: number[] = [];
    const isFound = this.#follow(from, isBegin, false, states);
    const isFoundAtEnd = isFound || this.#follow(from, isBegin, true, []);
    const key = `${isFound ? 'found' : isFoundAtEnd ? 'end' : ''} ${states.join()}`;
    let place = this.#places.get(key);
    if (place === undefined) {
      if (this.#places.size >= mostPlaces) this.#forget();
      place = { states, isFound, isFoundAtEnd, next: [] };
      this.#places.set(key, place);
    }
    return place;
  }

  #forget(): void {
    for (const place of this.#places.values()) place.next.length = 0;
    this.#places.clear();
  }

  /** Adds the letter states that are reached without a letter; true when the end of the pattern is. */
  #follow(from: readonly number[], isBegin: boolean, isEnd: boolean, letters: number[]): boolean {
    this.#step++;
    const open = [...from, this.#start];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.#seen[index] === this.#step) continue;
      this.#seen[index] = this.#step;
      const state = this.#states[index];
      if (state === undefined) continue;
      if (state.kind === 'found') return true;
      if (state.kind === 'letter') letters.push(index);
      else if (state.kind === 'fork') open.push(state.next, state.other);
      else if (state.kind === 'begin' ? isBegin : isEnd) open.push(state.next);
    }
    return false;
  }
}
