import { grown } from '../../assemble/grow.js';

/**
 * Chains of numbers, each distinct one once: what all calls of a stack have in common is held once. A parent's number is
 * smaller than those of its children; 0 is the empty chain.
 *
 * Costs 12 bytes a link and 8 to 16 of hash.
 */
export class Chains {
  count = 1;
  parent = new Int32Array(64);
  value = new Float64Array(64);
  /** Links by hash; 0 is an empty place. At most half full. */
  #places = new Int32Array(1 << 11);

  get memoryBytes(): number {
    return 12 * this.parent.length + 4 * this.#places.length;
  }

  child(parent: number, value: number): number {
    const mask = this.#places.length - 1;
    let place = hash(parent, value) & mask;
    for (;;) {
      const link = this.#places[place] ?? 0;
      if (link === 0) break;
      if (this.parent[link] === parent && this.value[link] === value) return link;
      place = (place + 1) & mask;
    }
    if (this.count === this.parent.length) {
      this.parent = grown(this.parent, this.count * 2);
      this.value = grown(this.value, this.count * 2);
    }
    const link = this.count++;
    this.parent[link] = parent;
    this.value[link] = value;
    this.#places[place] = link;
    if (this.count * 2 > this.#places.length) this.#rehash();
    return link;
  }

  #rehash(): void {
    const places = new Int32Array(this.#places.length * 2);
    const mask = places.length - 1;
    for (let link = 1; link < this.count; link++) {
      let place = hash(this.parent[link] ?? 0, this.value[link] ?? 0) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = link;
    }
    this.#places = places;
  }
}

function hash(parent: number, value: number): number {
  let mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(value | 0, 0x85ebca6b);
  mixed ^= Math.imul((value / 2 ** 32) | 0, 0xc2b2ae35);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
