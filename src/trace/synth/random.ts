/** Numbers that look random and are the same for the same seed (xorshift32 over a scrambled seed). */
export class Random {
  #state: number;

  constructor(seed: number) {
    let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
    h ^= h >>> 13;
    this.#state = Math.imul(h, 0xc2b2ae35) | 1;
  }

  /** In [0, 1). */
  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) / 0x100000000;
  }

  /** In [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }
}
