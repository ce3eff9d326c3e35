/** A part of a C++ name as a person writes it. A type's may stand on both sides of what it declares: "int (*" and ")[3]". */
import { Unreadable } from './unreadable.js';

export interface Text {
  readonly left: string;
  readonly right: string;
  /** What a constructor of it is called. */
  readonly base: string;
  readonly kind?: 'function' | 'array';
  readonly reference?: { readonly sign: '&' | '&&'; readonly to: Text };
  /** A template's arguments of any number. */
  readonly pack?: readonly Text[];
}

/** A name of few bytes can stand for an endless one. */
const longest = 2 ** 16;

export function text(left: string, right = '', more: Partial<Text> = {}): Text {
  if (left.length + right.length > longest) throw new Unreadable();
  return { left, right, base: '', ...more };
}

export function named(whole: string, base = whole): Text {
  return text(whole, '', { base });
}

export function whole(one: Text): string {
  return one.left.endsWith(' ') && one.right === '' ? one.left.slice(0, -1) : one.left + one.right;
}

/** Empty packs are no element. */
export function listed(all: readonly Text[]): string {
  const texts = all.map(whole).filter((one) => one !== '');
  if (texts.reduce((sum, one) => sum + one.length, 0) > longest) throw new Unreadable();
  return texts.join(', ');
}

export function spaced(left: string): string {
  return left === '' || left.endsWith(' ') ? left : `${left} `;
}

export function pointed(to: Text, sign: '*' | '&' | '&&'): Text {
  if (sign !== '*' && to.reference !== undefined) {
    // A reference to a reference is one.
    return sign === '&' && to.reference.sign === '&&' ? pointed(to.reference.to, '&') : to;
  }
  const reference = sign === '*' ? {} : { reference: { sign, to } };
  if (to.kind === 'function') return text(`${to.left}(${sign}`, `)${to.right}`, reference);
  if (to.kind === 'array') return text(`${to.left}(${sign}`, `) ${to.right}`, reference);
  return text(to.left + sign, to.right, reference);
}

export function qualified(one: Text, qualifiers: string): Text {
  if (qualifiers === '') return one;
  if (one.kind === 'function') return { ...one, right: one.right + qualifiers };
  if (one.kind === 'array') return { ...one, left: `${one.left.trimEnd()}${qualifiers} ` };
  return text(one.left + qualifiers, one.right);
}
