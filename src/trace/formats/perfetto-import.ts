import { EventBuilder } from '../assemble/event-builder.js';
import { FrameTable } from '../assemble/frame-table.js';
import { FtraceBundles, type ToNs } from '../system/ftrace-bundles.js';
import type { KernelSink, KernelTap } from '../system/kernel-sink.js';
import { TeeSink } from '../system/tee.js';
import { counted } from '../model/counted.js';
import type { Trace } from '../model/trace.js';
import { ByteWindow } from './byte-window.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { inflateZlib } from './inflate.js';
import { KernelTrace } from './kernel-trace.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';
import { PerfettoClocks } from './perfetto-clocks.js';
import { PerfettoCounters } from './perfetto-counters.js';
import { PerfettoEvents } from './perfetto-events.js';
import { Clock, Packet, unreadPayloads } from './perfetto-fields.js';
import { readFrame } from './perfetto-frames.js';
import { looksLikePacket } from './perfetto-packet.js';
import { type NamedByTree, readProcessTree } from './perfetto-process-tree.js';
import { PerfettoSamples } from './perfetto-samples.js';
import { PerfettoSequence } from './perfetto-sequence.js';
import { readDefaults, readInterned, readSnapshot } from './perfetto-state.js';
import { PerfettoTracks } from './perfetto-tracks.js';
import { ProtobufReader } from './protobuf-reader.js';

/** A longer packet is damage: producers cut theirs at well under a megabyte, names included. */
const maxPacketBytes = 64 << 20;
const maxInflatedBytes = 64 << 20;
const maxInflatedTotal = 2 ** 32;

/**
 * Reads a Perfetto trace packet by packet: TrackEvents with names interned or not, on a sequence's own track or a named
 * one; older events with times in µs; ftrace prints and scheduler events.
 *
 * Cost: one pass over the bytes. Memory: 12–20 bytes an event until `finish`, then the model.
 */
export class PerfettoImporter implements TraceImporter {
  readonly #builder = new EventBuilder();
  readonly #names = new NameTable();
  readonly #methods = new NamedMethods(this.#names);
  readonly #clocks = new PerfettoClocks();
  readonly #kernel = new KernelTrace(this.#builder, this.#names, this.#methods);
  readonly #bundles: FtraceBundles;
  readonly #tap: KernelTap | undefined;
  readonly #kernelTime: ToNs = (low, high) => this.#clocks.builtin(Clock.boottime, low, high);
  readonly #tracks = new PerfettoTracks(this.#builder, this.#kernel);
  readonly #events = new PerfettoEvents(this.#names, this.#methods, this.#clocks, this.#kernel, this.#tracks);
  readonly #counters = new PerfettoCounters(this.#kernel.counters, this.#clocks);
  readonly #samples = new PerfettoSamples(this.#builder, this.#kernel, this.#names);
  readonly #window = new ByteWindow();
  readonly #signal: AbortSignal | undefined;
  readonly #sequences = new Map<number, PerfettoSequence>();
  #lastSequenceId = -1;
  #lastSequence = new PerfettoSequence();
  #damagedFrom = -1;
  #skippedPackets = 0;
  /** Packets by what they hold. */
  readonly #unread = new Map<string, number>();

