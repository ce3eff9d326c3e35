/** What can be measured; docs/MEASURES.md defines each. */
export type Weight = 'wall' | 'cpu' | 'blocked' | 'allocations' | 'allocatedBytes' | 'faults' | 'switches';

export const weights: readonly Weight[] = [
  'wall',
  'cpu',
  'blocked',
  'allocations',
  'allocatedBytes',
  'faults',
  'switches',
];

/** Of the others, something was counted. */
export function isTime(weight: Weight): boolean {
  return weight === 'wall' || weight === 'cpu' || weight === 'blocked';
}

/** One of something for each weight. */
export type ByWeight<T> = Readonly<Record<Weight, T>>;

export function byWeight<T>(make: (weight: Weight) => T): Record<Weight, T> {
  return {
    wall: make('wall'),
    cpu: make('cpu'),
    blocked: make('blocked'),
    allocations: make('allocations'),
    allocatedBytes: make('allocatedBytes'),
    faults: make('faults'),
    switches: make('switches'),
  };
}
