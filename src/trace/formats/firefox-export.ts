import type { ThreadTrack, Trace } from '../model/trace.js';
import { waitKindOf } from '../model/kinds.js';
import { threadsToWrite } from './call-events.js';
import { GzipSink } from './gzip-sink.js';
import type { ExportOptions, Sink } from './importer.js';
import { TextWriter } from './text-writer.js';
import { callerOf, isPath, methodOf, stackOf } from './written-stacks.js';

/** The version of the processed format that this is; profiler.firefox.com reads all that are older than its own. */
const processedVersion = 47;
/** Of Firefox's own format, which says what `meta` may have. */
const geckoVersion = 27;
/** Places in `meta.categories`. */
const Category = { managed: 0, native: 1, wait: 2 } as const;

/**
 * Writes the processed profile of the Firefox Profiler within gzip. Each interval of a thread is a sample that stands at its
 * begin and weighs its length; where nothing is known there is a sample without a stack. Waits are markers.
 */
export function writeFirefox(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const gzip = new GzipSink(sink);
  const out = new TextWriter(gzip.write);
  const { info } = trace;
  out.text(
    `{"meta":${JSON.stringify({
      version: geckoVersion,
      preprocessedProfileVersion: processedVersion,
      interval: 1,
      startTime: Number(info.startRealtimeNs / 1000n) / 1000,
      processType: 0,
      product: info.targetName === '' ? 'BTrace' : info.targetName,
      stackwalk: 1,
      debug: false,
      symbolicated: true,
      usesOnlyOneStackType: true,
      doesNotUseFrameImplementation: true,
      sourceCodeIsNotOnSearchfox: true,
      oscpu: info.os,
      abi: info.arch,
      importedFrom: 'BTrace',
      sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: 'ns' },
      extensions: { id: [], name: [], baseURL: [], length: 0 },
      categories: [
        { name: 'Managed code', color: 'blue', subcategories: ['Other'] },
        { name: 'Native code', color: 'grey', subcategories: ['Other'] },
        { name: 'Waiting', color: 'yellow', subcategories: ['Other'] },
      ],
      markerSchema: [
        {
          name: 'Wait',
          display: ['marker-chart', 'marker-table', 'timeline-overview'],
          tooltipLabel: 'Wait: {marker.data.kind}',
          tableLabel: '{marker.data.kind} {marker.data.object}',
          data: [
            { key: 'kind', label: 'Waits for', format: 'string', searchable: true },
            { key: 'object', label: 'Of class', format: 'string', searchable: true },
          ],
        },
      ],
    })},"libs":[],"threads":[`,
  );
  threadsToWrite(trace, options).forEach((thread, at) => {
    out.ascii(at === 0 ? '\n' : ',\n');
    writeThread(trace, thread, out);
  });
  out.ascii('\n]}\n');
  out.end();
  gzip.end();
}

/** Rows of a table by a number of ours, in the order they were asked for. */
class Rows {
  readonly #rows = new Map<number, number>();

  of(key: number): number {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    this.#rows.set(key, this.#rows.size);
    return this.#rows.size - 1;
  }

  get keys(): readonly number[] {
    return [...this.#rows.keys()];
  }
}

/** A function at a position in it: the table's rows, in the order they were asked for. */
class Frames {
  readonly all: { readonly func: number; readonly position: number }[] = [];
  /** By function, then by position: no number holds both for all that a trace may have. */
  readonly #rows = new Map<number, Map<number, number>>();

  of(func: number, position: number): number {
    let rows = this.#rows.get(func);
    if (rows === undefined) this.#rows.set(func, (rows = new Map<number, number>()));
    let row = rows.get(position);
    if (row === undefined) rows.set(position, (row = this.all.push({ func, position }) - 1));
    return row;
  }
}

class Texts {
  readonly #rows = new Map<string, number>();

  of(text: string): number {
    const known = this.#rows.get(text);
    if (known !== undefined) return known;
    this.#rows.set(text, this.#rows.size);
    return this.#rows.size - 1;
  }

