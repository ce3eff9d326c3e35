/** A trace of Perfetto's service as it comes: its clocks, losses and damage. Times are on the recording's clock. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { KernelEvents } from '../../../src/trace/system/kernel-events.js';
import { PerfettoKernel } from '../../../src/trace/system/perfetto-kernel.js';

const { root } = protobuf.parse(readFileSync('proto/perfetto.proto', 'utf8'));
const Trace = root.lookupType('perfetto.Trace');

type Packet = Readonly<Record<string, unknown>>;
const second = 1_000_000_000;
/** The recording begins at 1000 s of MONOTONIC, and the device has slept for 500 s before. */
const clock = { monotonicNs: BigInt(1000 * second), boottimeNs: BigInt(1500 * second) };

const bytesOf = (...packet: Packet[]): Uint8Array => Trace.encode(Trace.fromObject({ packet })).finish();

const clocks = (monotonicS: number, sleptS: number, offNs = 0): Packet => ({
  clockSnapshot: {
    clocks: [
      { clockId: 6, timestamp: (monotonicS + sleptS) * second + offNs },
      { clockId: 3, timestamp: monotonicS * second },
    ],
  },
});

/** A switch to `tid` at this time of BOOTTIME. */
const switchAt = (boottimeS: number, tid: number, more: Packet = {}): Packet => ({
  ftraceEvents: {
    cpu: 1,
    event: [
      {
        timestamp: boottimeS * second,
        pid: 0,
        schedSwitch: { prevPid: 0, prevState: 0, nextPid: tid, nextComm: 'a' },
      },
    ],
    ...more,
  },
});

function read(...packets: Packet[]): { events: KernelEvents; kernel: PerfettoKernel; times: number[] } {
  const events = new KernelEvents();
  const kernel = new PerfettoKernel(events, clock);
  // By pieces that end anywhere.
  const bytes = bytesOf(...packets);
  for (let at = 0; at < bytes.length; at += 7) kernel.append(bytes.subarray(at, at + 7));
  const times = Array.from(events.switches.time.subarray(0, events.switches.count), (ns) => ns / second);
  return { events, kernel, times };
}

describe('a trace of Perfetto’s service as it comes', () => {
  it('is on the recording’s clock, also after the device has slept', () => {
    const { times, kernel } = read(
      clocks(999, 500),
      switchAt(1501, 7),
      clocks(1009, 500),
      switchAt(1510, 8),
      // It sleeps for a minute.
      clocks(1011, 560),
      switchAt(1572, 9),
    );
    assert.deepEqual(times, [1, 10, 12]);
    assert.deepEqual([kernel.readings, kernel.offsetNs, kernel.errorNs], [3, 0, 0]);
  });

  it('tells how far clock readings disagree, and does not jump by it', () => {
    const { times, kernel } = read(
      clocks(999, 500, 40_000),
      switchAt(1501, 7),
      clocks(1009, 500, 140_000),
      switchAt(1502, 8),
    );
    assert.deepEqual(times, [1 - 40e-6, 2 - 40e-6]);
    assert.deepEqual([kernel.readings, kernel.offsetNs, kernel.errorNs], [2, 40_000, 100_000]);
  });

  it('takes the recording’s own readings where the trace has none', () => {
    assert.deepEqual(read(switchAt(1501, 7)).times, [1]);
  });

  it('shifts bundles whose kernel stamps by another clock', () => {
    const other = { ftraceClock: 2, ftraceTimestamp: 100 * second, bootTimestamp: 1500 * second };
    assert.deepEqual(read(clocks(999, 500), switchAt(101, 7, other), switchAt(1502, 8)).times, [1, 2]);
  });

  it('counts what was lost since its begin', () => {
    const stats = (overrun: number, droppedEvents: number): Packet => ({
      ftraceStats: {
        cpuStats: [
          { cpu: 0, overrun, droppedEvents },
          { cpu: 1, overrun: 5 },
        ],
      },
    });
    const { kernel } = read(stats(100, 10), stats(130, 12), {
      traceStats: { bufferStats: [{ chunksOverwritten: 3 }, { chunksDiscarded: 1 }] },
    });
    assert.equal(kernel.lost, 30 + 2 + 4);
    assert.equal(read(stats(100, 10)).kernel.lost, 0);
  });

  it('names threads by the process tree, and reads no further than damage', () => {
    const events = new KernelEvents();
    const kernel = new PerfettoKernel(events, clock);
    kernel.append(
      bytesOf({ processTree: { threads: [{ tid: 8, tgid: 7, name: 'worker' }] } }, switchAt(1501, 8)),
    );
    const [first] = events.named;
    assert.deepEqual(first, { tid: 8, name: 'worker', pid: 7 });
    kernel.append(new Uint8Array([0x12, 0x01, 0x00]));
    kernel.append(bytesOf(switchAt(1502, 9)));
    assert.equal(events.switches.count, 1);
    assert.match(kernel.damage, /damaged at byte \d+$/);
  });
});
