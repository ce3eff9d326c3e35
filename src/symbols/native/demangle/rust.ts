/**
 * Names of Rust, as its compilers mangle them: in the newer way (https://doc.rust-lang.org/rustc/symbol-mangling/v0.html) and in the
 * older one, which looks like C++ and ends with a hash. Hashes, which tell versions of a crate apart, are left out.
 */
import { Cursor, isDigit } from './cursor.js';
import { fromPunycode } from './punycode.js';
import { Unreadable } from './unreadable.js';

const punycodeDigits = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** References back make an endless name of a short one. */
const longest = 2 ** 16;

/** Undefined where it is no mangled name of Rust. */
export function demangledRust(mangled: string): string | undefined {
  if (mangled.startsWith('_ZN')) return olderName(mangled);
  if (!/^_R[A-Z]/.test(mangled)) return undefined;
  try {
    return new RustName(mangled.slice(2).split(/[.$]/, 1)[0] ?? '', 0).whole();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

const escapes: Readonly<Record<string, string>> = {
  SP: '@',
  BP: '*',
  RF: '&',
  LT: '<',
  GT: '>',
  LP: '(',
  RP: ')',
  C: ',',
};

const hashBytes = 20;

/** Parts with their lengths before them, of which the last is a hash. */
function olderName(mangled: string): string | undefined {
  const hash = mangled.lastIndexOf('17h');
  if (hash < 4 || !/^17h[0-9a-f]{16}E(?:\.|$)/.test(mangled.slice(hash, hash + hashBytes + 1)))
    return undefined;
  const parts = mangled.slice(3, hash);
  const names: string[] = [];
  for (let at = 0; at < parts.length;) {
    const digits = /^\d{1,5}/.exec(parts.slice(at, at + 5))?.[0];
    if (digits === undefined) return undefined;
    at += digits.length;
    const end = at + Number(digits);
    if (end > parts.length || end === at) return undefined;
    names.push(olderPart(parts.slice(at, end)));
    at = end;
  }
  return names.join('::');
}

function olderPart(part: string): string {
  return part
    .replace(/^_(?=\$)/, '')
    .replace(/\$(?:u([0-9a-f]{1,6})|([A-Z]{1,2}))\$/g, (whole, code?: string, word?: string) => {
      if (word !== undefined) return escapes[word] ?? whole;
      const point = parseInt(code as string, 16);
      return point >= 32 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    })
    .replaceAll('..', '::');
}

const basicTypes: Readonly<Record<string, string>> = {
  a: 'i8',
  b: 'bool',
  c: 'char',
  d: 'f64',
  e: 'str',
  f: 'f32',
  h: 'u8',
  i: 'isize',
  j: 'usize',
  l: 'i32',
  m: 'u32',
  n: 'i128',
  o: 'u128',
  p: '_',
  s: 'i16',
  t: 'u16',
  u: '()',
  v: '...',
  x: 'i64',
  y: 'u64',
  z: '!',
};

class RustName extends Cursor {
  /** Of "for<'a, 'b>": how many are in sight. */
  #lifetimes = 0;

  whole(): string {
    const name = this.#path(true);
    // The crate that made this copy of a generic function.
    if (!this.isAtEnd) this.#path(false);
    if (!this.isAtEnd) throw new Unreadable();
    return name;
  }

  #told(read: () => string): string {
    const told = this.nested(read);
    if (told.length > longest) throw new Unreadable();
    return told;
  }

  /** "_" is 0, "0_" 1, and so on, in base 62. */
  #base62(): number {
    let value = 0;
    if (this.skip('_')) return 0;
    for (let c = this.take(1); c !== '_'; c = this.take(1)) {
      const digit = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.indexOf(c);
      if (digit < 0) throw new Unreadable();
      value = value * 62 + digit; // a crate's hash is beyond what a number holds, and not told
    }
    return value + 1;
  }

  #optional(tag: string): number {
    return this.skip(tag) ? this.#base62() + 1 : 0;
  }

  /** What was told before; read there again. */
  #back(read: () => string): string {
    const begin = this.at - 1;
    const to = this.#base62();
    if (to >= begin) throw new Unreadable();
    const at = this.at;
    this.at = to;
    const told = read();
    this.at = at;
    return told;
  }

  #identifier(): { name: string; disambiguator: number } {
    const disambiguator = this.#optional('s');
    const isPunycode = this.skip('u');
    let digits = this.skip('0') ? '0' : ''; // what stands behind a 0 is another number
    while (digits !== '0' && isDigit(this.peek())) digits += this.take(1);
    if (digits === '' || digits.length > 6) throw new Unreadable();
    this.skip('_');
    const end = this.at + Number(digits);
    if (end > this.from.length) throw new Unreadable();
    const bytes = this.from.slice(this.at, end);
    this.at = end;
    return { name: isPunycode ? fromPunycode(bytes, punycodeDigits) : bytes, disambiguator };
  }

  /** `isValue`: arguments stand behind "::<". */
  #path(isValue: boolean): string {
    return this.#told(() => {
      const tag = this.take(1);
      switch (tag) {
        case 'C':
          return this.#identifier().name;
        case 'N':
          return this.#member(isValue);
        case 'M':
          this.#implementation();
          return `<${this.#type()}>`;
        case 'X':
          this.#implementation();
          return this.#ofTrait();
        case 'Y':
          return this.#ofTrait();
        case 'I': {
          const generic = this.#path(isValue);
          const list = this.#all(() => this.#argument()).join(', ');
          return `${generic}${isValue ? '::' : ''}<${list}>`;
        }
        case 'B':
          return this.#back(() => this.#path(isValue));
        default:
          throw new Unreadable();
      }
    });
  }

  #member(isValue: boolean): string {
    const space = this.take(1);
    const outer = this.#path(isValue);
    const { name, disambiguator } = this.#identifier();
    if (/[a-z]/.test(space)) return name === '' ? outer : `${outer}::${name}`;
    const kind = space === 'C' ? 'closure' : space === 'S' ? 'shim' : space;
    return `${outer}::{${kind}${name === '' ? '' : `:${name}`}#${disambiguator}}`;
  }

  /** Where it stands says nothing that its type does not. */
  #implementation(): void {
    this.#optional('s');
    this.#path(false);
  }

  #ofTrait(): string {
    const type = this.#type();
    return `<${type} as ${this.#path(false)}>`;
  }

  #all(read: () => string): string[] {
    const all: string[] = [];
    while (!this.skip('E')) all.push(this.#told(read));
    return all;
  }

  #argument(): string {
    if (this.skip('L')) return this.#lifetime();
    if (this.skip('K')) return this.#constant();
    return this.#type();
  }

  #lifetime(): string {
    const index = this.#base62();
    if (index === 0) return "'_";
    const depth = this.#lifetimes - index;
    if (depth < 0) throw new Unreadable();
    return depth < 26 ? `'${String.fromCharCode(97 + depth)}` : `'_${depth}`;
  }

  /** With the lifetimes that hold for what is read alone. */
  #bound(read: () => string): string {
    const outer = this.#lifetimes;
    const count = this.#optional('G');
    if (count > 1000) throw new Unreadable();
    this.#lifetimes += count;
    const names = Array.from({ length: count }, (_, at) => {
      const depth = outer + at;
      return depth < 26 ? `'${String.fromCharCode(97 + depth)}` : `'_${depth}`;
    });
    const told = read();
    this.#lifetimes = outer;
    return count === 0 ? told : `for<${names.join(', ')}> ${told}`;
  }

  #type(): string {
    return this.#told(() => {
      const tag = this.peek();
      const basic = basicTypes[tag];
      if (basic !== undefined) {
        this.at += 1;
        return basic;
      }
      if (/[CNMXYI]/.test(tag)) return this.#path(false);
      this.at += 1;
      switch (tag) {
        case 'R':
        case 'Q': {
          const lifetime = this.skip('L') ? this.#lifetime() : "'_";
          const told = lifetime === "'_" ? '' : `${lifetime} `;
          return `&${told}${tag === 'Q' ? 'mut ' : ''}${this.#type()}`;
        }
        case 'P':
          return `*const ${this.#type()}`;
        case 'O':
          return `*mut ${this.#type()}`;
        case 'A': {
          const element = this.#type();
          return `[${element}; ${this.#constant()}]`;
        }
        case 'S':
          return `[${this.#type()}]`;
        case 'T': {
          const all = this.#all(() => this.#type());
          return `(${all.join(', ')}${all.length === 1 ? ',' : ''})`;
        }
        case 'F':
          return this.#bound(() => this.#function());
        case 'D':
          return this.#dynamic();
        case 'B':
          return this.#back(() => this.#type());
        default:
          throw new Unreadable();
      }
    });
  }

  #function(): string {
    const isUnsafe = this.skip('U');
    let abi = '';
    if (this.skip('K')) abi = this.skip('C') ? 'C' : this.#identifier().name.replaceAll('_', '-');
    const parameters = this.#all(() => this.#type()).join(', ');
    const result = this.#type();
    const before = `${isUnsafe ? 'unsafe ' : ''}${abi === '' ? '' : `extern "${abi}" `}`;
    return `${before}fn(${parameters})${result === '()' ? '' : ` -> ${result}`}`;
  }

  #dynamic(): string {
    const traits = this.#bound(() => this.#all(() => this.#trait()).join(' + '));
    if (!this.skip('L')) throw new Unreadable();
    const lifetime = this.#lifetime();
    return `dyn ${traits}${lifetime === "'_" ? '' : ` + ${lifetime}`}`;
  }

  #trait(): string {
    let told = this.#path(false);
    while (this.skip('p')) {
      if (told.length > longest) throw new Unreadable();
      const { name } = this.#identifier();
      const assigned = `${name} = ${this.#type()}`;
      told = told.endsWith('>') ? `${told.slice(0, -1)}, ${assigned}>` : `${told}<${assigned}>`;
    }
    return told;
  }

  #constant(): string {
    return this.#told(() => {
      if (this.skip('p')) return '_';
      if (this.skip('B')) return this.#back(() => this.#constant());
      const type = this.#type();
      const sign = this.skip('n') ? '-' : '';
      let digits = '';
      for (let c = this.take(1); c !== '_'; c = this.take(1)) digits += c;
      if (!/^[0-9a-f]*$/.test(digits)) throw new Unreadable();
      const value = digits.length > 32 ? `0x${digits}` : String(BigInt(`0x${digits || '0'}`));
      if (type === 'bool') return value === '0' ? 'false' : 'true';
      const point = Number(value);
      if (type === 'char' && point >= 32 && point <= 0x10ffff) return `'${String.fromCodePoint(point)}'`;
      return sign + value;
    });
  }
}
