/** How far a recording can be trusted, in figures: one rule for report and page, which only find the words. */
import { HookState, LossReason } from '../model/kinds.js';
import type { Hook, Loss, TraceInfo, TraceStatus } from '../model/trace.js';
import type { Sums } from './sums.js';

/** An interval that is this much wider than asked was widened to stay within the budget. */
const widened = 1.05;
/** Above this share of the time, gaps may bend what the recording shows. */
const loudGaps = 0.1;

export interface Sampling {
  /** At the end, as far as it is known. */
  readonly everyNs: number;
  readonly askedNs: number;
  readonly isWidened: boolean;
}

/** Undefined where every call was traced, and where no interval is known. */
export function samplingOf(
  { exact, syncIntervalNs }: Pick<TraceInfo, 'exact' | 'syncIntervalNs'>,
  status: Pick<TraceStatus, 'effectiveIntervalNs'> | undefined,
): Sampling | undefined {
  const effective = status?.effectiveIntervalNs ?? 0;
  const everyNs = effective > 0 ? effective : syncIntervalNs;
  if (exact || everyNs <= 0) return undefined;
  const isWidened = syncIntervalNs > 0 && everyNs > syncIntervalNs * widened;
  return { everyNs, askedNs: syncIntervalNs, isWidened };
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
