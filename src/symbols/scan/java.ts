/**
 * Declarations of a Java text. A stack of scopes over the tokens: in a type's body each member is read up to its body; in code
 * only what can declare something is looked at (local and anonymous classes), everything else is blocks.
 */
import { packageOf } from './package-of.js';
import {
  afterGenerics,
  afterPair,
  Outline,
  parameterCount,
  type OpenDeclaration,
  type Scanned,
} from './outline.js';
import { markAt, tokenize, wordAt, type Tokens } from './tokens.js';

interface Scope {
  /** 'enum': constants come first, until a ";". */
  readonly kind: 'type' | 'enum' | 'code';
  readonly className: string;
  readonly declaration: OpenDeclaration | undefined;
}

const modifiers = new Set(['public', 'protected', 'private']);
const typeWords = new Set(['class', 'interface', 'enum', 'record']);

export function scanJava(text: string, baseName = ''): Scanned {
  const tokens = tokenize(text, 'java');
  const packageName = packageOf(text);
  const scanner = new JavaScanner(tokens, '');
  const declarations = scanner.scan();
  const implicit = baseName.replace(/\.java$/, '');
  // A text with methods of its own is the body of a class that is called after the file, and in no package.
  return scanner.isBody && packageName === '' && implicit !== ''
    ? { packageName, declarations: new JavaScanner(tokens, implicit).scan() }
    : { packageName, declarations };
}

class JavaScanner {
  readonly #outline: Outline;
  readonly #scopes: Scope[];
  /** There is a method outside of all classes. */
  isBody = false;
  readonly #tokens: Tokens;

  constructor(tokens: Tokens, implicitClass: string) {
    this.#tokens = tokens;

    this.#outline = new Outline(tokens);
    this.#scopes = [{ kind: 'type', className: implicitClass, declaration: undefined }];
  }

  scan(): Scanned['declarations'] {
    const tokens = this.#tokens;
    for (let at = 0; at < tokens.count;) {
      const scope = this.#scopes[this.#scopes.length - 1];
      if (scope === undefined) break;
      if (markAt(tokens, at) === '}') {
        this.#close(at);
        at += 1;
      } else if (scope.kind === 'enum') {
        at = this.#constant(at, scope);
      } else if (scope.kind === 'type') {
        at = this.#member(at, scope);
      } else {
        at = this.#code(at, scope);
      }
    }
    while (this.#scopes.length > 1) this.#close(tokens.count - 1);
    return this.#outline.result();
  }

  #open(kind: Scope['kind'], className: string, declaration?: OpenDeclaration): void {
    this.#scopes.push({ kind, className, declaration });
  }

  #close(at: number): void {
    if (this.#scopes.length <= 1) return; // one brace too many
    this.#outline.end(this.#scopes.pop()?.declaration, at);
  }

