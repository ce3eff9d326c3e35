/**
 * Damage to recordings: flips, swapped, repeated and oversized chunks, lying lengths, messages that lie though their
 * checksums are right. Used by the test with a fixed budget and by `npm run fuzz` without one.
 */
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { Random } from '../../../src/trace/synth/random.js';
import { lineFigures } from '../../../src/trace/measure/lines.js';
import { methodFigures } from '../../../src/trace/measure/methods.js';
import { sectionFigures } from '../../../src/trace/measure/sections.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { virtualThreadFigures } from '../../../src/trace/measure/virtual-threads.js';
import { offCarrierWaitPlaces } from '../../../src/trace/measure/off-carrier-waits.js';
import {
  type Chunk,
  chunkHeaderBytes,
  ChunkParser,
  chunkPayload,
  encodeChunk,
  fileMagic,
} from '../../../src/trace/recording/chunk.js';
import { DamageError, WireReader, WireWriter } from '../../../src/trace/recording/wire.js';
import { randomRecording } from './random-recording.js';

/** Chunks of an intact file. */
export function chunksOf(bytes: Uint8Array): Chunk[] {
  const parser = new ChunkParser({ magic: true });
  parser.push(bytes);
  parser.finish();
  const chunks: Chunk[] = [];
  for (let chunk = parser.next(); chunk !== undefined; chunk = parser.next()) chunks.push(chunk);
  return chunks;
}

/** A damaged copy, and how it was damaged. */
function mutate(
  bytes: Uint8Array,
  chunks: readonly Chunk[],
  seed: number,
): { bytes: Uint8Array; how: string } {
  const random = new Random(seed);
  const any = (): Chunk => chunks[random.below(chunks.length)]!;
  const part = (chunk: Chunk): Uint8Array =>
    bytes.subarray(chunk.offset, chunk.offset + chunkHeaderBytes + chunk.stored.length);
  const concat = (parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
  const whole = chunks.map(part);
  switch (random.below(12)) {
    case 0: {
      const copy = bytes.slice();
      const flips = 1 + random.below(8);
      for (let n = 0; n < flips; n++) copy[random.below(copy.length)]! ^= 1 << random.below(8);
      return { bytes: copy, how: `${flips} bits flipped` };
    }
    case 1: {
      const a = random.below(whole.length);
      const b = random.below(whole.length);
      [whole[a], whole[b]] = [whole[b]!, whole[a]!];
      return { bytes: concat([fileMagic, ...whole]), how: `chunks ${a} and ${b} swapped` };
    }
    case 2: {
      const a = random.below(whole.length);
      whole.splice(random.below(whole.length), 0, whole[a]!);
      return { bytes: concat([fileMagic, ...whole]), how: `chunk ${a} repeated` };
    }
    case 3: {
      const copy = bytes.slice();
      const chunk = any();
      const at = chunk.offset + 4 + random.below(20);
      copy[at] = random.below(256);
      return { bytes: copy, how: `a header byte of chunk ${chunk.sequence} changed` };
    }
    case 4: {
      const copy = bytes.slice();
      const chunk = any();
      const length = [0, 1, 0xffffffff, 16 * 1024 * 1024, 16 * 1024 * 1024 + 1, random.below(5000)][
        random.below(6)
      ]!;
      new DataView(copy.buffer).setUint32(chunk.offset + (random.next() < 0.5 ? 12 : 16), length, true);
      return { bytes: copy, how: `chunk ${chunk.sequence} names ${length} bytes` };
    }
    case 5: {
      const from = random.below(bytes.length);
      const to = from + random.below(Math.min(2000, bytes.length - from));
      return {
        bytes: concat([bytes.subarray(0, from), bytes.subarray(to)]),
        how: `bytes ${from} to ${to} cut out`,
      };
    }
    case 6: {
      const at = random.below(bytes.length);
      const junk = Uint8Array.from({ length: random.below(300) }, () =>
        random.next() < 0.2 ? [0xa7, 0x42, 0x54, 0x1a][random.below(4)]! : random.below(256),
      );
      return {
        bytes: concat([bytes.subarray(0, at), junk, bytes.subarray(at)]),
        how: `junk put in at ${at}`,
      };
    }
    case 7:
      return { bytes: bytes.slice(0, random.below(bytes.length)), how: 'cut off' };
    case 8:
    case 9: {
      // The checksum is right, a field is not.
      const at = random.below(chunks.length);
      const chunk = chunks[at]!;
      const { payload, how } = withDamagedField(chunkPayload(chunk), random);
      whole[at] = encodeChunk(chunk.kind, payload, chunk.sequence);
      return { bytes: concat([fileMagic, ...whole]), how: `${how} of chunk ${chunk.sequence}` };
    }
    default: {
      // The checksum is right, the message is not.
      const at = random.below(chunks.length);
      const chunk = chunks[at]!;
      const payload = chunkPayload(chunk).slice();
      const changes = 1 + random.below(4);
      for (let n = 0; n < changes && payload.length > 0; n++) {
        const wild = [0x00, 0x7f, 0x80, 0xff, random.below(256)][random.below(5)]!;
        payload[random.below(payload.length)] = wild;
      }
      const shorter = random.next() < 0.2 ? payload.subarray(0, random.below(payload.length + 1)) : payload;
      const kind = random.next() < 0.1 ? random.below(20) : chunk.kind;
      whole[at] = encodeChunk(kind, shorter, chunk.sequence, { deflate: random.next() < 0.3 });
      return {
        bytes: concat([fileMagic, ...whole]),
        how: `the message of chunk ${chunk.sequence} (kind ${kind}) changed`,
      };
    }
  }
}

/** A number that is as long as one may be, or longer, or cut off. */
const wildNumbers = [
  'ffffffffffffffffff01',
  'ffffffffffffffffffff01',
  'ffff',
  '80808080808080808000',
  'fe01',
];

/**
 * A message in which one field, or one of a message in it, lies: it is not there, comes twice or early, is cut short within
 * its length, or holds numbers that nobody believes. The lengths around it are right.
 */
export function withDamagedField(message: Uint8Array, random: Random): { payload: Uint8Array; how: string } {
  const fields = fieldsOf(message);
  const field = fields[random.below(fields.length)];
  if (field === undefined) return { payload: message, how: 'nothing' };
  const { tag, content } = field;
  const part = (from: number, to: number): Uint8Array => message.subarray(from, to);
  const put = (made: Uint8Array): Uint8Array =>
    new Uint8Array(Buffer.concat([part(0, field.begin), made, part(field.end, message.length)]));
  const filled = (bytes: Uint8Array): Uint8Array => {
    const out = new WireWriter();
    out.varint(tag);
    out.delimited(bytes);
    return put(out.finish());
  };
  const own = part(field.begin, field.end);
  const how = `field ${tag >> 3}`;
  if (content === undefined || random.next() < 0.3) {
    const choice = random.below(3);
    if (choice === 0) return { payload: put(new Uint8Array(0)), how: `${how} left out` };
    if (choice === 1) return { payload: put(new Uint8Array(Buffer.concat([own, own]))), how: `${how} twice` };
    const moved = new Uint8Array(Buffer.concat([own, put(new Uint8Array(0))]));
    return { payload: moved, how: `${how} first` };
  }
  switch (random.below(3)) {
    case 0:
      return { payload: filled(content.subarray(0, random.below(content.length + 1))), how: `${how} cut` };
    case 1: {
      const at = random.below(content.length + 1);
      const number = Buffer.from(wildNumbers[random.below(wildNumbers.length)]!, 'hex');
      const wild = Buffer.concat([content.subarray(0, at), number, content.subarray(at)]);
      return { payload: filled(wild), how: `a wild number in ${how}` };
    }
    default: {
      const inner = withDamagedField(content, random);
      return { payload: filled(inner.payload), how: `in ${how} ${inner.how}` };
    }
  }
}

interface Field {
  readonly tag: number;
  readonly begin: number;
  readonly end: number;
  /** Of a field with a length. */
  readonly content: Uint8Array | undefined;
}

/** Of a message that is intact, or of bytes that look like one as far as they do. */
export function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  const reader = new WireReader(message);
  try {
    while (reader.more) {
      const begin = reader.pos;
      const tag = reader.varint();
      const contentAt = new WireReader(message, reader.pos);
      reader.skip(tag % 8);
      const content = tag % 8 === 2 ? contentAt.raw() : undefined;
      fields.push({ tag, begin, end: reader.pos, content });
    }
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
  }
  return fields;
}