  // The packet at hand, as a field so that none costs an object.
  readonly #packetFields = new ProtobufReader();
  #nested = false;
  #inflated = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
    this.#tap = options.kernel;
    this.#bundles = new FtraceBundles(
      options.kernel === undefined ? this.#kernel : new TeeSink(this.#kernel, options.kernel),
    );
    this.#builder.mostBytes = options.mostBytes ?? Infinity;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#window.add(bytes);
    this.#readPackets(this.#window);
    const others = this.#names.memoryBytes + this.#kernel.memoryBytes + this.#tracks.memoryBytes;
    const frames = this.#builder.frames?.memoryBytes ?? 0;
    this.#builder.read(bytes.length, others + this.#samples.memoryBytes + frames);
  }

  get isPart(): boolean {
    return this.#builder.isPart;
  }

  finish(): Trace {
    const window = this.#window;
    const builder = this.#builder;
    if (window.at < window.end) {
      builder.problem(
        window.offset,
        `The trace ends inside a packet; its last ${counted(window.end - window.at, 'byte was', 'bytes were')} left out`,
      );
      window.at = window.end;
    }
    this.#endDamage(window.offset);
    if (this.#skippedPackets > 0) {
      builder.remark(
        counted(
          this.#skippedPackets,
          'packet refers to others that were lost while recording; it was left out',
          'packets refer to others that were lost while recording; they were left out',
        ),
      );
    }
    for (const [words, count] of this.#unread)
      builder.remark(`${counted(count, 'packet was', 'packets were')} not read: ${words}`);
    for (const [phase, count] of this.#events.unreadPhases)
      builder.remark(`${counted(count, 'event was', 'events were')} not read: of the older kind "${phase}"`);
    if (this.#events.missingNames > 0)
      builder.remark(
        `${counted(this.#events.missingNames, 'event has', 'events have')} a name that is missing in the trace`,
      );
    for (const clock of this.#clocks.untied) {
      builder.remark(
        `Clock ${clock} is never read together with the trace's clock; its times were taken as they are`,
      );
    }
    this.#tracks.finish();
    this.#kernel.finish();
    this.#samples.finish();
    const process = this.#tracks.mainProcess();
    const zero = {
      monotonicNs: this.#clocks.zeroOn(Clock.monotonic) || this.#clocks.zeroOn(this.#clocks.target),
      boottimeNs: this.#clocks.zeroOn(Clock.boottime),
      realtimeNs: this.#clocks.zeroOn(Clock.realtime),
    };
    if (this.#tap !== undefined) {
      this.#tap.startMonotonicNs = zero.monotonicNs;
      this.#tap.startBoottimeNs = zero.boottimeNs;
    }
    return builder.finish(
      this.#methods,
      { format: 'perfetto', pid: process.pid, targetName: process.name },
      zero,
    );
  }

  #readPackets(window: ByteWindow): void {
    const { bytes, end } = window;
    let at = window.at;
    while (at < end) {
      // Trace.packet: field 1, length-delimited.
      if (bytes[at] !== 0x0a) {
        at = this.#skipDamage(window, at);
        continue;
      }
      let next = at + 1;
      let length = 0;
      let shift = 0;
      let byte = 0x80;
      while (next < end && byte >= 0x80 && shift < 35) {
        byte = bytes[next++] ?? 0;
        length += (byte & 0x7f) * 2 ** shift;
        shift += 7;
      }
      if (byte >= 0x80 && next >= end && shift < 35) break;
      if (byte >= 0x80 || length > maxPacketBytes) {
        at = this.#skipDamage(window, at);
        continue;
      }
      if (next + length > end) {
        // Either more is to come, or the length is wrong: only what follows can tell.
        if (this.#damagedFrom >= 0 && !looksLikePacket(bytes, next, end, true)) {
          at = this.#skipDamage(window, at);
          continue;
        }
        break;
      }
      if (this.#damagedFrom >= 0) {
        if (!looksLikePacket(bytes, next, next + length, false)) {
          at = this.#skipDamage(window, at);
          continue;
        }
        this.#endDamage(window.base + at);
      }
      if (this.#packet(bytes, next, next + length)) at = next + length;
      else at = this.#skipDamage(window, at);
    }
    window.at = at;
  }

  #skipDamage(window: ByteWindow, at: number): number {
    if (this.#damagedFrom < 0) this.#damagedFrom = window.base + at;
    const next = window.bytes.indexOf(0x0a, at + 1);
    return next < 0 || next >= window.end ? window.end : next;
  }

  #endDamage(offset: number): void {
    if (this.#damagedFrom < 0) return;
    this.#builder.problem(
      this.#damagedFrom,
      `${counted(offset - this.#damagedFrom, 'byte is', 'bytes are')} damaged; reading went on after that`,
    );
    this.#damagedFrom = -1;
  }

  /** False when the packet does not hold together. */
  #packet(bytes: Uint8Array, from: number, to: number): boolean {
    const fields = this.#packetFields.open(bytes, from, to);
    let timeLow = 0;
    let timeHigh = 0;
    let hasTime = false;
    let clock = 0;
    let sequenceId = 0;
    let flags = 0;
    let dropped = false;
    let eventFrom = -1;
    let eventTo = 0;
    let sampleFrom = -1;
    let sampleTo = 0;
    let isStackSample = false;
    let internedFrom = -1;
    let internedTo = 0;
    let defaultsFrom = -1;
    let defaultsTo = 0;
    let unread = 0;
    let otherField = 0;
    let otherFrom = 0;
    let otherTo = 0;
    while (fields.next()) {
      switch (fields.field) {
        case Packet.timestamp:
          timeLow = fields.low;
          timeHigh = fields.high;
          hasTime = true;
          break;
        case Packet.sequenceId:
          sequenceId = fields.low;
          break;
        case Packet.sequenceFlags:
          flags |= fields.low;
          break;
        case Packet.stateCleared:
          if (fields.low !== 0) flags |= 1;
          break;
        case Packet.previousDropped:
          dropped = fields.low !== 0;
          break;
        case Packet.clockId:
          clock = fields.low;
          break;
        case Packet.trackEvent:
          eventFrom = fields.from;
          eventTo = fields.to;
          break;
        case Packet.perfSample:
          if (fields.wireType !== 2) return false;
          sampleFrom = fields.from;
          sampleTo = fields.to;
          isStackSample = false;
          break;
        case Packet.stackSample:
          if (fields.wireType !== 2) return false;
          sampleFrom = fields.from;
          sampleTo = fields.to;
          isStackSample = true;
          break;
        case Packet.internedData:
          internedFrom = fields.from;
          internedTo = fields.to;
          break;
        case Packet.defaults:
          defaultsFrom = fields.from;
          defaultsTo = fields.to;
          break;
        case Packet.sysStats:
        case Packet.processStats:
        case Packet.battery:
        case Packet.powerRails:
        case Packet.gpuMemTotalEvent:
        case Packet.frameTimelineEvent:
        case Packet.ftraceEvents:
        case Packet.processTree:
        case Packet.clockSnapshot:
        case Packet.compressedPackets:
        case Packet.trackDescriptor:
        case Packet.processDescriptor:
        case Packet.threadDescriptor:
          if (fields.wireType !== 2) return false;
          otherField = fields.field;
          otherFrom = fields.from;
          otherTo = fields.to;
          break;
        default:
          if (fields.wireType === 2) unread = fields.field;
      }
    }
    if (fields.broken) return false;
    const sequence = sequenceId === this.#lastSequenceId ? this.#lastSequence : this.#sequence(sequenceId);
    if (dropped) sequence.intact = false;
    if ((flags & 1) !== 0) sequence.clear();
    if (otherField === Packet.clockSnapshot) readSnapshot(bytes, otherFrom, otherTo, sequence, this.#clocks);
    if ((flags & 2) !== 0 && !sequence.intact) {
      this.#skippedPackets++;
      return true;
    }
    if (defaultsFrom >= 0) readDefaults(bytes, defaultsFrom, defaultsTo, sequence, this.#tracks);
    if (internedFrom >= 0) {
      readInterned(bytes, internedFrom, internedTo, sequence, this.#names);
      this.#samples.intern(bytes, internedFrom, internedTo, sequence);
    }
    // Also for packets without an event: the next timestamp may be the difference to this one.
    const time = hasTime ? this.#time(sequence, clock, timeLow, timeHigh) : 0;
    if (unread !== 0) this.#countUnread(unread);
    if (eventFrom >= 0 && !this.#builder.isFull)
      this.#events.read(bytes, eventFrom, eventTo, sequence, time, hasTime);
    if (sampleFrom >= 0 && hasTime && !this.#builder.isFull) {
      if (isStackSample) this.#samples.stackSample(bytes, sampleFrom, sampleTo, sequence, time);
      else this.#samples.sample(bytes, sampleFrom, sampleTo, sequence, time);
    }
    if (otherField !== 0 && otherField !== Packet.clockSnapshot) {
      this.#other(otherField, bytes, otherFrom, otherTo, sequence, hasTime ? time : NaN);
    }
    return true;
  }

  #countUnread(payload: number): void {
    const words = unreadPayloads.get(payload);
    if (words !== undefined) this.#unread.set(words, (this.#unread.get(words) ?? 0) + 1);
  }

  #sequence(id: number): PerfettoSequence {
    let sequence = this.#sequences.get(id);
    if (sequence === undefined) {
      sequence = new PerfettoSequence();
      this.#sequences.set(id, sequence);
    }
    this.#lastSequenceId = id;
    this.#lastSequence = sequence;
    return sequence;
  }

  #time(sequence: PerfettoSequence, clock: number, low: number, high: number): number {
    const id = clock !== 0 ? clock : sequence.defaultClock !== 0 ? sequence.defaultClock : Clock.boottime;
    if (id >= Clock.firstOfSequence) {
      const own = sequence.clocks.get(id);
      if (own !== undefined) return this.#clocks.ofSequence(own, low, high);
    }
    return this.#clocks.builtin(id, low, high);
  }

  /** `time`: NaN where the packet has none. */
  #other(
    field: number,
    bytes: Uint8Array,
    from: number,
    to: number,
    sequence: PerfettoSequence,
    time: number,
  ): void {
    switch (field) {
      case Packet.trackDescriptor:
        this.#tracks.describe(bytes, from, to);
        break;
      case Packet.threadDescriptor:
        this.#tracks.describeLegacyThread(bytes, from, to, sequence);
        break;
      case Packet.processDescriptor:
        this.#tracks.describeProcess(bytes, from, to);
        break;
      case Packet.processTree:
        readProcessTree(bytes, from, to, this.#kernel);
        if (this.#tap !== undefined) readProcessTree(bytes, from, to, namesTo(this.#tap));
        break;
      case Packet.ftraceEvents:
        this.#bundles.read(bytes, from, to, this.#kernelTime);
        break;
      case Packet.frameTimelineEvent:
        this.#frame(bytes, from, to, time);
        break;
      case Packet.compressedPackets: {
        this.#compressed(bytes.subarray(from, to));
        break;
      }
      default:
        if (!this.#builder.isFull) this.#counters.read(field, bytes, from, to, time);
    }
  }

  #frame(bytes: Uint8Array, from: number, to: number, time: number): void {
    const builder = this.#builder;
    if (builder.isFull) return;
    builder.frames ??= new FrameTable();
    if (!readFrame(bytes, from, to, time, builder.frames)) builder.refuseNumber();
    const rows = this.#tap?.frames;
    if (rows !== undefined) readFrame(bytes, from, to, time, rows);
  }

  /** Packets within a packet; never deeper, and never more than a bound in all. */
  #compressed(bytes: Uint8Array): void {
    const left = Math.min(maxInflatedBytes, maxInflatedTotal - this.#inflated);
    const inflated = this.#nested ? 'it is inside another' : inflateZlib(bytes, left);
    if (typeof inflated === 'string') {
      this.#builder.remark(`A compressed packet was left out: ${inflated}`);
      return;
    }
    this.#inflated += inflated.length;
    const inner = new ByteWindow();
    inner.add(inflated);
    this.#nested = true;
    this.#readPackets(inner);
    this.#nested = false;
  }
}

/** For the process tree, which has no times. */
function namesTo(sink: KernelSink): NamedByTree {
  return {
    nameThread: (tid, name, pid) => sink.nameThread(tid, name, pid, 0),
    nameProcess: () => undefined,
  };
}
