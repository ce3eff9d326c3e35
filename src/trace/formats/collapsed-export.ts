import { isTime } from '../measure/weights.js';
import type { Trace } from '../model/trace.js';
import { threadsToWrite } from './call-events.js';
import type { ExportOptions, Sink } from './importer.js';
import { ownWeights } from './own-weights.js';
import { TextWriter } from './text-writer.js';

/**
 * Writes collapsed stacks: each distinct stack once with what of a weight is its own. With several threads the first frame
 * is the thread, "[main tid=12]".
 */
export function writeCollapsed(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const out = new TextWriter(sink);
  const weight = options.weight ?? 'wall';
  const threads = threadsToWrite(trace, options);
  out.ascii(`# unit: ${weight !== 'samples' && isTime(weight) ? 'ns' : weight}\n`);
  const { paths, methods } = trace;
  const encoder = new TextEncoder();
  const names: (Uint8Array | undefined)[] = [];
  const nameOf = (method: number): Uint8Array =>
    (names[method] ??= encoder.encode(frameText(methods.qualifiedName(method))));
  for (const thread of threads) {
    const own = ownWeights(trace, thread, weight);
    const head =
      threads.length > 1 ? encoder.encode(`[${frameText(thread.name)} tid=${thread.tid}];`) : undefined;
    const frames: number[] = [];
    for (let path = 1; path < paths.count; path++) {
      const value = Math.round(own[path] ?? 0);
      if (value <= 0) continue;
      frames.length = 0;
      for (let at = path; at !== 0; at = paths.parent[at] ?? 0) frames.push(paths.method[at] ?? 0);
      if (head !== undefined) out.bytes(head);
      for (let i = frames.length - 1; i >= 0; i--) {
        out.bytes(nameOf(frames[i] ?? 0));
        out.ascii(i > 0 ? ';' : ' ');
      }
      out.integer(value);
      out.ascii('\n');
    }
  }
  out.end();
}

/** A frame may not hold what divides frames and lines. */
function frameText(name: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  const text = name.replaceAll(';', ':').replace(/[\u0000-\u001f]+/g, ' ');
  return text === '' ? '(no name)' : text;
}