/** Mutants of one intact recording, before another is made. */
const mutantsARecording = 500;
let original: { seed: number; bytes: Uint8Array; chunks: Chunk[] } = {
  seed: -1,
  bytes: fileMagic,
  chunks: [],
};

/** The seed alone gives the mutant: which recording, and what was done to it. */
export function mutantOf(seed: number): { bytes: Uint8Array; how: string } {
  const from = Math.floor(seed / mutantsARecording);
  if (original.seed !== from) {
    const { bytes } = randomRecording(from);
    original = { seed: from, bytes, chunks: chunksOf(bytes) };
  }
  return mutate(original.bytes, original.chunks, seed);
}

/** Opens it and asks for everything; throws when a column breaks what the model promises. */
export function openAndMeasure(bytes: Uint8Array): RecordingDecoder {
  const decoder = new RecordingDecoder();
  const middle = bytes.length >> 1;
  decoder.append(bytes.subarray(0, middle));
  decoder.append(bytes.subarray(middle));
  decoder.finish();
  const trace = decoder.trace();
  for (const { intervals, calls, index } of trace.threads) {
    for (let row = 0; row < intervals.count; row++) {
      const begin = intervals.begin[row]!;
      if (!(intervals.end[row]! >= begin) || (row > 0 && begin < intervals.end[row - 1]!)) {
        throw new Error(`thread ${index}: interval ${row} is out of order`);
      }
    }
    for (let row = 0; row < calls.count; row++) {
      if (!(calls.end[row]! >= calls.begin[row]!))
        throw new Error(`thread ${index}: call ${row} ends before it begins`);
    }
  }
  const { offCarrierWaits: waits } = trace;
  for (let row = 0; row < waits!.count; row++) {
    const { begin, end, path } = waits!;
    if (!(end[row]! >= begin[row]! && end[row]! <= trace.endNs && path[row]! < trace.paths.count))
      throw new Error(`the wait ${row} of a virtual thread cannot be`);
  }
  const sums = sumScope(trace, wholeTrace);
  methodFigures(sums, trace.methods.count);
  lineFigures(trace, wholeTrace);
  virtualThreadFigures(trace, wholeTrace);
  offCarrierWaitPlaces(trace, wholeTrace);
  sectionFigures(trace, wholeTrace);
  for (let method = 0; method < Math.min(trace.methods.count, 100); method++) {
    trace.methods.qualifiedName(method);
    trace.methods.firstLine(method);
    trace.methods.file(method);
  }
  for (let id = 0; id < 5; id++) trace.text(id) + trace.className(id);
  return decoder;
}
