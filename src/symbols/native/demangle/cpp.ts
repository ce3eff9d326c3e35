/**
 * Names of C++ as the Itanium ABI mangles them (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling), written as a person
 * writes them. Texts are put together while they are read. What is not known, or would be too long, is no name at all.
 */
import { clonesOf } from './clones.js';
import { named, type Text, whole, listed } from './cpp-text.js';
import { beforeName, CppTypes, type NameFacts } from './cpp-types.js';
import { operators } from './cpp-words.js';
import { isDigit } from './cursor.js';
import { Unreadable } from './unreadable.js';

/** Undefined where it is no mangled name of C++. */
export function demangledCpp(mangled: string): string | undefined {
  if (!mangled.startsWith('_Z')) return undefined;
  try {
    return new CppName(mangled, 2).whole();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

const noFacts = (): NameFacts => ({ endsWithArguments: false, hasNoResult: false, qualifiers: '' });

class CppName extends CppTypes {
  whole(): string {
    const name = this.encoding();
    return name + clonesOf(this.from.slice(this.at));
  }

  /** `isWithin`: as the scope of a name that lies in it, which has no result. */
  encoding(isWithin = false): string {
    const { name, called, result } = this.#encoded();
    if (called === undefined) return name;
    return isWithin || result === undefined ? called : beforeName(result) + called + result.right;
  }

  functionName(): string {
    return this.#encoded().name;
  }

  #encoded(): { name: string; called?: string; result?: Text } {
    return this.nested(() => {
      if (this.peek() === 'T' || (this.peek() === 'G' && /[VRT]/.test(this.peek(1))))
        return { name: this.#special() };
      const outer = this.inScope;
      const facts = noFacts();
      const name = whole(this.name(facts));
      const encoded = this.#hasMore() ? { name, ...this.#function(name, facts) } : { name };
      this.inScope = outer;
      return encoded;
    });
  }

  #hasMore(): boolean {
    return !this.isAtEnd && !/[E._]/.test(this.peek());
  }

  #function(name: string, facts: NameFacts): { called: string; result?: Text } {
    const result = facts.endsWithArguments && !facts.hasNoResult ? { result: this.type() } : {};
    const called = `${name}(${this.parameters(() => this.#hasMore())})${facts.qualifiers}`;
    return { called, ...result };
  }

  #special(): string {
    const kind = this.take(2);
    const simple = specialNames[kind];
    if (simple !== undefined) return `${simple} for ${whole(this.type())}`;
    switch (kind) {
      case 'Th':
        this.#callOffset('h');
        return `non-virtual thunk to ${this.encoding()}`;
      case 'Tv':
        this.#callOffset('v');
        return `virtual thunk to ${this.encoding()}`;
      case 'Tc':
        this.#callOffset(this.take(1));
        this.#callOffset(this.take(1));
        return `covariant return thunk to ${this.encoding()}`;
      case 'TC': {
        const derived = whole(this.type());
        this.number();
        this.expect('_');
        return `construction vtable for ${whole(this.type())}-in-${derived}`;
      }
      case 'TH':
        return `TLS init function for ${whole(this.name())}`;
      case 'TW':
        return `TLS wrapper function for ${whole(this.name())}`;
      case 'TA':
        return `template parameter object for ${listed(this.argument())}`;
      case 'GV':
        return `guard variable for ${whole(this.name())}`;
      case 'GR': {
        const name = whole(this.name());
        return `reference temporary #${this.ordinal(36)} for ${name}`;
      }
      case 'GT':
        return `${this.take(1) === 'n' ? 'non-transaction' : 'transaction'} clone for ${this.encoding()}`;
      default:
        throw new Unreadable();
    }
  }

  #callOffset(kind: string): void {
    for (let numbers = kind === 'h' ? 1 : kind === 'v' ? 2 : 0; ;) {
      this.skip('n');
      this.number();
      this.expect('_');
      if (--numbers === 0) return;
      if (numbers < 0) throw new Unreadable();
    }
  }

  protected name(facts = noFacts()): Text {
    if (this.skip('N')) return this.#nestedName(facts);
    if (this.skip('Z')) return this.#localName(facts);
    let name: Text;
    if (this.peek() === 'S' && this.peek(1) !== 't') name = this.substitution();
    else {
      const scope = this.skip('St') ? 'std::' : '';
      const { left, base } = this.#unqualified(facts, undefined);
      name = named(scope + left, base);
      if (this.peek() === 'I') this.remember(name);
    }
    if (this.peek() !== 'I') return name;
    facts.endsWithArguments = true;
    return this.withArguments(name);
  }

  #nestedName(facts: NameFacts): Text {
    const qualifiers = this.qualifiers();
    const reference = this.skip('R') ? ' &' : this.skip('O') ? ' &&' : '';
    let prefix: Text | undefined;
    while (!this.skip('E')) {
      const next = this.nested(() => this.#component(facts, prefix));
      if (next === undefined) continue;
      prefix = next.name;
      if (next.isNew && this.peek() !== 'E') this.remember(prefix);
    }
    if (prefix === undefined) throw new Unreadable();
    facts.qualifiers = qualifiers + reference;
    return prefix;
  }

  /** The prefix with one part more; undefined where that is nothing to be told. */
  #component(facts: NameFacts, prefix: Text | undefined): { name: Text; isNew: boolean } | undefined {
    const c = this.peek();
    facts.endsWithArguments = c === 'I';
    if (c === 'M') {
      this.at += 1; // the member before it, whose initial value holds a lambda
      return undefined;
    }
    if (c === 'I') {
      if (prefix === undefined) throw new Unreadable();
      return { name: this.withArguments(prefix), isNew: true };
    }
    if (prefix !== undefined) {
      const name = this.#unqualified(facts, prefix);
      return { name: named(`${prefix.left}::${name.left}`, name.base), isNew: true };
    }
    if (this.skip('St')) return { name: named('std'), isNew: false };
    if (c === 'S') return { name: this.substitution(), isNew: false };
    if (c === 'T') return { name: named(whole(this.parameter())), isNew: true };
    if (c === 'D' && /[tT]/.test(this.peek(1))) return { name: this.decltype(), isNew: true };
    return { name: this.#unqualified(facts, undefined), isNew: true };
  }

  #localName(facts: NameFacts): Text {
    let scope = this.encoding(true);
    this.expect('E');
    if (this.skip('s')) {
      this.#discriminator();
      return named(`${scope}::string literal`);
    }
    if (this.skip('d')) scope += `::{default arg#${this.ordinal() + 1}}`;
    const name = this.name(facts);
    this.#discriminator();
    return named(`${scope}::${name.left}`, name.base);
  }

  #discriminator(): void {
    if (this.skip('__')) {
      this.number();
      this.expect('_');
    } else if (this.peek() === '_' && isDigit(this.peek(1))) this.at += 2;
  }

  /** A single name, whatever it lies in. */
  #unqualified(facts: NameFacts, prefix: Text | undefined): Text {
    while (this.skip('W')) {
      this.skip('P');
      this.remember(this.sourceName()); // modules are not told
    }
    this.skip('F');
    this.skip('L');
    const name = this.#untagged(facts, prefix);
    let tags = '';
    while (this.skip('B')) tags += `[abi:${this.sourceName().left}]`;
    return named(name.left + tags, name.base);
  }

  #untagged(facts: NameFacts, prefix: Text | undefined): Text {
    const [c, next] = [this.peek(), this.peek(1)];
    if (isDigit(c)) return this.sourceName();
    if (c === 'U' && (next === 'l' || next === 't')) return this.unnamed();
    if (this.skip('DC')) {
      const all: Text[] = [];
      while (!this.skip('E')) all.push(this.sourceName());
      return named(`[${listed(all)}]`);
    }
    if (prefix !== undefined && ((c === 'C' && /[0-9I]/.test(next)) || (c === 'D' && isDigit(next))))
      return this.#constructorOf(prefix.base, facts);
    if (!this.skip('cv')) return named(this.operatorName());
    facts.hasNoResult = true;
    return named(`operator ${whole(this.conversion())}`);
  }

  #constructorOf(base: string, facts: NameFacts): Text {
    facts.hasNoResult = true;
    const isDestructor = this.take(1) === 'D';
    const isInherited = this.skip('I');
    if (!isDigit(this.take(1))) throw new Unreadable();
    if (isInherited) this.name();
    return named(isDestructor ? `~${base}` : base, base);
  }

  protected unnamed(): Text {
    if (this.skip('Ut')) return named(`{unnamed type#${this.ordinal() + 1}}`);
    this.expect('Ul');
    this.lambdas += 1;
    while (this.peek() === 'T' && /[yntp]/.test(this.peek(1))) this.parameterDeclaration();
    const parameters = this.parameters(() => this.peek() !== 'E');
    this.lambdas -= 1;
    this.expect('E');
    return named(`{lambda(${parameters})#${this.ordinal() + 1}}`);
  }

  operatorName(): string {
    const code = this.take(2);
    if (code === 'li') return `operator"" ${this.sourceName().left}`;
    const sign = operators.get(code)?.sign;
    if (sign === undefined) throw new Unreadable();
    return /^[a-z]/.test(sign) ? `operator ${sign}` : `operator${sign}`;
  }
}

const specialNames: Readonly<Record<string, string>> = {
  TV: 'vtable',
  TT: 'VTT',
  TI: 'typeinfo',
  TS: 'typeinfo name',
};
