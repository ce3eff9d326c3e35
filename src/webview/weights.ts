/** Weights in words and figures. */
import { formatBytes, formatCount, formatNs } from '../trace/measure/quantities.js';
import { text } from './texts.js';
import type { Snapshot, Weight } from './worker/messages.js';

export function formatWeight(weight: Weight, value: number): string {
  switch (weight) {
    case 'wall':
    case 'cpu':
    case 'blocked':
      return formatNs(value);
    case 'allocatedBytes':
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
  if (snapshot.threads.some((thread) => thread.blocks.count > 0)) known.push('blocked');
  if (info.hasAllocationCounts) known.push('allocations');
  if (info.hasAllocations) known.push('allocatedBytes');
  if (info.hasFaults) known.push('faults');
  if (info.hasSwitches) known.push('switches');
  return known;
}

/** The share of a whole, also where there is none. */
export function shareOf(value: number, sum: number): number {
  return sum > 0 ? value / sum : 0;
}
