/** What is in a trace besides its calls. */
import {
  type CounterTrack,
  EndReason,
  type FilePart,
  HookState,
  MethodKind,
  type Methods,
  Mode,
  type PointSurvey,
  SampleKind,
  surveyedNs,
  type Trace,
  type TracePart,
  type TraceStatus,
  wholeTrace,
} from '../trace/index.js';
import { failedHooks, lostOf } from '../trace/measure/trust.js';
import { isCarrier, virtualThreadFigures } from '../trace/measure/virtual-threads.js';
import { recordedMapId } from '../symbols/r8/map-id.js';
import { wordOf } from './report/words.js';
import { plainText } from './plain-text.js';
import {
  formatBytes,
  formatCount,
  formatLength,
  formatNs,
  formatQuantity,
  formatShare,
} from '../trace/measure/quantities.js';
import { table, type Terminal } from './terminal.js';

const MOST_PROBLEMS = 20;
const MOST_COUNTERS = 8;

function whole(part: TracePart | FilePart): string {
  if ('fileShare' in part) return `the first ${formatShare(part.fileShare)} of the file`;
  return formatLength(part.recordingEndNs);
}

function began({ info }: Trace): string | undefined {
  if (info.startRealtimeNs <= 0n) return undefined;
  return new Date(Number(info.startRealtimeNs / 1_000_000n)).toISOString();
}

function sampleCount(trace: Trace): number {
  return trace.threads.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
}

export function infoJson(file: string, trace: Trace, points?: PointSurvey): unknown {
  const { info, hooks, problems, status } = trace;
  const { startMonotonicNs, startBoottimeNs, startRealtimeNs, ...rest } = info;
  return {
    file,
    ...rest,
    mode: wordOf(Mode, info.mode),
    // As text: they are beyond what JSON numbers hold exactly.
    startMonotonicNs: String(startMonotonicNs),
    startBoottimeNs: String(startBoottimeNs),
    startRealtimeNs: String(startRealtimeNs),
    began: began(trace),
    beginNs: trace.beginNs,
    endNs: trace.endNs,
    ...(trace.part &&
      ('fileShare' in trace.part
        ? { fileShare: trace.part.fileShare }
        : { recordingEndNs: trace.part.recordingEndNs })),
    complete: trace.complete,
    ...(trace.complete && { endReason: wordOf(EndReason, trace.endReason) }),
    threads: trace.threads.length,
    virtualThreads: virtualThreadFigures(trace, wholeTrace).all,
    samples: sampleCount(trace),
    methods: trace.methods.count,
    methodsWithoutName: nameless(trace.methods),
    methodsWithSourceHash: hashed(trace.methods),
    mapId: recordedMapId(trace.methods),
    virtualWaits: trace.virtualWaits?.count ?? 0,
    waits: trace.threads.reduce((sum, { blocks }) => sum + blocks.count, 0),
    links: trace.links.count,
    counters: trace.counters.map((counter) => ({
      name: counter.name,
      unit: counter.unit,
      values: counter.count,
      ...extremes(counter),
    })),
    hooks: hooks.map(({ name, state, why }) => ({ name, state: wordOf(HookState, state), why })),
    losses: Object.fromEntries(lostOf(trace.losses, status).byReason),
    ...(points && {
      points: points.points.map((point) => ({ ...point, kind: wordOf(SampleKind, point.kind) })),
      betweenPoints: {
        cpuNs: points.cpuNs,
        within: surveyedNs.map((ns, at) => ({ ns, cpuNs: points.withinNs[at] })),
      },
    }),
    status,
    problems,
  };
}

function extremes({ count, value }: CounterTrack): { least: number; most: number } {
  let least = Infinity;
  let most = -Infinity;
  for (let row = 0; row < count; row++) {
    least = Math.min(least, value[row] as number);
    most = Math.max(most, value[row] as number);
  }
  return { least, most };
}

