import { ByteWindow } from './byte-window.js';
import { NameTable } from './names.js';
import { Numbers } from './numbers.js';
import { Function, Label, Line, Location, Mapping, Profile, Sample, ValueType } from './pprof-fields.js';
import { ProtobufReader } from './protobuf-reader.js';

/** Writers cut theirs at far less; what is longer is damage. */
const maxMessageBytes = 64 << 20;
/** An estimate: an id's place in a map. */
const idBytes = 60;

/** Ids of messages, which may be any 64 bits, as rows from 0 on. */
class Rows {
  readonly #rows = new Map<number | bigint, number>();

  get count(): number {
    return this.#rows.size;
  }

  of(id: number | bigint): number {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const row = this.#rows.size;
    this.#rows.set(id, row);
    return row;
  }
}

/**
 * What stands in a pprof profile, as it comes: its tables by rows, and its samples as columns.
 *
 * Memory: 8 bytes a frame and a value of a sample.
 */
export class PprofProfile {
  /** Samples that come while it is false are left out. */
  takesSamples = true;
  /** Messages that do not hold together. */
  brokenMessages = 0;
  /** Where something stands that is no part of a profile: nothing after it is read. */
  damagedAt: number | undefined;

  /** Two strings each. */
  readonly types: { readonly type: number; readonly unit: number }[] = [];
  /** A string. */
  defaultType = 0;
  timeNs = 0n;
  readonly mappingFile: number[] = [];
  readonly functionName: number[] = [];
  readonly functionFile: number[] = [];
  readonly functionLine: number[] = [];
  readonly locationMapping: number[] = [];
  readonly locationAddress: number[] = [];
  /** Functions of the locations, innermost first; where each location's begin, and how many there are. */
  readonly lines = new Numbers();
  readonly lineFrom: number[] = [];
  readonly lineCount: number[] = [];
  /** Locations of the samples, innermost first, and where each sample ends. */
  readonly stacks = new Numbers();
  readonly stackEnds = new Numbers();
  readonly values = new Numbers();
  readonly valueEnds = new Numbers();
  /** Labels of the samples: key and text, two strings, and a number; and where those of each sample end. */
  readonly labelKeys = new Numbers();
  readonly labelTexts = new Numbers();
  readonly labelNumbers = new Numbers();
  readonly labelEnds = new Numbers();

  readonly #window = new ByteWindow();
  readonly #message = new ProtobufReader();
  readonly #inner = new ProtobufReader();
  /** Texts each once; the file names them by their place. */
  readonly #texts = new NameTable();
  readonly #strings = new Numbers();
  readonly #mappings = new Rows();
  readonly #functions = new Rows();
  readonly #locations = new Rows();

  append(bytes: Uint8Array): void {
    this.#window.add(bytes);
    this.#read();
  }

  get memoryBytes(): number {
    const numbers = this.lines.count + this.#strings.count + this.stacks.count + this.values.count;
    const ids = this.#mappings.count + this.#functions.count + this.#locations.count;
    const labels = 24 * this.labelKeys.count + 24 * this.stackEnds.count;
    return this.#texts.memoryBytes + 8 * numbers + idBytes * ids + labels;
  }

  /** Up to where it was read. */
  get offset(): number {
    return this.#window.offset;
  }

  /** It ends in the middle of a message. */
  get isCut(): boolean {
    return this.#window.at < this.#window.end && this.damagedAt === undefined;
  }

  get functionCount(): number {
    return this.#functions.count;
  }

  string(at: number): string {
    return at < this.#strings.count ? this.#texts.text(this.#strings.values[at] ?? 0) : '';
  }

