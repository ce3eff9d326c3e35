import { grown, nextCapacity } from '../assemble/grow.js';

/** A column of numbers that grows. */
export class Numbers {
  count = 0;
  values = new Float64Array(0);

  push(value: number): void {
    if (this.count === this.values.length) {
      this.values = grown(this.values, nextCapacity(this.count, this.count + 1));
    }
    this.values[this.count++] = value;
  }
}
