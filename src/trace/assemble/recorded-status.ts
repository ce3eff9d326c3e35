/** What a recording says of itself from time to time: the last Status holds, with the intervals of all. */
import { SourceKind } from '../model/kinds.js';
import { type TraceStatus } from '../model/trace.js';
import { type Status } from '../recording/messages.js';
import { EffectiveIntervals } from './effective-intervals.js';

export class RecordedStatus {
  readonly #intervals = new EffectiveIntervals();
  #last: TraceStatus | undefined;

  take(status: Status): void {
    this.#intervals.add(status.sources);
    this.#last = {
      samples: status.samples,
      dropped: status.dropped,
      captureNs: status.captureNs,
      drainNs: status.drainNs,
      processCpuNs: status.cpuNs,
      memoryBytes: status.memoryBytes,
      effectiveIntervalNs: status.effectiveIntervalNs,
      costs: status.costs,
      ...(status.sources.length > 0 && { sources: [], tickNs: status.tickNs }),
      ...((status.stoppedNs > 0 || status.tellsStops) && { stoppedNs: status.stoppedNs }),
    };
  }

  /** Medians are of all so far: made here, as making them at each Status would cost the square of their number. */
  get last(): TraceStatus | undefined {
    if (this.#last?.sources === undefined) return this.#last;
    return { ...this.#last, sources: this.#intervals.medians() };
  }
}

/** The longest time between two samples that is in force. */
export function longestIntervalNs({ effectiveIntervalNs, sources }: Status): number {
  let longest = effectiveIntervalNs;
  for (const { kind, effectiveNs } of sources)
    if (kind === SourceKind.CpuTime || kind === SourceKind.ExternalSampler)
      longest = Math.max(longest, effectiveNs);
  return longest;
}
