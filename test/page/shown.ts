/** What the page shows of the engine's figures: the weights as its list has them, methods by their short names. */
import { formatBytes, formatCount, formatNs } from '../../src/trace/measure/quantities.js';
import type { Weight } from '../../src/trace/measure/weights.js';
import type { Trace } from '../../src/trace/model/trace.js';

export interface ShownWeight {
  readonly weight: Weight;
  readonly name: string;
  readonly format: (value: number) => string;
}

export const shownWeights: readonly ShownWeight[] = [
  { weight: 'wall', name: 'Wall time', format: formatNs },
  { weight: 'cpu', name: 'CPU time', format: formatNs },
  { weight: 'wait', name: 'Wait time', format: formatNs },
  { weight: 'allocations', name: 'Allocations', format: formatCount },
  { weight: 'allocatedBytes', name: 'Allocated bytes', format: formatBytes },
  { weight: 'faults', name: 'Page faults', format: formatCount },
  { weight: 'switches', name: 'Context switches', format: formatCount },
];

/** "Class.method". */
export function shortName({ methods }: Trace, method: number): string {
  const className = methods.className(method);
  const name = methods.name(method);
  return className === '' ? name : `${className.slice(className.lastIndexOf('.') + 1)}.${name}`;
}
