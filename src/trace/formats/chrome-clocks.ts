import { wholeIn, wholeOr0 } from '../assemble/number-gate.js';
import type { JsonReader } from './json-reader.js';

const members = ['startMonotonicNs', 'startBoottimeNs', 'startRealtimeNs'] as const;
type Member = (typeof members)[number];

/** What our own export notes beside its events: where the clocks stood when the recording began. */
export class ExportedClocks {
  readonly #starts: Record<Member, bigint> = {
    startMonotonicNs: 0n,
    startBoottimeNs: 0n,
    startRealtimeNs: 0n,
  };
  #member: Member | undefined;

  /** Whether the value of this member is to be read. */
  wants(key: string): boolean {
    this.#member = members.find((member) => member === key);
    return this.#member !== undefined;
  }

  read(reader: JsonReader): boolean {
    if (!reader.string()) return false;
    const text = reader.text();
    if (this.#member !== undefined) this.#starts[this.#member] = wholeIn(text);
    return true;
  }

  /** Where they stood so long after; 0 is not known. Without ours the file's µs are taken as the monotonic clock. */
  after(us: number): { monotonicNs: bigint; boottimeNs: bigint; realtimeNs: bigint } {
    const laterNs = wholeOr0(us) * 1000n;
    const moved = (start: bigint): bigint => (start > 0n ? start + laterNs : 0n);
    const { startMonotonicNs, startBoottimeNs, startRealtimeNs } = this.#starts;
    return {
      monotonicNs: moved(startMonotonicNs) || (laterNs > 0n ? laterNs : 0n),
      boottimeNs: moved(startBoottimeNs),
      realtimeNs: moved(startRealtimeNs),
    };
  }
}
