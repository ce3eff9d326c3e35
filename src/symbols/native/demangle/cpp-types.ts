/** The types in C++ names, and what names and types share: substitutions, templates' arguments, packs. */
import { expressionOf, type NameReader } from './cpp-expressions.js';
import { listed, named, pointed, qualified, spaced, type Text, text, whole } from './cpp-text.js';
import { builtIns, builtInsWithD, standardNames } from './cpp-words.js';
import { Cursor, isDigit } from './cursor.js';
import { Unreadable } from './unreadable.js';

/** What a name says of the function that it names. */
export interface NameFacts {
  /** Then its result's type stands before its parameters. */
  endsWithArguments: boolean;
  /** Constructors, destructors and conversions have none. */
  hasNoResult: boolean;
  /** Of a member function: " const", " &&". */
  qualifiers: string;
}

/**
 * What S_, S0_ … stand for. One that names a template's parameter is read again where it stands for another argument: a lambda's
 * scope and what it is handed to share them.
 */
interface Known {
  readonly told: Text;
  readonly begin: number;
  readonly knownBefore: number;
  /** Undefined: it names no parameter. */
  readonly arguments?: readonly Text[] | undefined;
}

/** Where a type begins, and what was known there. */
interface Place {
  readonly begin: number;
  readonly known: number;
  readonly parameters: number;
}

/** What a generic lambda's parameters are. */
const ofLambda: readonly Text[] = [];

export abstract class CppTypes extends Cursor implements NameReader {
  #known: Known[] = [];
  /** What T_, T0_ … stand for. */
  protected inScope: readonly Text[] | undefined;
  /** In the parameters of a generic lambda T_ is "auto". */
  protected lambdas = 0;
  /** In a conversion's type T_ may come before what it stands for. */
  #conversions = 0;
  #isAhead = false;
  /** In a pack that is being expanded: which element, and how many there are; −1: none is, none was met. */
  #element = -1;
  #elements = -1;
  #parametersNamed = 0;

  abstract encoding(isWithin?: boolean): string;
  abstract functionName(): string;
  abstract operatorName(): string;
  /** Tells `facts` what the name says of a function. */
  protected abstract name(facts?: NameFacts): Text;
  /** Of a lambda, or a type without a name. */
  protected abstract unnamed(): Text;

  number(): number {
    const begin = this.at;
    while (isDigit(this.peek())) this.at += 1;
    if (begin === this.at || this.at - begin > 9) throw new Unreadable();
    return Number(this.from.slice(begin, this.at));
  }

  /** "_" is 0, "0_" 1, and so on. */
  ordinal(base = 10): number {
    const begin = this.at;
    while (/[0-9A-Z]/.test(this.peek())) this.at += 1;
    const digits = this.from.slice(begin, this.at);
    this.expect('_');
    if (digits === '') return 0;
    const value = parseInt(digits, base);
    if (digits.length > 9 || Number.isNaN(value)) throw new Unreadable();
    return value + 1;
  }

  protected remember(told: Text): Text {
    this.#known.push({ told, begin: 0, knownBefore: 0 });
    return told;
  }

