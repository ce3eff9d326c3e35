/** What the kernel's scheduler says, in a report and in `btrace info`. */
import {
  coreFigures,
  methodScheduling,
  type MethodTimes,
  type ThreadScheduling,
  threadScheduling,
  wakerName,
} from '../../trace/measure/scheduling.js';
import { formatCount, formatNs, formatShare } from '../../trace/measure/quantities.js';
import { type Scope, type Trace } from '../../trace/index.js';
import { plainText } from '../plain-text.js';
import { table, type Terminal } from '../terminal.js';
import { l10n } from '../l10n.js';

const mostThreads = 20;
const mostMethods = 10;
const mostWakers = 3;

/** How far to trust it: the clock, and what was lost. */
export function schedulingTrust({ system }: Trace): string[] {
  if (system === undefined) return [];
  const { lost, marks, offsetNs, errorNs, clock, cores, isOfProgram } = system;
  // Another tool's trace has one clock for all.
  if (clock === '') return [l10n.t('scheduler of {0} cores', formatCount(cores))];
  const measured =
    marks > 0
      ? l10n.t(
          'clock "{0}" measured with {1} marks: {2} off, ± {3}',
          plainText(clock),
          formatCount(marks),
          formatNs(Math.abs(offsetNs)),
          formatNs(errorNs),
        )
      : l10n.t('clock "{0}", not measured', plainText(clock));
  return [
    isOfProgram
      ? l10n.t(
          'switches of this program only, on the recording’s own clock: not who else ran or woke a thread, and a sleep lasts until the thread runs again',
        )
      : l10n.t('scheduler of {0} cores, {1}', formatCount(cores), measured),
    ...(lost > 0
      ? [l10n.t('{0} events of the scheduler lost: what threads did then is not known', formatCount(lost))]
      : []),
  ];
}

function threadLines(rows: readonly ThreadScheduling[], trace: Trace, { width }: Terminal): string[] {
  const isOfProgram = trace.system?.isOfProgram === true;
  const lines = rows.map((row) => [
    formatNs(row.runningNs),
    formatNs(row.runnableNs),
    formatNs(row.longestRunnableNs),
    formatNs(row.sleepingNs),
    isOfProgram ? '–' : formatNs(row.uninterruptibleNs),
    formatCount(row.runs),
    plainText(row.thread.name) || String(row.thread.tid),
    row.wakers
      .slice(0, mostWakers)
      .map(({ tid, count }) => `${plainText(wakerName(trace, tid))} ×${formatCount(count)}`)
      .join(', ') || '–',
  ]);
  return table(
    [
      [
        l10n.t('RAN'),
        l10n.t('NO CORE'),
        l10n.t('LONGEST'),
        l10n.t('SLEPT'),
        l10n.t('UNINTERR.'),
        l10n.t('RUNS'),
        l10n.t('THREAD'),
        l10n.t('WOKEN BY'),
      ],
      ...lines,
    ],
    [true, true, true, true, true, true, false, false],
    width,
    { names: [6, 7] },
  );
}

/** Those with the most time of their own. */
const mostOf = ({ selfNs }: MethodTimes): number[] =>
  [...selfNs.keys()]
    .filter((method) => (selfNs[method] as number) > 0)
    .sort((a, b) => (selfNs[b] as number) - (selfNs[a] as number))
    .slice(0, mostMethods);

export function printScheduling(trace: Trace, scope: Scope, terminal: Terminal): void {
  const { system } = trace;
  if (system === undefined) return;
  const threads = threadScheduling(trace, scope);
  const section = (title: string, lines: readonly string[]): void => {
    terminal.print('');
    terminal.print(terminal.bold(title));
    for (const line of lines) terminal.print(line);
  };
  section(
    system.isOfProgram
      ? l10n.t(
          'Threads on the cores, by their own switches (NO CORE: put off its core, until it was back on one)',
        )
      : l10n.t('Threads on the cores, by the kernel’s scheduler (NO CORE: ready, but no core was free)'),
    threadLines(threads.slice(0, mostThreads), trace, terminal),
  );
  const { ran, waited } = methodScheduling(trace, scope);
  const methods = (title: string, times: MethodTimes): void => {
    const lines = mostOf(times).map((method) => [
      formatNs(times.selfNs[method] as number),
      formatNs(times.totalNs[method] as number),
      plainText(trace.methods.qualifiedName(method)),
    ]);
    if (lines.length > 0)
      section(
        title,
        table(
          [[l10n.t('SELF'), l10n.t('TOTAL'), l10n.t('METHOD')], ...lines],
          [true, true, false],
          terminal.width,
          { names: [2] },
        ),
      );
  };
  // Of exact calls the CPU time is the scheduler's already.
  if (!trace.info.exact) methods(l10n.t('Methods by CPU time of the scheduler'), ran);
  methods(l10n.t('Methods that waited for a core'), waited);
  const length = system.endNs - system.beginNs;
  const cores = coreFigures(trace).map(({ core, busyNs, programNs, switches, kHz }) => [
    String(core),
    busyNs === undefined ? '–' : formatShare(length > 0 ? Math.min(1, busyNs / length) : 0),
    formatShare(length > 0 ? Math.min(1, programNs / length) : 0),
    formatCount(switches),
    kHz > 0 ? l10n.t('{0} MHz', formatCount(Math.round(kHz / 1000))) : '–',
  ]);
  section(
    l10n.t('Cores'),
    table(
      [
        [l10n.t('CORE'), l10n.t('BUSY'), l10n.t('WITH IT'), l10n.t('SWITCHES'), l10n.t('FREQUENCY')],
        ...cores,
      ],
      [true, true, true, true, true],
      terminal.width,
    ),
  );
}

/** For --json, of report and info. */
export function schedulingJson(trace: Trace, scope: Scope): unknown {
  const { system } = trace;
  if (system === undefined) return undefined;
  const { source, isOfProgram, clock, offsetNs, errorNs, marks, lost, cores, beginNs, endNs, readerNs } =
    system;
  const { ran, waited } = methodScheduling(trace, scope);
  const methods = (times: MethodTimes): unknown[] =>
    mostOf(times).map((method) => ({
      name: trace.methods.qualifiedName(method),
      selfNs: times.selfNs[method],
      totalNs: times.totalNs[method],
    }));
  return {
    ...{ source, isOfProgram, clock, offsetNs, errorNs, marks, lost, cores, beginNs, endNs, readerNs },
    switches: system.switches.count,
    wakes: system.wakes.count,
    threads: threadScheduling(trace, scope).map(({ thread, wakers, ...times }) => ({
      ...{ index: thread.index, tid: thread.tid, name: thread.name, ...times },
      wakers: wakers.map((waker) => ({ ...waker, name: wakerName(trace, waker.tid) })),
    })),
    methods: methods(waited),
    methodsByCpu: methods(ran),
    perCore: coreFigures(trace),
  };
}
