/** Sections, counters and messages between processes of a system's trace in a recording: written, read again, and damaged. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { measure } from '../../../src/cli/report/measure.js';
import { printReport } from '../../../src/cli/report/print.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { decodeRecording, RecordingDecoder, type Trace } from '../../../src/trace/index.js';
import { sectionFigures } from '../../../src/trace/measure/sections.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Header, Threads } from '../../../src/trace/recording/messages.js';
import { encodeBinder, encodePrints } from '../../../src/trace/recording/system-events.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { KernelCounter } from '../../../src/trace/system/kernel-sink.js';
import { BinderRows, PrintRows } from '../../../src/trace/system/print-rows.js';
import { SystemChunks } from '../../../src/trace/system/system-chunks.js';
import { contentionPerfetto } from '../formats/contention-traces.js';

const [main, worker, server] = [200, 201, 900];

function file(parts: readonly (readonly [number, Uint8Array])[]): Buffer {
  const chunks: (readonly [number, Uint8Array])[] = [
    [ChunkKind.Header, Header.encode({ major: 1, minor: 7, target: { name: 'shop', pid: main } })],
    [
      ChunkKind.Threads,
      Threads.encode({
        threads: [
          { index: 1, tid: main, name: 'main', isMain: true },
          { index: 2, tid: worker, name: 'worker' },
        ],
      }),
    ],
    ...parts,
  ];
  return Buffer.concat([fileMagic, ...chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at))]);
}

/** As they are recorded: in pieces, in the order of the cores. */
function recorded(pieces: readonly KernelEvents[], shiftNs = 0, redact = false): Buffer {
  const parts: [number, Uint8Array][] = [];
  const chunks = new SystemChunks((kind, payload) => parts.push([kind, payload]), redact);
  for (const events of pieces) chunks.flush(events, shiftNs);
  return file(parts);
}

function decoded(bytes: Uint8Array): Trace {
  const decoder = decodeRecording(bytes);
  assert.equal(decoder.refused, '');
  return decoder.trace();
}

function printing(lines: readonly (readonly [time: number, tid: number, text: string])[]): KernelEvents {
  const events = new KernelEvents();
  for (const [time, tid, text] of lines) {
    const bytes = Buffer.from(text);
    events.print(time, tid, bytes, 0, bytes.length);
  }
  return events;
}

/** Name, begin and end of each section of a thread. */
function sectionsOf(trace: Trace, tid: number): [string, number, number][] {
  const sections = trace.system!.sections!;
  const { calls } = sections.threads.find((thread) => thread.tid === tid)!;
  return Array.from({ length: calls.count }, (_, row) => [
    sections.methods.qualifiedName(calls.method[row]!),
    calls.begin[row]!,
    calls.end[row]!,
  ]);
}

