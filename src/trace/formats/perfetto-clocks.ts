import { numberOf, wholeOr0 } from '../assemble/number-gate.js';
import { Clock } from './perfetto-fields.js';

const two32 = 4294967296;

/** A clock of one sequence, as its last snapshot set it. */
export interface SequenceClock {
  readonly incremental: boolean;
  readonly unitNs: number;
  /** What the clock read in the snapshot. */
  readonly readLow: number;
  readonly readHigh: number;
  /** That moment, in ns after the trace's zero; with `incremental` it moves with each packet. */
  nowNs: number;
}

export interface ClockReading {
  readonly id: number;
  readonly value: bigint;
  readonly incremental: boolean;
  readonly unitNs: number;
}

/**
 * All times of a Perfetto trace, brought to one clock and counted from a zero near its first event, so that they are
 * exact in a double. A builtin clock is off from the trace's clock by what the last snapshot with both says.
 */
export class PerfettoClocks {
  /** The clock that times are brought to, 0 until the first is known. */
  #target = 0;
  #zeroLow = 0;
  #zeroHigh = 0;
  #zeroSet = false;
  /** ns to add to a builtin clock to get the target. */
  readonly #offsets = new Map<number, number>();
  /** Builtin clocks used without a snapshot that ties them to the target. */
  readonly untied = new Set<number>();

  get target(): number {
    return this.#target;
  }

  /** Nanoseconds on `clock` at the trace's zero, or 0 where that is not known. */
  zeroOn(clock: number): bigint {
    if (!this.#zeroSet) return 0n;
    const zero = (wholeOr0(this.#zeroHigh) << 32n) | wholeOr0(this.#zeroLow);
    if (clock === this.#target) return zero;
    const offset = this.#offsets.get(clock);
    return offset === undefined ? 0n : zero - wholeOr0(offset);
  }

  /** `primary` is the clock the trace names as its own, 0 if it does not. */
  snapshot(readings: readonly ClockReading[], primary: number, own: Map<number, SequenceClock>): void {
    if (this.#target === 0) {
      const builtin = readings.filter((reading) => reading.id < Clock.firstOfSequence);
      const wish = primary === 0 ? Clock.boottime : primary;
      this.#target = (builtin.find((reading) => reading.id === wish) ?? builtin[0])?.id ?? 0;
    }
    const target = readings.find((reading) => reading.id === this.#target);
    if (target !== undefined) {
      for (const { id, value, unitNs } of readings) {
        if (id < Clock.firstOfSequence && id !== this.#target) {
          this.#offsets.set(id, numberOf(target.value - value * wholeOr0(unitNs)));
        }
      }
    }
    const tie = target ?? readings.find((reading) => this.#offsets.has(reading.id));
    for (const reading of readings) {
      if (reading.id < Clock.firstOfSequence) continue;
      const tied = tie ?? reading;
      own.set(reading.id, {
        incremental: reading.incremental,
        unitNs: reading.unitNs,
        readLow: numberOf(reading.value & 0xffffffffn),
        readHigh: numberOf(reading.value >> 32n),
        nowNs: this.builtin(tied.id, numberOf(tied.value & 0xffffffffn), numberOf(tied.value >> 32n)),
      });
    }
  }

  /** A reading of a builtin clock in ns after the zero. */
  builtin(clock: number, low: number, high: number): number {
    // Beyond 63 bits it is no time, and none that others could be counted from.
    if (high >= 2 ** 31) return NaN;
    if (!this.#zeroSet) {
      if (this.#target === 0) this.#target = clock;
      this.#zeroLow = low;
      this.#zeroHigh = high;
      this.#zeroSet = true;
      // The zero is counted on the target.
      const offset = clock === this.#target ? 0 : (this.#offsets.get(clock) ?? 0);
      if (offset !== 0) {
        const zero = ((wholeOr0(high) << 32n) | wholeOr0(low)) + wholeOr0(offset);
        this.#zeroLow = numberOf(zero & 0xffffffffn);
        this.#zeroHigh = numberOf(zero >> 32n);
      }
    }
    const sinceZero = (high - this.#zeroHigh) * two32 + (low - this.#zeroLow);
    if (clock === this.#target) return sinceZero;
    const offset = this.#offsets.get(clock);
    if (offset === undefined) {
      this.untied.add(clock);
      return sinceZero;
    }
    return sinceZero + offset;
  }

  /** A packet's timestamp on a clock of its sequence, in ns after the zero. */
  ofSequence(clock: SequenceClock, low: number, high: number): number {
    if (clock.incremental) return (clock.nowNs += (high * two32 + low) * clock.unitNs);
    return clock.nowNs + ((high - clock.readHigh) * two32 + (low - clock.readLow)) * clock.unitNs;
  }
}
