/** Whether a figure has more CPU than wall time, which a person will ask about: one rule for report and page. */

/** More than clocks that are read one after the other differ by: docs/MEASURES.md, "Weights", says how it comes to be. */
const clockSlack = 1.02;
const leastNs = 1e5;

export function exceedsWall(cpuNs: number, wallNs: number): boolean {
  return cpuNs > wallNs * clockSlack && cpuNs - wallNs > leastNs;
}
