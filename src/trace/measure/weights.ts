/** What can be measured; docs/MEASURES.md defines each. */
export type IntervalWeight =
  | 'wall'
  | 'cpu'
  | 'wait'
  | 'allocations'
  | 'allocatedBytes'
  | 'faults'
  | 'switches';

/**
 * What the kernel's scheduler alone knows. `schedulerCpu`: time on a core; `coreWait`: ready and waiting for a core.
 * `heldBytes`: allocated in the scope, and not freed before the recording's end. `counted`: by how much the scope's counter
 * rose.
 */
export type Weight = IntervalWeight | 'schedulerCpu' | 'coreWait' | 'heldBytes' | 'counted';

export const weights: readonly IntervalWeight[] = [
  'wall',
  'cpu',
  'wait',
  'allocations',
  'allocatedBytes',
  'faults',
  'switches',
];

export const allWeights: readonly Weight[] = [...weights, 'schedulerCpu', 'coreWait', 'heldBytes', 'counted'];

/** Summed by a pass over times alone. Of the others, something was counted. */
export function isTime(weight: Weight): boolean {
  return weight === 'wall' || weight === 'cpu' || weight === 'wait';
}

/** One of something for each weight. */
export type ByWeight<T> = Readonly<Record<Weight, T>>;

export function byWeight<T>(make: (weight: Weight) => T): Record<Weight, T> {
  return {
    wall: make('wall'),
    cpu: make('cpu'),
    wait: make('wait'),
    allocations: make('allocations'),
    allocatedBytes: make('allocatedBytes'),
    faults: make('faults'),
    switches: make('switches'),
    schedulerCpu: make('schedulerCpu'),
    coreWait: make('coreWait'),
    heldBytes: make('heldBytes'),
    counted: make('counted'),
  };
}
