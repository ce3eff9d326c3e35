/** The words of the view Lags. */
import { env, l10n } from 'vscode';
import type { ListedLag } from '../../trace/lags/lag-groups.js';
import { formatNs } from '../../trace/measure/quantities.js';
import type { LagRow, LagsOfFolder } from '../engine/engine-messages.js';
import { cutOff, shortName } from '../recording/short-name.js';

const bars = '▁▂▃▄▅▆▇█';

export function rowTitle(frames: readonly string[]): string {
  return frames.length === 0
    ? l10n.t('No stack')
    : frames.map((frame) => cutOff(shortName(frame))).join(' < ');
}

/** `frames`: those beyond the group's. */
export function placeTitle(frames: readonly string[]): string {
  return frames.length === 0 ? l10n.t('From nowhere else') : l10n.t('From {0}', rowTitle(frames));
}

function lagCount(count: number): string {
  return count === 1 ? l10n.t('1 lag') : l10n.t('{0} lags', count);
}

function userCount(count: number): string {
  return count === 1 ? l10n.t('1 user') : l10n.t('{0} users', count);
}

/** A bar a day; the highest is the day with most. */
export function trendBars(trend: readonly number[]): string {
  const most = Math.max(...trend, 1);
  return trend
    .map((count) => (count === 0 ? ' ' : bars[Math.ceil((count / most) * bars.length) - 1]))
    .join('');
}

/** "12 lags · 3 users · worst 4.1 s · ▂ █" */
export function rowText(row: LagRow): string {
  const bar = row.trend.length > 1 ? [trendBars(row.trend)] : [];
  return [
    lagCount(row.count),
    userCount(row.users),
    l10n.t('worst {0}', formatNs(row.worst.ns)),
    ...bar,
  ].join(' · ');
}

function versionText([name, count]: readonly [string, number]): string {
  return `${name === '' ? l10n.t('no version') : cutOff(name)}: ${count}`;
}

export function rowTooltip(row: LagRow): string {
  const { frames, count, users, freezes, notResponding, versions, moreVersions, trend, lastDay, worst } = row;
  const day = new Intl.DateTimeFormat(env.language, { dateStyle: 'medium', timeZone: 'UTC' });
  return [
    ...frames.map(cutOff),
    [
      lagCount(count),
      userCount(users),
      ...(freezes > 0 ? [l10n.t('{0} ended in a kill', freezes)] : []),
      ...(notResponding > 0 ? [l10n.t('{0} not responding', notResponding)] : []),
      l10n.t('worst {0}', formatNs(worst.ns)),
    ].join(', '),
    l10n.t('By version: {0}', [...versions.map(versionText), ...(moreVersions > 0 ? ['…'] : [])].join(', ')),
    l10n.t('By day, up to {0}: {1}', day.format(lastDay * 86_400_000), trend.join(' ')),
  ].join('\n');
}

export function lagTitle(lag: ListedLag): string {
  return formatNs(lag.ns);
}

export function lagText({ atMs, version, isFreeze }: ListedLag): string {
  const when = new Intl.DateTimeFormat(env.language, { dateStyle: 'medium', timeStyle: 'short' });
  return [
    when.format(atMs),
    ...(version === '' ? [] : [cutOff(version)]),
    ...(isFreeze ? [l10n.t('killed in it')] : []),
  ].join(' · ');
}

/** What the view says above its rows; empty: they say enough. */
export function summary({ all, files, skips, skipped }: LagsOfFolder, folder: string): string {
  if (files === 0) return l10n.t('There are no .btrace files in {0}.', folder);
  const [first] = skipped;
  const example = first === undefined ? '' : cutOff(first.file);
  const none =
    skips === 0
      ? ''
      : skips === 1
        ? l10n.t('1 file is no lag file: {0}', example)
        : l10n.t('{0} files are no lag files, the first of them {1}', skips, example);
  return [`${lagCount(all.count)}, ${userCount(all.users)}.`, none].filter((part) => part !== '').join(' ');
}
