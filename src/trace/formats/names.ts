import { grown } from '../assemble/grow.js';
import { textOf } from '../recording/text.js';

/**
 * Names as bytes, each once. An event names its method by a stretch of the file; looking it up makes no string.
 * A string is made when somebody asks for the name, and kept.
 *
 * Memory: the bytes of each distinct name + 12 bytes a name + 4 bytes a table slot. Look-up: one pass over the name.
 */
const maxNameBytes = 1 << 20;

export class NameTable {
  #bytes = new Uint8Array(1 << 16);
  #used = 0;
  #starts = new Uint32Array(1 << 10);
  #hashes = new Int32Array(1 << 10);
  /** Open addressing; 0 is an empty slot, else id + 1. At most half full. */
  #slots = new Int32Array(1 << 11);
  #count = 0;
  readonly #texts: (string | undefined)[] = [];
  readonly #encoder = new TextEncoder();

  get count(): number {
    return this.#count;
  }

  /** With the strings, in case that all are asked for. */
  get memoryBytes(): number {
    return 3 * this.#used + 32 * this.#count;
  }

  /** Id of the name in bytes[from, to), from 0. A name is cut at 1 MiB. */
  intern(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > maxNameBytes) to = from + maxNameBytes;
    let hash = 0x811c9dc5 | 0;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    // FNV's low bits alone spread badly over a power of two.
    hash ^= hash >>> 15;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const id = (slots[slot] ?? 0) - 1;
      if (id < 0) break;
      if (this.#hashes[id] === hash && this.#equals(id, bytes, from, to)) return id;
      slot = (slot + 1) & mask;
    }
    return this.#add(bytes, from, to, hash, slot);
  }

  internText(text: string): number {
    const bytes = this.#encoder.encode(text);
    return this.intern(bytes, 0, bytes.length);
  }

  text(id: number): string {
    const known = this.#texts[id];
    if (known !== undefined) return known;
    if (id < 0 || id >= this.#count) return '';
    const text = textOf(this.#bytes.subarray(this.#starts[id] ?? 0, this.#endOf(id)));
    this.#texts[id] = text;
    return text;
  }

  /** As a view; empty where there is no such name. */
  bytes(id: number): Uint8Array {
    if (id < 0 || id >= this.#count) return new Uint8Array(0);
    return this.#bytes.subarray(this.#starts[id] ?? 0, this.#endOf(id));
  }

  #endOf(id: number): number {
    return id + 1 < this.#count ? (this.#starts[id + 1] ?? 0) : this.#used;
  }

  #equals(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[id] ?? 0;
    const length = to - from;
    if (this.#endOf(id) - start !== length) return false;
    const own = this.#bytes;
    for (let i = 0; i < length; i++) if (own[start + i] !== bytes[from + i]) return false;
    return true;
  }

  #add(bytes: Uint8Array, from: number, to: number, hash: number, slot: number): number {
    const length = to - from;
    const needed = this.#used + length;
    if (needed > this.#bytes.length)
      this.#bytes = grown(this.#bytes, Math.max(this.#bytes.length * 2, needed));
    const id = this.#count;
    if (id === this.#starts.length) {
      this.#starts = grown(this.#starts, id * 2);
      this.#hashes = grown(this.#hashes, id * 2);
    }
    this.#bytes.set(bytes.subarray(from, to), this.#used);
    this.#starts[id] = this.#used;
    this.#hashes[id] = hash;
    this.#used += length;
    this.#count++;
    this.#slots[slot] = id + 1;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#count; id++) {
      let slot = (this.#hashes[id] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}
