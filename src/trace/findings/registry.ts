/** The rules that findings come from. docs/EXTENDING.md says how to add one. */
import type { Scope } from '../measure/scope.js';
import type { Trace } from '../model/trace.js';
import { classLoading } from './class-loading.js';
import { collections } from './collections.js';
import { compilation } from './compilation.js';
import { FindingContext } from './context.js';
import { database } from './database.js';
import { deadlock } from './deadlock.js';
import type { Finding, FindingRule, FindingText, Severity } from './finding.js';
import { handOvers } from './hand-overs.js';
import { hotMethod } from './hot-method.js';
import { layoutAndDrawing } from './layout-and-drawing.js';
import { lockContention } from './lock-contention.js';
import { mainThreadWait } from './main-thread-wait.js';
import { manyMessages } from './many-messages.js';
import { manyThreads } from './many-threads.js';
import { noCore } from './no-core.js';
import { pageFaults } from './page-faults.js';
import { regression } from './regression.js';
import { serialStart } from './serial-start.js';
import { unsampledCpuTime } from './unsampled-cpu-time.js';

export const findingRules: readonly FindingRule[] = [
  deadlock,
  regression,
  lockContention,
  database,
  mainThreadWait,
  pageFaults,
  collections,
  noCore,
  classLoading,
  layoutAndDrawing,
  hotMethod,
  manyThreads,
  handOvers,
  manyMessages,
  compilation,
  serialStart,
  unsampledCpuTime,
];

/** The English text of each key. */
export const findingTexts: Readonly<Record<string, string>> = Object.fromEntries(
  findingRules.flatMap(({ texts }) => Object.entries(texts)),
);

const severities: readonly Severity[] = ['error', 'warning', 'note'];

export interface FindingOptions {
  /** Whose time is judged. Absent: all threads, all of the time. */
  readonly scope?: Scope;
  /** An earlier recording of the same program. */
  readonly baseline?: Trace;
}

/** What all rules find, the most severe first, then those that cost the most time. */
export function findingsIn(trace: Trace, { scope, baseline }: FindingOptions = {}): Finding[] {
  const context = new FindingContext(trace, scope, baseline);
  // Shares of no time are none.
  if (!(context.lengthNs > 0)) return [];
  return findingRules
    .flatMap((rule) => rule.find(context))
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || rankOf(b) - rankOf(a));
}

const rankOf = ({ rank, shareOfTime }: Finding): number => rank ?? shareOfTime ?? 0;

/** The text in English, or in the words of `translations`. */
export function findingText(
  { key, values }: FindingText,
  translations: Readonly<Record<string, string>> = {},
): string {
  const template = (Object.hasOwn(translations, key) ? translations[key] : findingTexts[key]) ?? key;
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
