/**
 * Small recordings that say as much as they can: of each kind of chunk messages that deflate to a thousandth. A damaged or
 * hostile file may hold them; opening one must cost what its bytes may cost, not what they unfold to.
 */
import { CounterBit } from '../../../src/trace/model/kinds.js';
import {
  type Chunk,
  ChunkKind,
  ChunkParser,
  encodeChunk,
  fileMagic,
  renumberChunk,
} from '../../../src/trace/recording/chunk.js';
import { Header, Hooks, Losses, Status, Texts, Threads } from '../../../src/trace/recording/messages.js';
import { WireWriter } from '../../../src/trace/recording/wire.js';
import { Random } from '../../../src/trace/synth/random.js';

type Part = readonly [kind: number, payload: Uint8Array];

const header: Part = [ChunkKind.Header, Header.encode({ major: 1, minor: 0 })];
const end: Part = [ChunkKind.Status, Status.encode({ samples: 9 })];

/** `unit`, over and over, as many whole ones as `bytes` have room for. */
function repeated(unit: Uint8Array, bytes: number): Uint8Array {
  const count = Math.floor(bytes / unit.length);
  const out = new Uint8Array(count * unit.length);
  for (let at = 0; at < out.length; at += unit.length) out.set(unit, at);
  return out;
}

/** A message with columns: field → its entries, all alike, so many. */
function columns(rows: number, entries: Readonly<Record<number, number>>): Uint8Array {
  const out = new WireWriter();
  for (const [field, entry] of Object.entries(entries)) {
    out.tag(Number(field), 2);
    out.delimited(new Uint8Array(rows).fill(entry));
  }
  return out.finish();
}

function field(number: number, content: Uint8Array): Uint8Array {
  const out = new WireWriter();
  out.tag(number, 2);
  out.delimited(content);
  return out.finish();
}

const concat = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** `times` chunks of the same message, packed. */
const chunks = (kind: number, payload: Uint8Array, times: number): Part[] =>
  Array.from({ length: times }, () => [kind, payload] as const);

/** Entries with ids that count up from 1. */
function named(count: number): Uint8Array {
  const out = new WireWriter(8 * count);
  for (let id = 1; id <= count; id++) {
    out.tag(1, 2);
    out.varint(id < 2 ** 7 ? 2 : id < 2 ** 14 ? 3 : 4);
    out.tag(1, 0);
    out.varint(id);
  }
  return out.finish();
}

const idOnly = (id: number): Uint8Array => {
  const out = new WireWriter();
  out.tag(1, 0);
  out.varint(id);
  return out.finish();
};

/** A block of samples of one thread: rows at `step` and of `stack`, as stored. */
function block(
  thread: number,
  rows: number,
  entries: Readonly<Record<number, number>>,
  counters = 0,
): Uint8Array {
  const head = new WireWriter();
  head.tag(1, 0);
  head.varint(thread);
  head.tag(2, 0);
  head.varint(rows);
  if (counters !== 0) {
    head.tag(12, 5);
    head.fixed32(counters);
  }
  return field(1, concat([head.finish(), columns(rows, entries)]));
}

/** Nodes with ids from `first` on: how far above its own id the first one's parent is, less 1, and how that changes from row to row. */
function nodes(rows: number, first: number, distance: number, step: number, frame: number): Uint8Array {
  const out = new WireWriter();
  out.tag(2, 0);
  out.varint(first);
  const distances = new WireWriter(2 * rows);
  for (let row = 0; row < rows; row++) distances.sint(distance + row * (step / 2));
  out.tag(3, 2);
  out.delimited(distances.finish());
  out.append(columns(rows, { 4: frame, 5: 0 }));
  return out.finish();
}

/** A column of the thread with tid 1, as differences. */
function ofOneThread(number: number, rows: number): Uint8Array {
  const steps = new Uint8Array(rows);
  steps[0] = 2;
  return field(number, steps);
}

/** The same text, printed so often by one thread. */
const prints = (text: string, rows: number): Uint8Array =>
  concat([field(1, Buffer.from(text)), columns(rows, { 2: 2, 4: 0 }), ofOneThread(3, rows)]);

/** Two stacks as deep as may be, and samples that change from one to the other. */
function deepStacks(rows: number): Part[] {
  const deep = 60_000;
  const stack = new WireWriter();
  stack.sint(deep);
  for (let row = 1; row < rows; row++) stack.sint(row % 2 === 1 ? deep : -deep);
  const head = new WireWriter();
  head.tag(1, 0);
  head.varint(1);
  head.tag(2, 0);
  head.varint(rows);
  const time = field(16, new Uint8Array(rows).fill(2));
  const samples = field(1, concat([head.finish(), time, field(20, stack.finish())]));
  return [
    [ChunkKind.Nodes, nodes(deep, 1, 0, 0, 2)],
    [ChunkKind.Nodes, nodes(deep, deep + 1, deep, 0, 4)],
    [ChunkKind.Samples, samples],
  ];
}

