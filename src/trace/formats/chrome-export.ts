import type { Trace } from '../model/trace.js';
import { cpuBefore, threadsToWrite, walkCalls } from './call-events.js';
import type { ExportOptions, Sink } from './importer.js';
import { JsonNames, TextWriter } from './text-writer.js';

/**
 * Writes the JSON that Chrome's own tools, Perfetto and others open: an object with `traceEvents`, one event a line. Calls are
 * begin and end events, as these keep their nesting where times are equal; `tts` is the thread's CPU clock; links are flows.
 */
export function writeChrome(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const out = new TextWriter(sink);
  const { info, methods } = trace;
  const names = new JsonNames((method) => methods.qualifiedName(method));
  // µs with three places hold ns; counted from 0 they stay exact in any reader.
  const { pid } = info;
  out.ascii('{"displayTimeUnit":"ns","otherData":');
  out.text(
    JSON.stringify({
      startMonotonicNs: String(info.startMonotonicNs),
      startBoottimeNs: String(info.startBoottimeNs),
      startRealtimeNs: String(info.startRealtimeNs),
    }),
  );
  out.ascii(',"traceEvents":[\n');
  out.text(JSON.stringify({ name: 'process_name', ph: 'M', pid, tid: 0, args: { name: info.targetName } }));
  const threads = threadsToWrite(trace, options);
  for (const thread of threads) {
    const { name, tid } = thread;
    out.ascii(',\n');
    out.text(JSON.stringify({ name: 'thread_name', ph: 'M', pid, tid, args: { name } }));
  }
  for (const thread of threads) {
    const { calls } = thread;
    const cpu = info.hasCpu ? cpuBefore(thread) : undefined;
    const tail = `,"pid":${pid},"tid":${thread.tid}`;
    const event = (phase: 'B' | 'E', row: number, timeNs: number, usedNs: number): void => {
      out.ascii(phase === 'B' ? ',\n{"ph":"B","name":' : ',\n{"ph":"E","name":');
      out.bytes(names.of(calls.method[row] ?? 0));
      out.ascii(tail);
      out.ascii(',"ts":');
      out.micros(timeNs);
      if (cpu !== undefined) {
        out.ascii(',"tts":');
        out.micros(usedNs);
      }
      out.ascii('}');
    };
    walkCalls(
      calls,
      (row) => event('B', row, calls.begin[row] ?? 0, cpu?.[calls.firstInterval[row] ?? 0] ?? 0),
      (row) => event('E', row, calls.end[row] ?? 0, cpu?.[(calls.lastInterval[row] ?? 0) + 1] ?? 0),
    );
  }
  writeLinks(trace, out);
  for (const { name, unit, count, time, value } of trace.counters) {
    for (let i = 0; i < count; i++) {
      out.ascii(',\n');
      const args = { [unit === '' ? 'value' : unit]: value[i] };
      const head = JSON.stringify({ name, ph: 'C', pid, args });
      out.text(head.slice(0, -1));
      out.ascii(',"ts":');
      out.micros(time[i] ?? 0);
      out.ascii('}');
    }
  }
  out.ascii('\n]}\n');
  out.end();
}

function writeLinks(trace: Trace, out: TextWriter): void {
  const { links, info } = trace;
  const tids = new Map(trace.threads.map((thread) => [thread.index, thread.tid]));
  for (let link = 0; link < links.count; link++) {
    const flow = (phase: string, thread: number, timeNs: number): void => {
      out.ascii(`,\n{"ph":"${phase}","cat":"wake","name":"wakes","id":${link + 1},"pid":${info.pid}`);
      out.ascii(`,"tid":${tids.get(thread) ?? 0},"ts":`);
      out.micros(timeNs);
      out.ascii(phase === 'f' ? ',"bp":"e"}' : '}');
    };
    const wakerTime = links.wakerTime[link] ?? 0;
    flow('s', links.waker[link] ?? 0, wakerTime);
    flow('f', links.waiter[link] ?? 0, Math.max(links.waiterTime[link] ?? 0, wakerTime));
  }
}
