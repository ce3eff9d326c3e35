import { IntervalState, type Trace } from '../model/trace.js';
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
  const table = methodTimes(trace, options);
  out.ascii('class,method,signature,file,line,self wall ns,total wall ns,self CPU ns,total CPU ns,calls\r\n');
  const rows: number[] = [];
  for (let method = 0; method < table.count.length; method++)
    if ((table.count[method] ?? 0) > 0) rows.push(method);
  rows.sort((a, b) => (table.selfWall[b] ?? 0) - (table.selfWall[a] ?? 0) || a - b);
  for (const method of rows) {
    const texts = [
      methods.className(method),
      methods.name(method),
      methods.signature(method),
      methods.file(method),
    ];
    out.text(texts.map(cell).join(','));
    for (const value of [
      methods.firstLine(method),
      table.selfWall[method] ?? 0,
      table.totalWall[method] ?? 0,
      table.selfCpu[method] ?? 0,
      table.totalCpu[method] ?? 0,
      table.count[method] ?? 0,
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

function methodTimes(
  trace: Trace,
  options: ExportOptions,
): Record<'selfWall' | 'totalWall' | 'selfCpu' | 'totalCpu' | 'count', Float64Array> {
  const { paths, methods } = trace;
  const wall = new Float64Array(paths.count);
  const cpu = new Float64Array(paths.count);
  const columns = {
    selfWall: new Float64Array(methods.count),
    totalWall: new Float64Array(methods.count),
    selfCpu: new Float64Array(methods.count),
    totalCpu: new Float64Array(methods.count),
    count: new Float64Array(methods.count),
  };
  const add = (column: Float64Array, row: number, value: number): void => {
    column[row] = (column[row] ?? 0) + value;
  };
  for (const { intervals, calls } of threadsToWrite(trace, options)) {
    for (let i = 0; i < intervals.count; i++) {
      if (intervals.state[i] === IntervalState.Gap) continue;
      const path = intervals.path[i] ?? 0;
      add(wall, path, (intervals.end[i] ?? 0) - (intervals.begin[i] ?? 0));
      add(cpu, path, intervals.cpu[i] ?? 0);
    }
    for (let row = 0; row < calls.count; row++) add(columns.count, calls.method[row] ?? 0, 1);
  }
  // A path is always above its parent: from the last to the first, children are complete before they are added.
  for (let path = paths.count - 1; path > 0; path--) {
    const method = paths.method[path] ?? 0;
    add(columns.selfWall, method, wall[path] ?? 0);
    add(columns.selfCpu, method, cpu[path] ?? 0);
  }
  for (let path = paths.count - 1; path > 0; path--) {
    const method = paths.method[path] ?? 0;
    const parent = paths.parent[path] ?? 0;
    if (paths.recursive[path] !== 1) {
      add(columns.totalWall, method, wall[path] ?? 0);
      add(columns.totalCpu, method, cpu[path] ?? 0);
    }
    add(wall, parent, wall[path] ?? 0);
    add(cpu, parent, cpu[path] ?? 0);
  }
  return columns;
}