/** Threads as a program has them that starts one for each task: each works a while, and waits. */
function honestThreads(count: number): Part[] {
  const random = new Random(3);
  const threads = Array.from({ length: count }, (_, at) => ({
    index: at + 1,
    tid: 4000 + at,
    name: `pool-1-thread-${at + 1}`,
    beginNs: at * 100_000 + random.below(90_000),
    endNs: at * 100_000 + 5_000_000 + random.below(90_000),
  }));
  const samples = threads.map(({ index, beginNs }) => {
    const column = (number: number, ...values: number[]): Uint8Array => {
      const out = new WireWriter();
      for (const value of values) out.sint(value);
      return field(number, out.finish());
    };
    const head = new WireWriter();
    head.tag(1, 0);
    head.varint(index);
    head.tag(2, 0);
    head.varint(2);
    head.tag(12, 5);
    head.fixed32(CounterBit.Cpu);
    const stack = 1 + random.below(20);
    return field(
      1,
      concat([
        head.finish(),
        column(16, beginNs + random.below(1_000_000), 2_000_000 + random.below(1_000_000)),
        column(18, 100_000 + random.below(100_000), random.below(1_000_000)),
        column(20, stack, 1 + random.below(20) - stack),
      ]),
    );
  });
  return [
    [ChunkKind.Nodes, nodes(20, 1, 0, 0, 2)],
    [ChunkKind.Threads, Threads.encode({ threads })],
    [ChunkKind.Samples, concat(samples)],
  ];
}

const empty = (number: number): Uint8Array => Uint8Array.of(number * 8 + 2, 0);
const most = 2 ** 24 - 1024;

