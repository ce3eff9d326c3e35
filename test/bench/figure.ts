/** How every bench of ours says a figure: a line each. */

export const isQuick = process.argv.includes('--quick');

/** At least, or at most. */
export type Target = readonly ['>=' | '<=', number];

/** A figure with a target is `ok` or `short`; undefined is that of a peer that ran out of memory. */
export function say(name: string, value: number | undefined, unit: string, target?: Target): void {
  const figure =
    value === undefined ? 'peer-oom' : Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
  const mark = isQuick ? ' quick' : '';
  if (target === undefined || value === undefined) {
    console.log(`bench ${name} ${figure} ${unit} -${mark}`);
    return;
  }
  const [sign, limit] = target;
  const isMet = sign === '>=' ? value >= limit : value <= limit;
  console.log(`bench ${name} ${figure} ${unit} target ${sign}${limit} ${isMet ? 'ok' : 'short'}${mark}`);
}
