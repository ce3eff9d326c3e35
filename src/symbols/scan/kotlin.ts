/**
 * Declarations of a Kotlin text. A stack of scopes over the tokens; where a body has no braces (`fun f() = …`, a class without
 * members) it ends where the next member begins, which is what Kotlin's own rules come to for code that compiles.
 */
import {
  afterAnnotation,
  annotationBefore,
  beginsMember,
  hasModifier,
  headGoesOn,
  isExtensionOfFunctionType,
  isModifierAtLineStart,
  isPrimaryConstructor,
  jvmName,
  memberWords,
  modifiers,
  stringAt,
} from './kotlin-words.js';
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
  /** 'type': members are declared here (a file counts as one). 'code': local functions and anonymous objects only. */
  readonly kind: 'type' | 'code';
  readonly className: string;
  readonly declaration: OpenDeclaration | undefined;
  /** A declaration in this scope whose body has no braces, and goes on until the next member. */
  expression: OpenDeclaration | undefined;
  /** The last property, for the accessors that follow: its name, and its `val` or `var`. */
  property: string;
  propertyAt: number;
  /** An enum's constants come first, until a ";". */
  readonly constants: boolean;
}

export function scanKotlin(text: string, baseName: string): Scanned {
  const tokens = tokenize(text, 'kotlin');
  const scanner = new KotlinScanner(tokens, facadeClass(tokens, baseName));
  return { packageName: packageOf(text), declarations: scanner.scan() };
}

/** "shop.kt" → "ShopKt", unless `@file:JvmName("Shop")` says otherwise; of one that is made of several files a part, "Shop__ShopKt". */
function facadeClass(tokens: Tokens, baseName: string): string {
  const stem = baseName.replace(/\.kts?$/, '').replace(/[^\p{L}\p{N}_$]/gu, '_');
  const own = `${stem.slice(0, 1).toUpperCase()}${stem.slice(1)}Kt`;
  let given = '';
  let isPart = false;
  for (let at = 0; at + 6 < tokens.count; at++) {
    const word = wordAt(tokens, at);
    if (word === 'package' || word === 'import') break;
    if (wordAt(tokens, at - 2) !== 'file') continue;
    if (word === 'JvmName' && markAt(tokens, at + 1) === '(') given = stringAt(tokens, at + 2);
    isPart ||= word === 'JvmMultifileClass';
  }
  if (isPart) return `${given || own}__${own}`;
  return given || own;
}

class KotlinScanner {
  readonly #outline: Outline;
  readonly #scopes: Scope[];
  readonly #tokens: Tokens;
  readonly #facade: string;

  constructor(tokens: Tokens, facade: string) {
    this.#tokens = tokens;
    this.#facade = facade;

    this.#outline = new Outline(tokens);
    this.#scopes = [scopeOf('type', '')];
  }

