import { numberOf, valueOrNaN } from '../assemble/number-gate.js';
const two32 = 4294967296;

/** Reads what follows a Fuchsia record's header, word by word: texts by reference or in place, and arguments. */
export class FuchsiaArguments {
  at = 0;
  /** The argument at hand. */
  name = '';
  value = 0;
  isNumber = false;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #bytes: Uint8Array = new Uint8Array(0);
  #to = 0;
  #texts: ReadonlyMap<number, string> = new Map();
  readonly #decoder = new TextDecoder();

  open(bytes: Uint8Array, from: number, to: number, texts: ReadonlyMap<number, string>): this {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = from;
    this.#to = to;
    this.#texts = texts;
    return this;
  }

  /** A word as an unsigned number; beyond 2^53 the nearest double. */
  number(): number {
    if (this.at + 8 > this.#to) return 0;
    const value = this.#view.getUint32(this.at + 4, true) * two32 + this.#view.getUint32(this.at, true);
    this.at += 8;
    return value;
  }

  /** The text of a reference: one told before, or with the upper bit its length in place, in whole words. */
  text(reference: number): string {
    if (reference === 0) return '';
    if ((reference & 0x8000) === 0) return this.#texts.get(reference) ?? '';
    const length = Math.min(reference & 0x7fff, this.#to - this.at);
    const text = this.decode(this.#bytes, this.at, this.at + length);
    this.at += Math.ceil(length / 8) * 8;
    return text;
  }

  /** The next argument; false when the record holds no more. */
  next(): boolean {
    const begin = this.at;
    if (begin + 8 > this.#to) return false;
    const head = this.#view.getUint32(begin, true);
    const upper = this.#view.getInt32(begin + 4, true);
    const type = head & 15;
    const end = begin + ((head >>> 4) & 0xfff) * 8;
    if (end <= begin || end > this.#to) return false;
    this.at += 8;
    this.name = this.text(head >>> 16);
    const wide = this.at + 8 <= end;
    this.isNumber = type >= 1 && type <= 8 && type !== 6;
    this.value =
      type === 1
        ? upper
        : type === 2
          ? upper >>> 0
          : !wide
            ? 0
            : type === 3
              ? numberOf(this.#view.getBigInt64(this.at, true))
              : type === 5
                ? valueOrNaN(this.#view.getFloat64(this.at, true))
                : numberOf(this.#view.getBigUint64(this.at, true));
    this.at = end;
    return true;
  }

  decode(bytes: Uint8Array, from: number, to: number): string {
    return this.#decoder.decode(bytes.subarray(from, to));
  }
}
