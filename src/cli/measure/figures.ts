/** What is told of all launches of one program. */
import { errorOfMean, meanOf } from '../../trace/compare/student.js';
import { formatBytes, formatNs } from '../../trace/measure/quantities.js';
import type { RunFigures } from '../../trace/measure/run-figures.js';
import { plainText } from '../plain-text.js';
import { table, type Terminal } from '../terminal.js';
import { l10n } from '../l10n.js';

export interface Spread {
  readonly mean: number;
  /** The true mean is within ± this in 19 of 20 cases. */
  readonly noise: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [below, above] = [sorted[Math.floor(middle)] ?? 0, sorted[Math.ceil(middle)] ?? 0];
  return {
    mean: meanOf(values),
    noise: errorOfMean(values),
    median: (below + above) / 2,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
  };
}

/** `screenNs`: until the first frame of a start of this kind that was not recorded, as Android says. */
export interface LaunchFigures extends RunFigures {
  readonly screenNs: number | null;
}

/** The names are said when they are printed. */
const rows = (): readonly (readonly [
  name: string,
  key: keyof LaunchFigures,
  format: (value: number) => string,
])[] => [
  [l10n.t('first frame, unrecorded'), 'screenNs', formatNs],
  [l10n.t('length'), 'lengthNs', formatNs],
  [l10n.t('CPU time'), 'cpuNs', formatNs],
  [l10n.t('CPU time of the main thread'), 'mainCpuNs', formatNs],
  [l10n.t('waits of the main thread'), 'mainWaitNs', formatNs],
  [l10n.t('allocated'), 'allocatedBytes', formatBytes],
];

/** By figure; one that was not recorded in all launches is left out. */
export function spreadsOf(launches: readonly LaunchFigures[]): Partial<Record<keyof LaunchFigures, Spread>> {
  return Object.fromEntries(
    rows().flatMap(([, key]) => {
      const values = launches.map((one) => one[key]).filter((value) => value !== null);
      return launches.length > 0 && values.length === launches.length ? [[key, spreadOf(values)]] : [];
    }),
  );
}

export function printFigures(title: string, launches: readonly LaunchFigures[], terminal: Terminal): void {
  const spreads = spreadsOf(launches);
  const lines = rows().flatMap(([name, key, format]) => {
    const one = spreads[key];
    // Every run has a length.
    if (one === undefined) return key === 'lengthNs' ? [[name, l10n.t('not known')]] : [];
    const { mean, noise, median, min, max } = one;
    return [[name, format(mean), `± ${format(noise)}`, ...[median, min, max].map(format)]];
  });
  terminal.print(
    launches.length === 1
      ? l10n.t('{0}: 1 launch', plainText(title))
      : l10n.t('{0}: {1} launches', plainText(title), launches.length),
  );
  const [head = '', ...others] = table(
    [['', l10n.t('MEAN'), '', l10n.t('MEDIAN'), l10n.t('MIN'), l10n.t('MAX')], ...lines],
    [false, true, true, true, true, true],
    terminal.width,
  );
  terminal.print(terminal.bold(head));
  for (const line of others) terminal.print(line);
}
