/** Weights in words and figures. */
import { formatBytes, formatCount, formatNs } from '../trace/measure/quantities.js';
import { text } from './texts.js';
import type { Snapshot, Weight } from './worker/messages.js';

export function formatWeight(weight: Weight, value: number): string {
  switch (weight) {
    case 'wall':
    case 'cpu':
    case 'wait':
    case 'schedulerCpu':
    case 'coreWait':
      return formatNs(value);
    case 'allocatedBytes':
    case 'heldBytes':
      return formatBytes(value);
    default:
      return formatCount(value);
  }
}

export function weightName(weight: Weight): string {
  return text(`weight.${weight}`);
}

/** Weights that this recording has anything to say of. */
export function knownWeights(snapshot: Snapshot | undefined): Weight[] {
  if (snapshot === undefined) return ['wall'];
  const { info } = snapshot;
  const known: Weight[] = ['wall'];
  if (info.hasCpu) known.push('cpu');
  if (snapshot.threads.some((thread) => thread.waits.count > 0)) known.push('wait');
  // Of exact calls the CPU time is the scheduler's already.
  if (snapshot.hasScheduling && !info.exact) known.push('schedulerCpu');
  if (snapshot.hasScheduling) known.push('coreWait');
  if (info.hasAllocationCounts) known.push('allocations');
  if (info.hasAllocations) known.push('allocatedBytes');
  if (snapshot.hasHeldMemory) known.push('heldBytes');
  if (info.hasFaults) known.push('faults');
  if (info.hasSwitches) known.push('switches');
  return known;
}

/** The share of a whole, also where there is none. */
export function shareOf(value: number, sum: number): number {
  return sum > 0 ? value / sum : 0;
}
