/** perf.data files as `perf record` writes them, of the kernel's documented records. Times are in ms. */

export const firstNs = 38_846_144_635_000n;
const kernelMark = -128n;
const userMark = -512n;

const words = (...values: (number | bigint)[]): Buffer => {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, at) => bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 8 * at));
  return bytes;
};
const halves = (...values: number[]): Buffer => Buffer.from(Int32Array.from(values).buffer);
const padded = (text: string, to = 8): Buffer => {
  const bytes = Buffer.from(`${text}\0`);
  return Buffer.concat([bytes, Buffer.alloc((to - (bytes.length % to)) % to)]);
};
const timeOf = (ms: number): bigint => (ms < 0 ? 0n : firstNs + BigInt(Math.round(ms * 1e6)));

export function record(type: number, misc: number, ...body: Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(8), ...body]);
  bytes.writeUInt32LE(type, 0);
  bytes.writeUInt16LE(misc, 4);
  bytes.writeUInt16LE(bytes.length, 6);
  return bytes;
}

// IDENTIFIER, IP, TID, TIME, CALLCHAIN, CPU, PERIOD.
const sampleType = (1 << 16) | 1 | 2 | 4 | (1 << 5) | (1 << 7) | (1 << 8);

/** Of every record but samples: thread, time, CPU, id. */
const trailer = (pid: number, tid: number, ms: number, id = 1): Buffer =>
  Buffer.concat([halves(pid, tid), words(timeOf(ms), 0, id)]);

export interface MadeSample {
  readonly ms: number;
  readonly pid?: number;
  readonly tid?: number;
  readonly id?: number;
  /** Addresses, innermost first. */
  readonly kernel?: readonly bigint[];
  readonly user?: readonly number[];
}

export function sample({ ms, pid = 100, tid = pid, id = 1, kernel = [], user = [] }: MadeSample): Buffer {
  const chain = [
    ...(kernel.length > 0 ? [kernelMark, ...kernel] : []),
    ...(user.length > 0 ? [userMark, ...user] : []),
  ];
  const ip = kernel[0] ?? user[0] ?? 0;
  const body = [words(id, ip), halves(pid, tid), words(timeOf(ms), 0, 1_000_000, chain.length, ...chain)];
  return record(9, kernel.length > 0 ? 1 : 2, ...body);
}

export const comm = (pid: number, tid: number, name: string, ms = -1): Buffer =>
  record(3, 0, halves(pid, tid), padded(name), trailer(pid, tid, ms));

export const fork = (pid: number, parent: number, tid: number, creator: number, ms: number): Buffer =>
  record(7, 0, halves(pid, parent, tid, creator), words(timeOf(ms)), trailer(pid, tid, ms));

export const map = (pid: number, start: bigint, length: number, offset: bigint, name: string): Buffer =>
  record(1, 1, halves(pid, 0), words(start, length, offset), padded(name), trailer(pid, 0, -1));

export function map2(
  pid: number,
  start: number,
  length: number,
  offset: number,
  name: string,
  { ms = -1, buildId }: { ms?: number; buildId?: Uint8Array } = {},
): Buffer {
  const told = Buffer.alloc(24);
  if (buildId !== undefined) {
    told[0] = buildId.length;
    told.set(buildId, 4);
  }
  const misc = buildId === undefined ? 2 : 2 | (1 << 14);
  const head = [halves(pid, pid), words(start, length, offset), told, halves(5, 2)];
  return record(10, misc, ...head, padded(name), trailer(pid, pid, ms));
}

export const lost = (count: number): Buffer => record(2, 0, words(1, count), trailer(100, 100, 5));

interface MadeEvent {
  readonly type: number;
  readonly config: number;
  /** With `isFrequency`, how often a second. */
  readonly period: number;
  readonly isFrequency: boolean;
  readonly id: number;
  readonly name: string;
}
/** A thousand times a second of CPU time; and page faults. */
export const events: readonly MadeEvent[] = [
  { type: 1, config: 0, period: 1000, isFrequency: true, id: 1, name: 'cpu-clock:u' },
  { type: 1, config: 2, period: 1, isFrequency: false, id: 2, name: 'page-faults' },
];

function attributes({ type, config, period, isFrequency }: MadeEvent): Buffer {
  const bytes = Buffer.alloc(112);
  bytes.writeUInt32LE(type, 0);
  bytes.writeUInt32LE(bytes.length, 4);
  const flags = (isFrequency ? 1 << 10 : 0) | (1 << 18);
  bytes.set(words(config, period, sampleType, 4, flags), 8);
  return bytes;
}

