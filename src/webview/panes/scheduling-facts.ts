/** What the kernel's scheduler did in a stretch of a thread, as rows of the details. */
import { formatCount, formatNs } from '../../trace/measure/quantities.js';
import type { StretchScheduling } from '../../trace/measure/scheduling.js';
import { plainText } from '../names.js';
import { text } from '../texts.js';

/** The scheduler's events must cover so much of a stretch before its CPU time is told by them. */
const coveredShare = 0.99;
const mostWakers = 3;

function isCovered(of: StretchScheduling | undefined, wallNs: number): of is StretchScheduling {
  return of !== undefined && of.coveredNs >= wallNs * coveredShare;
}

/** Exact times, from switches and not from samples. */
export function schedulingFacts(of: StretchScheduling | undefined, wallNs: number): [string, string][] {
  if (!isCovered(of, wallNs)) return [];
  const wakers = of.wakers
    .slice(0, mostWakers)
    .map(({ name, count }) => text('details.times', { name: plainText(name), count: formatCount(count) }));
  const ns = (value: number): string => (value > 0 ? formatNs(value) : '');
  return [
    [text('details.cores'), coreList(of)],
    [text('details.frequency'), of.meanKHz > 0 ? text('details.ghz', { ghz: ghz(of.meanKHz) }) : ''],
    [text('details.asleep'), ns(of.sleepingNs)],
    [text('details.deviceWait'), ns(of.uninterruptibleNs)],
    [text('details.wakers'), wakers.join(', ')],
  ];
}

const mostCores = 4;

/** "2 (9.00 ms), 0 (1.00 ms)": the cores that it ran on. */
function coreList({ cores }: StretchScheduling): string {
  const named = cores
    .slice(0, mostCores)
    .map(({ core, ns }) => text('details.onCore', { core: String(core), time: formatNs(ns) }));
  return cores.length > mostCores ? `${named.join(', ')} …` : named.join(', ');
}

const ghz = (kHz: number): string => (kHz / 1e6).toFixed(2);

/** How long the thread ran within a wait, and was ready before it got a core. A call has both among its figures. */
export function waitSchedulingFacts(of: StretchScheduling | undefined, wallNs: number): [string, string][] {
  const facts: [string, string][] = [];
  if (of !== undefined && of.runnableNs > 0) facts.push([text('weight.coreWait'), formatNs(of.runnableNs)]);
  if (isCovered(of, wallNs)) facts.push([text('details.schedulerCpu'), formatNs(of.runningNs)]);
  return [...facts, ...schedulingFacts(of, wallNs)];
}
