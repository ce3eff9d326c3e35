import type { NameTable } from './names.js';
import type { ClockReading, PerfettoClocks } from './perfetto-clocks.js';
import {
  Event,
  Interned,
  InternedName,
  PacketDefaults,
  Snapshot,
  SnapshotClock,
  Source,
} from './perfetto-fields.js';
import type { InternId, PerfettoSequence } from './perfetto-sequence.js';
import { readSampleDefaults } from './perfetto-samples.js';
import type { PerfettoTracks } from './perfetto-tracks.js';
import { ProtobufReader } from './protobuf-reader.js';

const outer = new ProtobufReader();
const inner = new ProtobufReader();

/** Names and places in the source that later packets of the sequence refer to by number. */
export function readInterned(
  bytes: Uint8Array,
  from: number,
  to: number,
  sequence: PerfettoSequence,
  names: NameTable,
): void {
  const fields = outer.open(bytes, from, to);
  const entry = inner;
  while (fields.next()) {
    if (fields.wireType !== 2) continue;
    if (fields.field === Interned.eventNames) {
      entry.open(bytes, fields.from, fields.to);
      let iid: InternId = -1;
      let nameFrom = 0;
      let nameTo = 0;
      while (entry.next()) {
        if (entry.field === InternedName.iid) iid = entry.id;
        else if (entry.field === InternedName.name && entry.wireType === 2) {
          nameFrom = entry.from;
          nameTo = entry.to;
        }
      }
      if (iid >= 0) sequence.setName(iid, names.intern(bytes, nameFrom, nameTo));
    } else if (fields.field === Interned.sourceLocations) {
      entry.open(bytes, fields.from, fields.to);
      let iid: InternId = -1;
      let file = '';
      let line = 0;
      while (entry.next()) {
        if (entry.field === Source.iid) iid = entry.id;
        else if (entry.field === Source.file && entry.wireType === 2) file = entry.text();
        else if (entry.field === Source.line) line = entry.low;
      }
      if (iid >= 0) sequence.setSource(iid, file, line);
    }
  }
}

/** What holds for every packet of the sequence that does not say otherwise. */
export function readDefaults(
  bytes: Uint8Array,
  from: number,
  to: number,
  sequence: PerfettoSequence,
  tracks: PerfettoTracks,
): void {
  const fields = outer.open(bytes, from, to);
  while (fields.next()) {
    if (fields.field === PacketDefaults.clockId) sequence.defaultClock = fields.low;
    else if (fields.field === PacketDefaults.stackSample && fields.wireType === 2)
      sequence.samples = readSampleDefaults(bytes, fields.from, fields.to);
    else if (fields.field === PacketDefaults.trackEvent && fields.wireType === 2) {
      const event = inner.open(bytes, fields.from, fields.to);
      sequence.extraCounters = [];
      sequence.extraDoubleCounters = [];
      while (event.next()) {
        if (event.field === Event.trackUuid) sequence.defaultTrack = tracks.of(event.low, event.high);
        else if (event.field === Event.extraCounterTracks) {
          if (event.wireType === 0) sequence.extraCounters.push(tracks.of(event.low, event.high));
        } else if (event.field === Event.extraDoubleCounterTracks) {
          if (event.wireType === 0) sequence.extraDoubleCounters.push(tracks.of(event.low, event.high));
        }
      }
    }
  }
}

/** Clocks that were read together. */
export function readSnapshot(
  bytes: Uint8Array,
  from: number,
  to: number,
  sequence: PerfettoSequence,
  clocks: PerfettoClocks,
): void {
  const fields = outer.open(bytes, from, to);
  const readings: ClockReading[] = [];
  let primary = 0;
  while (fields.next()) {
    if (fields.field === Snapshot.primary) primary = fields.low;
    else if (fields.field === Snapshot.clocks && fields.wireType === 2) {
      const clock = inner.open(bytes, fields.from, fields.to);
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
  clocks.snapshot(readings, primary, sequence.clocks);
}