  /** Of a type that begins at `begin`. */
  #rememberType(told: Text, { begin, known, parameters }: Place): Text {
    const names = this.#parametersNamed > parameters;
    this.#known.push({ told, begin, knownBefore: known, ...(names ? { arguments: this.#inSight() } : {}) });
    return told;
  }

  #place(): Place {
    return { begin: this.at, known: this.#known.length, parameters: this.#parametersNamed };
  }

  #inSight(): readonly Text[] | undefined {
    return this.lambdas > 0 ? ofLambda : this.inScope;
  }

  #recall(index: number): Text {
    const found = this.#known[index];
    if (found === undefined) throw new Unreadable();
    if (found.arguments === undefined) return found.told;
    this.#parametersNamed += 1;
    if (found.arguments === this.#inSight()) return found.told;
    const [at, known, depth] = [this.at, this.#known, this.depth];
    [this.at, this.#known] = [found.begin, known.slice(0, found.knownBefore)];
    let told = found.told;
    try {
      told = this.nested(() => this.type());
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error; // as it was, where there are fewer arguments
    }
    [this.at, this.#known, this.depth] = [at, known, depth];
    return told;
  }

  protected parameters(hasMore: () => boolean): string {
    const begin = this.at;
    if (this.skip('v') && !hasMore()) return '';
    this.at = begin;
    const all: Text[] = [];
    while (hasMore()) all.push(...this.types());
    return listed(all);
  }

  /** Where what it reads can be read again. */
  mark(): () => void {
    const [at, known] = [this.at, this.#known.slice()];
    return () => ([this.at, this.#known] = [at, known]);
  }

  sourceName(): Text {
    const name = this.take(this.number());
    return /^_GLOBAL_[._$]N/.test(name) ? named('(anonymous namespace)') : named(name);
  }

  /** Its type may name the arguments that come behind it: then these are read ahead. */
  protected conversion(): Text {
    const [begin, known, outer, wasAhead] = [this.at, this.#known.slice(), this.inScope, this.#isAhead];
    this.#conversions += 1;
    this.#isAhead = true;
    let target = this.type();
    this.#isAhead = wasAhead;
    if (this.peek() === 'I') {
      this.#conversions -= 1;
      this.arguments(true);
      this.#conversions += 1;
      [this.at, this.#known] = [begin, known];
      target = this.type();
      this.inScope = outer;
    }
    this.#conversions -= 1;
    return target;
  }

  protected substitution(): Text {
    this.expect('S');
    if (/[0-9A-Z_]/.test(this.peek())) return this.#recall(this.ordinal(36));
    const name = standardNames[this.take(1)];
    if (name === undefined) throw new Unreadable();
    const [short, long, base] = name;
    const isOfMember = /[CD]/.test(this.peek()) && isDigit(this.peek(1));
    let told = isOfMember ? long : short;
    const isTagged = this.peek() === 'B';
    while (this.skip('B')) told += `[abi:${this.sourceName().left}]`;
    return isTagged ? this.remember(named(told, base)) : named(told, base);
  }

  protected withArguments(name: Text): Text {
    const list = this.arguments(true);
    return named(`${name.left}${name.left.endsWith('<') ? ' ' : ''}${list}`, name.base);
  }

  /** With their angle brackets. `isOfName`: T_ means these from here on. */
  arguments(isOfName: boolean): string {
    this.expect('I');
    const all: Text[] = [];
    while (!this.skip('E')) all.push(...this.argument());
    if (isOfName) this.inScope = all;
    const list = listed(all);
    return `<${list}${list.endsWith('>') ? ' ' : ''}>`;
  }

  argument(): readonly Text[] {
    return this.nested(() => {
      if (this.peek() === 'L') return [named(expressionOf(this))];
      if (this.skip('X')) {
        const told = expressionOf(this);
        this.expect('E');
        return [named(told)];
      }
      if (this.skip('J')) {
        const pack: Text[] = [];
        while (!this.skip('E')) pack.push(...this.argument());
        return [text(listed(pack), '', { pack })];
      }
      if (this.peek() === 'T' && /[yntp]/.test(this.peek(1))) {
        this.parameterDeclaration();
        return this.argument();
      }
      return this.types();
    });
  }

  /** What a template's own parameter is. */
  protected parameterDeclaration(): void {
    this.nested(() => {
      const kind = this.take(2);
      if (kind === 'Tn') this.type();
      else if (kind === 'Tp') this.parameterDeclaration();
      else if (kind === 'Tt') while (!this.skip('E')) this.parameterDeclaration();
    });
  }

  /** One, or as many as a pack has. */
  protected types(): readonly Text[] {
    const place = this.#place();
    if (!this.skip('Dp')) return [this.type()];
    const pack = this.expanded(() => this.type());
    this.#rememberType(text(listed(pack), '', { pack }), place);
    return pack;
  }

  expanded(read: () => Text): readonly Text[] {
    const [begin, known] = [this.at, this.#known.slice()];
    const [element, elements] = [this.#element, this.#elements];
    [this.#element, this.#elements] = [0, -1];
    const all = [this.nested(read)];
    const [end, after, count] = [this.at, this.#known, this.#elements];
    for (this.#element = 1; this.#element < count; this.#element += 1) {
      [this.at, this.#known] = [begin, known.slice()];
      all.push(this.nested(read));
    }
    [this.at, this.#known] = [end, after];
    [this.#element, this.#elements] = [element, elements];
    if (count < 0) return all.map((one) => named(`${whole(one)}...`));
    return count === 0 ? [] : all;
  }

  type(): Text {
    return this.nested(() => {
      const c = this.peek();
      const builtIn = builtIns[c] ?? (c === 'D' ? builtInsWithD[this.peek(1)] : undefined);
      if (builtIn !== undefined) {
        this.at += c === 'D' ? 2 : 1;
        return named(builtIn);
      }
      if (c === 'D' && this.peek(1) === 'F') return this.#floating();
      if (c === 'D' && /[BU]/.test(this.peek(1))) return this.#integer();
      if (this.starts('Dp')) return named(listed(this.types()));
      const place = this.#place();
      if (c === 'S' && this.peek(1) !== 't') {
        const found = this.substitution();
        if (this.peek() !== 'I') return found;
        return this.#rememberType(this.#argumentsOfType(found), place);
      }
      return this.#rememberType(this.#compound(c), place);
    });
  }

  #compound(c: string): Text {
    if (/[rVK]/.test(c)) {
      const qualifiers = this.qualifiers();
      // A function's qualifiers are a part of it.
      return qualified(this.peek() === 'F' ? this.#functionType() : this.type(), qualifiers);
    }
    if (/[\dNZS]/.test(c)) return this.#typeName();
    switch (c) {
      case 'T':
        return this.#parameterType();
      case 'F':
        return this.#functionType();
      case 'A':
        return this.#array();
      case 'M':
        return this.#memberPointer();
      case 'U':
        return this.#vendorType();
      case 'D':
        return this.#typeWithD();
      default:
        this.at += 1;
    }
    switch (c) {
      case 'P':
        return pointed(this.type(), '*');
      case 'R':
        return pointed(this.type(), '&');
      case 'O':
        return pointed(this.type(), '&&');
      case 'C':
        return qualified(this.type(), ' _Complex');
      case 'G':
        return qualified(this.type(), ' _Imaginary');
      case 'u': {
        const { left } = this.sourceName();
        return named(this.peek() === 'I' ? left + this.arguments(false) : left);
      }
      default:
        throw new Unreadable();
    }
  }

  protected qualifiers(): string {
    const restrict = this.skip('r') ? ' restrict' : '';
    const volatile = this.skip('V') ? ' volatile' : '';
    return (this.skip('K') ? ' const' : '') + volatile + restrict;
  }

  /** Its arguments are nobody else's T_. */
  #typeName(): Text {
    const outer = this.inScope;
    const name = this.name();
    this.inScope = outer;
    return name;
  }

  /** They are nobody else's T_. */
  #argumentsOfType(name: Text): Text {
    const outer = this.inScope;
    const told = this.withArguments(name);
    this.inScope = outer;
    return told;
  }

  #parameterType(): Text {
    if (/[sue]/.test(this.peek(1))) {
      this.at += 2; // struct, union, enum
      return this.#typeName();
    }
    const found = this.parameter();
    if (this.peek() !== 'I' || this.#conversions > 0) return found;
    this.remember(found);
    return this.#argumentsOfType(found);
  }

  parameter(): Text {
    this.expect('T');
    if (this.skip('L')) {
      this.number();
      this.expect('_');
    }
    const index = this.ordinal();
    this.#parametersNamed += 1;
    if (this.lambdas > 0) return named(`auto:${index + 1}`);
    const found = this.inScope?.[index];
    if (found === undefined) {
      if (!this.#isAhead) throw new Unreadable();
      return named('auto');
    }
    if (found.pack === undefined || this.#element < 0) return found;
    this.#elements = Math.max(this.#elements, found.pack.length);
    return found.pack[this.#element] ?? text('');
  }

  #vendorType(): Text {
    if (/[lt]/.test(this.peek(1))) return this.unnamed();
    this.at += 1;
    const { left } = this.sourceName();
    const list = this.peek() === 'I' ? this.arguments(false) : '';
    return qualified(this.type(), ` ${left}${list}`);
  }

  #functionType(): Text {
    let end = '';
    if (this.skip('Do')) end = ' noexcept';
    else if (this.skip('DO')) {
      end = ` noexcept(${expressionOf(this)})`;
      this.expect('E');
    } else if (this.skip('Dw')) {
      const all: Text[] = [];
      while (!this.skip('E')) all.push(this.type());
      end = ` throw(${listed(all)})`;
    }
    this.skip('Dx');
    this.expect('F');
    this.skip('Y');
    const result = this.type();
    const parameters = this.parameters(
      () => !this.isAtEnd && !/^(?:[RO]?E)/.test(this.from.slice(this.at, this.at + 2)),
    );
    if (this.skip('R')) end = ` &${end}`;
    else if (this.skip('O')) end = ` &&${end}`;
    this.expect('E');
    return text(beforeName(result), `(${parameters})${end}${result.right}`, { kind: 'function' });
  }

  #array(): Text {
    this.expect('A');
    const length =
      this.peek() === '_' ? '' : isDigit(this.peek()) ? String(this.number()) : expressionOf(this);
    this.expect('_');
    const element = this.type();
    return text(spaced(element.left), `[${length}]${element.right}`, { kind: 'array' });
  }

  #memberPointer(): Text {
    this.expect('M');
    const owner = whole(this.type());
    const member = this.type();
    if (member.kind === undefined) return text(`${member.left} ${owner}::*`, member.right);
    return text(`${member.left}(${owner}::*`, `)${member.kind === 'array' ? ' ' : ''}${member.right}`);
  }

  protected decltype(): Text {
    this.at += 2;
    const told = expressionOf(this);
    this.expect('E');
    return named(`decltype (${told})`);
  }

  #typeWithD(): Text {
    switch (this.peek(1)) {
      case 't':
      case 'T':
        return this.decltype();
      case 'v':
        return this.#vector();
      default:
        return this.#functionType();
    }
  }

  #vector(): Text {
    this.at += 2;
    const length = this.skip('_') ? expressionOf(this) : String(this.number());
    this.expect('_');
    return qualified(this.type(), ` __vector(${length})`);
  }

  #floating(): Text {
    this.at += 2;
    const bits = this.number();
    if (this.skip('b')) return named('std::bfloat16_t');
    if (this.skip('x')) return named(`_Float${bits}x`);
    this.expect('_');
    return named(`_Float${bits}`);
  }

  #integer(): Text {
    const sign = this.take(2) === 'DU' ? 'unsigned ' : '';
    const bits = isDigit(this.peek()) ? String(this.number()) : expressionOf(this);
    this.expect('_');
    return named(`${sign}_BitInt(${bits})`);
  }
}

/** What a function returns, before its name: "int ", or "void (*" of "void (*f(int))()". */
export function beforeName(result: Text): string {
  return result.right.startsWith(')') ? result.left : spaced(result.left);
}
