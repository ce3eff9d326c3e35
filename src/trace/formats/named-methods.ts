import { lineOr0 } from '../assemble/number-gate.js';
import { MethodKind } from '../model/kinds.js';
import type { Methods } from '../model/trace.js';
import { qualifiedWritten, type WrittenName, writtenName } from '../model/written-name.js';
import type { NameTable } from './names.js';

/** "com.example.Shop$Cart.add": a package in lower case, a class, a method. Nothing with spaces or `::` in it. */
const javaName = /^(?:[\w$]+\.)+(?:[\w$<>-]+)$/;

/**
 * The methods of a foreign trace: one a distinct name, with file and line where the format says them.
 */
export class NamedMethods implements Methods {
  readonly #names: NameTable;
  readonly #files = new Map<number, string>();
  readonly #lines = new Map<number, number>();
  readonly #native = new Set<number>();
  readonly #withSignatures: boolean;
  readonly #isTabbed: boolean;

  /**
   * With a signature a name is "qualified.name\tsignature", so that overloads are different methods. With a place it is
   * "name\tplace": functions of one name in several files are different methods.
   */
  constructor(names: NameTable, afterTab?: 'signature' | 'place') {
    this.#names = names;
    this.#withSignatures = afterTab === 'signature';
    this.#isTabbed = afterTab !== undefined;
  }

  get count(): number {
    return this.#names.count;
  }

  setSource(method: number, file: string, line: number): void {
    if (file !== '' && !this.#files.has(method)) this.#files.set(method, file);
    if (lineOr0(line) > 0 && !this.#lines.has(method)) this.#lines.set(method, line);
  }

  /** However many dots its name has ("shop.Cart.total.getter", "price.part.0"): it has no class. */
  setNative(method: number): void {
    this.#native.add(method);
  }

  className(method: number): string {
    const name = this.#recorded(method);
    return name.slice(0, Math.max(this.#dot(method, name), 0));
  }

  name(method: number): string {
    const name = this.#recorded(method);
    return name.slice(this.#dot(method, name) + 1);
  }

  /** Where the class ends, −1 where there is none. What has a signature is Java's, whatever its name looks like. */
  #dot(method: number, name: string): number {
    if (this.#native.has(method)) return -1;
    const isJavas = this.#withSignatures
      ? this.#names.text(method).length > name.length
      : javaName.test(name);
    return isJavas ? name.lastIndexOf('.') : -1;
  }

  qualifiedName(method: number): string {
    const written = this.written(method);
    return written === undefined ? this.#recorded(method) : qualifiedWritten(written);
  }

  written(method: number): WrittenName | undefined {
    if (!this.#files.has(method)) return undefined;
    return writtenName(this.className(method), this.name(method), () => this.file(method));
  }

  #recorded(method: number): string {
    const text = this.#names.text(method);
    return this.#isTabbed ? (text.split('\t', 1)[0] ?? '') : text;
  }

  signature(method: number): string {
    return this.#withSignatures ? (this.#names.text(method).split('\t', 2)[1] ?? '') : '';
  }

  file(method: number): string {
    return this.#files.get(method) ?? '';
  }

  /** What a foreign name most likely is. */
  kind(method: number): number {
    return this.className(method) === '' ? MethodKind.NativeFunction : MethodKind.Managed;
  }

  firstLine(method: number): number {
    return this.#lines.get(method) ?? 0;
  }

  /** Foreign formats know no positions within a method. */
  lineAt(): number {
    return 0;
  }
}