  /** One member of a type, up to and including the brace that opens its body, or its ";". */
  #member(from: number, scope: Scope): number {
    const tokens = this.#tokens;
    let isStatic = false;
    for (let at = from; at < tokens.count;) {
      const mark = markAt(tokens, at);
      const word = wordAt(tokens, at);
      if (mark === ';') return at + 1;
      if (mark === '}') return at;
      if (mark === '{') {
        const name = isStatic ? '<clinit>' : '<init>';
        const initializer =
          scope.className === ''
            ? undefined
            : this.#outline.add('initializer', name, scope.className, -1, at);
        this.#open('code', scope.className, initializer);
        return at + 1;
      }
      if (mark === '=') return this.#initializer(at + 1, scope);
      if (mark === '@') {
        if (wordAt(tokens, at + 1) === 'interface') at += 1;
        else {
          at = this.#afterAnnotation(at);
          continue;
        }
        return this.#type(at, scope);
      }
      if (typeWords.has(word) && this.#isTypeDeclaration(at)) return this.#type(at, scope);
      if (word === 'static') isStatic = true;
      if (mark === '(') return this.#method(at, scope);
      // A record's compact constructor has no parameters: "Name {".
      if (
        word !== '' &&
        markAt(tokens, at + 1) === '{' &&
        scope.className.endsWith(word) &&
        word !== 'static'
      ) {
        this.#open(
          'code',
          scope.className,
          this.#outline.add('constructor', '<init>', scope.className, -1, at),
        );
        return at + 2;
      }
      if (mark === '<') {
        const after = afterGenerics(tokens, at);
        at = after > at ? after : at + 1;
      } else {
        at += 1;
      }
    }
    return tokens.count;
  }

  /** "record" and "enum" are names too: a declaration has a name after it, and not an operator. */
  #isTypeDeclaration(at: number): boolean {
    const tokens = this.#tokens;
    if (wordAt(tokens, at + 1) === '') return false;
    if (markAt(tokens, at - 1) === '.') return false; // Shop.class
    if (wordAt(tokens, at) !== 'record') return true;
    const after = afterGenerics(tokens, at + 2);
    return markAt(tokens, after) === '(' && this.#opensBody(afterPair(tokens, after));
  }

  /** After a record's header: "{" or "implements", where a method called like this has neither. */
  #opensBody(at: number): boolean {
    return markAt(this.#tokens, at) === '{' || wordAt(this.#tokens, at) === 'implements';
  }

  #type(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    const name = wordAt(tokens, at + 1);
    const className = scope.className === '' ? name : `${scope.className}$${name}`;
    const kind = wordAt(tokens, at) === 'enum' ? 'enum' : 'type';
    const declaration = this.#outline.add('class', name, className, -1, at + 1);
    for (let i = at + 2; i < tokens.count; i++) {
      const mark = markAt(tokens, i);
      if (mark === '(') i = afterPair(tokens, i) - 1;
      else if (mark === '{') {
        this.#open(kind, className, declaration);
        return i + 1;
      } else if (mark === ';' || mark === '}') return i; // half typed
    }
    return tokens.count;
  }

  /** `open` is the parenthesis of a member's parameters: a method, or a constructor. */
  #method(open: number, scope: Scope): number {
    const tokens = this.#tokens;
    const nameAt = open - 1;
    const name = wordAt(tokens, nameAt);
    const after = afterPair(tokens, open);
    if (name !== '' && scope.className === '') this.isBody ||= markAt(tokens, after) === '{';
    if (name === '' || scope.className === '') return after;
    const simple = scope.className.slice(scope.className.lastIndexOf('$') + 1);
    const constructor = name === simple && !this.#typeEndsAt(nameAt - 1);
    const declaration = this.#outline.add(
      constructor ? 'constructor' : 'method',
      constructor ? '<init>' : name,
      scope.className,
      parameterCount(tokens, open),
      nameAt,
    );
    for (let at = after; at < tokens.count; at++) {
      const mark = markAt(tokens, at);
      if (mark === '{') {
        this.#open('code', scope.className, declaration);
        return at + 1;
      }
      if (mark === '@') at = this.#afterAnnotation(at) - 1;
      else if (mark === ';') {
        this.#outline.end(declaration, at);
        return at + 1;
      } else if (mark === '}') return at;
      else if (wordAt(tokens, at) === 'default') {
        // An annotation's method with a default value, which may be an array in braces.
        while (at < tokens.count && markAt(tokens, at) !== ';')
          at = markAt(tokens, at) === '{' ? afterPair(tokens, at) : at + 1;
        this.#outline.end(declaration, at);
        return at + 1;
      }
    }
    return tokens.count;
  }

  /** Whether a return type ends at this token: what a method has before its name, and a constructor has not. */
  #typeEndsAt(at: number): boolean {
    const tokens = this.#tokens;
    const mark = markAt(tokens, at);
    if (mark === ']') return true;
    if (mark === '>') {
      let depth = 0;
      let i = at;
      for (; i >= 0; i--) {
        if (markAt(tokens, i) === '>') depth += 1;
        else if (markAt(tokens, i) === '<' && --depth === 0) break;
      }
      return this.#typeEndsAt(i - 1); // List<X> name(), but <T> Name()
    }
    const word = wordAt(tokens, at);
    if (word === '' || modifiers.has(word)) return false;
    let first = at;
    while (markAt(tokens, first - 1) === '.') first -= 2;
    return markAt(tokens, first - 1) !== '@';
  }

  /** A field's value: code until its ";" at this depth. Anonymous classes and lambdas in it open scopes. */
  #initializer(from: number, scope: Scope): number {
    let depth = 0;
    const tokens = this.#tokens;
    for (let at = from; at < tokens.count;) {
      const mark = markAt(tokens, at);
      if (mark === ';' && depth === 0) return at + 1;
      if (mark === '}' && depth === 0) return at;
      if (wordAt(tokens, at) === 'new') {
        const body = this.#anonymousBody(at);
        if (body >= 0) {
          at = this.#anonymous(body, scope);
          continue;
        }
      }
      if (mark === '{' || mark === '(') depth += 1;
      else if (mark === '}' || mark === ')') depth -= 1;
      at += 1;
    }
    return tokens.count;
  }

  /** Reads a whole anonymous class, brace to brace, in place. */
  #anonymous(brace: number, scope: Scope): number {
    const tokens = this.#tokens;
    const floor = this.#scopes.length;
    this.#open('type', `${scope.className}$`);
    let at = brace + 1;
    while (at < tokens.count && this.#scopes.length > floor) {
      const inner = this.#scopes[this.#scopes.length - 1];
      if (inner === undefined) break;
      if (markAt(tokens, at) === '}') {
        this.#close(at);
        at += 1;
      } else {
        at =
          inner.kind === 'enum'
            ? this.#constant(at, inner)
            : inner.kind === 'type'
              ? this.#member(at, inner)
              : this.#code(at, inner);
      }
    }
    return at;
  }

  /** The brace of `new Type<…>(…) {`, or −1. Its arguments are passed over: what they declare has no lens. */
  #anonymousBody(at: number): number {
    const tokens = this.#tokens;
    let i = at + 1;
    for (;;) {
      if (markAt(tokens, i) === '@') i = this.#afterAnnotation(i);
      else if (markAt(tokens, i) === '<') {
        const after = afterGenerics(tokens, i);
        if (after === i) return -1;
        i = after;
      } else if (wordAt(tokens, i) !== '' || markAt(tokens, i) === '.') i += 1;
      else break;
    }
    if (markAt(tokens, i) !== '(') return -1;
    const after = afterPair(tokens, i);
    return markAt(tokens, after) === '{' ? after : -1;
  }

  #code(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    const word = wordAt(tokens, at);
    if (word === 'new') {
      const body = this.#anonymousBody(at);
      if (body >= 0) {
        this.#open('type', `${scope.className}$`);
        return body + 1;
      }
    } else if (typeWords.has(word) && this.#isTypeDeclaration(at) && this.#startsStatement(at)) {
      // The compiler numbers local classes: "Shop$1Local".
      return this.#type(at, { ...scope, className: `${scope.className}$` });
    } else if (markAt(tokens, at) === '{') {
      this.#open('code', scope.className);
    }
    return at + 1;
  }

  /** Whether only modifiers stand between here and the end of the statement before. */
  #startsStatement(at: number): boolean {
    let before = at - 1;
    while (['final', 'abstract', 'static', 'sealed', 'strictfp'].includes(wordAt(this.#tokens, before)))
      before -= 1;
    const mark = markAt(this.#tokens, before);
    return mark === '{' || mark === '}' || mark === ';' || mark === ')' || mark === ':';
  }

  /** `NAME(args) { body },` until the ";" or "}" that ends the constants. */
  #constant(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    const mark = markAt(tokens, at);
    if (mark === ';') {
      this.#scopes[this.#scopes.length - 1] = { ...scope, kind: 'type' };
      return at + 1;
    }
    if (mark === '(') return afterPair(tokens, at);
    if (mark === '@') return this.#afterAnnotation(at);
    if (mark === '{') this.#open('type', `${scope.className}$`);
    return at + 1;
  }

  #afterAnnotation(at: number): number {
    const tokens = this.#tokens;
    let i = at + 2;
    while (markAt(tokens, i) === '.') i += 2;
    return markAt(tokens, i) === '(' ? afterPair(tokens, i) : i;
  }
}
