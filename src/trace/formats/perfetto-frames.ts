/** Packets of Android's frame timeline: when a frame of an app was to be ready, and when it was. */
import { FrameEvent, FrameStart } from './perfetto-fields.js';
import { ProtobufReader } from './protobuf-reader.js';
import type { FrameSink } from '../system/frame-rows.js';

const outer = new ProtobufReader();
const inner = new ProtobufReader();

/** Returns false where the packet has a time that cannot be one. Frames of the display itself are not read. */
export function readFrame(
  bytes: Uint8Array,
  from: number,
  to: number,
  time: number,
  frames: FrameSink,
): boolean {
  const fields = outer.open(bytes, from, to);
  while (fields.next()) {
    const { field, wireType } = fields;
    if (wireType !== 2 || field < FrameEvent.expectedSurfaceFrameStart) continue;
    inner.open(bytes, fields.from, fields.to);
    let [cookie, token, displayToken, pid, jank] = [0, 0, 0, 0, 0];
    while (inner.next()) {
      if (inner.field === FrameStart.cookie) cookie = inner.signed;
      else if (inner.field === FrameStart.token) token = inner.signed;
      else if (inner.field === FrameStart.displayToken) displayToken = inner.signed;
      else if (inner.field === FrameStart.pid) pid = inner.low | 0;
      else if (inner.field === FrameStart.jankType) jank = inner.low;
    }
    if (field === FrameEvent.frameEnd) return frames.finishOne(time, cookie);
    const frame = { cookie, pid, token, displayToken, jank };
    if (field === FrameEvent.actualSurfaceFrameStart) return frames.start(time, frame);
    if (field === FrameEvent.expectedSurfaceFrameStart) return frames.expect(time, frame);
  }
  return true;
}
