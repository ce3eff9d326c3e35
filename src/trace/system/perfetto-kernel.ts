/**
 * The packets of Perfetto's tracing service as they come → calls of a sink, with times on a recording's clock. Reads what
 * the kernel's trace needs and passes over the rest; `../formats/perfetto-import` reads whole files as traces of calls.
 *
 * Memory: one packet that has not come whole yet.
 */
import { countOr0, readingOr0 } from '../assemble/number-gate.js';
import { ByteWindow } from '../formats/byte-window.js';
import {
  BufferStats,
  Clock,
  CoreStats,
  FtraceBundle,
  FtraceStats,
  Packet,
  Snapshot,
  SnapshotClock,
  TraceStats,
} from '../formats/perfetto-fields.js';
import { readFrame } from '../formats/perfetto-frames.js';
import { readProcessTree } from '../formats/perfetto-process-tree.js';
import { ProtobufReader } from '../formats/protobuf-reader.js';
import { FtraceBundles, mostCores, type ToNs } from './ftrace-bundles.js';
import type { KernelSink, KernelTap } from './kernel-sink.js';

/** A longer packet is damage: the service cuts its own at well under a megabyte. */
const mostPacketBytes = 16 << 20;
const two32 = 2 ** 32;
/** The two clocks are read together within this. They move apart by more only while the device sleeps. */
const mostReadingNs = 500_000;

export interface RecordingClock {
  readonly monotonicNs: bigint;
  readonly boottimeNs: bigint;
}

export class PerfettoKernel {
  /** Snapshots that have both clocks. */
  readings = 0;
  /** How far the trace and the recording disagree about how their two clocks belong together. */
  offsetNs = 0;
  /** Between two snapshots that the device did not sleep between, the largest such difference. */
  errorNs = 0;
  /** Why the rest is not read, if it is not. */
  damage = '';
  /** Events that the kernel had no room for, and pieces of the trace that the service had none for. */
  get lost(): number {
    let lost = this.#chunksLost;
    for (const [core, [, last]] of this.#overruns)
      lost += Math.max(0, last - (this.#overruns.get(core)?.[0] ?? 0));
    return countOr0(lost);
  }

  readonly #bundles: FtraceBundles;
  readonly #sink: KernelSink & Pick<KernelTap, 'frames'>;
  readonly #window = new ByteWindow();
  readonly #packet = new ProtobufReader();
  readonly #fields = new ProtobufReader();
  readonly #inner = new ProtobufReader();
  readonly #startNs: bigint;
  readonly #headerApartNs: number;
  /** BOOTTIME minus MONOTONIC. */
  #apartNs: number;
  /** The recording's start on BOOTTIME, in halves. */
  #startLow = 0;
  #startHigh = 0;
  /** To add to a bundle's times to get BOOTTIME. */
  #bundleShiftNs = 0;
  /** By core: what was lost at the first and at the last look. */
  readonly #overruns = new Map<number, [first: number, last: number]>();
  #chunksLost = 0;
  readonly #toNs: ToNs = (low, high) => {
    const ns = (high - this.#startHigh) * two32 + (low - this.#startLow) + this.#bundleShiftNs;
    // Beyond 63 bits it is no time.
    return high < 2 ** 31 ? ns : NaN;
  };

  constructor(sink: KernelSink & Pick<KernelTap, 'frames'>, { monotonicNs, boottimeNs }: RecordingClock) {
    this.#sink = sink;
    this.#bundles = new FtraceBundles(sink);
    this.#startNs = monotonicNs;
    this.#headerApartNs = Number(boottimeNs - monotonicNs);
    this.#apartNs = this.#headerApartNs;
    this.#setStart();
  }

  get events(): number {
    return this.#bundles.events;
  }

  append(bytes: Uint8Array): void {
    if (this.damage !== '') return;
    const window = this.#window;
    window.add(bytes);
    while (window.at < window.end && this.#readPacket(window));
  }

  /** False when it has not come whole, or cannot be read. */
  #readPacket(window: ByteWindow): boolean {
    const { bytes, end } = window;
    let at = window.at;
    // Trace.packet: field 1, length-delimited.
    if (bytes[at++] !== 0x0a) return this.#isDamaged(window);
    let length = 0;
    let byte = 0x80;
    for (let shift = 0; byte >= 0x80; shift += 7) {
      if (shift > 28) return this.#isDamaged(window);
      if (at >= end) return false;
      byte = bytes[at++] as number;
      length += (byte & 0x7f) * 2 ** shift;
    }
    if (length > mostPacketBytes) return this.#isDamaged(window);
    if (at + length > end) return false;
    const packet = this.#packet.open(bytes, at, at + length);
    let [frameFrom, frameTo, clock, time] = [0, 0, 0, 0n];
    while (packet.next()) {
      const { field, wireType } = packet;
      if (wireType === 0 && field === Packet.timestamp) time = readingOr0(packet.big);
      else if (wireType === 0 && field === Packet.clockId) clock = packet.low;
      else if (wireType === 2 && field === Packet.frameTimelineEvent)
        [frameFrom, frameTo] = [packet.from, packet.to];
      else if (wireType === 2) this.#read(field, bytes, packet.from, packet.to);
    }
    if (frameTo > frameFrom && time > 0n) this.#readFrame(bytes, frameFrom, frameTo, time, clock);
    window.at = at + length;
    return true;
  }

  /** Nothing says where the next packet begins. */
  #isDamaged(window: ByteWindow): false {
    this.damage = `the device's trace is damaged at byte ${window.offset}`;
    return false;
  }

  #read(field: number, bytes: Uint8Array, from: number, to: number): void {
    switch (field) {
      case Packet.clockSnapshot:
        this.#readClocks(bytes, from, to);
        break;
      case Packet.processTree:
        readProcessTree(bytes, from, to, {
          nameThread: (tid, name, pid) => this.#sink.nameThread(tid, name, pid, 0),
          nameProcess: () => undefined,
        });
        break;
      case Packet.ftraceStats:
        this.#readFtraceStats(bytes, from, to);
        break;
      case Packet.traceStats:
        this.#readTraceStats(bytes, from, to);
        break;
      case Packet.ftraceEvents:
        this.#bundleShiftNs = this.#shiftOf(bytes, from, to);
        this.#bundles.read(bytes, from, to, this.#toNs);
        break;
      default:
    }
  }

  /** Android 12 stamps frames by MONOTONIC, later ones by BOOTTIME, which is what nothing else is said means. */
  #readFrame(bytes: Uint8Array, from: number, to: number, time: bigint, clock: number): void {
    const rows = this.#sink.frames;
    if (rows === undefined || (clock !== 0 && clock !== Clock.boottime && clock !== Clock.monotonic)) return;
    const ns = Number(time - this.#startNs) - (clock === Clock.monotonic ? 0 : this.#apartNs);
    readFrame(bytes, from, to, ns, rows);
  }

  /**
   * BOOTTIME counts on while the device sleeps, MONOTONIC does not: each snapshot says how far they are apart from then on.
   * Smaller differences are those of reading one clock after the other, and times do not jump by them.
   */
  #readClocks(bytes: Uint8Array, from: number, to: number): void {
    const fields = this.#fields.open(bytes, from, to);
    let boottime = 0n;
    let monotonic = 0n;
    while (fields.next()) {
      if (fields.field !== Snapshot.clocks || fields.wireType !== 2) continue;
      const clock = this.#inner.open(bytes, fields.from, fields.to);
      let id = 0;
      let value = 0n;
      while (clock.next()) {
        if (clock.field === SnapshotClock.id) id = clock.low;
        else if (clock.field === SnapshotClock.timestamp) value = readingOr0(clock.big);
      }
      if (id === Clock.boottime) boottime = value;
      else if (id === Clock.monotonic) monotonic = value;
    }
    if (boottime === 0n || monotonic === 0n) return;
    const apartNs = Number(boottime - monotonic);
    const off = apartNs - (this.readings === 0 ? this.#headerApartNs : this.#apartNs);
    const isReading = Math.abs(off) <= mostReadingNs;
    if (isReading && this.readings === 0) this.offsetNs = off;
    else if (isReading) this.errorNs = Math.max(this.errorNs, Math.abs(off));
    if (this.readings++ > 0 && isReading) return;
    this.#apartNs = apartNs;
    this.#setStart();
  }

  #setStart(): void {
    const start = this.#startNs + BigInt(Math.round(this.#apartNs));
    this.#startLow = Number(start & 0xffffffffn);
    this.#startHigh = Number(start >> 32n);
  }

