/**
 * Declarations of a C or C++ text: functions with a body, qualified by the namespaces and classes around them. A statement is read
 * up to its ";" or "{"; what has a name before a parenthesis and a body after it is a function. Bodies are passed over.
 */
import { afterPair, maxGenerics, Outline, parameterCount, type Scanned } from './outline.js';
import { markAt, tokenize, TokenKind, wordAt, type Tokens } from './tokens.js';

/** Words before a parenthesis that are no function's name. */
const notNames = new Set(
  `alignas alignof decltype declspec __declspec __attribute__ __attribute noexcept throw requires explicit sizeof static_assert
   if for while switch catch return asm __asm__ typeof __typeof__ defined concept`.split(/\s+/),
);

/** Tokens of an operator's name; the type that one converts to may be long. */
const longestOperator = 16;

export function scanCpp(text: string): Scanned {
  const tokens = tokenize(text, 'cpp');
  return { packageName: '', declarations: new CppScanner(tokens).scan() };
}

class CppScanner {
  readonly #outline: Outline;
  /** Names of the namespaces and classes around; empty for those without, and for extern "C". */
  readonly #scopes: string[] = [];
  readonly #tokens: Tokens;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;

    this.#outline = new Outline(tokens);
  }

  scan(): Scanned['declarations'] {
    const tokens = this.#tokens;
    for (let at = 0; at < tokens.count;) {
      if (markAt(tokens, at) === '}') {
        this.#scopes.pop();
        at += 1;
      } else {
        at = this.#statement(at);
      }
    }
    return this.#outline.result();
  }

  /** One statement outside of functions: up to its ";", the brace of a scope that opens, or the end of a body. */
  #statement(from: number): number {
    const tokens = this.#tokens;
    /** The parenthesis that may begin a function's parameters. */
    let open = -1;
    let scopeWord = '';
    let scopeName = '';
    let initializers = false;
    for (let at = from; at < tokens.count;) {
      const mark = markAt(tokens, at);
      const word = wordAt(tokens, at);
      if (mark === ';') return at + 1;
      if (mark === '}') return at;
      if (
        mark === ':' &&
        open < 0 &&
        ['public', 'private', 'protected', 'signals', 'slots'].includes(wordAt(tokens, at - 1))
      ) {
        return at + 1;
      }
      if (mark === '=' && this.#operatorAt(at) < 0) return this.#afterValue(at + 1);
      if (mark === '{') {
        if (initializers && this.#isInitializer(at)) at = afterPair(tokens, at);
        else if (open >= 0) return this.#function(open, at);
        else if (scopeWord === 'enum') at = afterPair(tokens, at);
        else if (scopeWord !== '' || this.#isExternC(at)) {
          this.#scopes.push(scopeName);
          return at + 1;
        } else at = afterPair(tokens, at); // int a[] {1, 2}
        continue;
      }
      if (mark === '(') {
        if (open < 0 && this.#isName(at - 1)) open = at;
        at = afterPair(tokens, at);
        continue;
      }
      if (mark === ':' && open >= 0 && markAt(tokens, at + 1) !== ':' && markAt(tokens, at - 1) !== ':') {
        initializers = true;
      } else if (mark === '<' && wordAt(tokens, at - 1) !== 'operator') {
        at = this.#afterAngles(at);
        continue;
      } else if (mark === '[') {
        at = afterPair(tokens, at);
        continue;
      } else if (['namespace', 'class', 'struct', 'union', 'enum'].includes(word) && open < 0) {
        if (!(scopeWord === 'enum' && (word === 'class' || word === 'struct'))) scopeWord = word;
        scopeName = this.#scopeName(at + 1, word);
      }
      at += 1;
    }
    return tokens.count;
  }

  /** "namespace a::b {" or "class API Name final : Base {": for a class the last name before what ends the head. */
  #scopeName(at: number, kind: string): string {
    const tokens = this.#tokens;
    let name = '';
    for (let i = at; i < tokens.count; i++) {
      const word = wordAt(tokens, i);
      const mark = markAt(tokens, i);
      if (mark === '{' || mark === ';') return name;
      if (mark === ':' && markAt(tokens, i + 1) === ':') {
        name += '::';
        i += 1;
      } else if (mark === ':') return name;
      else if (mark === '(' || mark === '[') i = afterPair(tokens, i) - 1;
      else if (mark === '<') i = this.#afterAngles(i) - 1;
      else if (word !== '' && word !== 'final' && word !== 'inline') {
        name = kind === 'namespace' || name.endsWith('::') ? name + word : word;
      }
    }
    return name;
  }

  #isExternC(brace: number): boolean {
    return wordAt(this.#tokens, brace - 2) === 'extern';
  }

  /** A name that a function may have ends at this token. */
  #isName(at: number): boolean {
    const word = wordAt(this.#tokens, at);
    if (word !== '') return !notNames.has(word);
    // A specialization: "twice<long>(…".
    return (
      this.#operatorAt(at) >= 0 || (markAt(this.#tokens, at) === '>' && this.#isName(this.#beforeAngles(at)))
    );
  }

  /** The token "operator" of a name such as "operator ==" or "operator a::b*" that ends at `at`; −1 when there is none. */
  #operatorAt(at: number): number {
    const tokens = this.#tokens;
    let isType = false;
    for (let i = at; i >= 0 && i > at - longestOperator; i--) {
      const word = wordAt(tokens, i);
      if (word === 'operator') return i;
      isType ||= word !== '' || i <= at - 4;
      if (
        isType &&
        word === '' &&
        tokens.kind[i] === TokenKind.Mark &&
        !':<>,*&[]'.includes(markAt(tokens, i))
      )
        return -1;
    }
    return -1;
  }

  /** As the linker's tools write it: "operator==", "operator bool", "operator char const*", `operator"" _km`. */
  #operatorName(at: number, open: number): string {
    const tokens = this.#tokens;
    if (open === at + 1) return 'operator()';
    if (tokens.kind[at + 1] === TokenKind.Literal) return `operator"" ${wordAt(tokens, open - 1)}`;
    let name = '';
    for (let i = at + 1; i < open; i++) {
      const word = wordAt(tokens, i);
      if (markAt(tokens, i) === '<' && wordAt(tokens, at + 1) !== '') i = this.#afterAngles(i) - 1;
      else name += word === '' ? markAt(tokens, i) : `${/\w$/.test(name) ? ' ' : ''}${word}`;
    }
    const isType = wordAt(tokens, at + 1) !== '';
    return isType ? `operator ${name.replace(/^const ([\w:]+)/, '$1 const')}` : `operator${name}`;
  }

  #afterAngles(at: number): number {
    const tokens = this.#tokens;
    const last = Math.min(tokens.count, at + maxGenerics);
    let depth = 0;
    for (let i = at; i < last; i++) {
      const mark = markAt(tokens, i);
      if (mark === '<') depth += 1;
      else if (mark === '>' && markAt(tokens, i - 1) !== '-' && --depth === 0) return i + 1;
      else if (mark === '(') i = afterPair(tokens, i) - 1;
      else if (mark === ';' || mark === '{' || mark === '}') return at + 1;
    }
    return at + 1;
  }

  /** In "A() : b{1}, c(2) {" a brace after a name is a member's value. */
  #isInitializer(brace: number): boolean {
    const before = wordAt(this.#tokens, brace - 1);
    return (
      (before !== '' && !['const', 'noexcept', 'override', 'final', 'try'].includes(before)) ||
      markAt(this.#tokens, brace - 1) === '>'
    );
  }

  /** "= 1;", "= { … };", "= default;", "= [] { … };" */
  #afterValue(from: number): number {
    const tokens = this.#tokens;
    for (let at = from; at < tokens.count;) {
      const mark = markAt(tokens, at);
      if (mark === ';') return at + 1;
      if (mark === '}') return at;
      at = mark === '{' || mark === '(' || mark === '[' ? afterPair(tokens, at) : at + 1;
    }
    return tokens.count;
  }

  #function(open: number, brace: number): number {
    const tokens = this.#tokens;
    const { name, at } = this.#functionName(open);
    const after = afterPair(tokens, brace);
    const qualified = [...this.#scopes.filter((scope) => scope !== ''), name].join('::');
    const declaration = this.#outline.add(
      'function',
      qualified,
      '',
      parameterCount(tokens, this.#parameters(open)),
      at,
    );
    this.#outline.end(declaration, after - 1);
    return after;
  }

  /** "operator()" is followed by its parameters. */
  #parameters(open: number): number {
    const after = afterPair(this.#tokens, open);
    return wordAt(this.#tokens, open - 1) === 'operator' && markAt(this.#tokens, after) === '('
      ? after
      : open;
  }

  #functionName(open: number): { name: string; at: number } {
    const tokens = this.#tokens;
    const operator = this.#operatorAt(open - 1);
    let at = operator >= 0 ? operator : open - 1;
    if (operator < 0 && markAt(tokens, at) === '>') at = this.#beforeAngles(at);
    let name = operator >= 0 ? this.#operatorName(operator, open) : wordAt(tokens, at);
    const nameAt = at;
    if (markAt(tokens, at - 1) === '~') {
      name = `~${name}`;
      at -= 1;
    }
    while (markAt(tokens, at - 1) === ':' && markAt(tokens, at - 2) === ':') {
      let before = at - 3;
      if (markAt(tokens, before) === '>') before = this.#beforeAngles(before);
      const word = wordAt(tokens, before);
      if (word === '') break;
      name = `${word}::${name}`;
      at = before;
    }
    return { name, at: nameAt };
  }

  #beforeAngles(at: number): number {
    let depth = 0;
    for (let i = at; i >= 0; i--) {
      if (markAt(this.#tokens, i) === '>') depth += 1;
      else if (markAt(this.#tokens, i) === '<' && --depth === 0) return i - 1;
    }
    return -1;
  }
}
