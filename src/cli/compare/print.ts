/** A comparison for the eye: the two traces, what all of it differs by, methods, and where in the call tree it comes from. */
import { formatBytes, formatCount, formatNs, formatShare } from '../../trace/measure/quantities.js';
import { isClear } from '../../trace/compare/differences.js';
import { plainText } from '../plain-text.js';
import { printTable } from '../report/print-table.js';
import { headLine } from '../report/print.js';
import { table, type Terminal } from '../terminal.js';
import { trustFacts } from '../trust.js';
import type { ChainRow, DifferenceRow, Differences } from './measure.js';
import { l10n } from '../l10n.js';
import { padEnd, widthOf } from '../text-width.js';

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
      l10n.t(
        'Figures before are multiplied by {0}, as the recordings are of other lengths.',
        comparison.scale.toFixed(3),
      ),
    );
  printFailed(found, format, terminal);
  if (methodCount === 0) {
    terminal.print();
    terminal.print(
      request.all
        ? l10n.t('No method differs.')
        : l10n.t('No method differs by more than sampling may have made: --all shows them.'),
    );
    return;
  }
  const some =
    methods.length < methodCount ? l10n.t('{0} of {1}', methods.length, methodCount) : String(methodCount);
  printTable(
    request.all
      ? l10n.t('Methods that differ, by {0} ({1})', request.sort, some)
      : l10n.t('Methods that differ by more than sampling may have made, by {0} ({1})', request.sort, some),
    methodLines(methods, request.all, format, terminal),
    terminal,
  );
  if (chains.length > 0)
    printTable(l10n.t('Where it comes from'), chainLines(chains, format, terminal), terminal);
}

function printSides({ before, after, comparison }: Differences, terminal: Terminal): void {
  const sides = [
    [l10n.t('Before'), before, comparison.before],
    [l10n.t('After'), after, comparison.after],
  ] as const;
  const width = Math.max(...sides.map(([name]) => widthOf(name)));
  for (const [name, { trace }, { sums }] of sides) {
    terminal.print(`${padEnd(name, width)}  ${headLine(trace, sums.samples)}`);
    // What a report says of its figures; here only what makes them worse.
    for (const { text, isWarning } of trustFacts(trace, sums))
      if (isWarning) terminal.print(terminal.warn(`${' '.repeat(width)}  ${text}`));
  }
}

function sumLine({ sum, request, comparison }: Differences, format: Format): string {
  const { before, after, noise } = sum;
  const what = request.key.weight === 'cpu' ? l10n.t('CPU time') : request.key.weight;
  const said = isClear(after - before, noise) ? '' : l10n.t(', which sampling may have made');
  const gap = (of: 'before' | 'after'): number => comparison[of].sums.gap[request.key.weight];
  const gaps =
    gap('before') + gap('after') > 0
      ? l10n.t(" ({0} and {1} of it nobody's)", format(gap('before')), format(gap('after')))
      : '';
  return l10n.t(
    'All {0}: {1} before, {2} after{3}: {4}{5}',
    what,
    format(before),
    format(after),
    gaps,
    change(before, after, format),
    said,
  );
}

function printFailed({ failed, request }: Differences, format: Format, terminal: Terminal): void {
  if (request.limit === undefined) return;
  terminal.print();
  if (failed.length === 0) {
    terminal.print(l10n.t('Nothing takes clearly more than {0} longer.', request.limit.text));
    return;
  }
  terminal.print(terminal.warn(l10n.t('Above the limit of {0}:', request.limit.text)));
  for (const { name, before, after } of failed)
    terminal.print(`  ${change(before, after, format)}  ${plainText(name) || l10n.t('all of it')}`);
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
    only === 'after' ? l10n.t('new') : only === 'before' ? l10n.t('gone') : share(before, after),
    ...(all ? [clear ? '' : '?'] : []),
    plainText(name),
  ]);
  const head = [
    l10n.t('BEFORE'),
    l10n.t('AFTER'),
    l10n.t('DIFFERENCE'),
    '',
    '',
    ...(all ? [''] : []),
    l10n.t('METHOD'),
  ];
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
  return table([[l10n.t('DIFFERENCE'), l10n.t('CALLS')], ...lines], [true, false], width, { names: [1] });
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
