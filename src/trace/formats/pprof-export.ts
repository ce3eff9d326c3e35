import type { ThreadTrack, Trace } from '../model/trace.js';
import { threadsToWrite } from './call-events.js';
import { GzipSink } from './gzip-sink.js';
import type { ExportOptions, Sink, StackWeight } from './importer.js';
import { Function, Label, Line, Location, Mapping, Profile, Sample, ValueType } from './pprof-fields.js';
import { ProtobufWriter } from './protobuf-writer.js';
import { type WrittenPlace, WrittenPlaces } from './written-places.js';
import { callerOf, weightsOfStacks } from './written-stacks.js';

const pieceBytes = 1 << 18;

interface Value {
  readonly weight: StackWeight;
  readonly type: string;
  readonly unit: string;
}

/** Texts of the profile, each once; the first is empty, as pprof asks for. */
class Texts {
  readonly #at = new Map<string, number>([['', 0]]);

  of(text: string): number {
    const known = this.#at.get(text);
    if (known !== undefined) return known;
    const at = this.#at.size;
    this.#at.set(text, at);
    return at;
  }

  get all(): Iterable<string> {
    return this.#at.keys();
  }
}

/**
 * Writes pprof's format within gzip: each distinct stack of a thread once, by line where lines are known, with what is its own
 * of each weight that the trace has, and the thread as labels. Times between are not kept: pprof has none.
 */
export function writePprof(trace: Trace, sink: Sink, options: ExportOptions = {}): void {
  const gzip = new GzipSink(sink);
  const out = new ProtobufWriter(2 * pieceBytes);
  const texts = new Texts();
  const values = valuesOf(trace);
  for (const { type, unit } of values) {
    out.begin(Profile.sampleType);
    out.integer(ValueType.type, texts.of(type));
    out.integer(ValueType.unit, texts.of(unit));
    out.end();
  }
  const places = new WrittenPlaces(trace);
  for (const thread of threadsToWrite(trace, options)) {
    writeThread(trace, thread, values, texts, places, out, () => {
      if (out.length > pieceBytes) gzip.write(out.take());
    });
  }
  out.begin(Profile.mapping);
  out.integer(Mapping.id, 1);
  out.integer(Mapping.file, texts.of(trace.info.targetName));
  out.integer(Mapping.hasFunctions, 1);
  out.integer(Mapping.hasFilenames, 1);
  out.end();
  for (const place of places) {
    writePlace(place, out);
    if (out.length > pieceBytes) gzip.write(out.take());
  }
  for (const method of places.methods) {
    writeMethod(trace, method, texts, out);
    if (out.length > pieceBytes) gzip.write(out.take());
  }
  const asked = options.weight ?? (trace.info.hasCpu ? 'cpu' : 'wall');
  const shown = values.find(({ weight }) => weight === asked) ?? values.at(-1);
  out.integer(Profile.defaultSampleType, texts.of(shown?.type ?? ''));
  if (trace.info.startRealtimeNs > 0n) out.big(Profile.timeNanos, trace.info.startRealtimeNs);
  out.integer(Profile.durationNanos, Math.round(trace.endNs - trace.beginNs));
  for (const text of texts.all) out.text(Profile.string, text);
  gzip.write(out.take());
  gzip.end();
}

function valuesOf({ info }: Trace): Value[] {
  return [
    { weight: 'samples', type: 'samples', unit: 'count' },
    { weight: 'wall', type: 'wall', unit: 'nanoseconds' },
    { weight: 'wait', type: 'wait', unit: 'nanoseconds' },
    ...(info.hasCpu ? [{ weight: 'cpu', type: 'cpu', unit: 'nanoseconds' } as const] : []),
    ...(info.hasAllocationCounts
      ? [{ weight: 'allocations', type: 'alloc_objects', unit: 'count' } as const]
      : []),
    ...(info.hasAllocations
      ? [{ weight: 'allocatedBytes', type: 'alloc_space', unit: 'bytes' } as const]
      : []),
  ];
}

function writeThread(
  trace: Trace,
  thread: ThreadTrack,
  values: readonly Value[],
  texts: Texts,
  places: WrittenPlaces,
  out: ProtobufWriter,
  onSample: () => void,
): void {
  const own = weightsOfStacks(
    thread,
    values.map(({ weight }) => weight),
  );
  for (const [stack, weights] of own) {
    if (!weights.some((value) => Math.round(value) > 0)) continue;
    out.begin(Profile.sample);
    for (let at = stack; at !== 0; at = callerOf(trace, at)) out.integer(Sample.locations, places.of(at).id);
    for (const value of weights) out.integer(Sample.values, Math.max(0, Math.round(value)));
    out.begin(Sample.label);
    out.integer(Label.key, texts.of('thread'));
    out.integer(Label.text, texts.of(thread.name));
    out.end();
    out.begin(Sample.label);
    out.integer(Label.key, texts.of('tid'));
    out.integer(Label.number, thread.tid);
    out.end();
    out.end();
    onSample();
  }
}

function writePlace({ id, method, line }: WrittenPlace, out: ProtobufWriter): void {
  out.begin(Profile.location);
  out.integer(Location.id, id);
  out.integer(Location.mapping, 1);
  out.begin(Location.line);
  out.integer(Line.function, method + 1);
  if (line > 0) out.integer(Line.line, line);
  out.end();
  out.end();
}

function writeMethod({ methods }: Trace, method: number, texts: Texts, out: ProtobufWriter): void {
  const line = methods.firstLine(method);
  const name = texts.of(methods.qualifiedName(method));
  out.begin(Profile.function);
  out.integer(Function.id, method + 1);
  out.integer(Function.name, name);
  out.integer(Function.systemName, name);
  out.integer(Function.file, texts.of(methods.file(method)));
  if (line > 0) out.integer(Function.startLine, line);
  out.end();
}
