/** What can be typed at a place of a query: tables, and the columns of those that it names. */
import { queryTables, type QueryTable } from './views.js';

export interface Suggestion {
  readonly label: string;
  readonly about: string;
  readonly isTable: boolean;
}

const byName = new Map(queryTables.map((table) => [table.name, table]));

const columnsOf = (table: QueryTable): Suggestion[] =>
  table.columns.map(([label, about]) => ({
    label,
    about: `${table.name}.${label}${about === '' ? '' : `: ${about}`}`,
    isTable: false,
  }));

/** Tables by the names that the text gives them: "slice s", "thread AS t". */
function namesIn(sql: string): Map<string, QueryTable> {
  const names = new Map<string, QueryTable>();
  const words = sql.toLowerCase().match(/\w+|[^\s\w]/g) ?? [];
  words.forEach((word, at) => {
    const table = byName.get(word);
    if (table === undefined) return;
    names.set(word, table);
    const next = words[at + 1] === 'as' ? words[at + 2] : words[at + 1];
    if (next !== undefined && /^\w+$/.test(next) && !names.has(next)) names.set(next, table);
  });
  return names;
}

/** The word before a dot that the text ends with, a begun column or not: "s" of "SELECT s.du". */
function qualifier(before: string): string | undefined {
  const isWord = (at: number): boolean => /\w/.test(before[at] ?? '');
  let dot = before.length - 1;
  while (isWord(dot)) dot--;
  if (before[dot] !== '.') return undefined;
  let begin = dot;
  while (isWord(begin - 1)) begin--;
  return begin === dot ? undefined : before.slice(begin, dot);
}

/** `before`: the text up to the place. */
export function suggestions(sql: string, before: string): Suggestion[] {
  const names = namesIn(sql);
  const dotted = qualifier(before)?.toLowerCase();
  if (dotted !== undefined) {
    const table = names.get(dotted);
    return table === undefined ? [] : columnsOf(table);
  }
  const tables = queryTables.map(({ name, about }) => ({ label: name, about, isTable: true }));
  const columns = new Map<string, Suggestion>();
  for (const table of new Set(names.values()))
    for (const column of columnsOf(table)) if (!columns.has(column.label)) columns.set(column.label, column);
  return [...tables, ...columns.values()];
}
