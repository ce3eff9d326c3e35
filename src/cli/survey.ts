/** What a survey found, as a table or as JSON. */
import path from 'node:path';
import type { CallSurvey, SurveyedFunction } from '../trace/index.js';
import { frequentNs } from '../trace/index.js';
import { formatCount, formatLength, formatNs, formatShare } from '../trace/measure/quantities.js';
import { demangled } from '../symbols/native/demangle/demangle.js';
import { plainText } from './plain-text.js';
import { table, type Terminal } from './terminal.js';
import { l10n } from './l10n.js';

function perSecond(calls: number, ns: number): number {
  return ns > 0 ? Math.round((calls / ns) * 1e9) : 0;
}

export function surveyJson(name: string, { functions, ...survey }: CallSurvey): unknown {
  return {
    target: name,
    ...survey,
    functions: functions.map((one) => ({
      ...one,
      name: demangled(one.name),
      perSecond: perSecond(one.calls, survey.spanNs),
      perCpuSecond: perSecond(one.calls, survey.cpuNs),
      share: survey.calls > 0 ? one.calls / survey.calls : 0,
    })),
  };
}

/** A point today, or what would make it one. */
function wordOf({ isPoint, isFrequent, isLeaf }: SurveyedFunction): string {
  if (isPoint) return l10n.t('point');
  return [isFrequent ? l10n.t('frequent') : '', isLeaf ? l10n.t('leaf') : ''].filter(Boolean).join(' ');
}

function threadsOf({ threads }: SurveyedFunction): string {
  const [busiest] = threads;
  if (busiest === undefined) return '';
  // Those that are counted together have no number.
  const name = busiest.tid === 0 ? l10n.t('others') : busiest.name || String(busiest.tid);
  return threads.length === 1 ? plainText(name) : l10n.t('{0}, most {1}', threads.length, plainText(name));
}

export function surveyLines(name: string, survey: CallSurvey, most: number, width = 0): string[] {
  const { functions, calls, spanNs, cpuNs, leftOut } = survey;
  const head = l10n.t(
    '{0}: {1} calls of {2} imported functions in {3}, {4} of CPU time',
    plainText(name),
    formatCount(calls),
    formatCount(functions.length),
    formatLength(spanNs),
    formatNs(cpuNs),
  );
  const rows = functions
    .slice(0, most)
    .map((one) => [
      formatCount(one.calls),
      formatCount(perSecond(one.calls, spanNs)),
      formatShare(calls > 0 ? one.calls / calls : 0),
      wordOf(one),
      threadsOf(one),
      path.basename(one.library),
      plainText(demangled(one.name)),
    ]);
  const lines = [
    head,
    '',
    ...table(
      [
        [
          l10n.t('CALLS'),
          l10n.t('A SECOND'),
          l10n.t('SHARE'),
          l10n.t('WHAT'),
          l10n.t('THREADS'),
          l10n.t('LIBRARY'),
          l10n.t('FUNCTION'),
        ],
        ...rows,
      ],
      [true, true, true, false, false, false, false],
      width,
      { spare: [[4], [5]] },
    ),
  ];
  if (functions.length > rows.length)
    lines.push('', l10n.t('… and {0} more: --top', formatCount(functions.length - rows.length)));
  lines.push(
    '',
    l10n.t(
      'frequent: called every {0} of CPU time, or more often. leaf: its library seldom calls a point.',
      formatNs(frequentNs),
    ),
  );
  if (leftOut > 0)
    lines.push(
      l10n.t(
        'Not counted: {0} imports by address, or beyond the table; calls within the C library.',
        formatCount(leftOut),
      ),
    );
  return lines;
}

export function printSurvey(name: string, survey: CallSurvey, most: number, terminal: Terminal): void {
  for (const line of surveyLines(name, survey, most, terminal.width)) terminal.print(line);
}
