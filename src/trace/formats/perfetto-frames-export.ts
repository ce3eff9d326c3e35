/** Frames of a system's trace, as Android's own frame timeline tells them. */
import type { SystemTrace } from '../model/trace.js';
import { FrameMoment } from '../system/frame-rows.js';
import type { Sink } from './importer.js';
import { FrameEvent, FrameStart, Packet } from './perfetto-fields.js';
import { ProtobufWriter } from './protobuf-writer.js';

const bufferBytes = 1 << 18;

export function writeFrames({ frameRows }: SystemTrace, startNs: bigint, sink: Sink): void {
  if (frameRows === undefined) return;
  const out = new ProtobufWriter(2 * bufferBytes);
  for (let row = 0; row < frameRows.count; row++) {
    const { cookie, pid, token, displayToken, jank } = frameRows.at(row);
    const moment = frameRows.moment[row];
    const isEnd = moment === FrameMoment.Ended;
    out.begin(1);
    out.big(Packet.timestamp, startNs + BigInt(Math.round(frameRows.time[row] as number)));
    out.begin(Packet.frameTimelineEvent);
    if (isEnd) out.begin(FrameEvent.frameEnd);
    else if (moment === FrameMoment.Expected) out.begin(FrameEvent.expectedSurfaceFrameStart);
    else out.begin(FrameEvent.actualSurfaceFrameStart);
    out.integer(FrameStart.cookie, cookie);
    if (!isEnd) {
      out.integer(FrameStart.token, token);
      out.integer(FrameStart.displayToken, displayToken);
      out.integer(FrameStart.pid, pid);
    }
    if (moment === FrameMoment.Started) out.integer(FrameStart.jankType, jank);
    out.end();
    out.end();
    out.end();
    if (out.length >= bufferBytes) sink(out.take());
  }
  if (out.length > 0) sink(out.take());
}
