import { readFile } from 'node:fs/promises';
import { groupLags, type GroupedLags } from '../../symbols/lags/group-lags.js';
import { RetraceMapping } from '../../symbols/r8/retrace-mapping.js';
import { type LagGroup, type SharedFrames, type LagTotals, trend } from '../../trace/lags/lag-groups.js';
import { formatNs } from '../../trace/measure/quantities.js';
import { type Command, type Input, jsonOption } from '../command-line.js';
import { CliError, ExitCode, UsageError } from '../exit-codes.js';
import { mappingOption } from '../retrace-mapping.js';
import { fileError, isFromSystem } from '../open-trace.js';
import { plainText } from '../plain-text.js';
import type { Terminal } from '../terminal.js';
import { errorWords, l10n } from '../l10n.js';

const printedGroups = 20;
const printedPlaces = 5;

async function mappingOf(input: Input): Promise<RetraceMapping | undefined> {
  const file = input.text('mapping');
  if (file === undefined) return undefined;
  try {
    return new RetraceMapping(await readFile(file, 'utf8'));
  } catch (error) {
    throw fileError(file, 'read', error);
  }
}

async function grouped(
  folders: readonly string[],
  mapping: RetraceMapping | undefined,
  terminal: Terminal,
): Promise<GroupedLags> {
  try {
    return await groupLags(folders, {
      mappingOf: () => mapping,
      onProgress: (files) => terminal.progress(l10n.t('{0} files', files)),
    });
  } catch (error) {
    if (!isFromSystem(error)) throw error;
    throw fileError((error as NodeJS.ErrnoException).path ?? folders.join(', '), 'read', error);
  } finally {
    terminal.endProgress();
  }
}

const lagsText = (count: number): string => (count === 1 ? l10n.t('1 lag') : l10n.t('{0} lags', count));
const usersText = (count: number): string => (count === 1 ? l10n.t('1 user') : l10n.t('{0} users', count));
const freezesText = (count: number): string =>
  count === 1 ? l10n.t('1 freeze') : l10n.t('{0} freezes', count);

function totalsJson({ count, users, versions, days, freezes, notResponding, worst }: LagTotals) {
  return {
    count,
    users,
    freezes,
    notResponding,
    versions: Object.fromEntries([...versions].sort(([a], [b]) => (a < b ? -1 : 1))),
    days: Object.fromEntries(
      [...days]
        .sort(([a], [b]) => a - b)
        .map(([day, lags]) => [new Date(day * 86_400_000).toISOString().slice(0, 10), lags]),
    ),
    worst,
  };
}

function stackJson(stack: SharedFrames) {
  return { frames: stack.frames, ...totalsJson(stack) };
}

function frameText(frames: readonly string[]): string {
  return frames.length === 0 ? l10n.t('[no stack]') : frames.map(plainText).join(' < ');
}

/** "12 lags, 3 users, 1 freeze, versions 1.2 1.3, worst 4.1 s, 1 0 5 a day" */
function totalsText(totals: LagTotals): string {
  const { count, users, freezes, notResponding, versions, worst } = totals;
  const names = [...versions.keys()].filter((name) => name !== '').map(plainText);
  const shown = names.slice(-3).join(' ');
  return [
    lagsText(count),
    usersText(users),
    freezes > 0 ? freezesText(freezes) : '',
    notResponding > 0 ? l10n.t('{0} not responding', notResponding) : '',
    names.length > 0
      ? names.length > 3
        ? l10n.t('{0} versions, last {1}', names.length, shown)
        : l10n.t('version {0}', shown)
      : '',
    l10n.t('worst {0}', formatNs(worst.ns)),
    l10n.t('by day {0}', trend(totals).join(' ')),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function print(groups: readonly LagGroup[], all: LagTotals, terminal: Terminal): void {
  terminal.print(totalsText(all));
  for (const group of groups.slice(0, printedGroups)) {
    terminal.print();
    terminal.print(terminal.bold(frameText(group.frames)));
    terminal.print(`  ${totalsText(group)}`);
    terminal.print(`  ${plainText(group.worst.file)}`);
    for (const place of group.places.slice(0, printedPlaces))
      terminal.print(
        `    ${l10n.t('{0} from {1}', lagsText(place.count), frameText(place.frames.slice(group.frames.length)))}`,
      );
  }
  if (groups.length > printedGroups)
    terminal.print(
      `\n${
        groups.length - printedGroups === 1
          ? l10n.t('1 more group: see --json')
          : l10n.t('{0} more groups: see --json', groups.length - printedGroups)
      }`,
    );
}

export const lags: Command = {
  name: 'lags',
  summary: 'group the lag files that programs wrote in production',
  usage: ['lags FOLDER… [OPTIONS]'],
  operands: ['folder'],
  takesSeveral: true,
  description: [
    'Reads all .btrace files in the folders, and in folders in them. Lags with the same two innermost frames have one\ncause; within it, those with the same four came from one place. Frames of the system that only wait are passed\nover. Of each file only the end is read; docs/LAGS.md says how programs write them.',
  ],
  options: [mappingOption, jsonOption],
  examples: ['btrace lags uploads/', 'btrace lags uploads/ --mapping mapping.txt --json'],
  async run(input, terminal) {
    if (input.operands.length === 0) throw new UsageError('Which folder?');
    const mapping = await mappingOf(input);
    const { groups: found, files, skips, skipped } = await grouped(input.operands, mapping, terminal);
    const { all, others } = found;
    const groups = found.groups();
    if (all.count === 0 && skips === 0)
      throw new CliError(
        ExitCode.File,
        `${input.operands.join(', ')}: there are no .btrace files.`,
        'Give the folder that the lag files were put into.',
      );
    if (input.has('json')) {
      const told = groups.map((group) => ({ ...stackJson(group), places: group.places.map(stackJson) }));
      terminal.print(
        JSON.stringify({ files, ...totalsJson(all), others, groups: told, skips, skipped }, null, 2),
      );
    } else if (all.count > 0) print(groups, all, terminal);
    for (const { file, why } of skipped)
      terminal.note(l10n.t('{0} is skipped: {1}.', plainText(file), plainText(errorWords(why))));
    if (skips > skipped.length) terminal.note(l10n.t('{0} more files are skipped.', skips - skipped.length));
    return ExitCode.Done;
  },
};
