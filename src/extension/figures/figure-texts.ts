/** The figures of a method in words: `CPU 128 ms (12.3 %) · wall 410 ms · 3.1 MB`. */
import { l10n } from 'vscode';
import { formatBytes, formatNs, formatShare } from '../../trace/measure/quantities.js';
import type { FiguresTime } from '../settings.js';
import type { FigureColumns } from '../engine/engine-messages.js';

export interface Measured {
  readonly cpuNs: number;
  readonly wallNs: number;
  readonly bytes: number;
}

/**
 * Several methods of one declaration (a bridge, a static twin) call each other: their totals are nested, so the largest is the
 * whole; what each does itself adds up.
 */
export function measured(columns: FigureColumns, rows: readonly number[], time: FiguresTime): Measured {
  const of = (column: Float64Array): number[] => rows.map((row) => column[row] ?? 0);
  if (time === 'self') {
    const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);
    return {
      cpuNs: sum(of(columns.selfCpuNs)),
      wallNs: sum(of(columns.selfWallNs)),
      bytes: sum(of(columns.selfBytes)),
    };
  }
  return {
    cpuNs: Math.max(0, ...of(columns.totalCpuNs)),
    wallNs: Math.max(0, ...of(columns.totalWallNs)),
    bytes: Math.max(0, ...of(columns.totalBytes)),
  };
}

/** By line, of CPU or else wall time; those of several methods are nested, too: lambdas share lines with what is around them. */
export function lineTimes(columns: FigureColumns, rows: readonly number[]): Map<number, number> {
  const time = columns.hasCpu ? columns.lineCpuNs : columns.lineWallNs;
  const byLine = new Map<number, number>();
  for (const row of rows) {
    const to = columns.lineStart[row + 1] ?? 0;
    for (let at = columns.lineStart[row] ?? 0; at < to; at++) {
      const line = columns.line[at] ?? 0;
      byLine.set(line, Math.max(byLine.get(line) ?? 0, time[at] ?? 0));
    }
  }
  return byLine;
}

/** The larger of its shares of the recording's CPU and wall time: a wait counts as much as work. */
export function share(columns: FigureColumns, { cpuNs, wallNs }: Measured): number {
  return Math.max(
    columns.cpuNs > 0 ? cpuNs / columns.cpuNs : 0,
    columns.wallNs > 0 ? wallNs / columns.wallNs : 0,
  );
}

export function figuresText(columns: FigureColumns, values: Measured, time: FiguresTime): string {
  const parts: string[] = [];
  if (columns.hasCpu) {
    const cpu = formatNs(values.cpuNs);
    parts.push(
      columns.cpuNs > 0 && values.cpuNs > 0
        ? l10n.t('CPU {0} ({1})', cpu, formatShare(values.cpuNs / columns.cpuNs))
        : l10n.t('CPU {0}', cpu),
    );
  }
  parts.push(l10n.t('wall {0}', formatNs(values.wallNs)));
  if (columns.hasAllocations && values.bytes > 0) {
    parts.push(`${columns.allocationsEstimated ? '~' : ''}${formatBytes(values.bytes)}`);
  }
  const text = parts.join(' · ');
  return time === 'self' ? l10n.t('self {0}', text) : text;
}
