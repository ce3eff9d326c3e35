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
import type {
  LockWaitRow,
  MethodRow,
  Report,
  ThreadRow,
  VirtualThreadRow,
  VirtualWaitRow,
  WaitRow,
} from './measure.js';
import { threadWord, waitWord } from './words.js';

const MOST_THREADS = 15;
const MOST_WAITS = 8;
const MOST_VIRTUAL_THREADS = 10;

export function headLine({ info, beginNs, endNs, threads }: Trace, samples: number): string {
  const process = info.pid > 0 ? ` (process ${info.pid})` : '';
  return [
    `${plainText(info.targetName) || 'A program without a name'}${process}`,
    plainText(info.runtime),
    formatLength(endNs - beginNs),
    threads.length === 1 ? '1 thread' : `${formatCount(threads.length)} threads`,
    ...(samples > 0 ? [`${formatCount(samples)} samples`] : []),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

interface Shares {
  readonly cpu: number;
  readonly wall: number;
}

/** On a narrow terminal what it is not sorted by gives way to the names. */
function methodLines(
  rows: readonly MethodRow[],
  trace: Trace,
  whole: Shares,
  sort: string,
  terminal: Terminal,
): string[] {
  const { hasCpu, hasAllocations } = trace.info;
  const head = [
    ...(hasCpu ? ['SELF CPU', '', 'TOTAL CPU', ''] : []),
    ...['SELF WALL', '', 'TOTAL WALL', ''],
    ...(sort === 'blocked' ? ['WAITED'] : []),
    ...(hasAllocations ? ['ALLOCATED'] : []),
    ...['CALLS', 'METHOD'],
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
    ...(sort === 'blocked' ? [formatNs(row.blockedNs)] : []),
    ...(hasAllocations ? [formatBytes(row.allocatedBytes)] : []),
    formatCount(row.calls),
    plainText(row.name),
  ]);
  const last = head.length - 1;
  const right = head.map((_, column) => column < last);
  const weight = sort.endsWith('wall') ? 'CPU' : 'WALL';
  const spare = ['CALLS', 'ALLOCATED', `TOTAL ${weight}`, `SELF ${weight}`]
    .map((name) => head.indexOf(name))
    .filter((column) => column >= 0 && !(head[column] === 'ALLOCATED' && sort === 'allocated'))
    .map((column) => (head[column + 1] === '' ? [column, column + 1] : [column]));
  return table([head, ...lines], right, terminal.width, { spare, names: [last] });
}

export function printTable(
  title: string,
  [head = '', ...lines]: readonly string[],
  terminal: Terminal,
): void {
  terminal.print();
  terminal.print(terminal.bold(title));
  terminal.print(terminal.dim(head));
  for (const line of lines) terminal.print(line);
}

function threadLines(rows: readonly ThreadRow[], { width }: Terminal): string[] {
  const lines = rows.map((row) => [
    formatNs(row.cpuNs),
    formatNs(row.wallNs),
    formatNs(row.blockedNs),
    formatNs(row.gapNs),
    formatCount(row.samples),
    threadWord(plainText(row.name), row.tid),
    plainText(row.methods[0]?.name ?? ''),
  ]);
  return table(
    [['CPU', 'WALL', 'WAITING', 'NO EVIDENCE', 'SAMPLES', 'THREAD', 'HOTTEST'], ...lines],
    [true, true, true, true, true, false, false],
    width,
    { spare: [[4]], names: [6, 5] },
  );
}

function virtualThreadLines(rows: readonly VirtualThreadRow[], { width }: Terminal): string[] {
  const lines = rows.map((row) => [
    formatNs(row.cpuNs),
    formatNs(row.wallNs),
    formatNs(row.blockedNs),
    formatNs(row.waitedNs),
    formatCount(row.waits),
    `#${row.id}`,
    plainText(row.method) || (row.wallNs > 0 ? 'several things' : '–'),
  ]);
  return table(
    [['CPU', 'ON CARRIERS', 'WAITING THERE', 'WAITED OFF', 'TIMES', 'THREAD', 'MOST OF IT'], ...lines],
    [true, true, true, true, true, true, false],
    width,
    { spare: [[2]], names: [6] },
  );
}

function virtualWaitLines(rows: readonly VirtualWaitRow[], { width }: Terminal): string[] {
  const lines = rows.map((row) => [
    formatNs(row.totalNs),
    formatCount(row.count),
    formatNs(row.longestNs),
    waitWord(row.kind),
    plainText(row.method) || 'not known',
  ]);
  return table(
    [['TOTAL', 'TIMES', 'LONGEST', 'FOR', 'WHERE'], ...lines],
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
    waitWord(row.kind) + (row.stillWaits ? ', to the end' : ''),
    plainText(row.thread),
    plainText(row.type) || '–',
    plainText(row.by) || '–',
  ]);
  return table(
    [['TOTAL', 'TIMES', 'LONGEST', 'FOR', 'THREAD', 'OF CLASS', 'HELD OR ENDED BY'], ...lines],
    [true, true, true, false, false, false, false],
    width,
    { names: [5, 4, 6] },
  );
}

