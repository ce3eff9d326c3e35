/** What recording cost the program, and from where on that is said loudly: one rule for report, page and progress. */
import type { Trace, TraceStatus } from '../model/trace.js';
import { threadTimes } from './thread-times.js';

/** Above this share the cost may bend what the recording shows. */
const loudShare = 0.02;

export interface RecordingCost {
  readonly ofCpu: number;
  /**
   * Of the CPU time and of the time that threads were seen to wait, which is what the budget holds for: a wait costs CPU time to
   * show although it used none. The same as `ofCpu` where no wait is known of.
   */
  readonly ofWorkAndWaits: number;
  readonly isLoud: boolean;
}

/** What all threads were seen to wait in the whole recording: the cost is of all of it, whatever part is looked at. */
export function waitTime({ threads }: Pick<Trace, 'threads'>): number {
  return threads.reduce((sum, { intervals }) => sum + threadTimes(intervals).waitNs, 0);
}

/** `waitNs`: of all threads in the whole recording; 0 while it is not known. Undefined where the agent did not tell. */
export function recordingCost(
  { captureNs, drainNs, processCpuNs }: Pick<TraceStatus, 'captureNs' | 'drainNs' | 'processCpuNs'>,
  waitNs: number,
): RecordingCost | undefined {
  if (processCpuNs <= 0) return undefined;
  const spentNs = captureNs + drainNs;
  const ofWorkAndWaits = spentNs / (processCpuNs + waitNs);
  return { ofCpu: spentNs / processCpuNs, ofWorkAndWaits, isLoud: ofWorkAndWaits > loudShare };
}
