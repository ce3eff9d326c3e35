/** Reads a mangled name from its begin to its end. */
import { Unreadable } from './unreadable.js';

/** Names nest, and may be hostile. */
const deepest = 192;
const mostSteps = 100_000;

export class Cursor {
  protected readonly from: string;
  protected at: number;
  protected depth = 0;
  #steps = 0;

  constructor(from: string, at: number) {
    this.from = from;
    this.at = at;
  }

  protected get isAtEnd(): boolean {
    return this.at >= this.from.length;
  }

  peek(ahead = 0): string {
    return this.from.charAt(this.at + ahead);
  }

  protected starts(expected: string): boolean {
    return this.from.startsWith(expected, this.at);
  }

  skip(expected: string): boolean {
    const is = this.starts(expected);
    if (is) this.at += expected.length;
    return is;
  }

  expect(expected: string): void {
    if (!this.skip(expected)) throw new Unreadable();
  }

  take(count: number): string {
    if (this.at + count > this.from.length) throw new Unreadable();
    this.at += count;
    return this.from.slice(this.at - count, this.at);
  }

  /** What nests or repeats comes through here. */
  nested<T>(read: () => T): T {
    if (++this.depth > deepest || ++this.#steps > mostSteps) throw new Unreadable();
    const value = read();
    this.depth -= 1;
    return value;
  }
}

export function isDigit(c: string): boolean {
  return c >= '0' && c <= '9';
}
