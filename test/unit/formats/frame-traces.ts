/**
 * The phone's trace of contention-traces.ts with four frames: one in time, one late by 65 ms, one without a
 * deadline, and one late by 20 ms while the main thread has nothing to do.
 */
import { contentionPackets } from './contention-traces.js';
import { encoded, type Packet } from './perfetto-traces.js';

const ms = 1_000_000;
const pid = 200;
const render = 203;
const at = (time: number, event: Packet): Packet => ({
  timestamp: (5000 + time) * ms,
  frame_timeline_event: event,
});

/** Token and cookies, begin, end and deadline in ms, bits of jank. */
export function frame(token: number, begin: number, end: number, deadline: number, jank: number): Packet[] {
  const id = { token, pid };
  const start = { ...id, jank_type: jank, layer_name: 'TX - com.example.shop/Main#1' };
  return [
    ...(deadline > 0
      ? [
          at(begin, { expected_surface_frame_start: { ...id, cookie: token * 10 } }),
          at(deadline, { frame_end: { cookie: token * 10 } }),
        ]
      : []),
    at(begin, { actual_surface_frame_start: { ...start, cookie: token * 10 + 1 } }),
    at(end, { frame_end: { cookie: token * 10 + 1 } }),
  ];
}

export const framePackets = (): Packet[] => [
  ...contentionPackets(),
  { process_tree: { threads: [{ tid: render, tgid: pid, name: 'RenderThread' }] } },
  {
    ftrace_events: {
      cpu: 2,
      event: [
        { timestamp: 5071 * ms, pid: render, print: { buf: `B|${pid}|DrawFrames` } },
        { timestamp: 5080 * ms, pid: render, print: { buf: `E|${pid}` } },
        { timestamp: 5140 * ms, pid: render, print: { buf: `C|${pid}|frames|4` } },
      ],
    },
  },
  ...frame(7, 1, 82, 17, 64),
  ...frame(8, 85, 95, 101, 1),
  ...frame(9, 96, 99, 0, 16),
  ...frame(10, 90, 130, 110, 2),
  // Of a program that is not shown, of the display itself, and one that does not end.
  ...frame(4, 1, 90, 5, 64).map(
    (packet) => JSON.parse(JSON.stringify(packet).replace(`"pid":${pid}`, '"pid":999')) as Packet,
  ),
  at(90, { actual_surface_frame_start: { cookie: 5, token: 5, pid, jank_type: 64 } }),
  at(99, { frame_end: { cookie: 77 } }),
];

export const framePerfetto = (): Uint8Array => encoded(framePackets());
