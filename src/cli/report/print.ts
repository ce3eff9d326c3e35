/** A report for the eye: what was recorded, how far to trust it, methods, threads, waits. */
import { type Trace } from '../../trace/index.js';
import { plainText } from '../plain-text.js';
import {
  formatBytes,
  formatCount,
  formatLength,
  formatNs,
  formatShare,
} from '../../trace/measure/quantities.js';
import { table, type Terminal } from '../terminal.js';
import { trustFacts } from '../trust.js';
import { printTable } from './print-table.js';
import { printFindings } from './findings.js';
import type {
  LockWaitRow,
  MethodRow,
  Report,
  ThreadRow,
  VirtualThreadRow,
  OffCarrierWaitRow,
  WaitRow,
} from './measure.js';
import { printScheduling } from './scheduling.js';
import { printSections } from './sections.js';
import { threadWord, waitWord } from './words.js';
import { l10n } from '../l10n.js';

const mostThreads = 15;
const mostWaits = 8;
const mostVirtualThreads = 10;

export function headLine({ info, beginNs, endNs, threads }: Trace, samples: number): string {
  const process = info.pid > 0 ? l10n.t(' (process {0})', info.pid) : '';
  return [
    `${plainText(info.targetName) || l10n.t('A program without a name')}${process}`,
    plainText(info.runtime),
    formatLength(endNs - beginNs),
    threads.length === 1 ? l10n.t('1 thread') : l10n.t('{0} threads', formatCount(threads.length)),
    ...(samples > 0 ? [l10n.t('{0} samples', formatCount(samples))] : []),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

interface Shares {
  readonly cpu: number;
  readonly wall: number;
}

/** The heads of the columns that methods can be sorted by. */
const sortColumns = (): ReadonlyMap<string, string> =>
  new Map([
    ['self-cpu', l10n.t('SELF CPU')],
    ['total-cpu', l10n.t('TOTAL CPU')],
    ['self-wall', l10n.t('SELF WALL')],
    ['total-wall', l10n.t('TOTAL WALL')],
    ['wait', l10n.t('WAITED')],
    ['allocated', l10n.t('ALLOCATED')],
    ['held', l10n.t('STILL HELD')],
  ]);

/** On a narrow terminal what it is not sorted by gives way to the names. */
function methodLines(
  rows: readonly MethodRow[],
  trace: Trace,
  whole: Shares,
  sort: string,
  terminal: Terminal,
): string[] {
  const { hasCpu, hasAllocations } = trace.info;
  const hasHeld = (trace.heldMemory?.count ?? 0) > 0;
  const head = [
    ...(hasCpu ? [l10n.t('SELF CPU'), '', l10n.t('TOTAL CPU'), ''] : []),
    ...[l10n.t('SELF WALL'), '', l10n.t('TOTAL WALL'), ''],
    ...(sort === 'wait' ? [l10n.t('WAITED')] : []),
    ...(hasAllocations ? [l10n.t('ALLOCATED')] : []),
    ...(hasHeld ? [l10n.t('STILL HELD')] : []),
    ...[l10n.t('CALLS'), l10n.t('METHOD')],
  ];
  const lines = rows.map((row) => [
    ...(hasCpu
      ? [
          formatNs(row.selfCpuNs),
          formatShare(row.selfCpuNs / whole.cpu),
          formatNs(row.totalCpuNs),
          formatShare(row.totalCpuNs / whole.cpu),
        ]
      : []),
    formatNs(row.selfWallNs),
    formatShare(row.selfWallNs / whole.wall),
    formatNs(row.totalWallNs),
    formatShare(row.totalWallNs / whole.wall),
    ...(sort === 'wait' ? [formatNs(row.waitNs)] : []),
    ...(hasAllocations ? [formatBytes(row.allocatedBytes)] : []),
    ...(hasHeld ? [formatBytes(row.heldBytes)] : []),
    formatCount(row.calls),
    plainText(row.name),
  ]);
  const last = head.length - 1;
  const right = head.map((_, column) => column < last);
  const isByWall = sort.endsWith('wall');
  const spare = [
    l10n.t('CALLS'),
    l10n.t('ALLOCATED'),
    l10n.t('STILL HELD'),
    isByWall ? l10n.t('TOTAL CPU') : l10n.t('TOTAL WALL'),
    isByWall ? l10n.t('SELF CPU') : l10n.t('SELF WALL'),
  ]
    .map((name) => head.indexOf(name))
    .filter((column) => column >= 0 && !(head[column] === sortColumns().get(sort)))
    .map((column) => (head[column + 1] === '' ? [column, column + 1] : [column]));
  return table([head, ...lines], right, terminal.width, { spare, names: [last] });
}

function threadLines(rows: readonly ThreadRow[], { width }: Terminal): string[] {
  const lines = rows.map((row) => [
    formatNs(row.cpuNs),
    formatNs(row.wallNs),
    formatNs(row.waitNs),
    formatNs(row.gapNs),
    formatCount(row.samples),
    threadWord(plainText(row.name), row.tid),
    plainText(row.methods[0]?.name ?? ''),
  ]);
  return table(
    [
      [
        l10n.t('CPU'),
        l10n.t('WALL'),
        l10n.t('WAITING'),
        l10n.t('NO EVIDENCE'),
        l10n.t('SAMPLES'),
        l10n.t('THREAD'),
        l10n.t('HOTTEST'),
      ],
      ...lines,
    ],
    [true, true, true, true, true, false, false],
    width,
    { spare: [[4]], names: [6, 5] },
  );
}

function virtualThreadLines(rows: readonly VirtualThreadRow[], { width }: Terminal): string[] {
  const lines = rows.map((row) => [
    formatNs(row.cpuNs),
    formatNs(row.wallNs),
    formatNs(row.waitNs),
    formatNs(row.waitedNs),
    formatCount(row.waits),
    `#${row.id}`,
    plainText(row.method) || (row.wallNs > 0 ? l10n.t('several things') : '–'),
  ]);
  return table(
    [
      [
        l10n.t('CPU'),
        l10n.t('ON CARRIERS'),
        l10n.t('WAITING THERE'),
        l10n.t('WAITED OFF'),
        l10n.t('TIMES'),
        l10n.t('THREAD'),
        l10n.t('MOST OF IT'),
      ],
      ...lines,
    ],
    [true, true, true, true, true, true, false],
    width,
    { spare: [[2]], names: [6] },
  );
}

function offCarrierWaitLines(rows: readonly OffCarrierWaitRow[], { width }: Terminal): string[] {
  const lines = rows.map((row) => [
    formatNs(row.totalNs),
    formatCount(row.count),
    formatNs(row.longestNs),
    waitWord(row.kind),
    plainText(row.method) || l10n.t('not known'),
  ]);
  return table(
    [[l10n.t('TOTAL'), l10n.t('TIMES'), l10n.t('LONGEST'), l10n.t('FOR'), l10n.t('WHERE')], ...lines],
    [true, true, true, false, false],
    width,
    { names: [4] },
  );
}

function waitLines(rows: readonly WaitRow[], { width }: Terminal): string[] {
  const lines = rows.map((row) => [
    formatNs(row.totalNs),
    formatCount(row.count),
    formatNs(row.longestNs),
    waitWord(row.kind) + (row.openWait ? l10n.t(', to the end') : ''),
    plainText(row.thread),
    plainText(row.type) || '–',
    plainText(row.by) || '–',
  ]);
  return table(
    [
      [
        l10n.t('TOTAL'),
        l10n.t('TIMES'),
        l10n.t('LONGEST'),
        l10n.t('FOR'),
        l10n.t('THREAD'),
        l10n.t('OF CLASS'),
        l10n.t('HELD OR ENDED BY'),
      ],
      ...lines,
    ],
    [true, true, true, false, false, false, false],
    width,
    { names: [5, 4, 6] },
  );
}

function left(shown: number, all: number): string {
  return all > shown ? l10n.t(' ({0} of {1})', formatCount(shown), formatCount(all)) : '';
}

const mostDeadlocked = 16;
const mostLockWaits = 8;

/** "transfer-1" waits for a java.lang.Object of "transfer-2", in Bank.transfer (Bank.java:12). */
function lockWaitLine({ thread, type, owner, isEstimated, method, file, line }: LockWaitRow): string {
  const lock = type === '' ? l10n.t('a lock') : l10n.t('a {0}', plainText(type));
  const by =
    owner === ''
      ? ''
      : isEstimated
        ? l10n.t(' that "{0}" had when that began', plainText(owner))
        : l10n.t(' that "{0}" has', plainText(owner));
  const place = file === '' || line === 0 ? '' : ` (${plainText(file)}:${line})`;
  const where = method === '' ? '' : l10n.t(', in {0}{1}', plainText(method), place);
  return l10n.t('"{0}" waits for {1}{2}{3}', plainText(thread), lock, by, where);
}

/** First of all: who has one looks for nothing else. */
function printLockWaits({ deadlocks, lockWaits }: Report, terminal: Terminal): void {
  for (const circle of deadlocks) {
    const many = l10n.t('{0} threads wait for each other', formatCount(circle.length));
    terminal.print(
      terminal.warn(
        l10n.t('Deadlock: {0}', circle.length === 1 ? l10n.t('a thread waits for itself') : many),
      ),
    );
    for (const row of circle.slice(0, mostDeadlocked)) terminal.print(`  ${lockWaitLine(row)}`);
    if (circle.length > mostDeadlocked)
      terminal.print(`  ${l10n.t('and {0} more', formatCount(circle.length - mostDeadlocked))}`);
  }
  if (lockWaits.length === 0) return;
  terminal.print(terminal.warn(l10n.t('Waiting for a lock when the recording ended')));
  for (const row of lockWaits.slice(0, mostLockWaits))
    terminal.print(
      `  ${l10n.t(
        '{0}, for {1}{2}',
        lockWaitLine(row),
        formatNs(row.waitedNs),
        row.isFromBefore ? l10n.t(' and from before') : '',
      )}`,
    );
  if (lockWaits.length > mostLockWaits)
    terminal.print(`  ${l10n.t('and {0} more', formatCount(lockWaits.length - mostLockWaits))}`);
}

export function printReport(report: Report, terminal: Terminal): void {
  const { trace, sums, methods, threads, waits, systemWaits, virtualThreads, request } = report;
  const whole = { cpu: sums.sum.cpu, wall: sums.sum.wall };
  terminal.print(terminal.bold(headLine(trace, sums.samples)));
  const facts = trustFacts(trace, sums, request.mapping).map(({ text, isWarning }) =>
    isWarning ? terminal.warn(text) : text,
  );
  terminal.print(l10n.t('Trust: {0}', facts.join(' · ')));
  printLockWaits(report, terminal);
  printFindings(report, terminal);

  const sort = sortColumns().get(report.sort) ?? report.sort;
  const title = l10n.t('Hottest methods by {0}{1}', sort, left(methods.length, report.methodCount));
  printTable(title, methodLines(methods, trace, whole, report.sort, terminal), terminal);

  if (request.perThread) {
    for (const thread of threads) {
      const name = l10n.t(
        '{0}: {1} CPU of {2}',
        threadWord(plainText(thread.name), thread.tid),
        formatNs(thread.cpuNs),
        formatNs(thread.wallNs),
      );
      const shares = { cpu: thread.cpuNs, wall: thread.wallNs };
      printTable(name, methodLines(thread.methods, trace, shares, report.sort, terminal), terminal);
    }
  } else {
    const shown = threads.slice(0, mostThreads);
    printTable(
      l10n.t('Threads{0}', left(shown.length, threads.length)),
      threadLines(shown, terminal),
      terminal,
    );
  }
  if (virtualThreads.count > 0) {
    const shown = virtualThreads.top.slice(0, mostVirtualThreads);
    const title = l10n.t('Virtual threads{0}', left(shown.length, virtualThreads.count));
    printTable(title, virtualThreadLines(shown, terminal), terminal);
  }
  if (virtualThreads.waits.length > 0) {
    const shown = virtualThreads.waits.slice(0, mostWaits);
    const { leftOut, leftOutNs } = virtualThreads;
    const beside =
      leftOut > 0
        ? l10n.t(
            ', and {0} more of {1} together that the budget had no room for',
            formatCount(leftOut),
            formatNs(leftOutNs),
          )
        : '';
    const title = l10n.t('Where virtual threads waited off their carriers{0}', beside);
    printTable(title, offCarrierWaitLines(shown, terminal), terminal);
    terminal.print(
      l10n.t(
        'Not seen: who ended these waits, and threads that waited from before the recording until after it.',
      ),
    );
  }
  if (waits.length > 0) {
    const shown = waits.slice(0, mostWaits);
    printTable(l10n.t('Waits{0}', left(shown.length, waits.length)), waitLines(shown, terminal), terminal);
  }
  if (systemWaits.length > 0) {
    const shown = systemWaits.slice(0, mostWaits);
    const title = l10n.t('Waits that the system’s trace tells of{0}', left(shown.length, systemWaits.length));
    printTable(title, waitLines(shown, terminal), terminal);
  }
  printSections(trace, report.scope, terminal);
  printScheduling(trace, report.scope, terminal);
}
