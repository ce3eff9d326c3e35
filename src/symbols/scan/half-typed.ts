/**
 * While something is being typed a scanner may take what stands below for something else: brackets do not pair, a header has no
 * body yet. What stands on other lines than those that changed is what it was.
 */
import type { Declaration } from './outline.js';

export interface OutlinedText {
  readonly text: string;
  readonly declarations: readonly Declaration[];
}

/**
 * The declarations of `now`: its own when they are all there that were in `before` on lines that did not change, else those, and
 * of its own the ones on lines that did. Costs a pass over both texts.
 */
export function withoutLosses(now: OutlinedText, before: OutlinedText): readonly Declaration[] {
  const { first, lastBefore, lastNow } = changedLines(before.text, now.text);
  const moved = lastNow - lastBefore;
  const kept = before.declarations.flatMap((one) => {
    if (one.line >= first && one.line <= lastBefore) return [];
    const by = one.line < first ? 0 : moved;
    const endBy = one.endLine < first ? 0 : moved;
    return [{ ...one, line: one.line + by, endLine: Math.max(one.line + by, one.endLine + endBy) }];
  });
  const found = new Set(now.declarations.map(keyOf));
  if (kept.every((one) => found.has(keyOf(one)))) return now.declarations;
  const typed = now.declarations.filter(({ line }) => line >= first && line <= lastNow);
  return [...kept, ...typed].sort((a, b) => a.line - b.line || a.column - b.column);
}

function keyOf({ kind, className, name, parameters, line, column }: Declaration): string {
  return `${kind} ${className}.${name}/${String(parameters)} ${String(line)}:${String(column)}`;
}

interface ChangedLines {
  readonly first: number;
  /** Below `first` where lines only came in, or only went. */
  readonly lastBefore: number;
  readonly lastNow: number;
}

function changedLines(before: string, now: string): ChangedLines {
  const shorter = Math.min(before.length, now.length);
  let begin = 0;
  let first = 0;
  for (; begin < shorter && before.charCodeAt(begin) === now.charCodeAt(begin); begin++) {
    if (before.charCodeAt(begin) === newline) first += 1;
  }
  if (begin > 0) begin = before.lastIndexOf('\n', begin - 1) + 1;
  let endBefore = before.length;
  let endNow = now.length;
  while (
    endBefore > begin &&
    endNow > begin &&
    before.charCodeAt(endBefore - 1) === now.charCodeAt(endNow - 1)
  ) {
    endBefore -= 1;
    endNow -= 1;
  }
  // Where both go on at the beginning of a line, that line is as it was.
  const isLineEnd = endsLine(before, endBefore) && endsLine(now, endNow) ? 1 : 0;
  return {
    first,
    lastBefore: first + newlinesIn(before, begin, endBefore) - isLineEnd,
    lastNow: first + newlinesIn(now, begin, endNow) - isLineEnd,
  };
}

const newline = 10;

function endsLine(text: string, end: number): boolean {
  return end === 0 || text.charCodeAt(end - 1) === newline;
}

function newlinesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
