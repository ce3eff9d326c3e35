import type { Trace } from '../model/trace.js';
import { threadsToWrite, walkCalls } from './call-events.js';
import type { ExportOptions, Sink } from './importer.js';
import { TextWriter } from './text-writer.js';

/**
 * Writes Nanoscope's text (F72): "ns:method" where a call begins, "ns:POP" where the innermost ends. The format knows one
 * thread: of several, each begins with a line "# thread TID NAME", which its own viewer does not know.
 */
export function writeNanoscope(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const out = new TextWriter(sink);
  const threads = threadsToWrite(trace, options);
  const encoder = new TextEncoder();
  const names: (Uint8Array | undefined)[] = [];
  const nameOf = (method: number): Uint8Array =>
    (names[method] ??= encoder.encode(`:${lineText(trace.methods.qualifiedName(method))}\n`));
  for (const { calls, tid, name } of threads) {
    if (threads.length > 1) out.text(`# thread ${tid} ${lineText(name)}\n`);
    walkCalls(
      calls,
      (row) => {
        out.integer(calls.begin[row] ?? 0);
        out.bytes(nameOf(calls.method[row] ?? 0));
      },
      (row) => {
        out.integer(calls.end[row] ?? 0);
        out.ascii(':POP\n');
      },
    );
  }
  out.end();
}

/** A method called POP, or one whose name holds a line end, would be read as something else. */
function lineText(name: string): string {
  const text = name.replace(/[\r\n]+/g, ' ');
  return text === 'POP' ? '(POP)' : text === '' ? '(no name)' : text;
}
