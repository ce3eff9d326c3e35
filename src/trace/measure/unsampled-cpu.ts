/**
 * What the process computed where nothing is sampled: in the runtime's own threads, which compile and collect, in native ones, and in
 * those that have ended before they were seen.
 */
import { EndReason, LossReason } from '../model/kinds.js';
import type { Trace } from '../model/trace.js';

/** Less may be what threads did before their first sample and after their last. */
const leastNs = 100e6;
const leastShare = 0.1;
/** From here on what is shown is not where most of the time goes. */
const loudShare = 1 / 3;

export interface UnsampledCpu {
  readonly unsampledNs: number;
  readonly processNs: number;
  readonly isLoud: boolean;
}

/**
 * `sampledNs`: of all threads. Undefined where it is little, or cannot be told because only a part of the recording is here.
 */
export function unsampledCpu(
  { info, status, losses, part, endReason }: Pick<Trace, 'info' | 'status' | 'losses' | 'part' | 'endReason'>,
  sampledNs: number,
): UnsampledCpu | undefined {
  const isPart =
    part !== undefined ||
    endReason === EndReason.Dumped ||
    losses.some(({ reason }) => reason === LossReason.Overwritten);
  if (!info.hasCpu || status === undefined || status.processCpuNs <= 0 || isPart) return undefined;
  const processNs = status.processCpuNs - status.drainNs;
  const unsampledNs = processNs - sampledNs;
  if (unsampledNs < Math.max(leastNs, processNs * leastShare)) return undefined;
  return { unsampledNs, processNs, isLoud: unsampledNs > processNs * loudShare };
}
