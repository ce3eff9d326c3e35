import type { Sink } from './importer.js';

const pieceBytes = 1 << 18;

/** Writes text as UTF-8 into pieces for a sink. Numbers are written digit by digit: no string for an event. */
export class TextWriter {
  #bytes = new Uint8Array(pieceBytes + (1 << 12));
  #at = 0;
  readonly #sink: Sink;
  readonly #encoder = new TextEncoder();
  readonly #digits = new Uint8Array(32);

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Plain ASCII, short. */
  ascii(text: string): void {
    this.#room(text.length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.#at = at;
  }

  text(text: string): void {
    this.bytes(this.#encoder.encode(text));
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** A whole number, exact to 2^53. */
  integer(value: number): void {
    this.#room(24);
    let rest = Math.round(value);
    if (rest < 0) {
      this.#bytes[this.#at++] = 0x2d;
      rest = -rest;
    }
    const digits = this.#digits;
    let count = 0;
    do {
      const next = Math.floor(rest / 10);
      digits[count++] = 0x30 + (rest - next * 10);
      rest = next;
    } while (rest > 0);
    while (count > 0) this.#bytes[this.#at++] = digits[--count] as number;
  }

  /** A whole number from 0, with zeros before it. */
  padded(value: number, width: number): void {
    this.#room(width);
    let rest = value;
    for (let at = this.#at + width - 1; at >= this.#at; at--) {
      const next = Math.floor(rest / 10);
      this.#bytes[at] = 0x30 + (rest - next * 10);
      rest = next;
    }
    this.#at += width;
  }

  /** Nanoseconds as µs with three places. */
  micros(ns: number): void {
    this.#room(32);
    let rounded = Math.round(ns);
    if (rounded < 0) {
      this.#bytes[this.#at++] = 0x2d;
      rounded = -rounded;
    }
    const whole = Math.floor(rounded / 1000);
    const rest = rounded - whole * 1000;
    this.integer(whole);
    this.ascii('.');
    this.padded(rest, 3);
  }

  end(): void {
    if (this.#at > 0) this.#sink(this.#bytes.slice(0, this.#at));
    this.#at = 0;
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    this.end();
    if (more > this.#bytes.length) this.#bytes = new Uint8Array(more);
  }
}

/** Each method's name as a JSON string, quotes and escapes done, made once. */
export class JsonNames {
  readonly #known: (Uint8Array | undefined)[] = [];
  readonly #encoder = new TextEncoder();
  readonly #nameOf: (method: number) => string;

  constructor(nameOf: (method: number) => string) {
    this.#nameOf = nameOf;
  }

  of(method: number): Uint8Array {
    return (this.#known[method] ??= this.#encoder.encode(JSON.stringify(this.#nameOf(method))));
  }
}
