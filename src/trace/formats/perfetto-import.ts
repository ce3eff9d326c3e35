import { EventBuilder } from '../build/event-builder.js';
import { endTop } from '../build/event-columns.js';
import type { Trace } from '../model/trace.js';
import { ByteWindow } from './byte-window.js';
import type { ImportOptions, TraceImporter } from './importer.js';
import { NamedMethods } from './named-methods.js';
import { NameTable } from './names.js';
import { PerfettoClocks, type ClockReading } from './perfetto-clocks.js';
import { Clock, Event, EventType, Interned, InternedName, LegacyEvent, Packet } from './perfetto-fields.js';
import { PacketDefaults, Snapshot, SnapshotClock, Source } from './perfetto-fields.js';
import { looksLikePacket } from './perfetto-packet.js';
import { readFtraceBundle, readProcessTree } from './perfetto-ftrace.js';
import { PerfettoSequence, type PerfettoTrack } from './perfetto-sequence.js';
import { PerfettoTracks } from './perfetto-tracks.js';
import { ProtobufReader } from './protobuf-reader.js';
import { KernelTrace } from './kernel-trace.js';
import { inflateZlib } from './inflate.js';

/** A longer packet is damage: producers cut theirs at well under a megabyte, names included. */
const maxPacketBytes = 64 << 20;
const maxInflatedBytes = 64 << 20;
const maxInflatedTotal = 2 ** 32;
const two32 = 4294967296;

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
  readonly #kernel = new KernelTrace(this.#builder, this.#names);
  readonly #tracks = new PerfettoTracks(this.#builder, this.#kernel);
  readonly #window = new ByteWindow();
  readonly #signal: AbortSignal | undefined;
  readonly #sequences = new Map<number, PerfettoSequence>();
  #lastSequenceId = -1;
  #lastSequence = new PerfettoSequence();
  #damagedFrom = -1;
  #skippedPackets = 0;
  #missingNames = 0;
  readonly #missingName = new Map<number, number>();

  // The packet and the event at hand, as fields so that none costs an object.
  readonly #packetFields = new ProtobufReader();
  readonly #eventFields = new ProtobufReader();
  readonly #inner = new ProtobufReader();
  readonly #extras: number[] = [];
  #nested = false;
  #inflated = 0;

  constructor(options: ImportOptions = {}) {
    this.#signal = options.signal;
  }

  append(bytes: Uint8Array): void {
    this.#signal?.throwIfAborted();
    this.#window.add(bytes);
    this.#readPackets(this.#window);
  }

  finish(): Trace {
    const window = this.#window;
    const builder = this.#builder;
    if (window.at < window.end) {
      builder.problem(
        window.offset,
        `The trace ends inside a packet; its last ${window.end - window.at} bytes were left out`,
      );
      window.at = window.end;
    }
    this.#endDamage(window.offset);
    if (this.#skippedPackets > 0) {
      builder.problem(
        0,
        `${this.#skippedPackets} packets refer to others that were lost while recording; they were left out`,
      );
    }
    if (this.#missingNames > 0)
      builder.problem(0, `${this.#missingNames} events have a name that is missing in the trace`);
    for (const clock of this.#clocks.untied) {
      builder.problem(
        0,
        `Clock ${clock} is never read together with the trace's clock; its times were taken as they are`,
      );
    }
    this.#tracks.finish();
    this.#kernel.finish();
    const process = this.#tracks.mainProcess();
    return builder.finish(
      this.#methods,
      { format: 'perfetto', pid: process.pid, targetName: process.name },
      {
        monotonicNs: this.#clocks.zeroOn(Clock.monotonic) || this.#clocks.zeroOn(this.#clocks.target),
        boottimeNs: this.#clocks.zeroOn(Clock.boottime),
        realtimeNs: this.#clocks.zeroOn(Clock.realtime),
      },
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
      `${offset - this.#damagedFrom} bytes are damaged; reading went on after them`,
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
    let internedFrom = -1;
    let internedTo = 0;
    let defaultsFrom = -1;
    let defaultsTo = 0;
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
        case Packet.internedData:
          internedFrom = fields.from;
          internedTo = fields.to;
          break;
        case Packet.defaults:
          defaultsFrom = fields.from;
          defaultsTo = fields.to;
          break;
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
      }
    }
    if (fields.broken) return false;
    const sequence = sequenceId === this.#lastSequenceId ? this.#lastSequence : this.#sequence(sequenceId);
    if (dropped) sequence.intact = false;
    if ((flags & 1) !== 0) sequence.clear();
    if (otherField === Packet.clockSnapshot) this.#snapshot(bytes, otherFrom, otherTo, sequence);
    if ((flags & 2) !== 0 && !sequence.intact) {
      this.#skippedPackets++;
      return true;
    }
    if (defaultsFrom >= 0) this.#defaults(bytes, defaultsFrom, defaultsTo, sequence);
    if (internedFrom >= 0) this.#intern(bytes, internedFrom, internedTo, sequence);
    // Also for packets without an event: the next timestamp may be the difference to this one.
    const time = hasTime ? this.#time(sequence, clock, timeLow, timeHigh) : 0;
    if (eventFrom >= 0) this.#event(bytes, eventFrom, eventTo, sequence, time, hasTime);
    if (otherField !== 0 && otherField !== Packet.clockSnapshot) {
      this.#other(otherField, bytes, otherFrom, otherTo, sequence);
    }
    return true;
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

  #event(
    bytes: Uint8Array,
    from: number,
    to: number,
    sequence: PerfettoSequence,
    packetTime: number,
    hasTime: boolean,
  ): void {
    const fields = this.#eventFields.open(bytes, from, to);
    let type = 0;
    let track = sequence.defaultTrack;
    let method = -1;
    let missing = -1;
    let value = NaN;
    let extra = 0;
    let cpu = NaN;
    let sourceIid = -1;
    let sourceFrom = -1;
    let sourceTo = 0;
    let legacyFrom = -1;
    let legacyTo = 0;
    let time = packetTime;
    let flows = 0;
    let timed = hasTime;
    let ownExtras: PerfettoTrack[] | undefined;
    while (fields.next()) {
      switch (fields.field) {
        case Event.type:
          type = fields.low;
          break;
        case Event.nameIid:
          method = sequence.nameOf(fields.low);
          if (method < 0) missing = fields.low;
          break;
        case Event.extraCounterValues:
          // Which counters they are may be told only after them.
          if (fields.wireType === 0) this.#extras[extra++] = fields.signed;
          else if (fields.wireType === 2) {
            const packed = this.#inner.open(bytes, fields.from, fields.to);
            while (packed.at < packed.end && packed.varint()) this.#extras[extra++] = packed.signed;
          }
          break;
        case Event.trackUuid:
          track = this.#tracks.of(fields.low, fields.high);
          break;
        case Event.name:
          if (fields.wireType === 2) method = this.#names.intern(bytes, fields.from, fields.to);
          break;
        case Event.counterValue:
          value = fields.signed;
          break;
        case Event.doubleCounterValue:
          value = fields.double;
          break;
        case Event.extraCounterTracks:
          ownExtras ??= [];
          ownExtras.push(this.#tracks.of(fields.low, fields.high));
          break;
        case Event.sourceIid:
          sourceIid = fields.low;
          break;
        case Event.source:
          if (fields.wireType === 2) {
            sourceFrom = fields.from;
            sourceTo = fields.to;
          }
          break;
        case Event.flowIds:
        case Event.terminatingFlowIds:
        case Event.oldFlowIds:
        case Event.oldTerminatingFlowIds:
          flows++;
          break;
        case Event.legacy:
          if (fields.wireType === 2) {
            legacyFrom = fields.from;
            legacyTo = fields.to;
          }
          break;
        case Event.timestampDeltaUs:
          sequence.legacyUs += fields.signed;
          time = sequence.legacyUs * 1000;
          timed = true;
          break;
        case Event.timestampAbsoluteUs:
          time = fields.signed * 1000;
          timed = true;
          break;
        case Event.threadTimeDeltaUs:
          sequence.legacyThreadUs += fields.signed;
          cpu = sequence.legacyThreadUs * 1000;
          break;
        case Event.threadTimeAbsoluteUs:
          cpu = fields.signed * 1000;
          break;
        default:
      }
    }
    if (fields.broken || !timed) return;
    for (let i = 0; i < extra; i++) cpu = this.#extraCounter(sequence, ownExtras, i, cpu);
    if (!hasTime) time = this.#legacyTime(time);
    track ??= sequence.legacyTrack ?? this.#tracks.of(0, 0);
    if (type === EventType.begin && method < 0) method = this.#missing(missing);
    if (method >= 0 && (sourceIid >= 0 || sourceFrom >= 0))
      this.#source(bytes, method, sequence, sourceIid, sourceFrom, sourceTo);
    switch (type) {
      case EventType.begin: {
        const { events } = this.#tracks.threadOf(track);
        if (cpu === cpu) events.pushWithCpu(time, method, cpu);
        else events.push(time, method);
        break;
      }
      case EventType.end: {
        const { events } = this.#tracks.threadOf(track);
        if (cpu === cpu) events.pushWithCpu(time, endTop, cpu);
        else events.push(time, endTop);
        break;
      }
      case EventType.counter:
        if (value === value) this.#tracks.count(track, time, value);
        break;
      default:
        if (legacyFrom >= 0) this.#legacy(bytes, legacyFrom, legacyTo, sequence, track, time, method, cpu);
    }
    if (flows > 0) this.#flows(bytes, from, to, track, time);
  }

  /** Takes one value told beside an event; returns the thread's CPU clock where it is that. */
  #extraCounter(
    sequence: PerfettoSequence,
    own: readonly PerfettoTrack[] | undefined,
    at: number,
    cpu: number,
  ): number {
    const track = (own ?? sequence.extraCounters)[at];
    if (track === undefined) return cpu;
    const value = this.#extras[at] ?? 0;
    let now = value;
    if (track.incremental) {
      now = (sequence.extraValues[at] ?? 0) + value;
      sequence.extraValues[at] = now;
    }
    return track.isThreadTime ? now * track.multiplier : cpu;
  }

  /** A time in µs of an older producer, which counts on MONOTONIC. */
  #legacyTime(ns: number): number {
    return this.#clocks.builtin(Clock.monotonic, ns % two32, Math.floor(ns / two32));
  }

  #legacy(
    bytes: Uint8Array,
    from: number,
    to: number,
    sequence: PerfettoSequence,
    track: PerfettoTrack,
    time: number,
    eventMethod: number,
    cpu: number,
  ): void {
    const fields = this.#inner.open(bytes, from, to);
    let phase = 0;
    let duration = 0;
    let threadDuration = NaN;
    let method = eventMethod;
    let tid = 0;
    let pid = 0;
    while (fields.next()) {
      switch (fields.field) {
        case LegacyEvent.phase:
          phase = fields.low;
          break;
        case LegacyEvent.durationUs:
          duration = fields.signed * 1000;
          break;
        case LegacyEvent.threadDurationUs:
          threadDuration = fields.signed * 1000;
          break;
        case LegacyEvent.nameIid:
          if (method < 0) method = sequence.nameOf(fields.low);
          break;
        case LegacyEvent.pidOverride:
          pid = fields.low;
          break;
        case LegacyEvent.tidOverride:
          tid = fields.low;
          break;
        default:
      }
    }
    const thread = tid > 0 ? this.#kernel.thread(tid, pid) : this.#tracks.threadOf(track);
    if (method < 0 && (phase === 0x42 || phase === 0x58)) method = this.#missing(-1);
    if (phase === 0x42) thread.events.push(time, method);
    else if (phase === 0x45) thread.events.push(time, endTop);
    else if (phase === 0x58) {
      if (cpu === cpu && threadDuration === threadDuration) {
        thread.events.sliceWithCpu(time, time + duration, method, cpu, cpu + threadDuration);
      } else thread.events.slice(time, time + duration, method);
    }
  }

  #missing(iid: number): number {
    this.#missingNames++;
    let method = this.#missingName.get(iid);
    if (method === undefined) {
      method = this.#names.internText(iid < 0 ? '(no name)' : `(name ${iid} is missing)`);
      this.#missingName.set(iid, method);
    }
    return method;
  }

  #source(
    bytes: Uint8Array,
    method: number,
    sequence: PerfettoSequence,
    iid: number,
    from: number,
    to: number,
  ): void {
    if (iid >= 0) {
      const source = sequence.sourceOf(iid);
      if (source !== undefined) this.#methods.setSource(method, source.file, source.line);
      return;
    }
    const fields = this.#inner.open(bytes, from, to);
    let file = '';
    let line = 0;
    while (fields.next()) {
      if (fields.field === Source.file && fields.wireType === 2) file = textOf(fields);
      else if (fields.field === Source.line) line = fields.low;
    }
    this.#methods.setSource(method, file, line);
  }

  /** Flow ids are rare: they are read in a second pass over the event. */
  #flows(bytes: Uint8Array, from: number, to: number, track: PerfettoTrack, time: number): void {
    const fields = this.#inner.open(bytes, from, to);
    while (fields.next()) {
      const { field, wireType } = fields;
      if (field !== Event.flowIds && field !== Event.terminatingFlowIds) {
        if (field !== Event.oldFlowIds && field !== Event.oldTerminatingFlowIds) continue;
      }
      const ends = field === Event.terminatingFlowIds || field === Event.oldTerminatingFlowIds;
      if (wireType === 0 || wireType === 1) this.#tracks.flow(fields.unsigned, track, time, ends);
      else if (wireType === 2) {
        for (let at = fields.from; at + 8 <= fields.to; at += 8) {
          let id = 0;
          for (let i = 7; i >= 0; i--) id = id * 256 + (bytes[at + i] ?? 0);
          this.#tracks.flow(id, track, time, ends);
        }
      }
    }
  }

  #intern(bytes: Uint8Array, from: number, to: number, sequence: PerfettoSequence): void {
    const fields = this.#packetFields.open(bytes, from, to);
    const entry = this.#inner;
    while (fields.next()) {
      if (fields.wireType !== 2) continue;
      if (fields.field === Interned.eventNames) {
        entry.open(bytes, fields.from, fields.to);
        let iid = -1;
        let nameFrom = 0;
        let nameTo = 0;
        while (entry.next()) {
          if (entry.field === InternedName.iid) iid = entry.low;
          else if (entry.field === InternedName.name && entry.wireType === 2) {
            nameFrom = entry.from;
            nameTo = entry.to;
          }
        }
        if (iid >= 0) sequence.setName(iid, this.#names.intern(bytes, nameFrom, nameTo));
      } else if (fields.field === Interned.sourceLocations) {
        entry.open(bytes, fields.from, fields.to);
        let iid = -1;
        let file = '';
        let line = 0;
        while (entry.next()) {
          if (entry.field === Source.iid) iid = entry.low;
          else if (entry.field === Source.file && entry.wireType === 2) file = textOf(entry);
          else if (entry.field === Source.line) line = entry.low;
        }
        if (iid >= 0) sequence.setSource(iid, file, line);
      }
    }
  }

  #defaults(bytes: Uint8Array, from: number, to: number, sequence: PerfettoSequence): void {
    const fields = this.#packetFields.open(bytes, from, to);
    while (fields.next()) {
      if (fields.field === PacketDefaults.clockId) sequence.defaultClock = fields.low;
      else if (fields.field === PacketDefaults.trackEvent && fields.wireType === 2) {
        const event = this.#inner.open(bytes, fields.from, fields.to);
        sequence.extraCounters = [];
        while (event.next()) {
          if (event.field === Event.trackUuid) sequence.defaultTrack = this.#tracks.of(event.low, event.high);
          else if (event.field === Event.extraCounterTracks) {
            if (event.wireType === 0) sequence.extraCounters.push(this.#tracks.of(event.low, event.high));
          }
        }
      }
    }
  }

  #snapshot(bytes: Uint8Array, from: number, to: number, sequence: PerfettoSequence): void {
    const fields = this.#packetFields.open(bytes, from, to);
    const readings: ClockReading[] = [];
    let primary = 0;
    while (fields.next()) {
      if (fields.field === Snapshot.primary) primary = fields.low;
      else if (fields.field === Snapshot.clocks && fields.wireType === 2) {
        const clock = this.#inner.open(bytes, fields.from, fields.to);
        let id = 0;
        let value = 0n;
        let incremental = false;
        let unitNs = 1;
        while (clock.next()) {
          if (clock.field === SnapshotClock.id) id = clock.low;
          else if (clock.field === SnapshotClock.timestamp) value = clock.big;
          else if (clock.field === SnapshotClock.incremental) incremental = clock.low !== 0;
          else if (clock.field === SnapshotClock.unitNs) unitNs = clock.low || 1;
        }
        if (id > 0) readings.push({ id, value, incremental, unitNs });
      }
    }
    this.#clocks.snapshot(readings, primary, sequence.clocks);
  }

  #other(field: number, bytes: Uint8Array, from: number, to: number, sequence: PerfettoSequence): void {
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
        break;
      case Packet.ftraceEvents:
        readFtraceBundle(bytes, from, to, this.#kernel, (low, high) =>
          this.#clocks.builtin(Clock.boottime, low, high),
        );
        break;
      case Packet.compressedPackets: {
        this.#compressed(bytes.subarray(from, to));
        break;
      }
      default:
    }
  }

  /** Packets within a packet; never deeper, and never more than a bound in all. */
  #compressed(bytes: Uint8Array): void {
    const left = Math.min(maxInflatedBytes, maxInflatedTotal - this.#inflated);
    const inflated = this.#nested ? 'it is inside another' : inflateZlib(bytes, left);
    if (typeof inflated === 'string') {
      this.#builder.problem(0, `A compressed packet was left out: ${inflated}`);
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

const decoder = new TextDecoder();
function textOf(fields: ProtobufReader): string {
  return decoder.decode(fields.bytes.subarray(fields.from, fields.to));
}
