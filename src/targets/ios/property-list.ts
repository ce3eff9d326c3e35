/** Property lists in XML, as usbmuxd and devices speak them. */

export type PropertyValue =
  | string
  | number
  | boolean
  | Uint8Array
  | readonly PropertyValue[]
  | { readonly [key: string]: PropertyValue };

export class PropertyListError extends Error {}

const head =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';
/** What a device says is not so deep; nothing that others send may use up the stack. */
const mostDepth = 50;

export function writePropertyList(value: PropertyValue): Buffer {
  return Buffer.from(`${head}<plist version="1.0">${element(value)}</plist>\n`);
}

function element(value: PropertyValue): string {
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  if (typeof value === 'number') return `<integer>${Math.trunc(value)}</integer>`;
  if (typeof value === 'string') return `<string>${escaped(value)}</string>`;
  if (value instanceof Uint8Array) return `<data>${Buffer.from(value).toString('base64')}</data>`;
  if (isList(value)) return `<array>${value.map(element).join('')}</array>`;
  const entries = Object.entries(value).map(([key, one]) => `<key>${escaped(key)}</key>${element(one)}`);
  return `<dict>${entries.join('')}</dict>`;
}

const isList = (value: object): value is readonly PropertyValue[] => Array.isArray(value);

/** Throws a PropertyListError for what is none. */
export function readPropertyList(bytes: Uint8Array): PropertyValue {
  const reader = new Reader(Buffer.from(bytes).toString('utf8'));
  reader.skipTo('plist');
  return reader.value(0);
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly isEmpty: boolean;
  /** Up to the next tag. */
  readonly text: string;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  skipTo(name: string): void {
    while (this.#next().name !== name);
  }

  value(depth: number, tag = this.#next()): PropertyValue {
    if (depth > mostDepth || tag.isEnd) throw new PropertyListError('it is nested wrongly');
    switch (tag.name) {
      case 'true':
      case 'false':
        this.#endOf(tag);
        return tag.name === 'true';
      case 'string':
        this.#endOf(tag);
        return unescaped(tag.text);
      case 'integer':
      case 'real':
        this.#endOf(tag);
        return Number(tag.text);
      case 'data':
        this.#endOf(tag);
        return Buffer.from(tag.text, 'base64');
      case 'date':
        this.#endOf(tag);
        return tag.text;
      case 'array':
        return this.#list(tag, depth);
      case 'dict':
        return this.#dictionary(tag, depth);
      default:
        throw new PropertyListError(`it has a <${tag.name.slice(0, 20)}>`);
    }
  }

  #list(begin: Tag, depth: number): PropertyValue[] {
    const found: PropertyValue[] = [];
    if (begin.isEmpty) return found;
    for (let tag = this.#next(); !tag.isEnd; tag = this.#next()) found.push(this.value(depth + 1, tag));
    return found;
  }

  #dictionary(begin: Tag, depth: number): Record<string, PropertyValue> {
    const found = new Map<string, PropertyValue>();
    if (!begin.isEmpty)
      for (let tag = this.#next(); !tag.isEnd; tag = this.#next()) {
        if (tag.name !== 'key') throw new PropertyListError('it has a value without a key');
        this.#endOf(tag);
        found.set(unescaped(tag.text), this.value(depth + 1));
      }
    return Object.fromEntries(found);
  }

  #endOf({ name, isEmpty }: Tag): void {
    if (isEmpty) return;
    const end = this.#next();
    if (!end.isEnd || end.name !== name) throw new PropertyListError(`<${name}> has no end`);
  }

  /** Declarations and comments are passed over. */
  #next(): Tag {
    for (;;) {
      const begin = this.#text.indexOf('<', this.#at);
      const end = begin < 0 ? -1 : this.#text.indexOf('>', begin);
      if (end < 0) throw new PropertyListError('it ends too early');
      const inside = this.#text.slice(begin + 1, end);
      this.#at = end + 1;
      if (inside.startsWith('?') || inside.startsWith('!')) continue;
      const isEnd = inside.startsWith('/');
      const isEmpty = inside.endsWith('/');
      const name = inside.slice(isEnd ? 1 : 0, isEmpty ? -1 : undefined).split(' ', 1)[0] ?? '';
      const next = this.#text.indexOf('<', this.#at);
      return { name, isEnd, isEmpty, text: this.#text.slice(this.#at, next < 0 ? undefined : next) };
    }
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '');

/** The value at a key of a dictionary; undefined where there is none, or no dictionary. */
export function valueAt(value: PropertyValue | undefined, key: string): PropertyValue | undefined {
  if (typeof value !== 'object' || value instanceof Uint8Array || isList(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
