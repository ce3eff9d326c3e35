/** A Fuchsia trace, made here word by word. */

const record = (kind: number, fields: bigint, ...words: readonly bigint[]): Buffer => {
  const bytes = Buffer.alloc(8 * (words.length + 1));
  bytes.writeBigUInt64LE(BigInt(kind) | (BigInt(words.length + 1) << 4n) | fields, 0);
  words.forEach((word, i) => bytes.writeBigUInt64LE(BigInt.asUintN(64, word), 8 * (i + 1)));
  return bytes;
};

function words(text: string): bigint[] {
  const bytes = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 8) * 8);
  bytes.write(text);
  return Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readBigUInt64LE(i * 8));
}

const text = (index: number, value: string): Buffer =>
  record(2, (BigInt(index) << 16n) | (BigInt(Buffer.byteLength(value)) << 32n), ...words(value));

interface EventFields {
  readonly args?: number;
  readonly thread?: number;
  readonly name: number;
}

const event = (kind: number, time: number, fields: EventFields, ...rest: readonly bigint[]): Buffer =>
  record(
    4,
    (BigInt(kind) << 16n) |
      (BigInt(fields.args ?? 0) << 20n) |
      (BigInt(fields.thread ?? 1) << 24n) |
      (1n << 32n) |
      (BigInt(fields.name) << 48n),
    BigInt(time),
    ...rest,
  );

export function fuchsiaTrace(): Buffer {
  const start = 8000;
  const inPlace = 0x8000 | 'drawn in place'.length;
  return Buffer.concat([
    Buffer.from([0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00]),
    record(0, (1n << 16n) | (7n << 20n) | (4n << 52n), ...words('prov')),
    // 4 ticks a µs: a tick is 250 ns.
    record(1, 0n, 4_000_000n),
    text(1, 'app'),
    text(2, 'main loop'),
    text(3, 'render'),
    text(4, 'process'),
    text(5, 'bytes'),
    text(6, 'shell'),
    text(7, 'initial-thread'),
    record(3, 1n << 16n, 500n, 501n),
    // The kernel's names of process 500 and its thread 501.
    record(7, (1n << 16n) | (6n << 24n), 500n),
    record(7, (2n << 16n) | (7n << 24n) | (1n << 40n), 501n, 8n | (2n << 4n) | (4n << 16n), 500n),
    event(2, start, { name: 2 }),
    // With an argument that is passed over, and the end in a last word.
    event(
      4,
      start + 400,
      { name: 3, args: 1 },
      1n | (1n << 4n) | (5n << 16n) | (42n << 32n),
      BigInt(start + 1200),
    ),
    // A counter, a thread and a name told in place.
    event(1, start + 500, { name: 5, args: 1 }, 3n | (2n << 4n) | (5n << 16n), -9n, 77n),
    event(
      4,
      start + 800,
      { name: inPlace, thread: 0 },
      500n,
      502n,
      ...words('drawn in place'),
      BigInt(start + 900),
    ),
    event(5, start + 100, { name: 3 }, 5n),
    event(7, start + 1000, { name: 3 }, 5n),
    event(8, start + 850, { name: 3, thread: 0 }, 500n, 502n, 9n),
    event(10, start + 1300, { name: 3 }, 9n),
    // Unknown records are passed over.
    record(9, 0n, 1n, 2n),
    record(8, (1n << 60n) | (3n << 36n), BigInt(start + 1400), 501n, 502n),
    record(8, (1n << 60n) | (3n << 36n), BigInt(start + 1600), 502n, 501n),
    // Thread 502 runs once more and ends.
    record(8, (1n << 60n) | (1n << 36n), BigInt(start + 1700), 0n, 502n),
    record(8, (1n << 60n) | (5n << 36n), BigInt(start + 1800), 502n, 0n),
    event(3, start + 2000, { name: 2 }),
  ]);
}
