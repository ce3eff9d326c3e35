import { idIn, lineIn, numberIn } from '../assemble/number-gate.js';
import { textOf } from '../recording/text.js';
import type { NamedMethods } from './named-methods.js';
import type { NameTable } from './names.js';

/** What a method trace says in text: its settings, its threads, its methods. In streamed traces these come one by one. */
export class ArtKey {
  readonly #names: NameTable;
  readonly #methods: NamedMethods;
  readonly #settings = new Map<string, string>();
  readonly #threads = new Map<number, string>();
  readonly #methodOf = new Map<number, number>();
  #section = '';

  constructor(names: NameTable, methods: NamedMethods) {
    this.#names = names;
    this.#methods = methods;
  }

  get(setting: string): string | undefined {
    return this.#settings.get(setting);
  }

  threadName(id: number): string {
    return this.#threads.get(id) ?? '';
  }

  /** The engine's method of one in the trace; a name that is missing costs that name. */
  methodOf(id: number): number {
    let method = this.#methodOf.get(id);
    if (method === undefined) {
      method = this.#names.internText(`(method 0x${id.toString(16)} is missing)`);
      this.#methodOf.set(id, method);
    }
    return method;
  }

  /** One line of the text; true at its end. */
  line(bytes: Uint8Array, from: number, to: number): boolean {
    if (bytes[from] === 0x2a) {
      this.#section = textOf(bytes.subarray(from + 1, to)).trim();
      return this.#section === 'end';
    }
    if (this.#section === 'methods') this.method(bytes, from, to);
    else if (this.#section === 'threads') {
      const [id, name] = textOf(bytes.subarray(from, to)).split('\t', 2);
      if (id !== undefined && name !== undefined) this.#threads.set(idIn(id), name);
    } else {
      const [setting, value] = textOf(bytes.subarray(from, to)).split('=', 2);
      if (setting !== undefined && value !== undefined) this.#settings.set(setting, value.trim());
    }
    return false;
  }

  text(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const found = bytes.indexOf(0x0a, at);
      const end = found < 0 || found > to ? to : found;
      if (this.line(bytes, at, end)) return;
      at = end + 1;
    }
  }

  thread(id: number, bytes: Uint8Array, from: number, to: number): void {
    this.#threads.set(id, textOf(bytes.subarray(from, to)));
  }

  /** "0x1c \t class \t method \t signature \t file \t line"; the last ones may be missing. */
  method(bytes: Uint8Array, from: number, to: number): void {
    const tab = bytes.indexOf(0x09, from);
    if (tab < 0 || tab >= to) return;
    const id = numberIn(textOf(bytes.subarray(from, tab)));
    if (!Number.isNaN(id)) this.methodLine(id, bytes, tab + 1, to);
  }

  /** "class \t method \t signature \t file \t line". */
  methodLine(id: number, bytes: Uint8Array, from: number, to: number): void {
    const [className = '', name = '', signature = '', file = '', line = ''] = textOf(bytes.subarray(from, to))
      .trim()
      .split('\t');
    // Dalvik wrote classes with slashes.
    const qualified = name === '' ? className : `${className.replaceAll('/', '.')}.${name}`;
    const method = this.#names.internText(`${qualified}\t${signature}`);
    this.#methods.setSource(method, file, lineIn(line));
    this.#methodOf.set(id, method);
  }
}