describe('sections in a recording', () => {
  it('are those of the system’s trace, with waits for locks and their owners, on the recording’s clock', () => {
    const events = new KernelEvents();
    const importer = anyImporter({ kernel: events });
    importer.append(contentionPerfetto());
    const alone = importer.finish();
    const shiftNs = 7_000_000;
    const trace = decoded(recorded([events], shiftNs));
    assert.deepEqual(trace.problems, []);
    const own = alone.threads.find(({ tid }) => tid === main)!;
    const track = trace.system!.sections!.threads.find(({ tid }) => tid === main)!;
    const rows = sectionsOf(trace, main);
    assert.deepEqual(
      rows.map(([name]) => name),
      [...own.calls.method.subarray(0, own.calls.count)].map((at) => alone.methods.qualifiedName(at)),
    );
    // The trace alone counts from its first event, which is at 0 here, too.
    const ms = (ns: number): number => (ns - shiftNs) / 1e6;
    assert.deepEqual(
      rows.map(([, begin, end]) => [ms(begin), ms(end)]),
      Array.from({ length: own.calls.count }, (_, row) => [
        own.calls.begin[row]! / 1e6,
        own.calls.end[row]! / 1e6,
      ]),
    );
    const { waits } = track;
    const owners = [0, 1].map(
      (row) => trace.system!.sections!.threads.find(({ index }) => index === waits.owner[row])?.tid,
    );
    assert.deepEqual([...waits.kind.subarray(0, 2)], [SampleKind.Monitor, SampleKind.Mutex]);
    assert.deepEqual([ms(waits.begin[0]!), ms(waits.end[0]!)], [10, 41]);
    assert.deepEqual(owners, [worker, 202]);
  });

  it('begin on one core and end on another, whichever comes first, in the same piece or the next', () => {
    const first = printing([
      [50, main, 'E|200'],
      [10, main, 'B|200|outer|with a bar'],
      [20, main, 'B|200|inner'],
      [5, worker, 'B|200|load'],
    ]);
    const second = printing([
      [40, main, 'E|200'],
      [30, main, 'B|200|late'],
      [60, main, 'E'],
      [70, worker, 'E|200\n'],
      [65, main, 'N|200|a mark'],
      // Of no thread: begun by one and ended by another.
      [90, worker, 'F|200|request|7'],
      [80, main, 'S|200|request|7'],
    ]);
    const trace = decoded(recorded([first, second]));
    assert.deepEqual(sectionsOf(trace, main), [
      ['outer|with a bar', 10, 60],
      ['inner', 20, 50],
      ['late', 30, 40],
    ]);
    assert.deepEqual(sectionsOf(trace, worker), [['load', 5, 70]]);
    assert.deepEqual(sectionsOf(trace, 0), [['request', 80, 90]]);
    assert.deepEqual(
      sectionFigures(trace, { threads: [1], beginNs: 25, endNs: 45 }).map(({ name, count, totalNs }) => [
        name,
        count,
        totalNs,
      ]),
      [
        ['outer|with a bar', 1, 20],
        ['inner', 1, 20],
        ['late', 1, 10],
      ],
    );
  });

  it('have calls of other processes, and the report names them', () => {
    const events = printing([
      [1000, main, 'B|200|load'],
      [1150, server, 'B|900|AIDL::java::IShop::add::server'],
      [1350, server, 'E|900'],
      [2000, main, 'E|200'],
    ]);
    events.nameThread(server, 'Binder:900_1', 900);
    events.nameThread(900, 'system_server', 900);
    events.binderSent(1100, main, 1, 900, false, 0);
    events.binderReceived(1120, server, 1);
    events.binderSent(1400, server, 2, 200, true, 0);
    events.binderReceived(1500, main, 2);
    const trace = decoded(recorded([events]));
    const { system, threads } = trace;
    const { waits } = system!.sections!.threads.find(({ tid }) => tid === main)!;
    assert.deepEqual([waits.kind[0], waits.begin[0], waits.end[0]], [SampleKind.Binder, 1100, 1500]);
    assert.equal(threads.length, 2);
    const output = new PassThrough();
    const request = { top: 5, sort: undefined, fromNs: undefined, toNs: undefined, perThread: false };
    printReport(measure(trace, [], request), new Terminal(output, output, {}));
    const text = String(output.read());
    assert.match(text, /Waits that the system’s trace tells of\n.*\n400 ns +1 +400 ns +\S.* IShop\.add/);
    assert.match(text, /1\.00 µs +1 +1\.00 µs +main +load/);
  });

  it('leave counters to the recording’s own, with their process', () => {
    const events = printing([
      [30, main, 'C|200|queue|7'],
      [10, main, 'C|200|queue|-4'],
      [20, server, 'C|900|vsync|1'],
    ]);
    events.nameThread(900, 'surfaceflinger', 900);
    events.counted(15, main, KernelCounter.GpuFrequency, 0, 585_000);
    const { counters } = decoded(recorded([events], 100));
    assert.deepEqual(
      counters.map(({ name, count, time, value }) => [
        name,
        [...time.subarray(0, count)],
        [...value.subarray(0, count)],
      ]),
      [
        ['queue (200)', [110, 130], [-4, 7]],
        ['vsync (surfaceflinger)', [120], [1]],
        ['frequency of GPU 0 (device)', [115], [585_000]],
      ],
    );
    assert.equal(decoded(recorded([events], 0, true)).counters.length, 0);
  });

  it('leave counters of two processes of one name apart, and leave out values that no recording can have', () => {
    const events = printing([
      [10, main, 'C|200|queue|7'],
      [20, server, 'C|900|queue|1'],
      [30, main, `C|200|queue|${'9'.repeat(60)}`],
      [40, main, 'C|200|queue|8'],
    ]);
    for (const pid of [main, server]) events.nameThread(pid, 'shop', pid);
    const { counters, problems } = decoded(recorded([events]));
    assert.deepEqual(problems, []);
    assert.deepEqual(
      counters.map(({ name, count, value }) => [name, [...value.subarray(0, count)]]),
      [
        ['queue (shop)', [7, 8]],
        ['queue (shop 900)', [1]],
      ],
    );
  });

  it('say how many counters the recording does not take', () => {
    const counting = (from: number, to: number): KernelEvents =>
      printing(
        Array.from({ length: to - from }, (_, at) => [at, main, `C|200|own ${from + at}|${at}`] as const),
      );
    const few = decoded(recorded([counting(0, 200)]));
    assert.deepEqual([few.counters.length, few.problems], [200, []]);
    // In two pieces, the second one with some that were there before.
    const many = decoded(recorded([counting(0, 203), counting(199, 207)]));
    assert.equal(many.counters.length, 200);
    assert.deepEqual(
      many.problems.map(({ what }) => what),
      ['7 counters of the system’s trace are not in the recording, which takes those that come first'],
    );
    const most = decoded(recorded([counting(0, 5000)]));
    assert.match(most.problems[0]!.what, /^at least 4096 counters of the system’s trace are not/);
  });

  it('are left out of a recording without names', () => {
    const events = printing([[10, main, 'B|200|secret']]);
    const bytes = recorded([events], 0, true);
    assert.equal(decoded(bytes).system?.sections, undefined);
    assert.ok(!bytes.includes('secret'));
  });

  it('are as recording.proto says', () => {
    const schema = protobuf.loadSync(
      fileURLToPath(new URL('../../../proto/recording.proto', import.meta.url)),
    );
    const type = schema.lookupType('btrace.SystemEvents');
    const read = (bytes: Uint8Array): Record<string, unknown> =>
      type.toObject(type.decode(bytes), { longs: Number, bytes: String });
    const { prints } = printing([
      [10, main, 'E|200'],
      [25, worker, 'B|200|a'],
      [30, main, 'E|200'],
    ]);
    assert.deepEqual(read(encodePrints(prints, [0, 1, 2], 5)), {
      texts: ['E|200', 'B|200|a'].map((text) => Buffer.from(text).toString('base64')),
      time: [15, 15, 5],
      tid: [200, 1, -1],
      text: [0, 1, 0],
    });
    const binder = new BinderRows();
    binder.push(5, main, 0, 70, 900, 1);
    binder.push(9, server, 2, 70, 0, 0);
    assert.deepEqual(read(encodeBinder(binder, 0, 2, 0)), {
      binderTime: [5, 4],
      binderTid: [200, 700],
      binderId: [70, 0],
      binderEnd: [0, 0, 2],
      binderToPid: [900, -900],
      binderFlags: [1, 0, 0],
    });
  });

  it('with figures that cannot be true are left out and told', () => {
    const prints = new PrintRows();
    const text = Buffer.from('B|200|a');
    for (const [time, tid] of [
      [10, main],
      [20, -3],
      [2 ** 63, main],
    ] as const)
      prints.push(time, tid, text, 0, text.length);
    const binder = new BinderRows();
    binder.push(5, main, 9, 70, 900, 1);
    binder.push(5, main, 0, 70, 900, 1);
    // A row that names a text which is not there.
    const lies = encodePrints(prints, [0], 0);
    lies[lies.length - 1] = 6;
    const trace = decoded(
      file([
        [ChunkKind.SystemEvents, encodePrints(prints, [0, 1, 2], 0)],
        [ChunkKind.SystemEvents, encodeBinder(binder, 0, 2, 0)],
        [ChunkKind.SystemEvents, lies],
      ]),
    );
    assert.deepEqual(sectionsOf(trace, main), [['a', 10, 10]]);
    assert.deepEqual(
      trace.problems.map(({ what }) => what),
      [2, 1, 1].map(
        (count) =>
          `${count} ${count === 1 ? 'figure' : 'figures'} of the system’s trace cannot be true and ${count === 1 ? 'was' : 'were'} left out`,
      ),
    );
  });

  it('are decoded when they are first asked for, where that is wanted', () => {
    const bytes = recorded([
      printing([
        [10, main, 'B|200|a'],
        [20, main, 'E|200'],
      ]),
    ]);
    const decoder = new RecordingDecoder({ magic: true, systemLater: true });
    decoder.append(bytes);
    decoder.finish();
    const { system } = decoder.trace();
    assert.equal(system!.hasSections, true);
    assert.deepEqual(sectionsOf(decoder.trace(), main), [['a', 10, 20]]);
    assert.equal(decoded(recorded([new KernelEvents()])).system?.hasSections ?? false, false);
  });
});