  get all(): readonly string[] {
    return [...this.#rows.keys()];
  }
}

function writeThread(trace: Trace, thread: ThreadTrack, out: TextWriter): void {
  const { nodes } = trace;
  const texts = new Texts();
  const pid = String(trace.info.pid);
  const unregistered = thread.endNs > 0 ? milliseconds(thread.endNs) : 'null';
  out.text(
    `{"processType":"default","processName":${JSON.stringify(trace.info.targetName)},"processStartupTime":0,` +
      `"processShutdownTime":null,"registerTime":${milliseconds(thread.beginNs)},"unregisterTime":${unregistered},` +
      `"pausedRanges":[],"name":${JSON.stringify(thread.name)},"isMainThread":${thread.isMain},"pid":"${pid}",` +
      `"tid":${thread.tid},"samples":`,
  );
  const stacks = stacksOf(trace, thread);
  writeSamples(trace, thread, stacks.row, out);
  const frames = new Frames();
  const methods = new Rows();
  const order = stacks.order;
  const frameOf = (stack: number): number => {
    const position = isPath(stack) ? 0 : (nodes?.position[stack >>> 1] ?? 0);
    return frames.of(methods.of(methodOf(trace, stack)), position);
  };
  const frameRows = order.map(frameOf);
  const categoryOf = (method: number): number =>
    trace.methods.className(method) === '' ? Category.native : Category.managed;
  table(out, 'stackTable', order.length, {
    prefix: order.map((stack) => stacks.row.get(callerOf(trace, stack)) ?? 'null'),
    frame: frameRows,
    category: order.map((stack) => categoryOf(methodOf(trace, stack))),
    subcategory: zeros(order.length),
  });
  const used = methods.keys;
  const { all } = frames;
  const lines = all.map(({ func, position }) => {
    const method = used[func] ?? 0;
    const line = position > 0 ? trace.methods.lineAt(method, position - 1) : 0;
    return line > 0 ? line : 'null';
  });
  const nothing = (count: number): string[] => new Array<string>(count).fill('null');
  table(out, 'frameTable', all.length, {
    address: all.map(() => -1),
    inlineDepth: zeros(all.length),
    category: all.map(({ func }) => categoryOf(used[func] ?? 0)),
    subcategory: zeros(all.length),
    func: all.map(({ func }) => func),
    nativeSymbol: nothing(all.length),
    innerWindowID: nothing(all.length),
    implementation: nothing(all.length),
    line: lines,
    column: nothing(all.length),
  });
  const file = (method: number): string | number => {
    const name = trace.methods.file(method);
    return name === '' ? 'null' : texts.of(name);
  };
  table(out, 'funcTable', used.length, {
    isJS: used.map(() => 'false'),
    relevantForJS: used.map(() => 'false'),
    name: used.map((method) => texts.of(trace.methods.qualifiedName(method))),
    resource: used.map(() => -1),
    fileName: used.map(file),
    lineNumber: used.map((method) => trace.methods.firstLine(method) || 'null'),
    columnNumber: nothing(used.length),
  });
  table(out, 'resourceTable', 0, { lib: [], name: [], host: [], type: [] });
  table(out, 'nativeSymbols', 0, { libIndex: [], address: [], name: [], functionSize: [] });
  writeMarkers(trace, thread, texts, out);
  out.text(`,"stringArray":${JSON.stringify(texts.all)}}`);
}

interface Stacks {
  /** In the order in which the table has them: those that call before those that are called. */
  readonly order: readonly number[];
  readonly row: ReadonlyMap<number, number>;
}

/** The stacks of a thread's intervals with all their callers. */
function stacksOf(trace: Trace, { intervals }: ThreadTrack): Stacks {
  const row = new Map<number, number>();
  for (let at = 0; at < intervals.count; at++) {
    let stack = stackOf(intervals, at);
    for (; stack !== 0 && !row.has(stack); stack = callerOf(trace, stack)) row.set(stack, 0);
  }
  // A caller has a smaller number.
  const order = [...row.keys()].sort((a, b) => a - b);
  order.forEach((stack, at) => row.set(stack, at));
  return { order, row };
}

function writeSamples(
  trace: Trace,
  { intervals }: ThreadTrack,
  row: ReadonlyMap<number, number>,
  out: TextWriter,
): void {
  const stack: (number | string)[] = [];
  const time: string[] = [];
  const weight: string[] = [];
  const cpu: number[] = [];
  let used = 0;
  let last = NaN;
  const sample = (at: number, stackRow: number | string, length: number, next: number): void => {
    stack.push(stackRow);
    time.push(milliseconds(at));
    weight.push(milliseconds(length));
    // CPU time since the sample before.
    cpu.push(Math.round(used));
    used = next;
  };
  for (let at = 0; at < intervals.count; at++) {
    const begin = intervals.begin[at] ?? 0;
    const end = intervals.end[at] ?? 0;
    if (end <= begin) continue;
    if (last < begin) sample(last, 'null', begin - last, 0);
    const own = stackOf(intervals, at);
    sample(begin, own === 0 ? 'null' : (row.get(own) ?? 'null'), end - begin, intervals.cpu[at] ?? 0);
    last = end;
  }
  if (last === last) sample(last, 'null', 0, 0);
  out.text(`{"weightType":"tracing-ms","length":${stack.length}`);
  column(out, 'stack', stack);
  column(out, 'time', time);
  column(out, 'weight', weight);
  if (trace.info.hasCpu) column(out, 'threadCPUDelta', cpu);
  out.ascii('}');
}

function writeMarkers(trace: Trace, { waits }: ThreadTrack, texts: Texts, out: TextWriter): void {
  const rows = Array.from({ length: waits.count }, (_, at) => at);
  const wait = rows.length > 0 ? texts.of('Wait') : 0;
  table(out, 'markers', rows.length, {
    name: rows.map(() => wait),
    startTime: rows.map((at) => milliseconds(waits.begin[at] ?? 0)),
    endTime: rows.map((at) => milliseconds(waits.end[at] ?? 0)),
    // An interval, whose two ends are known.
    phase: rows.map(() => 1),
    category: rows.map(() => Category.wait),
    data: rows.map((at) => {
      const kind = waitKindOf(waits.kind[at] ?? 0) ?? 'Unknown';
      return JSON.stringify({ type: 'Wait', kind, object: trace.className(waits.type[at] ?? 0) });
    }),
  });
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0);

/** To the nanosecond. */
function milliseconds(ns: number): string {
  const rounded = Math.round(ns);
  const rest = ((rounded % 1e6) + 1e6) % 1e6;
  const whole = (rounded - rest) / 1e6;
  return rest === 0 ? String(whole) : `${whole}.${String(rest).padStart(6, '0')}`;
}

type Columns = Readonly<Record<string, readonly (number | string | undefined)[]>>;

function table(out: TextWriter, name: string, length: number, columns: Columns): void {
  out.text(`,"${name}":{"length":${length}`);
  for (const [key, values] of Object.entries(columns)) column(out, key, values);
  out.ascii('}');
}

function column(out: TextWriter, name: string, values: readonly (number | string | undefined)[]): void {
  out.text(`,"${name}":[`);
  values.forEach((value, at) => {
    if (at > 0) out.ascii(',');
    out.text(String(value));
  });
  out.ascii(']');
}