  /** Kernels without BOOTTIME in their trace stamp by another clock: such bundles say how both belong together. */
  #shiftOf(bytes: Uint8Array, from: number, to: number): number {
    const bundle = this.#fields.open(bytes, from, to);
    let clock = 0;
    let ownNs = 0n;
    let boottimeNs = 0n;
    while (bundle.next()) {
      if (bundle.field === FtraceBundle.ftraceClock) clock = bundle.low;
      else if (bundle.field === FtraceBundle.ftraceTimestamp) ownNs = readingOr0(bundle.big);
      else if (bundle.field === FtraceBundle.bootTimestamp) boottimeNs = readingOr0(bundle.big);
    }
    return clock === 0 || ownNs === 0n || boottimeNs === 0n ? 0 : Number(boottimeNs - ownNs);
  }

  /** Counts of the kernel's buffers, which begin before the trace does. */
  #readFtraceStats(bytes: Uint8Array, from: number, to: number): void {
    const stats = this.#fields.open(bytes, from, to);
    while (stats.next()) {
      if (stats.field !== FtraceStats.cpuStats || stats.wireType !== 2) continue;
      const core = this.#inner.open(bytes, stats.from, stats.to);
      let number = 0;
      let lost = 0;
      while (core.next()) {
        if (core.wireType !== 0) continue;
        if (core.field === CoreStats.cpu) number = core.low;
        else if (core.field === CoreStats.overrun || core.field === CoreStats.droppedEvents)
          lost += countOr0(core.unsigned);
      }
      if (number >= mostCores) continue;
      const known = this.#overruns.get(number);
      if (known === undefined) this.#overruns.set(number, [lost, lost]);
      else known[1] = Math.max(known[1], lost);
    }
  }

  /** Counts since the trace's begin. */
  #readTraceStats(bytes: Uint8Array, from: number, to: number): void {
    const stats = this.#fields.open(bytes, from, to);
    let lost = 0;
    while (stats.next()) {
      if (stats.field !== TraceStats.bufferStats || stats.wireType !== 2) continue;
      const buffer = this.#inner.open(bytes, stats.from, stats.to);
      while (buffer.next())
        if (buffer.wireType === 0 && lostChunks.has(buffer.field)) lost += countOr0(buffer.unsigned);
    }
    this.#chunksLost = Math.max(this.#chunksLost, lost);
  }
}

const lostChunks: ReadonlySet<number> = new Set([
  BufferStats.chunksOverwritten,
  BufferStats.chunksDiscarded,
  BufferStats.writerPacketLoss,
]);
