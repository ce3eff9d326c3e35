/** The statements of a text, by the places where DuckDB ends them, and which of them a query may have. */
import { type Place, QueryError } from './query-engine.js';

export interface Statement {
  readonly text: string;
  /** Where it begins in the whole text. */
  readonly offset: number;
}

/** What a statement may begin with: it reads. */
const reading = new Set([
  '(',
  'describe',
  'desc',
  'explain',
  'from',
  'pivot',
  'select',
  'show',
  'summarize',
  'table',
  'unpivot',
  'values',
  'with',
]);

export function statementsOf(sql: string): Statement[] {
  const statements: Statement[] = [];
  let from = 0;
  const take = (to: number): void => {
    const begin = skipBlanks(sql, from, to);
    if (begin < to) statements.push({ text: sql.slice(begin, to).trimEnd(), offset: begin });
    from = to + 1;
  };
  for (let at = 0; at < sql.length;) {
    if (sql[at] === ';') take(at);
    at = Math.max(skipOpaque(sql, at), at + 1);
  }
  take(sql.length);
  return statements;
}

/**
 * The end of the comment, text, quoted name or dollar quote that begins at `at`, in which a semicolon ends nothing; `at`
 * where none begins. One that is not closed goes to the end.
 */
function skipOpaque(sql: string, at: number): number {
  const comment = skipComment(sql, at);
  if (comment > at) return comment;
  const quote = sql[at];
  if (quote === "'" && isEscaping(sql, at - 1)) return afterEscaped(sql, at + 1);
  if (quote === "'" || quote === '"') return after(sql, quote, at + 1);
  // A name may hold dollars, but not begin with one.
  if (quote !== '$' || inName.test(sql[at - 1] ?? '')) return at;
  let end = at + 1;
  while (/\w/.test(sql[end] ?? '')) end++;
  if (sql[end] !== '$') return at;
  return after(sql, sql.slice(at, end + 1), end + 1);
}

const inName = /[\w$\u0080-\uffff]/;

/** An E of its own before a text: a backslash in it escapes what follows. */
const isEscaping = (sql: string, at: number): boolean =>
  /e/i.test(sql[at] ?? '') && !inName.test(sql[at - 1] ?? '');

function afterEscaped(sql: string, from: number): number {
  let at = from;
  // A quote twice is one quote.
  while (at < sql.length && (sql[at] !== "'" || sql[at + 1] === "'"))
    at += sql[at] === '\\' || sql[at] === "'" ? 2 : 1;
  return Math.min(at + 1, sql.length);
}

function skipComment(sql: string, at: number): number {
  if (sql.startsWith('--', at)) {
    let end = at;
    while (end < sql.length && sql[end] !== '\n' && sql[end] !== '\r') end++;
    return end;
  }
  if (!sql.startsWith('/*', at)) return at;
  // One may stand in another.
  let open = 0;
  let end = at;
  do {
    if (sql.startsWith('/*', end)) [open, end] = [open + 1, end + 2];
    else if (sql.startsWith('*/', end)) [open, end] = [open - 1, end + 2];
    else end++;
  } while (open > 0 && end < sql.length);
  return Math.min(end, sql.length);
}

/** The place after the next `text`, the end where there is none. */
function after(sql: string, text: string, from: number): number {
  const found = sql.indexOf(text, from);
  return found < 0 ? sql.length : found + text.length;
}

/** Past blanks and comments. */
function skipBlanks(sql: string, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const next = /\s/.test(sql[at] ?? '') ? at + 1 : skipComment(sql, at);
    if (next === at) break;
    at = next;
  }
  return Math.min(at, to);
}

/** Perfetto's modules are always here. */
const include = /^include\s+perfetto\s+module\b/i;

/** The statements to run. Throws for one that does not only read. */
export function readingStatements(sql: string): Statement[] {
  return statementsOf(sql).filter(({ text, offset }) => {
    if (include.test(text)) return false;
    const word = /^(?:\(|\w+)/.exec(text)?.[0].toLowerCase() ?? '';
    if (reading.has(word)) return true;
    throw new QueryError(
      `A query only reads: it begins with SELECT, WITH or FROM, not with "${word || text.slice(0, 10)}".`,
      placeAt(sql, offset),
    );
  });
}

export function placeAt(sql: string, offset: number): Place {
  const before = sql.slice(0, offset);
  return { line: before.split('\n').length - 1, column: offset - (before.lastIndexOf('\n') + 1) };
}

/** DuckDB draws the line and, below it, a caret. It shortens long lines: then the word that it points to is looked for. */
export function asQueryError(error: unknown, sql: string, { text, offset }: Statement): QueryError {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.split('\n');
  const drawn = lines.findIndex((line) => /^LINE \d+: /.test(line));
  const [head = ''] = /^LINE \d+: /.exec(lines[drawn] ?? '') ?? [];
  const caret = (lines[drawn + 1] ?? '').indexOf('^') - head.length;
  if (drawn < 0 || caret < 0) return new QueryError(message.trim(), undefined, { cause: error });
  const said = lines.slice(0, drawn).join('\n').trim();
  const shown = (lines[drawn] ?? '').slice(head.length).replace(/\.\.\.$/, '');
  const before = text.split('\n').slice(0, Number(head.slice('LINE '.length, -2)) - 1);
  const own = text.split('\n')[before.length] ?? '';
  const column = own.startsWith(shown) ? caret : own.indexOf(shown.slice(caret));
  const lineStart = before.reduce((sum, one) => sum + one.length + 1, 0);
  return new QueryError(said, placeAt(sql, offset + lineStart + Math.max(column, 0)), { cause: error });
}
