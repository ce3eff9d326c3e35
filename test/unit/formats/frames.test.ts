/** Frames with deadlines of Android 12 and newer: which were late, why, and what their threads waited for. */
import assert from 'node:assert/strict';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { lateFrames } from '../../../src/trace/measure/late-frames.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { Jank, SampleKind } from '../../../src/trace/model/kinds.js';
import { rowsOf } from '../query/queried.js';
import { frame, framePackets, framePerfetto } from './frame-traces.js';
import { encoded } from './perfetto-traces.js';
import { importWhole } from './round-trip.js';

describe('frames with deadlines', () => {
  it('that were late are told with the waits of the main thread and the work of the render thread', () => {
    const trace = importWhole(anyImporter(), framePerfetto(), 64);
    assert.deepEqual(trace.problems, []);
    const { count, late, latest } = lateFrames(trace, wholeTrace, 10)!;
    assert.deepEqual([count, late], [4, 3]);
    const [worst, idle, other] = latest;
    assert.deepEqual([worst!.beginNs, worst!.endNs, worst!.lateNs], [1e6, 82e6, 65e6]);
    assert.equal(worst!.jank, Jank.AppDeadline);
    const name = (method: number): string => trace.methods.qualifiedName(method);
    const tid = (index: number): number => trace.threads.find((one) => one.index === index)?.tid ?? 0;
    const { main, render } = worst!;
    assert.deepEqual(
      [tid(main!.thread), main!.waitNs, main!.kind, tid(main!.owner), name(main!.method)],
      [200, 31e6, SampleKind.Monitor, 201, 'com.example.Cart.find'],
    );
    assert.deepEqual([tid(render!.thread), render!.waitNs, name(render!.method)], [203, 0, 'DrawFrames']);
    // A main thread that waits for its next message holds up no frame.
    assert.deepEqual([idle!.lateNs, idle!.main], [20e6, undefined]);
    // Without a deadline the system's judgement counts.
    assert.deepEqual([other!.lateNs, other!.jank], [0, Jank.CompositorCpu]);
  });

  it('are those of the range and the threads that are asked for', () => {
    const trace = importWhole(anyImporter(), framePerfetto());
    const of = (beginNs: number, threads: number[] = []): number =>
      lateFrames(trace, { threads, beginNs, endNs: Infinity }, 10)?.count ?? 0;
    assert.deepEqual([of(0), of(83e6), of(131e6)], [4, 3, 0]);
    assert.equal(of(0, [trace.threads.find(({ isMain }) => isMain)!.index]), 4);
  });

  it('lie within the trace, though no call was made by then', () => {
    const packets = [...framePackets(), ...frame(3, -20, -5, -8, 64), ...frame(12, 190, 210, 200, 64)];
    const trace = importWhole(anyImporter(), encoded(packets));
    const { count, begin, end } = trace.frames!;
    assert.deepEqual([count, Math.min(...begin.subarray(0, count))], [6, 0]);
    assert.equal(Math.max(...end.subarray(0, count)), trace.endNs);
    assert.equal(trace.endNs, 230e6);
  });

  it('are the same where packets come in another order', () => {
    const trace = importWhole(
      anyImporter(),
      encoded([...framePackets().slice(3), ...framePackets().slice(0, 3)]),
    );
    assert.equal(lateFrames(trace, wholeTrace, 10)!.latest[0]!.lateNs, 65e6);
  });

  it('are in SQL in Perfetto’s words', async () => {
    const rows = await rowsOf(
      'SELECT surface_frame_token, dur, jank_type, late FROM actual_frame_timeline_slice ORDER BY 1',
      importWhole(anyImporter(), framePerfetto()),
    );
    assert.deepEqual(rows, [
      [7, 81e6, 'App Deadline Missed', 65e6],
      [8, 10e6, 'None', -6e6],
      [9, 3e6, 'SurfaceFlinger CPU Deadline Missed', null],
      [10, 40e6, 'SurfaceFlinger Scheduling', 20e6],
    ]);
  });
});
