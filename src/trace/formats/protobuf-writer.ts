import { grown } from '../assemble/grow.js';

/**
 * Writes protobuf fields into one growing buffer. Nested messages are written in place: one byte is left for the length,
 * and the rare message of 128 bytes or more is moved up.
 */
const two32 = 4294967296;

export class ProtobufWriter {
  #bytes: Uint8Array;
  #at = 0;
  readonly #open: number[] = [];
  readonly #encoder = new TextEncoder();

  constructor(capacity = 1 << 16) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#at;
  }

  /** What was written, as a copy, and the writer is empty again. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#at);
    this.#at = 0;
    return taken;
  }

  begin(field: number): void {
    this.#reserve(16);
    this.#tag(field, 2);
    this.#open.push(this.#at);
    this.#at++;
  }

  end(): void {
    const lengthAt = this.#open.pop();
    if (lengthAt === undefined) throw new Error('a message is closed that was never begun');
    const length = this.#at - lengthAt - 1;
    if (length < 0x80) {
      this.#bytes[lengthAt] = length;
      return;
    }
    let extra = 0;
    for (let rest = length >>> 7; rest > 0; rest >>>= 7) extra++;
    this.#reserve(extra);
    this.#bytes.copyWithin(lengthAt + 1 + extra, lengthAt + 1, this.#at);
    this.#at = lengthAt;
    this.#varint(length);
    this.#at = lengthAt + 1 + extra + length;
  }

  /** An integer field: up to ±2^53 exactly, negative ones as ten bytes of two's complement. */
  integer(field: number, value: number): void {
    this.#reserve(24);
    this.#tag(field, 0);
    if (value < 0) this.#big(BigInt.asUintN(64, BigInt(value)));
    else this.#varint(value);
  }

  big(field: number, value: bigint): void {
    this.#reserve(24);
    this.#tag(field, 0);
    this.#big(BigInt.asUintN(64, value));
  }

  fixed64(field: number, value: number): void {
    this.#reserve(24);
    this.#tag(field, 1);
    this.#word(value % two32);
    this.#word(Math.floor(value / two32));
  }

  double(field: number, value: number): void {
    this.#reserve(24);
    this.#tag(field, 1);
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  text(field: number, value: string): void {
    // A UTF-16 unit is at most three bytes of UTF-8.
    this.#reserve(value.length * 3 + 16);
    this.#tag(field, 2);
    const { written } = this.#encoder.encodeInto(value, this.#bytes.subarray(this.#at + 5));
    const textAt = this.#at + 5;
    this.#varint(written);
    this.#bytes.copyWithin(this.#at, textAt, textAt + written);
    this.#at += written;
  }

  /** Integers from 0 on in one field. */
  packed(field: number, values: readonly number[]): void {
    this.begin(field);
    this.#reserve(10 * values.length);
    for (const value of values) this.#varint(value);
    this.end();
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(value.length + 16);
    this.#tag(field, 2);
    this.#varint(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (value >= 0x80) {
      // Within 32 bits the shift is exact and quick; beyond, division is.
      bytes[at++] = (value & 0x7f) | 0x80;
      value = value < two32 / 2 ? value >>> 7 : Math.floor(value / 128);
    }
    bytes[at++] = value;
    this.#at = at;
  }

  #big(value: bigint): void {
    while (value >= 0x80n) {
      this.#bytes[this.#at++] = Number(value & 0x7fn) | 0x80;
      value >>= 7n;
    }
    this.#bytes[this.#at++] = Number(value);
  }

  #word(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.#bytes[this.#at++] = (value >>> shift) & 0xff;
  }

  #reserve(more: number): void {
    const needed = this.#at + more;
    if (needed > this.#bytes.length)
      this.#bytes = grown(this.#bytes, Math.max(this.#bytes.length * 2, needed));
  }
}