/** By name, what it is made of. Made when it is asked for: each takes up to 100 MB before it is packed. */
const made: Readonly<Record<string, () => readonly Part[]>> = {
  hooks: () => chunks(ChunkKind.Hooks, repeated(empty(1), 262_144), 200),
  'one list of hooks': () => chunks(ChunkKind.Hooks, repeated(empty(1), most), 4),
  'hooks with names': () => [
    [
      ChunkKind.Hooks,
      Hooks.encode({ hooks: Array.from({ length: 100_000 }, () => ({ name: 'h', why: 'w' })) }),
    ],
  ],
  threads: () => [
    [ChunkKind.Threads, named(130_000)],
    [
      ChunkKind.Threads,
      Threads.encode({ threads: Array.from({ length: 130_000 }, (_, at) => ({ index: 130_001 + at })) }),
    ],
  ],
  /** As a program has them that starts one for each task: nothing of it is left out. */
  'threads of two samples each': () => [...honestThreads(30_000)],
  'threads over and over': () => chunks(ChunkKind.Threads, repeated(empty(1), 262_144), 200),
  classes: () => chunks(ChunkKind.Classes, repeated(field(1, idOnly(1)), most), 6),
  'classes with ids': () => [[ChunkKind.Classes, named(300_000)]],
  methods: () => [[ChunkKind.Methods, named(300_000)]],
  images: () => [[ChunkKind.Images, named(300_000)]],
  symbols: () =>
    chunks(ChunkKind.Symbols, repeated(field(1, concat([idOnly(1), Uint8Array.of(0x10, 5)])), 500_000), 100),
  'offsets of symbols': () => {
    const offsets = new WireWriter();
    for (let at = 0; at < 500_000; at++) offsets.varint(at);
    return [[ChunkKind.Symbols, field(1, concat([idOnly(1), field(4, offsets.finish())]))]];
  },
  nodes: () => chunks(ChunkKind.Nodes, nodes(2_000_000, 1, 0, 0, 2), 4),
  'nodes of one parent': () => [[ChunkKind.Nodes, nodes(2_000_000, 1, 0, 2, 2)]],
  'leaves of a deep stack': () => [
    [ChunkKind.Nodes, nodes(60_000, 1, 0, 0, 2)],
    [ChunkKind.Nodes, nodes(2_000_000, 60_001, 0, 2, 2)],
    [ChunkKind.Samples, block(1, 1000, { 16: 2, 20: 2 })],
  ],
  samples: () => chunks(ChunkKind.Samples, block(1, 7_000_000, { 16: 2, 20: 2 }), 4),
  'samples of many stacks': () => [
    [ChunkKind.Nodes, nodes(1_000_000, 1, 0, 0, 2)],
    ...chunks(ChunkKind.Samples, block(1, 4_000_000, { 16: 2, 18: 1, 20: 2 }, CounterBit.Cpu), 2),
  ],
  'samples of waits': () => {
    const rows = 2_500_000;
    return chunks(ChunkKind.Samples, block(1, rows, { 16: 4, 17: 2, 20: 0, 32: 2, 33: 2, 34: 2 }), 2);
  },
  'samples of events': () =>
    chunks(ChunkKind.Samples, block(1, 2_500_000, { 16: 4, 20: 0, 32: 2, 36: 2 }), 2),
  'blocks of samples of one thread each': () => [
    [
      ChunkKind.Samples,
      concat(Array.from({ length: 200_000 }, (_, at) => block(at + 1, 1, { 16: 2, 20: 2 }))),
    ],
  ],
  'empty blocks of samples': () => chunks(ChunkKind.Samples, repeated(empty(1), most), 4),
  'rows of a block that has none': () =>
    chunks(ChunkKind.Samples, repeated(block(1, 1, { 16: 2, 20: 0 }), most), 4),
  'deep stacks in turns': () => deepStacks(1_000_000),
  links: () => chunks(ChunkKind.Links, columns(4_000_000, { 1: 2, 2: 2, 3: 2, 4: 2 }), 10),
  'virtual waits': () =>
    chunks(ChunkKind.OffCarrierWaits, columns(4_000_000, { 2: 2, 3: 2, 4: 2, 5: 2 }), 10),
  'texts with ids': () => [[ChunkKind.Texts, named(300_000)]],
  texts: () => chunks(ChunkKind.Texts, Texts.encode({ texts: [{ id: 1, value: 'x'.repeat(2 ** 23) }] }), 40),
  counters: () => chunks(ChunkKind.Counters, field(1, columns(7_000_000, { 3: 2, 4: 2 })), 10),
  'counters of many names': () => [
    [
      ChunkKind.Counters,
      concat(Array.from({ length: 130_000 }, (_, at) => field(1, field(1, Buffer.from(`c${at}`))))),
    ],
  ],
  'empty counters': () => chunks(ChunkKind.Counters, repeated(empty(1), 262_144), 200),
  losses: () => chunks(ChunkKind.Losses, repeated(empty(1), 262_144), 200),
  'losses of threads': () => [
    [
      ChunkKind.Losses,
      Losses.encode({ losses: Array.from({ length: 130_000 }, (_, at) => ({ thread: at, count: 1 })) }),
    ],
  ],
  'costs in a status': () => chunks(ChunkKind.Status, repeated(empty(8), 262_144), 200),
  'sources in a status': () =>
    chunks(ChunkKind.Status, repeated(field(11, Uint8Array.of(8, 1)), 400_000), 100),
  'many a status': () => chunks(ChunkKind.Status, field(11, Uint8Array.of(8, 1, 24, 5)), 20_000),
  'sections in each other': () => chunks(ChunkKind.SystemEvents, prints('B|1|a', 4_000_000), 4),
  'a long section again and again': () =>
    chunks(ChunkKind.SystemEvents, prints(`B|1|${'a'.repeat(4000)}`, 4_000_000), 4),
  'sections longer than any': () =>
    chunks(ChunkKind.SystemEvents, prints(`B|1|${'a'.repeat(2 ** 20)}`, 4_000_000), 4),
  'messages between processes': () =>
    chunks(
      ChunkKind.SystemEvents,
      concat([columns(4_000_000, { 5: 2, 7: 2 }), ofOneThread(6, 4_000_000)]),
      4,
    ),
  'frames that begin and do not end': () =>
    chunks(
      ChunkKind.SystemEvents,
      concat([columns(4_000_000, { 11: 2, 12: 2 }), ofOneThread(14, 4_000_000)]),
      4,
    ),
  'memory that is still held': () =>
    chunks(ChunkKind.HeldMemory, columns(4_000_000, { 2: 2, 3: 0, 4: 2 }), 10),
  'a footer': () => chunks(ChunkKind.Footer, columns(4_000_000, { 4: 2, 5: 2, 6: 2, 7: 2 }), 10),
  'a name in the header': () => [
    [ChunkKind.Header, Header.encode({ major: 1, agentVersion: 'x'.repeat(most - 100) })],
    ...chunks(ChunkKind.Header, Header.encode({ major: 1, agentVersion: 'x'.repeat(most - 100) }), 10),
  ],
  'a chunk of an unknown kind': () => chunks(40, new Uint8Array(most), 40),
};

export const costlyNames: readonly string[] = Object.keys(made);

export function costlyRecording(name: string): Uint8Array {
  const parts = (made[name] as () => readonly Part[])();
  const all = parts[0]?.[0] === ChunkKind.Header ? [...parts, end] : [header, ...parts, end];
  // Packing is what takes long: each message once.
  const packed = new Map<Uint8Array, Chunk>();
  return concat([
    fileMagic,
    ...all.map(([kind, payload], sequence) => {
      const chunk = packed.get(payload) ?? packedChunk(kind, payload);
      packed.set(payload, chunk);
      return renumberChunk(chunk, sequence);
    }),
  ]);
}

function packedChunk(kind: number, payload: Uint8Array): Chunk {
  const parser = new ChunkParser({ magic: false, sparse: true });
  parser.push(encodeChunk(kind, payload, 0, { deflate: true }));
  return parser.next() as Chunk;
}
