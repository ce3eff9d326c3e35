/** Sections of a report that are there if asked for: slow calls, the busiest background threads, locks of the main thread. */
import { type MainLock, mainLocks } from '../../trace/measure/main-locks.js';
import { formatCount, formatNs } from '../../trace/measure/quantities.js';
import type { Scope } from '../../trace/measure/scope.js';
import { slowCalls, type SlowCalls } from '../../trace/measure/slow-calls.js';
import type { Trace } from '../../trace/model/trace.js';
import { plainText } from '../plain-text.js';
import { table, type Terminal } from '../terminal.js';
import type { Report, ThreadRow } from './measure.js';
import { printTable } from './print-table.js';
import { threadWord } from './words.js';
import { l10n } from '../l10n.js';

export interface Asked {
  /** Calls from this length on. */
  readonly slowNs?: number | undefined;
  /** So many background threads. */
  readonly threads?: number | undefined;
  readonly locks: boolean;
}

function place({ methods }: Trace, method: number, line: number): string {
  if (method < 0) return '–';
  const file = plainText(methods.file(method));
  return `${plainText(methods.qualifiedName(method))}${line > 0 && file !== '' ? ` (${file}:${line})` : ''}`;
}

function slowLines(trace: Trace, rows: readonly SlowCalls[], { width }: Terminal): string[] {
  const lines = rows.map(({ thread, method, count, totalNs, cpuNs, longestNs, beginNs }) => [
    ...[formatNs(longestNs), formatNs(beginNs - trace.beginNs)],
    ...[formatCount(count), formatNs(totalNs), formatNs(cpuNs)],
    ...[plainText(threadWord(thread.name, thread.tid)), plainText(trace.methods.qualifiedName(method))],
  ]);
  return table(
    [
      [
        l10n.t('LONGEST'),
        'AT',
        l10n.t('CALLS'),
        l10n.t('TOTAL'),
        l10n.t('CPU'),
        l10n.t('THREAD'),
        l10n.t('METHOD'),
      ],
      ...lines,
    ],
    [true, true, true, true, true, false, false],
    width,
    { names: [6, 5] },
  );
}

function lockLines(trace: Trace, rows: readonly MainLock[], { width }: Terminal): string[] {
  const lines = rows.map((row) => {
    const owner = trace.threads.find(({ index }) => index === row.owner);
    return [
      ...[formatNs(row.totalNs), formatCount(row.count), formatNs(row.longestNs)],
      plainText(row.type) || '–',
      owner === undefined ? '–' : plainText(threadWord(owner.name, owner.tid)),
      place(trace, row.method, row.line),
      place(trace, row.ownerMethod, row.ownerLine),
    ];
  });
  return table(
    [
      [
        l10n.t('TOTAL'),
        l10n.t('TIMES'),
        l10n.t('LONGEST'),
        l10n.t('LOCK'),
        l10n.t('OWNER'),
        l10n.t('WAITED IN'),
        l10n.t('OWNER WAS IN'),
      ],
      ...lines,
    ],
    [true, true, true, false, false, false, false],
    width,
    { names: [3, 5, 6] },
  );
}

function threadLines(rows: readonly ThreadRow[], { width }: Terminal): string[] {
  const lines = rows.map(({ cpuNs, wallNs, name, tid, methods }) => [
    ...[formatNs(cpuNs), formatNs(wallNs)],
    ...[plainText(threadWord(name, tid)), plainText(methods[0]?.name ?? '')],
  ]);
  return table(
    [[l10n.t('CPU'), l10n.t('WALL'), l10n.t('THREAD'), l10n.t('HOTTEST')], ...lines],
    [true, true, false, false],
    width,
    {
      names: [3, 2],
    },
  );
}

const background = ({ trace, threads }: Report, count: number): ThreadRow[] => {
  const main = new Set(trace.threads.filter(({ isMain }) => isMain).map(({ index }) => index));
  return threads.filter(({ index, cpuNs }) => !main.has(index) && cpuNs > 0).slice(0, count);
};

export function printAsked(report: Report, { slowNs, threads, locks }: Asked, terminal: Terminal): void {
  const { trace, scope, request } = report;
  const section = (title: string, lines: string[], none: string): void => {
    // The first line is the head.
    if (lines.length > 1) printTable(title, lines, terminal);
    else terminal.print(`\n${title}: ${none}`);
  };
  if (slowNs !== undefined) {
    const rows = slowCalls(trace, scope, slowNs).slice(0, request.top);
    section(
      l10n.t('Calls of {0} and longer', formatNs(slowNs)),
      slowLines(trace, rows, terminal),
      l10n.t('none.'),
    );
  }
  if (threads !== undefined)
    section(
      l10n.t('Background threads by CPU'),
      threadLines(background(report, threads), terminal),
      l10n.t('none.'),
    );
  if (locks) {
    const rows = mainLocks(trace, scope).slice(0, request.top);
    section(
      l10n.t('Locks that the main thread waited for'),
      lockLines(trace, rows, terminal),
      l10n.t('none.'),
    );
  }
}

export function askedJson(report: Report, { slowNs, threads, locks }: Asked): Record<string, unknown> {
  const { trace } = report;
  const scope: Scope = report.scope;
  const name = (method: number): string => (method < 0 ? '' : trace.methods.qualifiedName(method));
  const threadName = (index: number): string => {
    const found = trace.threads.find((one) => one.index === index);
    return found === undefined ? '' : threadWord(found.name, found.tid);
  };
  return {
    ...(slowNs !== undefined && {
      slowCalls: slowCalls(trace, scope, slowNs).map(({ thread, method, beginNs, ...row }) => ({
        ...{ thread: threadName(thread.index), method: name(method) },
        ...{ ...row, beginNs: beginNs - trace.beginNs },
      })),
    }),
    ...(threads !== undefined && {
      backgroundThreads: background(report, threads).map(({ name: thread, tid, cpuNs, wallNs }) => ({
        ...{ thread: threadWord(thread, tid), tid, cpuNs, wallNs },
      })),
    }),
    ...(locks && {
      mainThreadLocks: mainLocks(trace, scope).map(
        ({ owner, method, ownerMethod, thread, beginNs, ...row }) => ({
          ...row,
          ...{ thread: threadName(thread), beginNs: beginNs - trace.beginNs },
          ...{ owner: threadName(owner), method: name(method), ownerMethod: name(ownerMethod) },
        }),
      ),
    }),
  };
}
