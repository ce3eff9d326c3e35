import type { ThreadTrack, Trace } from '../model/trace.js';
import { cpuBefore, threadsToWrite, walkCalls } from './call-events.js';
import type { ExportOptions, Sink } from './importer.js';
import { TextWriter } from './text-writer.js';

/**
 * Writes speedscope's own format: one evented profile a thread, in ns, frames shared with file and line. With the weight
 * 'cpu' the profile runs on the thread's CPU clock.
 */
export function writeSpeedscope(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const out = new TextWriter(sink);
  const { methods, info } = trace;
  const threads = threadsToWrite(trace, options);
  const frames = usedMethods(threads);
  out.ascii('{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"btrace","name":');
  out.text(JSON.stringify(info.targetName));
  out.ascii(',"shared":{"frames":[');
  let first = true;
  for (const method of frames.keys()) {
    const file = methods.file(method);
    const line = methods.firstLine(method);
    out.ascii(first ? '\n' : ',\n');
    out.text(
      JSON.stringify({
        name: methods.qualifiedName(method),
        ...(file === '' ? {} : { file }),
        ...(line === 0 ? {} : { line }),
      }),
    );
    first = false;
  }
  out.ascii('\n]},"profiles":[');
  threads.forEach((thread, i) => {
    out.ascii(i === 0 ? '\n' : ',\n');
    writeProfile(thread, frames, out, options.weight === 'cpu');
  });
  out.ascii('\n]}\n');
  out.end();
}

function writeProfile(
  thread: ThreadTrack,
  frames: ReadonlyMap<number, number>,
  out: TextWriter,
  onCpu: boolean,
): void {
  const { calls } = thread;
  const cpu = onCpu ? cpuBefore(thread) : undefined;
  const begins = (row: number): number => cpu?.[calls.firstInterval[row] ?? 0] ?? calls.begin[row] ?? 0;
  const ends = (row: number): number => cpu?.[(calls.lastInterval[row] ?? 0) + 1] ?? calls.end[row] ?? 0;
  let last = 0;
  for (let row = 0; row < calls.count; row++) if (calls.depth[row] === 0) last = ends(row);
  const name = `${thread.name} (tid ${thread.tid})`;
  out.text(`{"type":"evented","name":${JSON.stringify(name)},"unit":"nanoseconds","startValue":`);
  out.integer(calls.count > 0 ? begins(0) : 0);
  out.ascii(',"endValue":');
  out.integer(last);
  out.ascii(',"events":[');
  let first = true;
  const event = (head: string, row: number, at: number): void => {
    if (!first) out.ascii(',');
    first = false;
    out.ascii(head);
    out.integer(frames.get(calls.method[row] ?? 0) ?? 0);
    out.ascii(',"at":');
    out.integer(at);
    out.ascii('}');
  };
  walkCalls(
    calls,
    (row) => event('\n{"type":"O","frame":', row, begins(row)),
    (row) => event('\n{"type":"C","frame":', row, ends(row)),
  );
  out.ascii('\n]}');
}

/** Frame numbers of the methods that are called, in order of first call. */
function usedMethods(threads: readonly ThreadTrack[]): Map<number, number> {
  const frames = new Map<number, number>();
  for (const { calls } of threads) {
    for (let row = 0; row < calls.count; row++) {
      const method = calls.method[row] ?? 0;
      if (!frames.has(method)) frames.set(method, frames.size);
    }
  }
  return frames;
}
