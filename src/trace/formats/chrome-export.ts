import { upperBound } from '../model/bisect.js';
import type { ThreadTrack, Trace } from '../model/trace.js';
import { cpuBefore, type ExportedIds, idsOf, threadsToWrite, walkCalls } from './call-events.js';
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
  const threads = threadsToWrite(trace, options);
  const ids = idsOf(trace, threads);
  let isFirst = true;
  /** Perfetto counts a name that is empty as an error. */
  const named = (what: string, process: number, tid: number, name: string): void => {
    if (name === '') return;
    if (!isFirst) out.ascii(',\n');
    isFirst = false;
    out.text(JSON.stringify({ name: what, ph: 'M', pid: process, tid, args: { name } }));
  };
  named('process_name', pid, 0, info.targetName);
  for (const { index, name } of threads) {
    const own = ids.get(index);
    if (own !== undefined) named('thread_name', own.pid, own.tid, name);
  }
  for (const thread of threads) {
    const { calls } = thread;
    const cpu = info.hasCpu ? cpuBefore(thread) : undefined;
    const own = ids.get(thread.index);
    const tail = `,"pid":${own?.pid ?? pid},"tid":${own?.tid ?? 0}`;
    const event = (phase: 'B' | 'E', row: number, timeNs: number, usedNs: number): void => {
      out.ascii(isFirst ? '' : ',\n');
      isFirst = false;
      out.ascii(phase === 'B' ? '{"ph":"B","name":' : '{"ph":"E","name":');
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
  writeLinks(trace, threads, ids, out);
  for (const { name, unit, count, time, value } of trace.counters) {
    for (let i = 0; i < count; i++) {
      if (!isFirst) out.ascii(',\n');
      isFirst = false;
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

/** Links whose two ends lie in calls: a flow is drawn from call to call, and one that has none is an error elsewhere. */
function writeLinks(
  trace: Trace,
  threads: readonly ThreadTrack[],
  ids: ReadonlyMap<number, ExportedIds>,
  out: TextWriter,
): void {
  const { links } = trace;
  const calls = new Map(threads.map((thread) => [thread.index, new OuterCalls(thread)]));
  const flow = (phase: string, link: number, thread: number, timeNs: number): void => {
    const { pid, tid } = ids.get(thread) ?? { pid: 0, tid: 0 };
    out.ascii(`,\n{"ph":"${phase}","cat":"wake","name":"wakes","id":${link + 1},"pid":${pid}`);
    out.ascii(`,"tid":${tid},"ts":`);
    out.micros(timeNs);
    out.ascii(phase === 'f' ? ',"bp":"e"}' : '}');
  };
  for (let link = 0; link < links.count; link++) {
    const [waker, waiter] = [links.waker[link] ?? 0, links.waiter[link] ?? 0];
    const wakerTime = links.wakerTime[link] ?? 0;
    const from = calls.get(waker)?.within(wakerTime) ?? NaN;
    const to = calls.get(waiter)?.within(Math.max(links.waiterTime[link] ?? 0, wakerTime)) ?? NaN;
    if (from !== from || to !== to) continue;
    flow('s', link, waker, from);
    flow('f', link, waiter, Math.max(from, to));
  }
}

/** The calls of a thread that have no caller, in order. */
class OuterCalls {
  readonly #begin: Float64Array;
  readonly #end: Float64Array;

  constructor({ calls }: ThreadTrack) {
    const begin = new Float64Array(calls.count);
    const end = new Float64Array(calls.count);
    let count = 0;
    for (let row = 0; row < calls.count; row++) {
      if (calls.depth[row] !== 0) continue;
      begin[count] = calls.begin[row] ?? 0;
      end[count++] = calls.end[row] ?? 0;
    }
    this.#begin = begin.subarray(0, count);
    this.#end = end.subarray(0, count);
  }

  /** The time, put into the call that ends there if none goes on; NaN where there is no call. */
  within(timeNs: number): number {
    let at = upperBound(this.#begin, timeNs) - 1;
    // Of several that begin at once only the last may be longer than nothing.
    if (at > 0 && this.#begin[at] === timeNs && this.#end[at] === timeNs) at--;
    const [begin, end] = [this.#begin[at] ?? NaN, this.#end[at] ?? NaN];
    if (timeNs < end) return timeNs;
    return timeNs === end && end - 1 >= begin ? end - 1 : NaN;
  }
}
