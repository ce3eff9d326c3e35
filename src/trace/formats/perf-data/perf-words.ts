import { textOf } from '../../recording/text.js';

/** Numbers and texts of a perf.data file, which are little-endian. What lies beyond the bytes is 0 or empty. */
export class PerfWords {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(at: number): number {
    return this.bytes[at] ?? 0;
  }

  u16(at: number): number {
    return at >= 0 && at + 2 <= this.bytes.length ? this.#view.getUint16(at, true) : 0;
  }

  u32(at: number): number {
    return at >= 0 && at + 4 <= this.bytes.length ? this.#view.getUint32(at, true) : 0;
  }

  i32(at: number): number {
    return this.u32(at) | 0;
  }

  /** Exact up to 2^53. */
  u64(at: number): number {
    return this.u32(at + 4) * 2 ** 32 + this.u32(at);
  }

  /** Addresses of the kernel come out below 0, so that they are exact as well. */
  i64(at: number): number {
    return this.i32(at + 4) * 2 ** 32 + this.u32(at);
  }

  slice(at: number, to: number): Uint8Array {
    return this.bytes.slice(at, Math.max(at, to));
  }

  /** Up to the first zero, or up to `to`. */
  text(at: number, to: number): string {
    const end = Math.min(to, this.bytes.length);
    if (at >= end) return '';
    const zero = this.bytes.indexOf(0, at);
    return textOf(this.bytes.subarray(at, zero < 0 || zero > end ? end : zero));
  }
}
