/** A result as text for programs. */
import type { QueryResult, QueryValue } from './query-engine.js';

/** RFC 4180: a field is quoted where it must be. NULL is an empty field. */
export function csvOf({ columns, rows }: QueryResult): string {
  return [columns, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

function csvField(value: QueryValue): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function resultJson({ columns, rows, isCut }: QueryResult): unknown {
  return {
    columns,
    rows: rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))),
    isCut,
  };
}
