/** Of each way in which samples come, what was asked and the median of what was kept: each Status tells what holds then. */
import { SourceKind } from '../model/kinds.js';
import type { SourceInterval } from '../model/trace.js';
import type { Status } from '../recording/messages.js';

/** Some hours of them; what comes later does not move a median much. */
const mostKept = 1 << 14;
const known = new Set<number>(Object.values(SourceKind));

export class EffectiveIntervals {
  readonly #sources = new Map<number, { askedNs: number; readonly effectiveNs: number[] }>();

  add(sources: Status['sources']): void {
    for (const { kind, askedNs, effectiveNs } of sources) {
      if (!known.has(kind)) continue;
      const found = this.#sources.get(kind) ?? { askedNs, effectiveNs: [] };
      this.#sources.set(kind, found);
      found.askedNs = askedNs;
      if (found.effectiveNs.length < mostKept) found.effectiveNs.push(effectiveNs);
    }
  }

  medians(): SourceInterval[] {
    return [...this.#sources]
      .map(([kind, { askedNs, effectiveNs }]) => ({ kind, askedNs, effectiveNs: median(effectiveNs) }))
      .sort((a, b) => a.kind - b.kind);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
