/**
 * A part of a file that is read at places all over it: by pages, of which the last few are kept, so that of a part of any size a few
 * MB are in memory. Reading is synchronous and meant for a worker. What lies beyond the end reads as damage.
 */
export class DwarfDamage extends Error {}

/** Fewer bytes than asked for where the file ends. */
export type ReadSync = (at: number, length: number) => Buffer;

const pageBytes = 1 << 16;
const mostPages = 128;
/** A text that is longer is cut: of a damaged part each may reach to its end. */
const mostTextBytes = 4096;

export class Section {
  readonly size: number;
  readonly #read: ReadSync;
  readonly #at: number;
  readonly #isInMemory: boolean;
  readonly #pages = new Map<number, Buffer>();

  constructor(read: ReadSync, at: number, size: number, isInMemory = false) {
    this.#read = read;
    this.#at = at;
    this.size = size;
    this.#isInMemory = isInMemory;
  }

  static of(bytes: Buffer): Section {
    return new Section((at, length) => bytes.subarray(at, at + length), 0, bytes.length, true);
  }

  /** What it may take in memory. */
  get mostBytes(): number {
    return this.#isInMemory ? this.size : Math.min(this.size, mostPages * pageBytes);
  }

  /** A part of it, as a section of its own. */
  part(at: number, size: number): Section {
    if (!(at >= 0 && size >= 0 && at + size <= this.size)) throw new DwarfDamage('it ends too early');
    return new Section(this.#read, this.#at + at, size, this.#isInMemory);
  }

  slice(at: number, length: number): Buffer {
    if (!(at >= 0 && length >= 0 && at + length <= this.size)) throw new DwarfDamage('it ends too early');
    const page = Math.floor(at / pageBytes);
    const begin = at - page * pageBytes;
    if (begin + length <= pageBytes) {
      const bytes = this.#page(page).subarray(begin, begin + length);
      if (bytes.length === length) return bytes;
      throw new DwarfDamage('it ends too early');
    }
    const bytes = this.#read(this.#at + at, length);
    if (bytes.length < length) throw new DwarfDamage('it ends too early');
    return bytes;
  }

  /** Up to a zero. */
  text(at: number): string {
    const bytes = this.slice(at, Math.min(mostTextBytes, Math.max(this.size - at, 0)));
    const end = bytes.indexOf(0);
    return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
  }

  #page(page: number): Buffer {
    const known = this.#pages.get(page);
    if (known !== undefined) {
      // The newest comes last: the first one is the one to let go.
      this.#pages.delete(page);
      this.#pages.set(page, known);
      return known;
    }
    const at = page * pageBytes;
    const bytes = this.#read(this.#at + at, Math.min(pageBytes, this.size - at));
    this.#pages.set(page, bytes);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > mostPages && oldest !== undefined) this.#pages.delete(oldest);
    return bytes;
  }
}

/** Reads one piece from front to back. */
export class Cursor {
  at: number;
  readonly end: number;
  readonly bytes: Buffer;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  #take(bytes: number): number {
    const { at } = this;
    if (!(bytes >= 0 && at + bytes <= this.end)) throw new DwarfDamage('it ends too early');
    this.at = at + bytes;
    return at;
  }

  skip(bytes: number): void {
    this.#take(bytes);
  }
  u8(): number {
    return this.bytes[this.#take(1)] as number;
  }
  i8(): number {
    return this.bytes.readInt8(this.#take(1));
  }
  u16(): number {
    return this.bytes.readUInt16LE(this.#take(2));
  }
  u24(): number {
    return this.bytes.readUIntLE(this.#take(3), 3);
  }
  u32(): number {
    return this.bytes.readUInt32LE(this.#take(4));
  }
  /** Exact below 2^53: no file has offsets or addresses beyond that which mean anything here. */
  u64(): number {
    const at = this.#take(8);
    return this.bytes.readUInt32LE(at) + this.bytes.readUInt32LE(at + 4) * 2 ** 32;
  }
  /** An offset of the 32-bit or the 64-bit format. */
  offset(is64: boolean): number {
    return is64 ? this.u64() : this.u32();
  }
  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
      if (scale > 2 ** 70) throw new DwarfDamage('a number has no end');
    }
  }
  signed(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) return (byte & 0x40) === 0 ? value : value - scale;
      if (scale > 2 ** 70) throw new DwarfDamage('a number has no end');
    }
  }
  text(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0 || end >= this.end) throw new DwarfDamage('a text has no end');
    const text = this.bytes.toString('utf8', this.at, Math.min(end, this.at + mostTextBytes));
    this.at = end + 1;
    return text;
  }
  skipText(): void {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0 || end >= this.end) throw new DwarfDamage('a text has no end');
    this.at = end + 1;
  }
}