function left(shown: number, all: number): string {
  return all > shown ? ` (${formatCount(shown)} of ${formatCount(all)})` : '';
}

const MOST_DEADLOCKED = 16;
const MOST_LOCK_WAITS = 8;

/** "transfer-1" waits for a java.lang.Object of "transfer-2", in Bank.transfer (Bank.java:12). */
function lockWaitLine({ thread, type, owner, isEstimated, method, file, line }: LockWaitRow): string {
  const lock = type === '' ? 'a lock' : `a ${plainText(type)}`;
  const had = isEstimated ? 'had when that began' : 'has';
  const by = owner === '' ? '' : ` that "${plainText(owner)}" ${had}`;
  const place = file === '' || line === 0 ? '' : ` (${plainText(file)}:${line})`;
  const where = method === '' ? '' : `, in ${plainText(method)}${place}`;
  return `"${plainText(thread)}" waits for ${lock}${by}${where}`;
}

/** First of all: who has one looks for nothing else. */
function printLockWaits({ deadlocks, lockWaits }: Report, terminal: Terminal): void {
  for (const circle of deadlocks) {
    const many = `${formatCount(circle.length)} threads wait for each other`;
    terminal.print(terminal.warn(`Deadlock: ${circle.length === 1 ? 'a thread waits for itself' : many}`));
    for (const row of circle.slice(0, MOST_DEADLOCKED)) terminal.print(`  ${lockWaitLine(row)}`);
    if (circle.length > MOST_DEADLOCKED)
      terminal.print(`  and ${formatCount(circle.length - MOST_DEADLOCKED)} more`);
  }
  if (lockWaits.length === 0) return;
  terminal.print(terminal.warn('Waiting for a lock when the recording ended'));
  for (const row of lockWaits.slice(0, MOST_LOCK_WAITS))
    terminal.print(
      `  ${lockWaitLine(row)}, for ${formatNs(row.waitedNs)}${row.isFromBefore ? ' and from before' : ''}`,
    );
  if (lockWaits.length > MOST_LOCK_WAITS)
    terminal.print(`  and ${formatCount(lockWaits.length - MOST_LOCK_WAITS)} more`);
}

export function printReport(report: Report, terminal: Terminal): void {
  const { trace, sums, methods, threads, waits, virtualThreads, request } = report;
  const whole = { cpu: sums.sum.cpu, wall: sums.sum.wall };
  terminal.print(terminal.bold(headLine(trace, sums.samples)));
  const facts = trustFacts(trace, sums, request.mapping).map(({ text, isWarning }) =>
    isWarning ? terminal.warn(text) : text,
  );
  terminal.print(`Trust: ${facts.join(' · ')}`);
  printLockWaits(report, terminal);

  const sort = report.sort.replace('-', ' ').replace('cpu', 'CPU');
  const title = `Hottest methods by ${sort}${left(methods.length, report.methodCount)}`;
  printTable(title, methodLines(methods, trace, whole, report.sort, terminal), terminal);

  if (request.perThread) {
    for (const thread of threads) {
      const name = `${threadWord(plainText(thread.name), thread.tid)}: ${formatNs(thread.cpuNs)} CPU of ${formatNs(thread.wallNs)}`;
      const shares = { cpu: thread.cpuNs, wall: thread.wallNs };
      printTable(name, methodLines(thread.methods, trace, shares, report.sort, terminal), terminal);
    }
  } else {
    const shown = threads.slice(0, MOST_THREADS);
    printTable(`Threads${left(shown.length, threads.length)}`, threadLines(shown, terminal), terminal);
  }
  if (virtualThreads.count > 0) {
    const shown = virtualThreads.top.slice(0, MOST_VIRTUAL_THREADS);
    const title = `Virtual threads${left(shown.length, virtualThreads.count)}`;
    printTable(title, virtualThreadLines(shown, terminal), terminal);
  }
  if (virtualThreads.waits.length > 0) {
    const shown = virtualThreads.waits.slice(0, MOST_WAITS);
    const { leftOut, leftOutNs } = virtualThreads;
    const beside =
      leftOut > 0
        ? `, and ${formatCount(leftOut)} more of ${formatNs(leftOutNs)} together that the budget had no room for`
        : '';
    const title = `Where virtual threads waited off their carriers${beside}`;
    printTable(title, virtualWaitLines(shown, terminal), terminal);
    terminal.print(
      'Not seen: who ended these waits, and threads that waited from before the recording until after it.',
    );
  }
  if (waits.length > 0) {
    const shown = waits.slice(0, MOST_WAITS);
    printTable(`Waits${left(shown.length, waits.length)}`, waitLines(shown, terminal), terminal);
  }
}
