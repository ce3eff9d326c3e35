import { numberIn } from '../assemble/number-gate.js';

/** Events that come as time on a CPU goes by, as perf and simpleperf name them. */
const clocks =
  /^(?:cpu_core\/|cpu_atom\/)?(?:cpu-clock|task-clock|cpu-cycles|cycles|instructions|ref-cycles|bus-cycles)/;

export const countsCpuTime = (event: string): boolean => clocks.test(event);

/** Which of several events is shown: of those that tell of time on a CPU, else of all, the first. */
export function shownEvent(events: readonly string[]): number {
  return Math.max(0, events.findIndex(countsCpuTime));
}

/** What a person is told of the choice. `others`: events that were left out. */
export function whatIsShown(event: string, usualNs: number, others: readonly string[]): string {
  const ms = numberIn((usualNs / 1e6).toPrecision(3));
  const shown = `Samples of ${event}: each stands for the time before it, ${ms} ms as a rule`;
  return others.length === 0 ? shown : `${shown}. Left out: ${others.join(', ')}`;
}