const textTable = (text: string): Buffer => {
  const bytes = padded(text, 64);
  return Buffer.concat([halves(bytes.length), bytes]);
};
const eventTable = (all: readonly MadeEvent[]): Buffer =>
  Buffer.concat([
    halves(all.length, 112),
    ...all.flatMap((event) => [attributes(event), halves(1), textTable(event.name), words(event.id)]),
  ]);
const buildIdTable = (files: Readonly<Record<string, Uint8Array>>): Buffer =>
  Buffer.concat(
    Object.entries(files).map(([path, id]) => {
      const told = Buffer.alloc(24);
      told.set(id);
      told[20] = id.length;
      return record(67, 2 | (1 << 15), halves(-1), told, padded(path, 64));
    }),
  );

interface MadeFile {
  readonly events?: readonly MadeEvent[];
  readonly buildIds?: Readonly<Record<string, Uint8Array>>;
  /** False: as it stands while it is recorded. */
  readonly isFinished?: boolean;
}

export function perfData(records: readonly Buffer[], made: MadeFile = {}): Buffer {
  const { events: all = events, buildIds = {}, isFinished = true } = made;
  const idsAt = 104;
  const attributesAt = idsAt + 8 * all.length;
  const dataAt = attributesAt + 128 * all.length;
  const data = Buffer.concat(records);
  const rows = all.map((event, at) => Buffer.concat([attributes(event), words(idsAt + 8 * at, 8)]));
  const ids = all.map(({ id }) => words(id));
  const tables: readonly (readonly [number, Buffer])[] = [
    [2, buildIdTable(buildIds)],
    [4, textTable('6.1.0-test')],
    [12, eventTable(all)],
  ];
  const features = tables.reduce((bits, [feature]) => bits | (1 << feature), 0);
  const head = Buffer.concat([
    Buffer.from('PERFILE2'),
    words(104, 128, attributesAt, 128 * all.length, dataAt, isFinished ? data.length : 0, 0, 0),
    words(features, 0, 0, 0),
  ]);
  const file = [head, ...ids, ...rows, data];
  if (!isFinished) return Buffer.concat(file);
  let at = dataAt + data.length + 16 * tables.length;
  const places = tables.map(([, table]) => words((at += table.length) - table.length, table.length));
  return Buffer.concat([...file, ...places, ...tables.map(([, table]) => table)]);
}

/** As `perf record -o -` writes it. */
export const perfPipe = (records: readonly Buffer[], all: readonly MadeEvent[] = events): Buffer =>
  Buffer.concat([
    Buffer.from('PERFILE2'),
    words(16),
    ...all.map((event) => record(64, 0, attributes(event), words(event.id))),
    record(80, 0, words(12), eventTable(all)),
    ...records,
  ]);

const buildId = Uint8Array.from({ length: 20 }, (_, at) => at + 1);

/** Two processes: the second is a copy of the first one, and then loads another file where the first has its program. */
export const shopRecords: readonly Buffer[] = [
  map(-1, -0x7f00_0000n, 0x100_0000, -0x7f00_0000n, '[kernel.kallsyms]_text'),
  comm(100, 100, 'shop'),
  map2(100, 0x40_0000, 0x1000, 0x1000, '/usr/bin/shop', { buildId }),
  map2(100, 0x7000_0000, 0x2000, 0, '/usr/lib/libcart.so'),
  map2(100, 0x7100_0000, 0x1000, 0, '//anon'),
  sample({ ms: 1, user: [0x40_0010, 0x7000_0101, 0x40_0021] }),
  sample({ ms: 2, kernel: [-0x7eff_ff00n], user: [0x7000_0100, 0x40_0021] }),
  sample({ ms: 2.5, id: 2, user: [0x40_0030] }),
  fork(100, 100, 101, 100, 2.6),
  comm(100, 101, 'wörker', 2.7),
  sample({ ms: 3, tid: 101, user: [0x7100_0040, 0x40_0021] }),
  // The records of another core come later in the file.
  sample({ ms: 9, pid: 200, user: [0x40_0010] }),
  fork(200, 100, 200, 100, 4),
  sample({ ms: 5, pid: 200, user: [0x40_0010] }),
  map2(200, 0x40_0000, 0x800, 0, '/usr/bin/copy', { ms: 6 }),
  comm(200, 200, 'copy', 6),
  sample({ ms: 8, pid: 200, user: [0x40_0810] }),
  sample({ ms: 10, user: [0x40_0010, 0x7000_0101, 0x40_0021] }),
  lost(3),
];

export const shopPerfData = (): Buffer => perfData(shopRecords);
