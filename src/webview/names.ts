/** Method names as they are shown, and what their package says: hue and whose code it is. */
import { qualifiedWritten } from '../trace/model/written-name.js';
import { isMyClass } from './my-code.js';
import type { NameColumns, ThreadSnapshot } from './worker/messages.js';
import { text } from './texts.js';

/** Longest name that is drawn or listed; a copy always has all of it. */
const shownLetters = 400;

/**
 * A hue for each own package, with tints that tell its classes apart; where all own code is of one package, a hue for each
 * class; where nothing is one's own, one for each package. One more for library code, one for native functions.
 */
export const packageHues = 12;
export const classTints = 3;
export const myHues = packageHues * classTints;
export const libraryHue = myHues;
export const nativeHue = myHues + 1;

/**
 * Control and format characters (line breaks, bidirectional overrides, joiners) could make a name look like another one or break a line:
 * each is shown as a replacement character. A name is never anything but text.
 */
export function plainText(name: string, letters = shownLetters): string {
  const cut = name.length > letters ? `${name.slice(0, letters)}…` : name;
  return cut.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
}

export function shownThreadName(thread: ThreadSnapshot): string {
  return thread.name === '' ? text('thread.unnamed', { tid: thread.tid }) : plainText(thread.name, 120);
}

export class NameIndex {
  readonly count: number;
  readonly #columns: NameColumns;
  readonly #hueOfClass: Uint8Array;
  readonly #short: string[] = [];
  readonly #hues: ReadonlyMap<string, number>;
  /** What a hue stands for. */
  readonly coloursBy: 'package' | 'class';

  constructor(columns: NameColumns, myPackages: readonly string[]) {
    this.#columns = columns;
    this.count = columns.count;
    const found = columns.classNames.filter((className) => isMyClass(className, myPackages));
    // A recording of other code than the workspace's would be all grey: then every package has its hue.
    const own = found.length > 0 ? found : columns.classNames.filter((className) => className !== '');
    const packages = new Set(own.map(packageOf));
    this.coloursBy = packages.size === 1 ? 'class' : 'package';
    this.#hues = spread(packages.size === 1 ? new Set(own.map(outerClass)) : packages);
    const myClasses = new Set(own);
    this.#hueOfClass = Uint8Array.from(columns.classNames, (className) => {
      if (className === '') return nativeHue;
      if (!myClasses.has(className)) return libraryHue;
      return (this.#hues.get(this.#group(className)) ?? 0) * classTints + (hash(className) % classTints);
    });
  }

  #group(className: string): string {
    return this.coloursBy === 'class' ? outerClass(className) : packageOf(className);
  }

  /** The package, or class, whose hue an own method has; '' for methods of libraries and native functions. */
  group(method: number): string {
    return this.isMyCode(method) ? this.#group(this.className(method)) : '';
  }

  /** As `hue` of the methods of a group, between their tints. */
  hueOfGroup(group: string): number {
    return (this.#hues.get(group) ?? 0) * classTints + 1;
  }

  /** "com.example.Shop$Cart.add", whole, as it was written. */
  qualified(method: number): string {
    const written = this.#columns.written.get(method);
    return written === undefined ? this.recorded(method) : qualifiedWritten(written);
  }

  /** What the runtime calls it. */
  recorded(method: number): string {
    const className = this.className(method);
    const name = this.#columns.names[method];
    if (name === undefined || name === '') return text('name.unknown', { id: method });
    return className === '' ? name : `${className}.${name}`;
  }

  /** False for ids that stand for nothing, or whose name has not come. */
  isNamed(method: number): boolean {
    return (this.#columns.names[method] ?? '') !== '';
  }

  className(method: number): string {
    return this.#columns.classNames[this.#columns.classOf[method] ?? -1] ?? '';
  }

  /** The methods of that name: several when it is overloaded. O(methods). */
  find(className: string, name: string): readonly number[] {
    const found: number[] = [];
    for (let method = 0; method < this.count; method++) {
      if (this.#columns.names[method] === name && this.className(method) === className) found.push(method);
    }
    return found;
  }

  /** "Shop$Cart.add", fit to be shown. */
  short(method: number): string {
    let short = this.#short[method];
    if (short === undefined) {
      const written = this.#columns.written.get(method);
      const className = written?.className ?? this.className(method);
      const name = plainText(written?.name ?? this.#columns.names[method] ?? '');
      const simple = plainText(className.slice(className.lastIndexOf('.') + 1));
      const whole = simple === '' ? name : `${simple}${written?.joint ?? '.'}${name}`;
      short = name === '' ? text('name.unknown', { id: method }) : whole;
      this.#short[method] = short;
    }
    return short;
  }

  /** "com.example", fit to be shown. */
  packageName(method: number): string {
    return plainText(packageOf(this.className(method)));
  }

  hue(method: number): number {
    return this.#hueOfClass[this.#columns.classOf[method] ?? -1] ?? nativeHue;
  }

  isMyCode(method: number): boolean {
    return this.hue(method) < myHues;
  }
}

/** "com.example.Shop" of "com.example.Shop$Cart". */
function outerClass(className: string): string {
  const dollar = className.indexOf('$', 1);
  return dollar < 0 ? className : className.slice(0, dollar);
}

/**
 * A hue for each group: that of its name, so that it has the same in every recording, or, where another has that one, the
 * next that is free.
 */
function spread(groups: ReadonlySet<string>): Map<string, number> {
  const hues = new Map<string, number>();
  const taken = new Set<number>();
  for (const group of [...groups].sort()) {
    let hue = hash(group) % packageHues;
    while (taken.size < packageHues && taken.has(hue)) hue = (hue + 1) % packageHues;
    taken.add(hue);
    hues.set(group, hue);
  }
  return hues;
}

function packageOf(className: string): string {
  const dot = className.lastIndexOf('.');
  return dot < 0 ? '' : className.slice(0, dot);
}

/** FNV-1a: the same package has the same hue in every recording. */
function hash(name: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < name.length && at < shownLetters; at++) {
    value = Math.imul(value ^ name.charCodeAt(at), 0x01000193);
  }
  return (value ^ (value >>> 15)) >>> 0;
}
