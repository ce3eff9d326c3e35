/** Method traces as ART and Dalvik write them, made here field by field: the same calls in every version. */

const threads = [
  [1, 'main'],
  [17, 'worker'],
] as const;
const methods = [
  [0x10, 'com.example.Shop', 'run', '()V', 'Shop.kt'],
  [0x14, 'com.example.Shop$Cart', 'add', '(I)V', 'Shop.kt'],
  [0x18, 'com.example.Shop$Cart', 'add', '(J)V', 'Shop.kt'],
] as const;

const enter = 0;
const exit = 1;
const unroll = 2;

/** thread, method, action, wall µs, thread CPU µs. */
const records: readonly (readonly [number, number, number, number, number])[] = [
  [1, 0x10, enter, 5, 2],
  [17, 0x14, enter, 7, 1],
  [1, 0x14, enter, 10, 6],
  [1, 0x18, enter, 12, 7],
  [1, 0x18, unroll, 15, 9],
  [1, 0x14, unroll, 15, 9],
  [1, 0x999c, enter, 16, 10],
  [1, 0x999c, exit, 20, 11],
  [17, 0x14, exit, 25, 3],
  [1, 0x10, exit, 30, 15],
  [1, 0x10, exit, 31, 15],
];

function key(version: number, clock: string): string {
  return [
    '*version',
    String(version),
    'data-file-overflow=false',
    `clock=${clock}`,
    'elapsed-time-usec=31',
    `num-method-calls=${records.length}`,
    'vm=art',
    'pid=4242',
    '*threads',
    ...threads.map(([id, name]) => `${id}\t${name}`),
    '*methods',
    ...methods.map(([id, ...line]) => `0x${id.toString(16)}\t${line.join('\t')}`),
    '*end',
    '',
  ].join('\n');
}

function header(version: number, recordBytes: number): Buffer {
  const bytes = Buffer.alloc(version === 1 ? 16 : 32);
  bytes.write('SLOW');
  bytes.writeUInt16LE(version, 4);
  bytes.writeUInt16LE(bytes.length, 6);
  bytes.writeBigUInt64LE(1_700_000_000_000_000n, 8);
  if (version !== 1) bytes.writeUInt16LE(recordBytes, 16);
  return bytes;
}

function record(version: number, clock: string, row: (typeof records)[number]): Buffer {
  const [thread, method, action, wall, cpu] = row;
  const bytes = Buffer.alloc(version === 1 ? 9 : version === 2 ? 10 : 14);
  let at = version === 1 ? bytes.writeUInt8(thread, 0) : bytes.writeUInt16LE(thread, 0);
  at = bytes.writeUInt32LE(method | action, at);
  if (version === 3) bytes.writeUInt32LE(wall, bytes.writeUInt32LE(cpu, at));
  else bytes.writeUInt32LE(clock === 'thread-cpu' ? cpu : wall, at);
  return bytes;
}

export function artTrace(version: 1 | 2 | 3, clock: 'wall' | 'thread-cpu' | 'dual'): Buffer {
  const size = version === 2 ? 0 : 14;
  return Buffer.concat([
    Buffer.from(key(version, clock)),
    header(version, size),
    ...records.map((row) => record(version, clock, row)),
  ]);
}

/** Version 3 as it is streamed: names before their first use, the text at the end. */
export function artStreamed(): Buffer {
  const parts = [header(0xf0 | 3, 14)];
  for (const [id, name] of threads) {
    const head = Buffer.alloc(7);
    head.writeUInt8(2, 2);
    head.writeUInt16LE(id, 3);
    head.writeUInt16LE(name.length, 5);
    parts.push(head, Buffer.from(name));
  }
  for (const [id, ...line] of methods) {
    const text = `0x${id.toString(16)}\t${line.join('\t')}\n`;
    const head = Buffer.alloc(5);
    head.writeUInt8(1, 2);
    head.writeUInt16LE(text.length, 3);
    parts.push(head, Buffer.from(text));
  }
  for (const row of records) parts.push(record(3, 'dual', row));
  const summary = '*version\n3\nclock=dual\nvm=art\npid=4242\n*end\n';
  const head = Buffer.alloc(7);
  head.writeUInt8(3, 2);
  head.writeUInt32LE(summary.length, 3);
  parts.push(head, Buffer.from(summary));
  return Buffer.concat(parts);
}

/** Versions 4 and 5, with one clock and two: packets, with events as differences in ns. */
export function artPackets(version: 4 | 5): Buffer {
  const head = Buffer.alloc(32);
  head.write('SLOW');
  head.writeUInt16LE(0xf0 | version, 4);
  head.writeBigUInt64LE(5_000_000_000n, 6);
  const parts = [head];
  for (const [id, name] of threads) {
    const packet = Buffer.alloc(7);
    packet.writeUInt32LE(id, 1);
    packet.writeUInt16LE(name.length, 5);
    parts.push(packet, Buffer.from(name));
  }
  for (const [id, ...line] of methods) {
    const text = `${line.join('\t')}\n`;
    const packet = Buffer.alloc(11);
    packet.writeUInt8(1, 0);
    packet.writeBigUInt64LE(0x7f00_0000_0000n + BigInt(id), 1);
    packet.writeUInt16LE(text.length, 9);
    parts.push(packet, Buffer.from(text));
  }
  for (const [thread] of threads) {
    const own = records.filter(([of]) => of === thread);
    const bytes: number[] = [];
    let [encoded, wall, cpu] = [0n, 0, 0];
    for (const [, method, action, atWall, atCpu] of own) {
      const next = 0x7f00_0000_0000n + BigInt(method | action);
      bytes.push(
        ...signed(next - encoded),
        ...unsigned(atWall * 1000 - wall),
        ...(version === 5 ? unsigned(atCpu * 1000 - cpu) : []),
      );
      [encoded, wall, cpu] = [next, atWall * 1000, atCpu * 1000];
    }
    const packet = Buffer.alloc(12);
    packet.writeUInt8(2, 0);
    packet.writeUInt32LE(thread, 1);
    packet.writeUIntLE(own.length, 5, 3);
    packet.writeUInt32LE(bytes.length, 8);
    parts.push(packet, Buffer.from(bytes));
  }
  const summary = `*version\n${version}\nclock=${version === 5 ? 'dual' : 'wall'}\nvm=art\npid=4242\n*end\n`;
  const packet = Buffer.alloc(3);
  packet.writeUInt8(3, 0);
  packet.writeUInt16LE(summary.length, 1);
  parts.push(packet, Buffer.from(summary));
  return Buffer.concat(parts);
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

function signed(value: bigint): number[] {
  const bytes: number[] = [];
  for (;;) {
    const byte = Number(value & 0x7fn);
    value >>= 7n;
    if ((value === 0n && (byte & 0x40) === 0) || (value === -1n && (byte & 0x40) !== 0))
      return [...bytes, byte];
    bytes.push(byte | 0x80);
  }
}
