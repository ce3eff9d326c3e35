import { valueOrNaN } from '../../assemble/number-gate.js';
import { textOf } from '../../recording/text.js';

const two32 = 4294967296;
/** How a text is written. */
const Encoding = { none: 0, empty: 1, inPool: 2, utf8: 3, characters: 4, latin1: 5 } as const;

/**
 * Reads the primitive values of one JFR chunk without making objects. Whole numbers are varints of up to nine bytes, or
 * big-endian where the chunk says that its numbers are not compressed. A read beyond the end gives 0, and `isBroken` says so.
 */
export class JfrValues {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  #broken = false;
  isCompressed = true;
  /** The number just read: low and high 32 bits, unsigned. */
  low = 0;
  high = 0;

  /** A method, as its answer changes with each read. */
  isBroken(): boolean {
    return this.#broken;
  }

  open(bytes: Uint8Array, from: number, to: number): void {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
    this.#broken = false;
  }

  skip(bytes: number): void {
    if (bytes > this.end - this.at) this.#fail();
    else this.at += bytes;
  }

  byte(): number {
    if (this.at >= this.end) {
      this.#fail();
      return 0;
    }
    return this.bytes[this.at++] as number;
  }

  int(): number {
    this.#whole(4);
    return this.low | 0;
  }

  /** An int, or what stands for the length of an array or a text. */
  count(): number {
    this.#whole(4);
    return this.high === 0 ? this.low : Infinity;
  }

  /** Two bytes where numbers are not compressed. */
  short(): number {
    this.#whole(2);
    return this.low;
  }

  /** Beyond 2^53 the nearest double; `low` and `high` are exact. */
  long(): number {
    this.#whole(8);
    return (this.high | 0) * two32 + this.low;
  }

  /** An id of a constant: all that matters is that equal ids give equal numbers. */
  id(): number {
    this.#whole(8);
    return this.high * two32 + this.low;
  }

  float(): number {
    const from = this.at;
    this.skip(4);
    return this.#broken ? NaN : valueOrNaN(this.#view(from, 4).getFloat32(0));
  }

  double(): number {
    const from = this.at;
    this.skip(8);
    return this.#broken ? NaN : valueOrNaN(this.#view(from, 8).getFloat64(0));
  }

  /** A text that stands here; of one in the pool its id. */
  text(): string | number {
    const encoding = this.byte();
    switch (encoding) {
      case Encoding.none:
      case Encoding.empty:
        return '';
      case Encoding.inPool:
        return this.id();
      case Encoding.utf8:
      case Encoding.latin1: {
        const length = this.count();
        const from = this.at;
        this.skip(length);
        if (this.#broken) return '';
        const bytes = this.bytes.subarray(from, this.at);
        return encoding === Encoding.utf8 ? textOf(bytes) : Array.from(bytes, latin1).join('');
      }
      case Encoding.characters: {
        const length = this.count();
        const units: string[] = [];
        for (let at = 0; at < length && !this.#broken; at++) units.push(String.fromCharCode(this.short()));
        return this.#broken ? '' : units.join('');
      }
      default:
        this.#fail();
        return '';
    }
  }

  skipText(): void {
    const encoding = this.byte();
    if (encoding === Encoding.inPool) this.id();
    else if (encoding === Encoding.utf8 || encoding === Encoding.latin1) this.skip(this.count());
    else if (encoding === Encoding.characters) {
      const length = this.count();
      for (let at = 0; at < length && !this.#broken; at++) this.short();
    } else if (encoding > Encoding.latin1) this.#fail();
  }

  #whole(size: number): void {
    if (this.isCompressed) this.#varint();
    else this.#bigEndian(size);
  }

  #varint(): void {
    const { bytes, end } = this;
    let at = this.at;
    let low = 0;
    let high = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= end) {
        this.#fail();
        return;
      }
      const byte = bytes[at++] as number;
      // The ninth byte has eight bits of its own.
      const part = shift === 56 ? byte : byte & 0x7f;
      if (shift < 28) low |= part << shift;
      else if (shift === 28) {
        low |= part << 28;
        high = part >>> 4;
      } else high |= part << (shift - 32);
      if (byte < 0x80 || shift === 56) break;
    }
    this.at = at;
    this.low = low >>> 0;
    this.high = high >>> 0;
  }

  #bigEndian(size: number): void {
    const from = this.at;
    this.skip(size);
    this.low = this.high = 0;
    if (this.#broken) return;
    const view = this.#view(from, size);
    if (size === 2) this.low = view.getUint16(0);
    else if (size === 4) this.low = view.getUint32(0);
    else {
      this.high = view.getUint32(0);
      this.low = view.getUint32(4);
    }
  }

  #view(from: number, length: number): DataView {
    return new DataView(this.bytes.buffer, this.bytes.byteOffset + from, length);
  }

  #fail(): void {
    this.#broken = true;
    this.at = this.end;
    this.low = this.high = 0;
  }
}

const latin1 = (byte: number): string => String.fromCharCode(byte);
