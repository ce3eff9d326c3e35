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
  SourceKind,
  surveyedNs,
  type Trace,
  type TracePart,
  type TraceStatus,
  wholeTrace,
} from '../trace/index.js';
import { captureTimes } from '../trace/measure/capture-times.js';
import { failedHooks, lostOf } from '../trace/measure/trust.js';
import { isCarrier, virtualThreadFigures } from '../trace/measure/virtual-threads.js';
import { recordedMapId } from '../symbols/r8/map-id.js';
import { schedulingTrust } from './report/scheduling.js';
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
import { l10n } from './l10n.js';

const mostProblems = 20;
const mostCounters = 8;

function whole(part: TracePart | FilePart): string {
  if ('fileShare' in part) return l10n.t('the first {0} of the file', formatShare(part.fileShare));
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
    virtualWaits: trace.offCarrierWaits?.count ?? 0,
    waits: trace.threads.reduce((sum, { waits }) => sum + waits.count, 0),
    links: trace.links.count,
    ...(trace.system && {
      system: {
        source: trace.system.source,
        isOfProgram: trace.system.isOfProgram,
        clock: trace.system.clock,
        offsetNs: trace.system.offsetNs,
        errorNs: trace.system.errorNs,
        marks: trace.system.marks,
        lost: trace.system.lost,
        cores: trace.system.cores,
        switches: trace.system.switches.count,
        wakes: trace.system.wakes.count,
        readerNs: trace.system.readerNs,
      },
    }),
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

/** At points: 0 is at each of them. Of the external sampler: 0 is never. Other tools' traces have neither. */
function describeIntervals({ exact, format, syncIntervalNs, asyncIntervalNs }: Trace['info']): string {
  if (exact) return l10n.t('every call');
  const atPoints = format === 'btrace' ? l10n.t('every point') : '';
  return [
    syncIntervalNs > 0 ? l10n.t('{0} at points', formatNs(syncIntervalNs)) : atPoints,
    asyncIntervalNs > 0 ? l10n.t('{0} by the external sampler', formatNs(asyncIntervalNs)) : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** Without what nobody measured, as in a recording of a made-up program. */
function describeCost({ captureNs, processCpuNs, drainNs }: TraceStatus): string {
  if (captureNs <= 0) return '';
  const of = processCpuNs > 0 ? l10n.t(' of {0} CPU time', formatNs(processCpuNs)) : '';
  return `${formatNs(captureNs)}${of}${drainNs > 0 ? l10n.t(', sending {0}', formatNs(drainNs)) : ''}`;
}

/** What the kernel's scheduler told, and how far its clock is from the recording's. */
function describeSystem(trace: Trace): string {
  const { system } = trace;
  if (system === undefined) return '';
  const switches = l10n.t('{0} switches', formatCount(system.switches.count));
  const wakes = system.isOfProgram ? '' : l10n.t(' and {0} wake-ups', formatCount(system.wakes.count));
  const events = l10n.t('{0}{1} by {2}', switches, wakes, plainText(system.source));
  const cost = system.readerNs > 0 ? [l10n.t('reading them took {0}', formatNs(system.readerNs))] : [];
  return [events, ...schedulingTrust(trace), ...cost].join(', ');
}

/** How far each counter of the process went down and up. */
export function describeCounters({ counters }: Trace): string {
  const known = counters.filter(({ count }) => count > 0);
  const texts = known.slice(0, mostCounters).map((counter) => {
    const { least, most } = extremes(counter);
    const [from, to] = [formatQuantity(least, counter.unit), formatQuantity(most, counter.unit)];
    return `${plainText(counter.name)} ${from === to ? from : l10n.t('{0} to {1}', from, to)}`;
  });
  if (known.length > mostCounters) texts.push(l10n.t('and {0} more', known.length - mostCounters));
  return texts.join(', ');
}

/** Empty where none was seen. */
function describeVirtualThreads(trace: Trace): string {
  const carriers = trace.threads.filter(isCarrier).length;
  if (carriers === 0) return '';
  const waits = trace.offCarrierWaits?.count ?? 0;
  const seen = l10n.t(
    '{0} seen, on {1} carriers',
    formatCount(virtualThreadFigures(trace, wholeTrace).all),
    formatCount(carriers),
  );
  return waits > 0 ? l10n.t('{0}, {1} waits off them', seen, formatCount(waits)) : seen;
}

/** How many there are, how many of them came without a name, and of how many the source's hash is known. */
export function describeMethods(methods: Methods): string {
  const without = nameless(methods);
  const withHash = hashed(methods);
  return (
    formatCount(methods.count) +
    (without > 0 ? l10n.t(', {0} without a name', formatCount(without)) : '') +
    (withHash > 0 ? l10n.t(', {0} with a hash of their source', formatCount(withHash)) : '')
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
  if (points.length === 0) return [l10n.t('none: all samples came by the clock')];
  const seconds = spanNs / 1e9;
  const lines = points.map(({ kind, captures, threads }) => {
    const rate = seconds > 0 ? l10n.t('{0} a second, ', formatCount(Math.round(captures / seconds))) : '';
    const on = threads === 1 ? l10n.t('one thread') : l10n.t('{0} threads', formatCount(threads));
    return l10n.t('{0}: {1} captured, {2}on {3}', wordOf(SampleKind, kind), formatCount(captures), rate, on);
  });
  if (cpuNs > 0) {
    const shares = surveyedNs.map((ns, at) =>
      l10n.t('{0} in stretches of at most {1}', formatShare((withinNs[at] as number) / cpuNs), formatNs(ns)),
    );
    lines.push(l10n.t('between them, of {0} CPU time: {1}', formatNs(cpuNs), shares.join(', ')));
  }
  return lines;
}

export function printInfo(file: string, trace: Trace, terminal: Terminal, points?: PointSurvey): void {
  const { info, status, hooks, problems } = trace;
  const ended = trace.complete
    ? wordOf(EndReason, trace.endReason)
    : l10n.t('no end: cut off, or still being written');
  const rows: [string, string][] = [
    [l10n.t('file'), file],
    [l10n.t('format'), info.format],
    [
      l10n.t('target'),
      `${plainText(info.targetName)}${info.pid > 0 ? l10n.t(' (process {0})', info.pid) : ''}`,
    ],
    [
      l10n.t('runtime'),
      [info.runtime, info.os, info.arch, info.device].map(plainText).filter(Boolean).join(', '),
    ],
    [l10n.t('began'), began(trace) ?? ''],
    [l10n.t('length'), formatLength(trace.endNs - trace.beginNs)],
    [
      l10n.t('of'),
      trace.part
        ? l10n.t('{0}: what is beyond does not fit into memory, see --memory', whole(trace.part))
        : '',
    ],
    [l10n.t('ended'), ended],
    [l10n.t('how'), `${wordOf(Mode, info.mode)}${info.modeReason ? `: ${plainText(info.modeReason)}` : ''}`],
    [l10n.t('agent'), info.agentVersion],
    [l10n.t('build'), plainText(info.buildId)],
    [l10n.t('R8 mapping'), plainText(recordedMapId(trace.methods))],
    [l10n.t('intervals'), describeIntervals(info)],
    [l10n.t('threads'), formatCount(trace.threads.length)],
    [l10n.t('virtual threads'), describeVirtualThreads(trace)],
    [l10n.t('samples'), formatCount(sampleCount(trace))],
    [l10n.t('methods'), describeMethods(trace.methods)],
    [l10n.t('links'), formatCount(trace.links.count)],
    [l10n.t('counters'), describeCounters(trace)],
    [l10n.t('system'), describeSystem(trace)],
  ];
  if (status) {
    rows.push(
      [l10n.t('agent held'), status.memoryBytes > 0 ? formatBytes(status.memoryBytes) : ''],
      [l10n.t('capturing'), describeCost(status)],
    );
    for (const one of status.costs) {
      const { kind, count, totalNs } = one;
      const times = captureTimes([one]);
      const below =
        times && [50, 93, 99].map((percent) => `${percent} % < ${formatNs(times.below(percent))}`);
      if (count > 0)
        rows.push([
          '',
          [
            l10n.t(
              '{0}: {1} at {2}',
              wordOf(SampleKind, kind),
              formatCount(count),
              formatNs(totalNs / count),
            ),
            ...(below ?? []),
          ].join(', '),
        ]);
    }
    for (const { kind, askedNs, effectiveNs } of status.sources ?? [])
      rows.push([
        '',
        l10n.t(
          '{0}: {1} asked for, {2} kept (median)',
          wordOf(SourceKind, kind),
          formatNs(askedNs),
          formatNs(effectiveNs),
        ),
      ]);
    if (status.stoppedNs !== undefined)
      rows.push([
        l10n.t('all threads stopped'),
        l10n.t('{0} at the start and the end together', formatNs(status.stoppedNs)),
      ]);
    if ((status.tickNs ?? 0) > 0) rows.push([l10n.t('kernel’s tick'), formatNs(status.tickNs ?? 0)]);
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
    const line = l10n.t(
      'hook {0}: {1}{2}',
      plainText(name),
      wordOf(HookState, state),
      why === '' ? '' : `, ${plainText(why)}`,
    );
    terminal.print(failed.includes(hook) ? terminal.warn(line) : line);
  }
  for (const { offset, what } of problems.slice(0, mostProblems)) {
    const where = offset === undefined ? l10n.t('damage') : l10n.t('damage at byte {0}', offset);
    terminal.print(terminal.warn(`${where}: ${plainText(what)}`));
  }
  if (problems.length > mostProblems)
    terminal.print(l10n.t('… and {0} more', problems.length - mostProblems));
}
