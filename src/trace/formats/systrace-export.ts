import type { Trace } from '../model/trace.js';
import { threadsToWrite, walkCalls } from './call-events.js';
import type { ExportOptions, Sink } from './importer.js';
import { TextWriter } from './text-writer.js';

/**
 * Writes calls as prints in the kernel's trace, in text (F71): "B|pid|name" and "E|pid", as atrace has them, so that they can be laid
 * beside a system trace. Seconds have nine places; older tools read the first six.
 */
export function writeSystrace(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const out = new TextWriter(sink);
  const encoder = new TextEncoder();
  const { pid, startBoottimeNs, startMonotonicNs } = trace.info;
  const start = startBoottimeNs > 0n ? startBoottimeNs : startMonotonicNs;
  const startSeconds = Number(start / 1_000_000_000n);
  const startNs = Number(start % 1_000_000_000n);
  const names: (Uint8Array | undefined)[] = [];
  const nameOf = (method: number): Uint8Array =>
    (names[method] ??= encoder.encode(`B|${pid}|${lineText(trace.methods.qualifiedName(method))}\n`));
  const end = encoder.encode(`E|${pid}\n`);
  out.ascii('# tracer: nop\n');
  for (const { calls, name, tid } of threadsToWrite(trace, options)) {
    // The kernel's names have 15 bytes, and a bracket would end them.
    const short =
      lineText(name)
        .replace(/[[\]()]/g, '_')
        .slice(0, 15) || '<...>';
    const head = encoder.encode(`${short}-${tid} (${pid}) [000] .... `);
    const print = (timeNs: number, what: Uint8Array): void => {
      const at = startNs + Math.round(timeNs);
      const seconds = Math.floor(at / 1e9);
      out.bytes(head);
      out.integer(startSeconds + seconds);
      out.ascii('.');
      out.padded(at - seconds * 1e9, 9);
      out.ascii(': tracing_mark_write: ');
      out.bytes(what);
    };
    walkCalls(
      calls,
      (row) => print(calls.begin[row] ?? 0, nameOf(calls.method[row] ?? 0)),
      (row) => print(calls.end[row] ?? 0, end),
    );
  }
  out.end();
}

function lineText(name: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  return name.replace(/[\u0000-\u001f]+/g, ' ');
}
