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

/** States of the machine; the time for a name is at most its letters × this. */
const mostStates = 2000;
const mostRepeats = 100;

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

/** Thompson's construction: all states a name can be in are followed at once. */
export class Pattern {
  readonly #states: State[] = [];
  readonly #start: number;
  #now: number[] = [];
  #then: number[] = [];
  readonly #seen: Int32Array;
  #step = 0;

  constructor(source: string) {
    const tree = new Parser(source).parse();
    this.#start = this.#build(tree, this.#add({ kind: 'found' }));
    this.#seen = new Int32Array(this.#states.length);
  }

  #add(state: State): number {
    if (this.#states.length >= mostStates) throw new PatternError('too-large');
    return this.#states.push(state) - 1;
  }

  /** States for `node` that go on to `next`; built from the end. */
  #build(node: Node, next: number): number {
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
    this.#now.length = 0;
    for (let at = 0; at <= lower.length; at++) {
      // A match may begin at any letter.
      this.#step++;
      const isEnd = at === lower.length;
      const carried = this.#now;
      this.#now = [];
      for (const state of carried) if (this.#follow(state, at, isEnd)) return true;
      if (this.#follow(this.#start, at, isEnd)) return true;
      if (isEnd) return false;
      const code = lower.charCodeAt(at);
      this.#then.length = 0;
      for (const index of this.#now) {
        const state = this.#states[index];
        if (state?.kind === 'letter' && state.test(code)) this.#then.push(state.next);
      }
      [this.#now, this.#then] = [this.#then, this.#now];
    }
    return false;
  }

  /** Adds what is reached without a letter; true when that is the end of the pattern. */
  #follow(from: number, at: number, isEnd: boolean): boolean {
    const open = [from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.#seen[index] === this.#step) continue;
      this.#seen[index] = this.#step;
      const state = this.#states[index];
      if (state === undefined) continue;
      if (state.kind === 'found') return true;
      if (state.kind === 'letter') this.#now.push(index);
      else if (state.kind === 'fork') open.push(state.next, state.other);
      else if (state.kind === 'begin' ? at === 0 : isEnd) open.push(state.next);
    }
    return false;
  }
}
