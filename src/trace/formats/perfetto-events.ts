import { endTop } from '../assemble/event-columns.js';
import { markPhases } from './chrome-phases.js';
import type { KernelTrace } from './kernel-trace.js';
import type { NamedMethods } from './named-methods.js';
import type { NameTable } from './names.js';
import type { PerfettoClocks } from './perfetto-clocks.js';
import { Clock, Event, EventType, LegacyEvent, Source } from './perfetto-fields.js';
import type { InternId, PerfettoSequence, PerfettoTrack } from './perfetto-sequence.js';
import type { PerfettoTracks } from './perfetto-tracks.js';
import { ProtobufReader } from './protobuf-reader.js';

const two32 = 4294967296;

/** Reads TrackEvents, of today's form and of older producers, onto their tracks. */
export class PerfettoEvents {
  readonly #names: NameTable;
  readonly #methods: NamedMethods;
  readonly #clocks: PerfettoClocks;
  readonly #kernel: KernelTrace;
  readonly #tracks: PerfettoTracks;
  readonly #missingName = new Map<InternId, number>();
  // The event at hand, as fields so that none costs an object.
  readonly #fields = new ProtobufReader();
  readonly #inner = new ProtobufReader();
  readonly #extras: number[] = [];
  readonly #extraDoubles: number[] = [];
  /** Events whose name the trace does not hold. */
  missingNames = 0;
  /** Those of older producers by phase, a letter of the JSON format, that are neither calls nor marks. */
  readonly unreadPhases = new Map<string, number>();

  constructor(
    names: NameTable,
    methods: NamedMethods,
    clocks: PerfettoClocks,
    kernel: KernelTrace,
    tracks: PerfettoTracks,
  ) {
    this.#names = names;
    this.#methods = methods;
    this.#clocks = clocks;
    this.#kernel = kernel;
    this.#tracks = tracks;
  }

  /** One event in bytes[from, to). `packetTime` counts where the packet has a time, else the event must bring its own. */
  read(
    bytes: Uint8Array,
    from: number,
    to: number,
    sequence: PerfettoSequence,
    packetTime: number,
    hasTime: boolean,
  ): void {
    const fields = this.#fields.open(bytes, from, to);
    let type = 0;
    let track = sequence.defaultTrack;
    let method = -1;
    let missing: InternId = -1;
    let value = NaN;
    let extra = 0;
    let cpu = NaN;
    let sourceIid: InternId = -1;
    let sourceFrom = -1;
    let sourceTo = 0;
    let legacyFrom = -1;
    let legacyTo = 0;
    let time = packetTime;
    let flows = 0;
    let timed = hasTime;
    let ownExtras: PerfettoTrack[] | undefined;
    let extraDouble = 0;
    let ownExtraDoubles: PerfettoTrack[] | undefined;
    while (fields.next()) {
      switch (fields.field) {
        case Event.type:
          type = fields.low;
          break;
        case Event.nameIid:
          method = sequence.nameOf(fields.id);
          if (method < 0) missing = fields.id;
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
        case Event.extraDoubleCounterValues:
          if (fields.wireType === 1) this.#extraDoubles[extraDouble++] = fields.double;
          break;
        case Event.extraDoubleCounterTracks:
          ownExtraDoubles ??= [];
          ownExtraDoubles.push(this.#tracks.of(fields.low, fields.high));
          break;
        case Event.sourceIid:
          sourceIid = fields.id;
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
    if (!hasTime) time = this.#legacyTime(time);
    for (let i = 0; i < extra; i++) cpu = this.#extraCounter(sequence, ownExtras, i, time, cpu);
    for (let i = 0; i < extraDouble; i++) {
      const counter = (ownExtraDoubles ?? sequence.extraDoubleCounters)[i];
      if (counter !== undefined) this.#tracks.count(counter, time, this.#extraDoubles[i] ?? 0);
    }
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

  /** Takes one value told beside an event; returns the thread's CPU clock, where it is that or as it was. */
  #extraCounter(
    sequence: PerfettoSequence,
    own: readonly PerfettoTrack[] | undefined,
    at: number,
    time: number,
    cpu: number,
  ): number {
    const track = (own ?? sequence.extraCounters)[at];
    if (track === undefined) return cpu;
    const value = this.#extras[at] ?? 0;
    if (!track.isThreadTime) {
      this.#tracks.count(track, time, value);
      return cpu;
    }
    let now = value;
    if (track.incremental) {
      now = (sequence.extraValues[at] ?? 0) + value;
      sequence.extraValues[at] = now;
    }
    return now * track.multiplier;
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
    let id = '';
    let isLocal = false;
    let scope = '';
    while (fields.next()) {
      switch (fields.field) {
        case LegacyEvent.unscopedId:
        case LegacyEvent.localId:
        case LegacyEvent.globalId:
          id = `${fields.high} ${fields.low}`;
          isLocal = fields.field !== LegacyEvent.globalId;
          break;
        case LegacyEvent.idScope:
          if (fields.wireType === 2) scope = fields.text();
          break;
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
          if (method < 0) method = sequence.nameOf(fields.id);
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
    const letter = String.fromCharCode(phase);
    if (method < 0 && 'BXbSeF'.includes(letter)) method = this.#missing(-1);
    const key = `${scope} ${id}`;
    const process = isLocal ? thread.pid : 0;
    switch (letter) {
      case 'B':
        thread.events.push(time, method);
        break;
      case 'E':
        thread.events.push(time, endTop);
        break;
      case 'X':
        if (cpu === cpu && threadDuration === threadDuration) {
          thread.events.sliceWithCpu(time, time + duration, method, cpu, cpu + threadDuration);
        } else thread.events.slice(time, time + duration, method);
        break;
      case 'b':
      case 'S':
        this.#kernel.async.begin(process, key, time, method);
        break;
      case 'e':
      case 'F':
        this.#kernel.async.end(process, key, time, method);
        break;
      default:
        if (phase > 0 && !markPhases.includes(letter))
          this.unreadPhases.set(letter, (this.unreadPhases.get(letter) ?? 0) + 1);
    }
  }

  #missing(iid: InternId): number {
    this.missingNames++;
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
    iid: InternId,
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
      if (fields.field === Source.file && fields.wireType === 2) file = fields.text();
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
}
