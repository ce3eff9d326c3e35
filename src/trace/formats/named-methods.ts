import type { Methods } from '../model/trace.js';
import type { NameTable } from './names.js';

/** MethodKind of recording.proto: what a foreign name most likely is. */
const managed = 0;
const nativeFunction = 2;

/** "com.example.Shop$Cart.add": a package in lower case, a class, a method. Nothing with spaces or `::` in it. */
const javaName = /^(?:[\w$]+\.)+(?:[\w$<>-]+)$/;

/**
 * The methods of a foreign trace: one a distinct name, with file and line where the format says them.
 */
export class NamedMethods implements Methods {
  readonly #names: NameTable;
  readonly #files = new Map<number, string>();
  readonly #lines = new Map<number, number>();
  readonly #withSignatures: boolean;

  /** With signatures: a name is "qualified.name\0signature", so that overloads are different methods. */
  constructor(names: NameTable, withSignatures = false) {
    this.#names = names;
    this.#withSignatures = withSignatures;
  }

  get count(): number {
    return this.#names.count;
  }

  setSource(method: number, file: string, line: number): void {
    if (file !== '' && !this.#files.has(method)) this.#files.set(method, file);
    if (line > 0 && !this.#lines.has(method)) this.#lines.set(method, line);
  }

  className(method: number): string {
    const name = this.qualifiedName(method);
    return javaName.test(name) ? name.slice(0, name.lastIndexOf('.')) : '';
  }

  name(method: number): string {
    const name = this.qualifiedName(method);
    return javaName.test(name) ? name.slice(name.lastIndexOf('.') + 1) : name;
  }

  qualifiedName(method: number): string {
    const text = this.#names.text(method);
    return this.#withSignatures ? (text.split('\0', 1)[0] ?? '') : text;
  }

  signature(method: number): string {
    return this.#withSignatures ? (this.#names.text(method).split('\0', 2)[1] ?? '') : '';
  }

  file(method: number): string {
    return this.#files.get(method) ?? '';
  }

  kind(method: number): number {
    return this.className(method) === '' ? nativeFunction : managed;
  }

  firstLine(method: number): number {
    return this.#lines.get(method) ?? 0;
  }

  /** Foreign formats know no positions within a method. */
  lineAt(): number {
    return 0;
  }
}
