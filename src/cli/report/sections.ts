/** Sections of the system's trace, in a report. */
import { formatCount, formatNs } from '../../trace/measure/quantities.js';
import { sectionFigures } from '../../trace/measure/sections.js';
import { type Scope, type Trace } from '../../trace/index.js';
import { plainText } from '../plain-text.js';
import { table, type Terminal } from '../terminal.js';
import { l10n } from '../l10n.js';

const mostSections = 15;

export function printSections(trace: Trace, scope: Scope, terminal: Terminal): void {
  const all = sectionFigures(trace, scope);
  if (all.length === 0) return;
  const shown = all.slice(0, mostSections);
  const lines = shown.map(({ name, thread, count, totalNs, longestNs }) => [
    formatNs(totalNs),
    formatCount(count),
    formatNs(longestNs),
    plainText(thread.name) || String(thread.tid),
    plainText(name),
  ]);
  terminal.print('');
  const left =
    all.length > shown.length
      ? l10n.t(' ({0} of {1})', formatCount(shown.length), formatCount(all.length))
      : '';
  terminal.print(terminal.bold(l10n.t('Sections of the system’s trace on these threads{0}', left)));
  for (const line of table(
    [[l10n.t('TOTAL'), l10n.t('TIMES'), l10n.t('LONGEST'), l10n.t('THREAD'), l10n.t('SECTION')], ...lines],
    [true, true, true, false, false],
    terminal.width,
    { names: [4, 3] },
  ))
    terminal.print(line);
}

/** For --json. */
export function sectionsJson(trace: Trace, scope: Scope): unknown[] {
  return sectionFigures(trace, scope).map(({ name, thread, ...sums }) => ({
    ...{ name, thread: thread.name, tid: thread.tid },
    ...sums,
  }));
}
