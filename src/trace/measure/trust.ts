/** How far a recording can be trusted, in figures: one rule for report and page, which only find the words. */
import { HookState, LossReason, SourceKind } from '../model/kinds.js';
import type { Hook, Loss, SourceInterval, TraceInfo, TraceStatus } from '../model/trace.js';
import type { Sums } from './sums.js';

/** An interval that is this much wider than asked was not kept. */
const widened = 1.05;
/** From this on what is told of a program changes: a method's share by half as many samples is half as sure. */
const loudlyWidened = 2;
/** Above this share of the time, gaps may bend what the recording shows. */
const loudGaps = 0.1;

export interface Sampling extends SourceInterval {
  readonly isWidened: boolean;
  /** It was, and what is shown changes with it. */
  readonly isLoud: boolean;
  /** The kernel's clock ticks no oftener; the budget has no part in it. */
  readonly isByTick: boolean;
}

/**
 * Of each way in which samples come, where an interval is known; what shares of time rest upon is first. Waits are told where they
 * were held to less than was asked for. Empty where every call was traced.
 */
export function samplingOf(
  { exact, syncIntervalNs }: Pick<TraceInfo, 'exact' | 'syncIntervalNs'>,
  status: Pick<TraceStatus, 'effectiveIntervalNs' | 'sources' | 'tickNs'> | undefined,
): readonly Sampling[] {
  if (exact) return [];
  const sources = status?.sources ?? [];
  const { CpuTime, Points, Waits, ExternalSampler } = SourceKind;
  if (sources.length === 0) {
    // An older agent tells of points alone, and what holds at the end.
    const effective = status?.effectiveIntervalNs ?? 0;
    const effectiveNs = effective > 0 ? effective : syncIntervalNs;
    if (effectiveNs <= 0) return [];
    const isWidened = syncIntervalNs > 0 && effectiveNs > syncIntervalNs * widened;
    return [
      {
        kind: Points,
        askedNs: syncIntervalNs,
        effectiveNs: effectiveNs,
        isWidened,
        isLoud: isWidened,
        isByTick: false,
      },
    ];
  }
  const leading = sources.some(({ kind }) => kind === CpuTime) ? CpuTime : Points;
  const order = [CpuTime, Points, Waits, ExternalSampler] as number[];
  return sources
    .filter(({ effectiveNs: effectiveNs }) => effectiveNs > 0)
    .map((source) => {
      const { kind, askedNs, effectiveNs: effectiveNs } = source;
      // Where nothing at all was to lie between two captures, any interval is the budget's.
      const isWidened = effectiveNs > askedNs * widened && (askedNs > 0 || effectiveNs > 1e6);
      const matters = kind === leading || kind === Waits;
      const isByTick = kind === CpuTime && isWidened && effectiveNs === status?.tickNs;
      return {
        ...source,
        isWidened,
        isLoud: isWidened && matters && effectiveNs > askedNs * loudlyWidened,
        isByTick,
      };
    })
    .filter(({ kind, isWidened }) => isWidened || kind === CpuTime || kind === Points)
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** Where threads shall be interrupted oftener than the kernel's clock ticks: what was asked for, and the tick. */
export function boundByTick(
  status: Pick<TraceStatus, 'sources' | 'tickNs'>,
): { readonly askedNs: number; readonly tickNs: number } | undefined {
  const asked = status.sources?.find(({ kind }) => kind === SourceKind.CpuTime);
  const tickNs = status.tickNs ?? 0;
  return asked && asked.askedNs < tickNs ? { askedNs: asked.askedNs, tickNs } : undefined;
}

export interface Lost {
  readonly total: number;
  /** LossReason → how many. */
  readonly byReason: ReadonlyMap<number, number>;
  /** Of the total: the agent counted them and did not come to tell why. */
  readonly unexplained: number;
}

/** Without what was asked for: a ring overwrites, a budget leaves out. */
export function lostOf(losses: readonly Loss[], status: Pick<TraceStatus, 'dropped'> | undefined): Lost {
  const byReason = new Map<number, number>();
  let explained = 0;
  for (const { reason, count } of losses) {
    if (reason === LossReason.Overwritten || reason === LossReason.Budget) continue;
    byReason.set(reason, (byReason.get(reason) ?? 0) + count);
    explained += count;
  }
  const total = Math.max(explained, status?.dropped ?? 0);
  return { total, byReason, unexplained: total - explained };
}

export interface GapShare {
  readonly gapNs: number;
  readonly ofTime: number;
  readonly isLoud: boolean;
}

/** Undefined where every call was traced, and where there is no time. */
export function gapShare(
  { exact }: Pick<TraceInfo, 'exact'>,
  { sum, gap }: { readonly sum: Pick<Sums['sum'], 'wall'>; readonly gap: Pick<Sums['gap'], 'wall'> },
): GapShare | undefined {
  if (exact || sum.wall <= 0) return undefined;
  const ofTime = gap.wall / sum.wall;
  return { gapNs: gap.wall, ofTime, isLoud: ofTime > loudGaps };
}

export function failedHooks(hooks: readonly Hook[]): Hook[] {
  return hooks.filter(({ state }) => state === HookState.Missing || state === HookState.Failed);
}