  scan(): Scanned['declarations'] {
    const tokens = this.#tokens;
    for (let at = 0; at < tokens.count;) {
      const scope = this.#scopes[this.#scopes.length - 1];
      if (scope === undefined) break;
      const mark = markAt(tokens, at);
      if (mark === '}') {
        this.#close(at);
        at += 1;
      } else if (mark === '{') {
        // A lambda, a block, or the body of something that was not understood.
        const body = scopeOf('code', scope.className);
        this.#scopes.push(body);
        at += 1;
      } else if (scope.constants) {
        at = this.#constant(at, scope);
      } else {
        at = this.#token(at, scope);
      }
    }
    while (this.#scopes.length > 0) this.#close(tokens.count);
    return this.#outline.result();
  }

  #close(at: number): void {
    const scope = this.#scopes[this.#scopes.length - 1];
    if (scope === undefined || (this.#scopes.length === 1 && at < this.#tokens.count)) return; // one brace too many
    this.#scopes.pop();
    this.#outline.end(scope.expression, at - 1);
    this.#outline.end(scope.declaration, at);
  }

  #token(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    if (markAt(tokens, at) === '@') return afterAnnotation(tokens, at);
    const word = wordAt(tokens, at);
    if (word === '') return at + 1;
    const begins = beginsMember(tokens, at);
    if (word === 'object' && !begins) return this.#anonymousObject(at, scope);
    if (!begins) return at + 1;
    if (scope.kind === 'code' && (word === 'val' || word === 'var')) {
      this.#endExpression(at, scope); // of a local function
      return at + 1;
    }
    if (scope.kind === 'code' && !['fun', 'class', 'object', 'interface'].includes(word)) return at + 1;
    switch (word) {
      case 'fun':
        return markAt(tokens, at + 1) === '(' && !isExtensionOfFunctionType(tokens, at + 1)
          ? at + 1 // an anonymous function
          : this.#function(at, scope);
      case 'val':
      case 'var':
        return this.#property(at, scope);
      case 'get':
      case 'set':
        return this.#accessor(at, scope);
      case 'class':
      case 'interface':
        return wordAt(tokens, at + 1) === '' ? at + 1 : this.#type(at, scope);
      case 'object':
        return this.#type(at, scope);
      case 'constructor':
        return this.#secondaryConstructor(at, scope);
      case 'init':
        return this.#initializer(at, scope);
      default:
        this.#endExpression(at, scope);
        return at + 1;
    }
  }

  #endExpression(at: number, scope: Scope): void {
    if (scope.expression === undefined) return;
    // Modifiers and annotations before the next member are not part of this one.
    let before = at - 1;
    for (;;) {
      const annotation = annotationBefore(this.#tokens, before);
      if (modifiers.has(wordAt(this.#tokens, before))) before -= 1;
      else if (annotation !== undefined) before = annotation - 1;
      else break;
    }
    this.#outline.end(scope.expression, before);
    scope.expression = undefined;
  }

  #owner(scope: Scope): string {
    return scope.className === '' ? this.#facade : scope.className;
  }

  /** `fun <T> Receiver<T>.name(…): Type { … }` or `= …` or nothing. */
  #function(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    this.#endExpression(at, scope);
    if (wordAt(tokens, at + 1) === 'interface') return this.#type(at + 1, scope);
    let i = afterGenerics(tokens, at + 1);
    let nameAt = -1;
    let receiver = false;
    for (; i < tokens.count;) {
      const mark = markAt(tokens, i);
      if (mark === '@') i = afterAnnotation(tokens, i);
      else if (mark === '(' && nameAt < 0) i = afterPair(tokens, i);
      else if (mark === '(') break;
      else if (mark === '<') {
        const after = afterGenerics(tokens, i);
        i = after > i ? after : i + 1;
      } else if (mark === '.') {
        receiver = true;
        i += 1;
      } else if (wordAt(tokens, i) !== '') {
        nameAt = i;
        i += 1;
      } else if (mark === '?') i += 1;
      else return i;
    }
    if (nameAt < 0 || i >= tokens.count) return i;
    const parameters = parameterCount(tokens, i) + (receiver ? 1 : 0);
    const className = scope.kind === 'code' ? `${this.#owner(scope)}$` : this.#owner(scope);
    const name = jvmName(tokens, at) || wordAt(tokens, nameAt);
    const declaration = this.#outline.add('method', name, className, parameters, nameAt);
    return this.#body(afterPair(tokens, i), scope, declaration);
  }

  /** After a function's parameters: its type, then a block, an expression or nothing. */
  #body(from: number, scope: Scope, declaration: OpenDeclaration): number {
    const tokens = this.#tokens;
    this.#outline.end(declaration, from - 1);
    for (let at = from; at < tokens.count;) {
      const mark = markAt(tokens, at);
      if (mark === '{') {
        this.#scopes.push({ ...scopeOf('code', scope.className), declaration });
        return at + 1;
      }
      if (mark === '=') {
        scope.expression = declaration;
        return at + 1;
      }
      if (mark === '(') at = afterPair(tokens, at);
      else if (mark === '<') at = Math.max(afterGenerics(tokens, at), at + 1);
      else if (mark === '}' || mark === ';') return at;
      else if (mark === '@' || beginsMember(tokens, at) || isModifierAtLineStart(tokens, at)) return at;
      else at += 1;
    }
    return tokens.count;
  }

  /** `val name: Type = …`, with accessors below it. Its initializer runs in the constructor and has no lens of its own. */
  #property(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    this.#endExpression(at, scope);
    scope.property = '';
    scope.propertyAt = at;
    let i = afterGenerics(tokens, at + 1);
    for (; i < tokens.count; i++) {
      const mark = markAt(tokens, i);
      const word = wordAt(tokens, i);
      if (word !== '' && !memberWords.has(word)) {
        scope.property = word;
        const next = markAt(tokens, i + 1);
        if (next === '<') i = Math.max(afterGenerics(tokens, i + 1) - 1, i);
        if (markAt(tokens, i + 1) !== '.' && markAt(tokens, i + 1) !== '?')
          return this.#accessorBeside(i + 1, scope);
      } else if (mark !== '.' && mark !== '?' && mark !== '(') return i;
    }
    return tokens.count;
  }

