/**
 * Protobuf's wire form: varints, zigzag, length-delimited fields. For the cold messages and for walking to the columns
 * of the hot ones (columns.ts reads those). 64-bit numbers come as float64, exact to 2^53; the wall clock, which is
 * beyond that, as bigint.
 */
import { textOf } from './text.js';

/** Bytes that are not what they should be. Caught where a chunk is taken apart: it costs that chunk, not the file. */
export class DamageError extends Error {
  override readonly name = 'DamageError';
}

const utf8Encoder = new TextEncoder();

export class WireReader {
  pos: number;

  constructor(
    readonly bytes: Uint8Array,
    begin = 0,
    readonly end = bytes.length,
  ) {
    this.pos = begin;
  }

  get more(): boolean {
    return this.pos < this.end;
  }

  /** An unsigned varint, exact to 2^53. */
  varint(): number {
    const byte = this.pos < this.end ? (this.bytes[this.pos] as number) : 0x80;
    if (byte >= 0x80) return this.#longVarint();
    this.pos++;
    return byte;
  }

  #longVarint(): number {
    let value = 0;
    let scale = 1;
    for (let size = 0; size < 10; size++) {
      if (this.pos >= this.end) throw new DamageError('a number is cut off');
      const byte = this.bytes[this.pos++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new DamageError('a number is longer than 64 bits');
  }

  uint32(): number {
    const value = this.varint();
    return value <= 0xffffffff ? value : value % 0x100000000;
  }

  /** Zigzag; exact to 2^53 on both sides of zero. */
  sint(): number {
    if (this.pos >= this.end) throw new DamageError('a number is cut off');
    const first = this.bytes[this.pos] as number;
    const odd = first & 1;
    let half: number;
    if (first < 0x80) {
      this.pos++;
      half = first >>> 1;
    } else {
      this.pos++;
      // The half of the first byte's seven bits, and all others at half their weight: never above 2^63 / 2.
      const rest = this.varint();
      half = ((first & 0x7f) >>> 1) + rest * 64;
    }
    return odd ? -half - 1 : half;
  }

  bigint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.pos >= this.end) throw new DamageError('a number is cut off');
      const byte = this.bytes[this.pos++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new DamageError('a number is longer than 64 bits');
  }

  fixed32(): number {
    if (this.end - this.pos < 4) throw new DamageError('a number is cut off');
    const b = this.bytes;
    const value =
      (b[this.pos] as number) +
      (b[this.pos + 1] as number) * 0x100 +
      (b[this.pos + 2] as number) * 0x10000 +
      (b[this.pos + 3] as number) * 0x1000000;
    this.pos += 4;
    return value;
  }

  /** Reads a length and gives where the field ends; the reader stands at its first byte. */
  delimited(): number {
    const length = this.varint();
    if (length > this.end - this.pos) throw new DamageError('a field is longer than what holds it');
    return this.pos + length;
  }

  raw(): Uint8Array {
    const end = this.delimited();
    const part = this.bytes.subarray(this.pos, end);
    this.pos = end;
    return part;
  }

  string(): string {
    return textOf(this.raw());
  }

  skip(wireType: number): void {
    if (wireType === 0) this.varint();
    else if (wireType === 2) this.pos = this.delimited();
    else if (wireType === 5) this.#advance(4);
    else if (wireType === 1) this.#advance(8);
    else throw new DamageError(`wire type ${wireType} is not used here`);
  }

  #advance(size: number): void {
    if (this.end - this.pos < size) throw new DamageError('a field is cut off');
    this.pos += size;
  }
}

/** Grows by doubling; `finish()` gives a copy of just what was written, `take()` lends the buffer without one. */
export class WireWriter {
  #buffer: Uint8Array;
  #at = 0;

  constructor(capacity = 256) {
    this.#buffer = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#at;
  }

  varint(value: number): void {
    this.#room(10);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#at++] = rest;
  }

  sint(value: number): void {
    this.#room(10);
    const odd = value < 0 ? 1 : 0;
    const magnitude = value < 0 ? -value - 1 : value;
    const low = ((magnitude % 64) << 1) | odd;
    const rest = Math.floor(magnitude / 64);
    if (rest === 0) {
      this.#buffer[this.#at++] = low;
    } else {
      this.#buffer[this.#at++] = low | 0x80;
      this.varint(rest);
    }
  }

  bigint(value: bigint): void {
    this.#room(10);
    let rest = BigInt.asUintN(64, value);
    while (rest >= 0x80n) {
      this.#buffer[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#at++] = Number(rest);
  }

  fixed32(value: number): void {
    this.#room(4);
    for (let shift = 0; shift < 32; shift += 8) this.#buffer[this.#at++] = (value >>> shift) & 0xff;
  }

  /** The bytes as they are, without a length. */
  append(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  delimited(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.append(bytes);
  }

  string(value: string): void {
    this.delimited(utf8Encoder.encode(value));
  }

  tag(field: number, wireType: number): void {
    this.varint(field * 8 + wireType);
  }

  reset(): void {
    this.#at = 0;
  }

  finish(): Uint8Array {
    return this.#buffer.slice(0, this.#at);
  }

  #room(size: number): void {
    if (this.#at + size <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(this.#buffer.length * 2, this.#at + size));
    grown.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = grown;
  }
}