/** At points: 0 is at each of them. From outside: 0 is never. Other tools' traces have neither. */
function describeIntervals({ exact, format, syncIntervalNs, asyncIntervalNs }: Trace['info']): string {
  if (exact) return 'every call';
  const atPoints = format === 'btrace' ? 'every point' : '';
  return [
    syncIntervalNs > 0 ? `${formatNs(syncIntervalNs)} at points` : atPoints,
    asyncIntervalNs > 0 ? `${formatNs(asyncIntervalNs)} from outside` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** Without what nobody measured, as in a recording of a made-up program. */
function describeCost({ captureNs, processCpuNs, drainNs }: TraceStatus): string {
  if (captureNs <= 0) return '';
  const of = processCpuNs > 0 ? ` of ${formatNs(processCpuNs)} CPU time` : '';
  return `${formatNs(captureNs)}${of}${drainNs > 0 ? `, sending ${formatNs(drainNs)}` : ''}`;
}

/** How far each counter of the process went down and up. */
export function describeCounters({ counters }: Trace): string {
  const known = counters.filter(({ count }) => count > 0);
  const texts = known.slice(0, MOST_COUNTERS).map((counter) => {
    const { least, most } = extremes(counter);
    const [from, to] = [formatQuantity(least, counter.unit), formatQuantity(most, counter.unit)];
    return `${plainText(counter.name)} ${from === to ? from : `${from} to ${to}`}`;
  });
  if (known.length > MOST_COUNTERS) texts.push(`and ${known.length - MOST_COUNTERS} more`);
  return texts.join(', ');
}

/** Empty where none was seen. */
function describeVirtualThreads(trace: Trace): string {
  const carriers = trace.threads.filter(isCarrier).length;
  if (carriers === 0) return '';
  const waits = trace.virtualWaits?.count ?? 0;
  const seen = `${formatCount(virtualThreadFigures(trace, wholeTrace).all)} seen, on ${formatCount(carriers)} carriers`;
  return waits > 0 ? `${seen}, ${formatCount(waits)} waits off them` : seen;
}

/** How many there are, how many of them came without a name, and of how many the source's hash is known. */
export function describeMethods(methods: Methods): string {
  const without = nameless(methods);
  const withHash = hashed(methods);
  return (
    formatCount(methods.count) +
    (without > 0 ? `, ${formatCount(without)} without a name` : '') +
    (withHash > 0 ? `, ${formatCount(withHash)} with a hash of their source` : '')
  );
}

function hashed(methods: Methods): number {
  let count = 0;
  for (let method = 0; method < methods.count; method++)
    if ((methods.sourceHash?.(method).length ?? 0) > 0) count++;
  return count;
}

function nameless(methods: Methods): number {
  let count = 0;
  for (let method = 0; method < methods.count; method++)
    if (methods.kind(method) === MethodKind.Unresolved) count++;
  return count;
}

/** A line for each point, and one for what they see together. */
export function describePoints(survey: PointSurvey): string[] {
  const { points, spanNs, cpuNs, withinNs } = survey;
  if (points.length === 0) return ['none: all samples came by the clock'];
  const seconds = spanNs / 1e9;
  const lines = points.map(({ kind, captures, threads }) => {
    const rate = seconds > 0 ? `${formatCount(Math.round(captures / seconds))} a second, ` : '';
    const on = threads === 1 ? 'one thread' : `${formatCount(threads)} threads`;
    return `${wordOf(SampleKind, kind)}: ${formatCount(captures)} captured, ${rate}on ${on}`;
  });
  if (cpuNs > 0) {
    const shares = surveyedNs.map(
      (ns, at) => `${formatShare((withinNs[at] as number) / cpuNs)} in stretches of at most ${formatNs(ns)}`,
    );
    lines.push(`between them, of ${formatNs(cpuNs)} CPU time: ${shares.join(', ')}`);
  }
  return lines;
}

export function printInfo(file: string, trace: Trace, terminal: Terminal, points?: PointSurvey): void {
  const { info, status, hooks, problems } = trace;
  const ended = trace.complete
    ? wordOf(EndReason, trace.endReason)
    : 'no end: cut off, or still being written';
  const rows: [string, string][] = [
    ['file', file],
    ['format', info.format],
    ['target', `${plainText(info.targetName)}${info.pid > 0 ? ` (process ${info.pid})` : ''}`],
    ['runtime', [info.runtime, info.os, info.arch, info.device].map(plainText).filter(Boolean).join(', ')],
    ['began', began(trace) ?? ''],
    ['length', formatLength(trace.endNs - trace.beginNs)],
    ['of', trace.part ? `${whole(trace.part)}: what is beyond does not fit into memory, see --memory` : ''],
    ['ended', ended],
    ['how', `${wordOf(Mode, info.mode)}${info.modeReason ? `: ${plainText(info.modeReason)}` : ''}`],
    ['agent', info.agentVersion],
    ['build', plainText(info.buildId)],
    ['R8 mapping', plainText(recordedMapId(trace.methods))],
    ['intervals', describeIntervals(info)],
    ['threads', formatCount(trace.threads.length)],
    ['virtual threads', describeVirtualThreads(trace)],
    ['samples', formatCount(sampleCount(trace))],
    ['methods', describeMethods(trace.methods)],
    ['links', formatCount(trace.links.count)],
    ['counters', describeCounters(trace)],
  ];
  if (status) {
    rows.push(
      ['agent held', status.memoryBytes > 0 ? formatBytes(status.memoryBytes) : ''],
      ['capturing', describeCost(status)],
    );
    for (const { kind, count, totalNs } of status.costs) {
      if (count > 0)
        rows.push(['', `${wordOf(SampleKind, kind)}: ${formatCount(count)} at ${formatNs(totalNs / count)}`]);
    }
  }
  if (points) describePoints(points).forEach((line, at) => rows.push([at === 0 ? 'points' : '', line]));
  for (const line of table(
    rows.filter(([, value]) => value !== ''),
    [false, false],
    terminal.width,
  ))
    terminal.print(line);
  const failed = failedHooks(hooks);
  for (const hook of hooks) {
    const { name, state, why } = hook;
    const line = `hook ${plainText(name)}: ${wordOf(HookState, state)}${why === '' ? '' : `, ${plainText(why)}`}`;
    terminal.print(failed.includes(hook) ? terminal.warn(line) : line);
  }
  for (const { offset, what } of problems.slice(0, MOST_PROBLEMS)) {
    const where = offset === undefined ? 'damage' : `damage at byte ${offset}`;
    terminal.print(terminal.warn(`${where}: ${plainText(what)}`));
  }
  if (problems.length > MOST_PROBLEMS) terminal.print(`… and ${problems.length - MOST_PROBLEMS} more`);
}
