import { valueOrNaN } from '../assemble/number-gate.js';
import { textOf } from '../recording/text.js';

/**
 * Reads the fields of one protobuf message without making objects: `next` moves to a field and leaves its value in the
 * reader. A message that does not hold together ends early, and `broken` says so.
 */
const two32 = 4294967296;

export class ProtobufReader {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  field = 0;
  wireType = 0;
  /** A varint or fixed value: low and high 32 bits, unsigned. */
  low = 0;
  high = 0;
  /** A length-delimited value: bytes[from, to). */
  from = 0;
  to = 0;
  broken = false;

  open(bytes: Uint8Array, from: number, to: number): this {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
    this.broken = false;
    return this;
  }

  next(): boolean {
    const { bytes, end } = this;
    let at = this.at;
    if (at >= end) return false;
    // Most tags, values and lengths are one or two bytes: they are read here, the rest by `varint`.
    let tag = bytes[at++] as number;
    if (tag >= 0x80) {
      const second = at < end ? (bytes[at++] as number) : 0x80;
      if (second >= 0x80) return this.#longTag();
      tag = (tag & 0x7f) | (second << 7);
    }
    this.field = tag >>> 3;
    const wireType = (this.wireType = tag & 7);
    if (wireType === 0 || wireType === 2) {
      if (at >= end) return this.#fail();
      let value = bytes[at++] as number;
      if (value >= 0x80) {
        const second = at < end ? (bytes[at++] as number) : 0x80;
        if (second < 0x80) value = (value & 0x7f) | (second << 7);
        else {
          this.at = at - 2;
          if (!this.varint()) return this.#fail();
          return wireType === 0 || this.#span(this.unsigned);
        }
      }
      this.at = at;
      if (wireType === 2) return this.#span(value);
      this.low = value;
      this.high = 0;
      return true;
    }
    this.at = at;
    return wireType === 1 ? this.#fixed(8) : wireType === 5 ? this.#fixed(4) : this.#fail();
  }

  /** Encloses the `length` bytes that follow. */
  #span(length: number): boolean {
    const from = this.at;
    if (length > this.end - from) return this.#fail();
    this.from = from;
    this.at = this.to = from + length;
    return true;
  }

  /** A field number above 2047. */
  #longTag(): boolean {
    if (!this.varint() || this.high !== 0) return this.#fail();
    this.field = this.low >>> 3;
    this.wireType = this.low & 7;
    if (this.wireType === 0) return this.varint() || this.#fail();
    if (this.wireType === 2) return this.varint() ? this.#span(this.unsigned) : this.#fail();
    return this.wireType === 1 ? this.#fixed(8) : this.wireType === 5 ? this.#fixed(4) : this.#fail();
  }

  /** The value as an unsigned number; beyond 2^53 the nearest double. */
  get unsigned(): number {
    return this.high * two32 + this.low;
  }

  /** The value as an int64, int32 or bool. */
  get signed(): number {
    return (this.high | 0) * two32 + this.low;
  }

  /** An id of 64 bits, exactly: a number as far as those go. */
  get id(): number | bigint {
    return this.high < 0x200000 ? this.unsigned : this.big;
  }

  get big(): bigint {
    return (BigInt(this.high) << 32n) | BigInt(this.low);
  }

  /** The varint at `at`, into low and high. For packed columns, and the reader's own use. */
  varint(): boolean {
    const { bytes, end } = this;
    let at = this.at;
    let low = 0;
    let shift = 0;
    for (; shift < 28; shift += 7) {
      if (at >= end) return false;
      const byte = bytes[at++] ?? 0;
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.low = low;
        this.high = 0;
        this.at = at;
        return true;
      }
    }
    if (at >= end) return false;
    let byte = bytes[at++] ?? 0;
    low = (low | ((byte & 0x0f) << 28)) >>> 0;
    let high = (byte & 0x7f) >>> 4;
    for (shift = 3; byte >= 0x80; shift += 7) {
      if (at >= end || shift > 31) return false;
      byte = bytes[at++] ?? 0;
      high |= (byte & 0x7f) << shift;
    }
    this.low = low;
    this.high = high >>> 0;
    this.at = at;
    return true;
  }

  /** The text of a length-delimited field. */
  text(): string {
    return textOf(this.bytes.subarray(this.from, this.to));
  }

  /** The value of a float field. */
  get float(): number {
    floats.setUint32(0, this.low, true);
    return valueOrNaN(floats.getFloat32(0, true));
  }

  /** The value of a double field. */
  get double(): number {
    floats.setUint32(0, this.low, true);
    floats.setUint32(4, this.high, true);
    return floats.getFloat64(0, true);
  }

  #fixed(length: number): boolean {
    if (length > this.end - this.at) return this.#fail();
    this.low = this.#word(this.at);
    this.high = length === 8 ? this.#word(this.at + 4) : 0;
    this.at += length;
    return true;
  }

  #word(at: number): number {
    const { bytes } = this;
    return (
      ((bytes[at] ?? 0) |
        ((bytes[at + 1] ?? 0) << 8) |
        ((bytes[at + 2] ?? 0) << 16) |
        ((bytes[at + 3] ?? 0) << 24)) >>>
      0
    );
  }

  #fail(): false {
    this.broken = true;
    this.at = this.end;
    return false;
  }
}

const floats = new DataView(new ArrayBuffer(8));
