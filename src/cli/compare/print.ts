/** A comparison for the eye: the two traces, what all of it differs by, methods, and where in the call tree it comes from. */
import { formatBytes, formatCount, formatNs, formatShare } from '../../trace/measure/quantities.js';
import { isClear } from '../../trace/compare/differences.js';
import { plainText } from '../plain-text.js';
import { headLine, printTable } from '../report/print.js';
import { table, type Terminal } from '../terminal.js';
import { trustFacts } from '../trust.js';
import type { ChainRow, DifferenceRow, Differences } from './measure.js';

type Format = (value: number) => string;

/** In a chain classes say enough. */
const packages = /^(?:[a-z_]\w*\.)+(?=[A-Z])/;

/** Of a chain of calls, the innermost ones that are told. */
const mostOfChain = 4;

export function printDifferences(found: Differences, terminal: Terminal): void {
  const { request, methods, methodCount, chains, comparison } = found;
  const format: Format = request.key.weight === 'allocatedBytes' ? formatBytes : formatNs;
  printSides(found, terminal);
  terminal.print();
  terminal.print(sumLine(found, format));
  if (comparison.scale !== 1)
    terminal.print(
      `Figures before are multiplied by ${comparison.scale.toFixed(3)}, as the recordings are of other lengths.`,
    );
  printFailed(found, format, terminal);
  if (methodCount === 0) {
    terminal.print();
    terminal.print(
      request.all
        ? 'No method differs.'
        : 'No method differs by more than sampling may have made: --all shows them.',
    );
    return;
  }
  const by = request.all ? 'differ' : 'differ by more than sampling may have made';
  const some = methods.length < methodCount ? `${methods.length} of ${methodCount}` : String(methodCount);
  printTable(
    `Methods that ${by}, by ${request.sort} (${some})`,
    methodLines(methods, request.all, format, terminal),
    terminal,
  );
  if (chains.length > 0) printTable('Where it comes from', chainLines(chains, format, terminal), terminal);
}

function printSides({ before, after, comparison }: Differences, terminal: Terminal): void {
  for (const [name, { trace }, { sums }] of [
    ['Before', before, comparison.before],
    ['After', after, comparison.after],
  ] as const) {
    terminal.print(`${name.padEnd(6)}  ${headLine(trace, sums.samples)}`);
    // What a report says of its figures; here only what makes them worse.
    for (const { text, isWarning } of trustFacts(trace, sums))
      if (isWarning) terminal.print(terminal.warn(`        ${text}`));
  }
}

function sumLine({ sum, request, comparison }: Differences, format: Format): string {
  const { before, after, noise } = sum;
  const what = request.key.weight === 'cpu' ? 'CPU time' : request.key.weight;
  const said = isClear(after - before, noise) ? '' : ', which sampling may have made';
  const gap = (of: 'before' | 'after'): number => comparison[of].sums.gap[request.key.weight];
  const gaps =
    gap('before') + gap('after') > 0
      ? ` (${format(gap('before'))} and ${format(gap('after'))} of it nobody's)`
      : '';
  return `All ${what}: ${format(before)} before, ${format(after)} after${gaps}: ${change(before, after, format)}${said}`;
}

function printFailed({ failed, request }: Differences, format: Format, terminal: Terminal): void {
  if (request.limit === undefined) return;
  terminal.print();
  if (failed.length === 0) {
    terminal.print(`Nothing takes clearly more than ${request.limit.text} longer.`);
    return;
  }
  terminal.print(terminal.warn(`Above the limit of ${request.limit.text}:`));
  for (const { name, before, after } of failed)
    terminal.print(`  ${change(before, after, format)}  ${plainText(name) || 'all of it'}`);
}

function methodLines(
  rows: readonly DifferenceRow[],
  all: boolean,
  format: Format,
  { width }: Terminal,
): string[] {
  const lines = rows.map(({ name, before, after, noise, only, isClear: clear }) => [
    format(before),
    format(after),
    signed(after - before, format),
    noise > 0 ? `±${format(noise)}` : '',
    only === 'after' ? 'new' : only === 'before' ? 'gone' : share(before, after),
    ...(all ? [clear ? '' : '?'] : []),
    plainText(name),
  ]);
  const head = ['BEFORE', 'AFTER', 'DIFFERENCE', '', '', ...(all ? [''] : []), 'METHOD'];
  const last = head.length - 1;
  const right = head.map((_, column) => column < last);
  return table([head, ...lines], right, width, { spare: [[3]], names: [last] });
}

function chainLines(rows: readonly ChainRow[], format: Format, { width }: Terminal): string[] {
  const lines = rows.map(({ depth, chain, before, after }) => {
    const shown = chain
      .slice(-mostOfChain)
      .map((name) => plainText(name).replace(packages, ''))
      .join(' › ');
    return [
      signed(after - before, format),
      `${'  '.repeat(depth)}${chain.length > mostOfChain ? '… › ' : ''}${shown}`,
    ];
  });
  return table([['DIFFERENCE', 'CALLS'], ...lines], [true, false], width, { names: [1] });
}

function change(before: number, after: number, format: Format): string {
  const by = before > 0 ? ` (${share(before, after)})` : '';
  return `${signed(after - before, format)}${by}`;
}

function share(before: number, after: number): string {
  const ratio = (after - before) / before;
  if (ratio > 9.995) return `×${formatCount(Math.round(after / before))}`;
  return `${ratio < 0 ? '−' : '+'}${formatShare(Math.abs(ratio))}`;
}

function signed(value: number, format: Format): string {
  if (value === 0) return format(0);
  return `${value < 0 ? '−' : '+'}${format(Math.abs(value))}`;
}
