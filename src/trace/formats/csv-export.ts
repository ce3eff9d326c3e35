import { methodFigures } from '../measure/methods.js';
import { wholeTrace } from '../measure/scope.js';
import { sumScope } from '../measure/sums.js';
import { type Trace } from '../model/trace.js';
import { threadsToWrite } from './call-events.js';
import type { ExportOptions, Sink } from './importer.js';
import { TextWriter } from './text-writer.js';

/** What a spreadsheet may take for a formula, at the beginning of a cell; also the wide forms some accept. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Writes the method table as CSV (RFC 4180): self and total time on wall and CPU, and how often each was called, over all
 * chosen threads. Recursion is counted once. Text that a spreadsheet would run as a formula gets an apostrophe before it.
 */
export function writeMethodTable(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const out = new TextWriter(sink);
  const { methods } = trace;
  const threads = threadsToWrite(trace, options).map(({ index }) => index);
  const figures = methodFigures(sumScope(trace, { ...wholeTrace, threads }, 'times'), methods.count);
  const { self, total, calls } = figures;
  out.ascii('class,method,signature,file,line,self wall ns,total wall ns,self CPU ns,total CPU ns,calls\r\n');
  const rows = threads.length > 0 ? [...figures.method.keys()] : [];
  rows.sort((a, b) => (self.wall[b] ?? 0) - (self.wall[a] ?? 0) || a - b);
  for (const row of rows) {
    const method = figures.method[row] ?? 0;
    const written = methods.written?.(method);
    const texts = [
      written?.className ?? methods.className(method),
      written?.name ?? methods.name(method),
      methods.signature(method),
      methods.file(method),
    ];
    out.text(texts.map(cell).join(','));
    for (const value of [
      methods.firstLine(method),
      self.wall[row] ?? 0,
      total.wall[row] ?? 0,
      self.cpu[row] ?? 0,
      total.cpu[row] ?? 0,
      calls[row] ?? 0,
    ]) {
      out.ascii(',');
      out.integer(value);
    }
    out.ascii('\r\n');
  }
  out.end();
}

function cell(text: string): string {
  return `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
