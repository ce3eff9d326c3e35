import type { ThreadTrack, Trace } from '../../src/trace/model/trace.js';

export interface DumpOptions {
  /** Only the calls, threads and their names: what every format can carry. */
  readonly callsOnly?: boolean;
}

/** A trace as lines a person can read and a diff can compare: threads, calls indented by depth, counters, links, problems. */
export function dumpTrace(trace: Trace, options: DumpOptions = {}): string {
  const lines: string[] = [];
  if (options.callsOnly !== true) {
    const { info } = trace;
    lines.push(
      `format ${info.format} pid ${info.pid} target "${info.targetName}" cpu ${String(info.hasCpu)}`,
    );
    lines.push(
      `start monotonic ${info.startMonotonicNs} boottime ${info.startBoottimeNs} end ${trace.endNs}`,
    );
  }
  for (const thread of trace.threads) dumpThread(trace, thread, lines, options);
  if (options.callsOnly !== true) {
    for (const { name, unit, count, time, value } of trace.counters) {
      const points = Array.from({ length: count }, (_, i) => `${time[i]}=${value[i]}`);
      lines.push(`counter "${name}" ${unit}: ${points.join(' ')}`);
    }
    const { links } = trace;
    for (let i = 0; i < links.count; i++) {
      lines.push(
        `link ${links.waiter[i]} @${links.waiterTime[i]} woken by ${links.waker[i]} @${links.wakerTime[i]}`,
      );
    }
    for (const problem of trace.problems)
      lines.push(`problem${problem.offset === undefined ? '' : ` @${problem.offset}`}: ${problem.what}`);
  }
  return lines.join('\n') + '\n';
}

function dumpThread(trace: Trace, thread: ThreadTrack, lines: string[], options: DumpOptions): void {
  const { calls, waits } = thread;
  lines.push(`thread ${thread.tid} "${thread.name}"${thread.isMain ? ' main' : ''}`);
  for (let row = 0; row < calls.count; row++) {
    const method = calls.method[row]!;
    const cpu = trace.info.hasCpu ? ` cpu ${calls.cpu[row]}` : '';
    const file = trace.methods.file(method);
    const source =
      file === '' || options.callsOnly === true ? '' : ` at ${file}:${trace.methods.firstLine(method)}`;
    lines.push(
      `${'  '.repeat(calls.depth[row]! + 1)}${trace.methods.qualifiedName(method)} ${calls.begin[row]}..${calls.end[row]}${cpu}${source}`,
    );
  }
  if (options.callsOnly === true) return;
  for (let row = 0; row < waits.count; row++) {
    lines.push(
      `  block ${waits.begin[row]}..${waits.end[row]} kind ${waits.kind[row]} link ${waits.link[row]}`,
    );
  }
}
