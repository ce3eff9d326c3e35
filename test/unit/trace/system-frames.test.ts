/** Frames of an app whose recording has the system's trace beside it: as they come from the device, merged, exported, damaged. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { serviceDecoder } from '../../../src/targets/android/trace-decoder.js';
import { FrameTable } from '../../../src/trace/assemble/frame-table.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { writePerfetto } from '../../../src/trace/formats/perfetto-export.js';
import { framesOf, lateFrames } from '../../../src/trace/measure/late-frames.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { Jank, SampleKind } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Header } from '../../../src/trace/recording/messages.js';
import { encodeFrames } from '../../../src/trace/recording/system-events.js';
import { FrameMoment, FrameRows } from '../../../src/trace/system/frame-rows.js';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { layBeside } from '../../../src/trace/system/lay-beside.js';
import { writeMerged } from '../../../src/trace/system/merge.js';
import { SystemChunks } from '../../../src/trace/system/system-chunks.js';
import { frame, framePerfetto } from '../formats/frame-traces.js';
import { encoded, type Packet } from '../formats/perfetto-traces.js';
import { importWhole, written } from '../formats/round-trip.js';
import { rowsOf } from '../query/queried.js';
import { decoded, MemorySink } from './recordings.js';
import { workedTrace } from './worked-recording.js';

const ms = 1e6;
const app = 200;
type Parts = [kind: number, payload: Uint8Array][];

function fileOf(parts: Readonly<Parts>): Buffer {
  const header = Header.encode({ major: 1, minor: 7, target: { name: 'shop', pid: app } });
  const chunks: Parts = [[ChunkKind.Header, header], ...parts];
  return Buffer.concat([fileMagic, ...chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at))]);
}

/** Token, begin, end and deadline in ms, and jank. */
function shown(trace: Trace, fromMs = 0): number[][] {
  const frames = framesOf(trace);
  return Array.from({ length: frames?.count ?? 0 }, (_, row) => [
    frames!.token[row]!,
    frames!.begin[row]! / ms - fromMs,
    frames!.end[row]! / ms - fromMs,
    frames!.deadline[row]! / ms - fromMs,
    frames!.jank[row]!,
  ]);
}

const all = [
  [7, 1, 82, 17, Jank.AppDeadline],
  [8, 85, 95, 101, Jank.None],
  [9, 96, 99, NaN, Jank.CompositorCpu],
  [10, 90, 130, 110, Jank.CompositorScheduling],
];

describe('frames in a recording', () => {
  it('are those that the device tells of, on whichever clock, in pieces', () => {
    const startMs = 5000;
    for (const [clockId, apartMs] of [
      [undefined, 3000],
      [6, 3000],
      [3, 0],
    ] as const) {
      const packets = [...frame(7, 1, 82, 17, 64), ...frame(8, 85, 95, 101, 1)].map((packet): Packet => ({
        ...packet,
        timestamp: Number(packet['timestamp']) + apartMs * ms,
        ...(clockId !== undefined && { timestamp_clock_id: clockId }),
      }));
      const parts: Parts = [];
      const start = { monotonicNs: BigInt(startMs * ms), boottimeNs: BigInt((startMs + 3000) * ms) };
      const decoder = serviceDecoder(new SystemChunks((...part) => parts.push(part), false), start);
      const bytes = encoded(packets);
      for (let at = 0; at < bytes.length; at += 7) decoder.take(bytes.subarray(at, at + 7));
      assert.equal(decoder.finish().damage, '');
      const trace = decoded(fileOf(parts));
      assert.deepEqual(trace.problems, []);
      assert.deepEqual(shown(trace), all.slice(0, 2), `clock ${clockId}`);
    }
  });

  it('are those of a trace that is merged, and of one that is exported', async () => {
    const events = new KernelEvents();
    const importer = anyImporter({ kernel: events });
    importer.append(framePerfetto());
    importer.finish();
    const shift = { ns: 3 * ms, clock: 'monotonic', isMeasured: true } as const;
    const around = { beginNs: 0, endNs: 200 * ms };
    const sink = new MemorySink();
    const alone = fileOf([]);
    await writeMerged(() => Readable.from([alone]), layBeside(events, shift, 'perfetto', around), sink);
    const trace = decoded(sink.bytes);
    assert.deepEqual(shown(trace, 3), all);
    assert.equal(trace.system!.frames(app + 1), undefined);
    const rows = await rowsOf(
      'SELECT surface_frame_token, dur FROM actual_frame_timeline_slice ORDER BY 1',
      trace,
    );
    assert.deepEqual(
      rows,
      all.map(([token, begin, end]) => [token, (end! - begin!) * ms]),
    );
    const again = importWhole(anyImporter(), written(writePerfetto, trace));
    assert.deepEqual(
      shown(again).map(([token, begin, end, , jank]) => [token, end! - begin!, jank]),
      all.map(([token, begin, end, , jank]) => [token, end! - begin!, jank]),
    );
  });

  it('that cannot be are left out and counted', () => {
    const rows = new FrameRows();
    const one = { cookie: 1, pid: app, token: 1, displayToken: 2, jank: 1 };
    rows.push(10, FrameMoment.Started, one);
    rows.push(20, FrameMoment.Ended, one);
    rows.push(30, 7, one);
    rows.push(40, FrameMoment.Started, { ...one, pid: -5 });
    const trace = decoded(fileOf([[ChunkKind.SystemEvents, encodeFrames(rows, 0, rows.count, 0)]]));
    assert.equal(framesOf(trace)!.count, 1);
    assert.match(
      trace.problems.map(({ what }) => what).join(),
      /^2 figures of the system’s trace cannot be true/,
    );
    assert.equal(rows.push(NaN, FrameMoment.Started, one), false);
  });

  it('are late by what the main thread did and waited for, not by its rest before', () => {
    const trace = workedTrace(
      [
        {
          name: 'main',
          isMain: true,
          pieces: [
            { in: 'Looper.next', ms: 60, wait: SampleKind.Poll },
            { in: 'Shop.draw', ms: 30 },
            { in: 'Looper.next', ms: 60, wait: SampleKind.Poll },
            { in: 'Shop.load', ms: 50, wait: SampleKind.Io },
          ],
        },
      ],
      200,
    );
    const frames = new FrameTable();
    const { pid } = trace.info;
    for (const [token, begin, deadline, end] of [
      [1, 10, 26, 95],
      [2, 100, 116, 140],
      [3, 110, 126, 199],
      // Of the system's trace before the recording and after it.
      [4, -300, -284, -10],
      [5, 210, 226, 400],
    ] as const) {
      const from = trace.beginNs + begin * ms;
      const one = { pid, token, displayToken: 0, jank: Jank.AppDeadline };
      frames.expect(from, { ...one, cookie: 2 * token });
      frames.finishOne(trace.beginNs + deadline * ms, 2 * token);
      frames.start(from, { ...one, cookie: 2 * token + 1 });
      frames.finishOne(trace.beginNs + end * ms, 2 * token + 1);
    }
    frames.finish(new Set([pid]));
    const { latest, count } = lateFrames({ ...trace, frames }, wholeTrace, 5)!;
    assert.equal(count, 3);
    const causes = latest.map(({ lateNs, main }) => [
      lateNs / ms,
      main && trace.methods.qualifiedName(main.method),
      main && main.waitNs / ms,
    ]);
    assert.deepEqual(causes, [
      [73, 'Shop.load', 49],
      [69, 'Shop.draw', 0],
      [24, undefined, undefined],
    ]);
  });
});