  /** All fields of the profile that are at hand whole. */
  #read(): void {
    const window = this.#window;
    while (this.damagedAt === undefined && window.at < window.end) {
      const { bytes, end } = window;
      const head = this.#message.open(bytes, window.at, end);
      if (!head.varint()) {
        // A varint takes ten bytes at most.
        if (end - window.at >= 10) this.#damage();
        return;
      }
      const field = head.low >>> 3;
      const wireType = head.low & 7;
      if (wireType === 0) {
        const from = head.at;
        if (!head.varint()) {
          if (end - from >= 10) this.#damage();
          return;
        }
        if (field === Profile.defaultSampleType) this.defaultType = head.unsigned;
        else if (field === Profile.timeNanos) this.timeNs = head.high < 0x80000000 ? head.big : 0n;
        window.at = head.at;
        continue;
      }
      if (wireType === 1 || wireType === 5) {
        const next = head.at + (wireType === 1 ? 8 : 4);
        if (next > end) return;
        window.at = next;
        continue;
      }
      if (wireType !== 2) {
        this.#damage();
        return;
      }
      const from = head.at;
      if (!head.varint()) {
        if (end - from >= 10) this.#damage();
        return;
      }
      const length = head.unsigned;
      if (length > maxMessageBytes) {
        this.#damage();
        return;
      }
      if (head.at + length > end) return;
      window.at = head.at + length;
      this.#field(field, bytes, head.at, head.at + length);
    }
    if (this.damagedAt !== undefined) window.at = window.end;
  }

  /** Nothing tells where the next message begins. */
  #damage(): void {
    this.damagedAt = this.#window.offset;
    this.#window.at = this.#window.end;
  }

  #field(field: number, bytes: Uint8Array, from: number, to: number): void {
    const message = this.#message.open(bytes, from, to);
    switch (field) {
      case Profile.string:
        this.#strings.push(this.#texts.intern(bytes, from, to));
        return;
      case Profile.sampleType: {
        let [type, unit] = [0, 0];
        while (message.next()) {
          if (message.field === ValueType.type) type = message.unsigned;
          else if (message.field === ValueType.unit) unit = message.unsigned;
        }
        if (this.types.length < 64) this.types.push({ type, unit });
        break;
      }
      case Profile.sample:
        if (this.takesSamples) this.#sample(message);
        break;
      case Profile.mapping: {
        let id: number | bigint = 0;
        let file = 0;
        while (message.next()) {
          if (message.field === Mapping.id) id = message.id;
          else if (message.field === Mapping.file) file = message.unsigned;
        }
        this.mappingFile[this.#mappings.of(id)] = file;
        break;
      }
      case Profile.location:
        this.#location(message);
        break;
      case Profile.function: {
        let id: number | bigint = 0;
        let [name, file, line] = [0, 0, 0];
        while (message.next()) {
          if (message.field === Function.id) id = message.id;
          else if (message.field === Function.name) name = message.unsigned;
          else if (message.field === Function.file) file = message.unsigned;
          else if (message.field === Function.startLine) line = message.signed;
        }
        const row = this.#functions.of(id);
        this.functionName[row] = name;
        this.functionFile[row] = file;
        this.functionLine[row] = line;
        break;
      }
    }
    if (message.broken) this.brokenMessages++;
  }

  #sample(message: ProtobufReader): void {
    while (message.next()) {
      if (message.field === Sample.locations)
        this.#eachNumber(message, (number) => this.stacks.push(this.#locations.of(number.id)));
      else if (message.field === Sample.values)
        this.#eachNumber(message, (number) => this.values.push(number.signed));
      else if (message.field === Sample.label && message.wireType === 2) this.#label(message);
    }
    this.labelEnds.push(this.labelKeys.count);
    this.stackEnds.push(this.stacks.count);
    this.valueEnds.push(this.values.count);
  }

  #label(message: ProtobufReader): void {
    let [key, text, number] = [0, 0, 0];
    const label = this.#inner.open(message.bytes, message.from, message.to);
    while (label.next()) {
      if (label.field === Label.key) key = label.unsigned;
      else if (label.field === Label.text) text = label.unsigned;
      else if (label.field === Label.number) number = label.signed;
    }
    if (label.broken) this.brokenMessages++;
    this.labelKeys.push(key);
    this.labelTexts.push(text);
    this.labelNumbers.push(number);
  }

  /** Of a repeated number, packed or not. */
  #eachNumber(message: ProtobufReader, visit: (number: ProtobufReader) => void): void {
    if (message.wireType !== 2) {
      visit(message);
      return;
    }
    const packed = this.#inner.open(message.bytes, message.from, message.to);
    while (packed.at < packed.end) {
      if (!packed.varint()) {
        this.brokenMessages++;
        return;
      }
      visit(packed);
    }
  }

  #location(message: ProtobufReader): void {
    const from = this.lines.count;
    let id: number | bigint = 0;
    let mapping: number | bigint = 0;
    let address = 0;
    while (message.next()) {
      if (message.field === Location.id) id = message.id;
      else if (message.field === Location.mapping) mapping = message.id;
      else if (message.field === Location.address) address = message.unsigned;
      else if (message.field === Location.line && message.wireType === 2) {
        const line = this.#inner.open(message.bytes, message.from, message.to);
        while (line.next()) if (line.field === Line.function) this.lines.push(this.#functions.of(line.id));
        if (line.broken) this.brokenMessages++;
      }
    }
    const row = this.#locations.of(id);
    this.locationMapping[row] = this.#mappings.of(mapping);
    this.locationAddress[row] = address;
    this.lineFrom[row] = from;
    this.lineCount[row] = this.lines.count - from;
  }
}

/** Wire types of a profile's fields, from field 1 on; −1 for one that may be packed or not. */
const wireTypes = [2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 2, 0, -1, 0, 0];
const mostFieldsLookedAt = 64;

/** Whether the fields that a file begins with are a profile's, with a type of its values (two numbers) among them, or its first text, which is empty. */
export function looksLikePprof(bytes: Uint8Array): boolean {
  const fields = new ProtobufReader().open(bytes, 0, bytes.length);
  const inner = new ProtobufReader();
  let hasType = false;
  let hasOther = false;
  let textCount = 0;
  for (let seen = 0; seen < mostFieldsLookedAt && fields.next(); seen++) {
    const { field, wireType } = fields;
    const wanted = wireTypes[field - 1];
    if (wanted === undefined || (wanted >= 0 && wireType !== wanted)) return false;
    if (field === Profile.sampleType) {
      const message = inner.open(bytes, fields.from, fields.to);
      while (message.next()) if (message.wireType !== 0 || message.field > ValueType.unit) return false;
      if (message.broken) return false;
      hasType = true;
    } else hasOther = true;
    if (field === Profile.string && textCount++ === 0 && fields.from === fields.to) hasType = true;
  }
  return hasType && hasOther;
}