  /** `val size: Int get() = …`: reads the accessor, else goes on after the property's name. */
  #accessorBeside(from: number, scope: Scope): number {
    const tokens = this.#tokens;
    for (let at = from; at < tokens.count && tokens.line[at] === tokens.line[from - 1];) {
      const mark = markAt(tokens, at);
      if (['=', '{', '}', ';', '@'].includes(mark) || wordAt(tokens, at) === 'by') break;
      if (wordAt(tokens, at) === 'get' && markAt(tokens, at + 1) === '(') return this.#accessor(at, scope);
      if (mark === '(') at = afterPair(tokens, at);
      else at = Math.max(afterGenerics(tokens, at), at + 1);
    }
    return from;
  }

  /** `get() = …` and `set(value) { … }` of the property above. */
  #accessor(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    if (scope.property === '' || scope.kind !== 'type' || markAt(tokens, at + 1) !== '(') return at + 1;
    this.#endExpression(at, scope);
    const { property } = scope;
    const getter = wordAt(tokens, at) === 'get';
    const isName = /^is[^a-z]/.test(property);
    const rest = isName ? property.slice(2) : property.slice(0, 1).toUpperCase() + property.slice(1);
    const usual = getter ? (isName ? property : `get${rest}`) : `set${rest}`;
    const given = jvmName(tokens, at) || jvmName(tokens, scope.propertyAt, getter ? 'get' : 'set');
    const name = given || usual;
    const declaration = this.#outline.add('method', name, this.#owner(scope), getter ? 0 : 1, at);
    return this.#body(afterPair(tokens, at + 1), scope, declaration);
  }

  /** `class Name<T>(…) : Base(…), Interface by x { … }`, also without a body; objects and companions the same way. */
  #type(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    this.#endExpression(at, scope);
    const isObject = wordAt(tokens, at) === 'object';
    const named = wordAt(tokens, at + 1) !== '' && tokens.line[at + 1] === tokens.line[at];
    const isCompanion = isObject && wordAt(tokens, at - 1) === 'companion';
    if (!named && !isCompanion) return this.#anonymousObject(at, scope);
    const nameAt = named ? at + 1 : at;
    const name = named ? wordAt(tokens, nameAt) : 'Companion';
    const around = scope.kind === 'code' ? `${this.#owner(scope)}$` : scope.className;
    const className = around === '' ? name : `${around}$${name}`;
    const isEnum = hasModifier(tokens, at, 'enum');
    const declaration = this.#outline.add('class', name, className, -1, nameAt);
    for (let i = nameAt + 1; i < tokens.count;) {
      const mark = markAt(tokens, i);
      const word = wordAt(tokens, i);
      if (mark === '(' && markAt(tokens, i - 1) !== '.' && isPrimaryConstructor(tokens, i, nameAt)) {
        this.#outline.add('constructor', '<init>', className, parameterCount(tokens, i), nameAt);
        i = afterPair(tokens, i);
      } else if (mark === '(') i = afterPair(tokens, i);
      else if (mark === '<') i = Math.max(afterGenerics(tokens, i), i + 1);
      else if (mark === '{') {
        this.#scopes.push({ ...scopeOf('type', className), declaration, constants: isEnum });
        return i + 1;
      } else if (mark === '@') i = afterAnnotation(tokens, i);
      else if (mark === '}' || mark === ';') return this.#ended(declaration, i);
      else if (
        word !== 'constructor' &&
        (beginsMember(tokens, i) || isModifierAtLineStart(tokens, i)) &&
        !headGoesOn(tokens, i)
      ) {
        return this.#ended(declaration, i);
      } else i += 1;
    }
    return tokens.count;
  }

  #ended(declaration: OpenDeclaration, at: number): number {
    this.#outline.end(declaration, at - 1);
    return at;
  }

  /** `object : Base(…), Interface { … }` in an expression. */
  #anonymousObject(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    for (let i = at + 1; i < tokens.count;) {
      const mark = markAt(tokens, i);
      if (mark === '{') {
        this.#scopes.push(scopeOf('type', `${this.#owner(scope)}$`));
        return i + 1;
      }
      if (mark === '(') i = afterPair(tokens, i);
      else if (mark === '<') i = Math.max(afterGenerics(tokens, i), i + 1);
      else if (mark === '}' || mark === ';' || mark === ')' || mark === '=') return i;
      else i += 1;
    }
    return tokens.count;
  }

  #secondaryConstructor(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    if (markAt(tokens, at + 1) !== '(' || scope.className === '') return at + 1;
    this.#endExpression(at, scope);
    const parameters = parameterCount(tokens, at + 1);
    const declaration = this.#outline.add('constructor', '<init>', scope.className, parameters, at);
    let i = afterPair(tokens, at + 1);
    if (markAt(tokens, i) === ':') {
      i += 2; // this or super
      if (markAt(tokens, i) === '(') i = afterPair(tokens, i);
    }
    this.#outline.end(declaration, i - 1);
    if (markAt(tokens, i) !== '{') return i;
    this.#scopes.push({ ...scopeOf('code', scope.className), declaration });
    return i + 1;
  }

  /** Runs within the constructor: its time is there. Marked, so that a line in it belongs to something. */
  #initializer(at: number, scope: Scope): number {
    if (markAt(this.#tokens, at + 1) !== '{' || scope.className === '') return at + 1;
    this.#endExpression(at, scope);
    const declaration = this.#outline.add('initializer', '<init>', scope.className, -1, at);
    this.#scopes.push({ ...scopeOf('code', scope.className), declaration });
    return at + 2;
  }

  #constant(at: number, scope: Scope): number {
    const tokens = this.#tokens;
    const mark = markAt(tokens, at);
    if (mark === '(') {
      const after = afterPair(tokens, at);
      if (markAt(tokens, after) !== '{') return after;
      this.#scopes.push(scopeOf('type', `${scope.className}$${wordAt(tokens, at - 1)}`));
      return after + 1;
    }
    if (mark === '@') return afterAnnotation(tokens, at);
    if (mark === ';' || beginsMember(tokens, at)) {
      this.#scopes[this.#scopes.length - 1] = { ...scope, constants: false };
      return mark === ';' ? at + 1 : at;
    }
    if (wordAt(tokens, at) !== '' && markAt(tokens, at + 1) === '{') {
      this.#scopes.push(scopeOf('type', `${scope.className}$${wordAt(tokens, at)}`));
      return at + 2;
    }
    return at + 1;
  }
}

function scopeOf(kind: Scope['kind'], className: string): Scope {
  return {
    kind,
    className,
    declaration: undefined,
    expression: undefined,
    property: '',
    propertyAt: -1,
    constants: false,
  };
}
