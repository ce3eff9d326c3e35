/** Recordings of Java Flight Recorder, made field by field as docs of the JDK's chunk format have it. */
interface Field {
  readonly name: string;
  readonly type: string;
  /** In the constant pool of its type. */
  readonly pool?: true;
  readonly array?: true;
}

const field = (name: string, type: string): Field => ({ name, type });
const inPool = (name: string, type: string): Field => ({ name, type, pool: true });
const stamped = [field('startTime', 'long'), field('duration', 'long')];
const ofThread = inPool('eventThread', 'java.lang.Thread');
const withStack = inPool('stackTrace', 'jdk.types.StackTrace');

/** What the recordings here describe: more than the reader asks for, as real ones do. */
const described: Readonly<Record<string, readonly Field[]>> = {
  ...{ boolean: [], byte: [], char: [], short: [], int: [], long: [], float: [], double: [] },
  'java.lang.String': [],
  'java.lang.Class': [inPool('classLoader', 'jdk.types.ClassLoader'), inPool('name', 'jdk.types.Symbol')],
  'java.lang.Thread': [
    field('osName', 'java.lang.String'),
    field('osThreadId', 'long'),
    field('javaName', 'java.lang.String'),
    field('javaThreadId', 'long'),
    field('virtual', 'boolean'),
  ],
  'jdk.types.ClassLoader': [field('name', 'java.lang.String')],
  'jdk.types.Symbol': [field('string', 'java.lang.String')],
  'jdk.types.Method': [
    inPool('type', 'java.lang.Class'),
    inPool('name', 'jdk.types.Symbol'),
    inPool('descriptor', 'jdk.types.Symbol'),
    field('modifiers', 'int'),
  ],
  'jdk.types.FrameType': [field('description', 'java.lang.String')],
  'jdk.types.StackFrame': [
    inPool('method', 'jdk.types.Method'),
    field('lineNumber', 'int'),
    field('bytecodeIndex', 'int'),
    inPool('type', 'jdk.types.FrameType'),
  ],
  'jdk.types.StackTrace': [
    field('truncated', 'boolean'),
    { name: 'frames', type: 'jdk.types.StackFrame', array: true },
  ],
  'jdk.types.ThreadState': [field('name', 'java.lang.String')],
  'jdk.types.GCName': [field('name', 'java.lang.String')],
  'jdk.types.VirtualSpace': [field('start', 'long'), field('end', 'long')],
  'jdk.ExecutionSample': [
    field('startTime', 'long'),
    inPool('sampledThread', 'java.lang.Thread'),
    withStack,
    inPool('state', 'jdk.types.ThreadState'),
  ],
  'jdk.NativeMethodSample': [
    field('startTime', 'long'),
    inPool('sampledThread', 'java.lang.Thread'),
    withStack,
    inPool('state', 'jdk.types.ThreadState'),
  ],
  'jdk.ObjectAllocationSample': [
    field('startTime', 'long'),
    ofThread,
    withStack,
    inPool('objectClass', 'java.lang.Class'),
    field('weight', 'long'),
  ],
  'jdk.JavaMonitorEnter': [
    ...stamped,
    ofThread,
    withStack,
    inPool('monitorClass', 'java.lang.Class'),
    inPool('previousOwner', 'java.lang.Thread'),
    field('address', 'long'),
  ],
  'jdk.ThreadPark': [...stamped, ofThread, withStack, inPool('parkedClass', 'java.lang.Class')],
  'jdk.SocketRead': [
    ...stamped,
    ofThread,
    withStack,
    field('host', 'java.lang.String'),
    field('port', 'int'),
  ],
  'jdk.GCPhasePause': [...stamped, field('gcId', 'int'), field('name', 'java.lang.String')],
  'jdk.GarbageCollection': [...stamped, field('gcId', 'int'), inPool('name', 'jdk.types.GCName')],
  'jdk.ThreadStart': [
    field('startTime', 'long'),
    inPool('thread', 'java.lang.Thread'),
    inPool('parentThread', 'java.lang.Thread'),
  ],
  'jdk.ThreadEnd': [field('startTime', 'long'), inPool('thread', 'java.lang.Thread')],
  'jdk.CPULoad': [
    field('startTime', 'long'),
    field('jvmUser', 'float'),
    field('jvmSystem', 'float'),
    field('machineTotal', 'float'),
  ],
  'jdk.GCHeapSummary': [
    field('startTime', 'long'),
    field('heapSpace', 'jdk.types.VirtualSpace'),
    field('heapUsed', 'long'),
  ],
  'jdk.JVMInformation': [
    field('startTime', 'long'),
    field('jvmName', 'java.lang.String'),
    field('jvmVersion', 'java.lang.String'),
    field('javaArguments', 'java.lang.String'),
    field('pid', 'long'),
  ],
  'jdk.ActiveSetting': [
    field('startTime', 'long'),
    field('id', 'long'),
    field('name', 'java.lang.String'),
    field('value', 'java.lang.String'),
  ],
  'com.example.Order': [
    field('startTime', 'long'),
    field('title', 'java.lang.String'),
    { name: 'items', type: 'double', array: true },
    field('weight', 'float'),
  ],
};
const typeNames = Object.keys(described);
/** 0 and 1 are the descriptions themselves. */
const typeId = (name: string): number => 20 + typeNames.indexOf(name);

type Value = number | string | boolean | readonly Value[] | { readonly [name: string]: Value };

/** Writes numbers as varints, or big-endian. */
class JfrWriter {
  readonly bytes: number[] = [];
  constructor(readonly isCompressed: boolean) {}

  whole(value: number | bigint, size: number): void {
    let rest = BigInt.asUintN(8 * size, BigInt(value));
    if (!this.isCompressed) {
      for (let at = size - 1; at >= 0; at--) this.bytes.push(Number((rest >> BigInt(8 * at)) & 0xffn));
      return;
    }
    for (let at = 0; at < 8 && rest >= 0x80n; at++) {
      this.bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.bytes.push(Number(rest));
  }

  int = (value: number): void => this.whole(value, 4);
  long = (value: number | bigint): void => this.whole(value, 8);

  text(value: string): void {
    const bytes = Buffer.from(value);
    if (value === '') this.bytes.push(1);
    else if (/^[ -~]*$/.test(value)) this.#latin1(bytes);
    else {
      this.bytes.push(3);
      this.int(bytes.length);
      this.bytes.push(...bytes);
    }
  }

  #latin1(bytes: Uint8Array): void {
    this.bytes.push(5);
    this.int(bytes.length);
    this.bytes.push(...bytes);
  }

  value(type: string, value: Value): void {
    switch (type) {
      case 'boolean':
        this.bytes.push(value === true ? 1 : 0);
        return;
      case 'int':
        this.int(value as number);
        return;
      case 'long':
        this.long(value as number);
        return;
      case 'float': {
        const float = Buffer.alloc(4);
        float.writeFloatBE(value as number);
        this.bytes.push(...float);
        return;
      }
      case 'double': {
        const double = Buffer.alloc(8);
        double.writeDoubleBE(value as number);
        this.bytes.push(...double);
        return;
      }
      case 'java.lang.String':
        this.text(value as string);
        return;
      default:
        this.fields(type, value as Record<string, Value>);
    }
  }

  fields(type: string, values: Readonly<Record<string, Value>>): void {
    for (const { name, type: of, pool, array } of described[type] ?? []) {
      const value = values[name] ?? (of === 'java.lang.String' && pool !== true ? '' : 0);
      if (pool === true) this.long(value as number);
      else if (array === true) {
        this.int((value as readonly Value[]).length);
        for (const one of value as readonly Value[]) this.value(of, one);
      } else this.value(of, of.startsWith('jdk.types.') && value === 0 ? {} : value);
    }
  }
}

export interface JfrChunk {
  readonly isCompressed?: boolean;
  readonly startNs?: bigint;
  readonly startTicks?: bigint;
  readonly ticksPerSecond?: number;
  /** By type: constants, from id 1 on. */
  readonly pools: Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>;
  readonly events: readonly (readonly [type: string, values: Readonly<Record<string, Value>>])[];
  /** Written in front of the events instead of behind them. */
  readonly isDescribedFirst?: boolean;
}

function event(type: number, isCompressed: boolean, body: (writer: JfrWriter) => void): number[] {
  const inner = new JfrWriter(isCompressed);
  inner.long(type);
  body(inner);
  // The length counts itself: padded to four bytes, as JVMs write it.
  const size = inner.bytes.length + 4;
  const padded = [size & 0x7f, (size >> 7) & 0x7f, (size >> 14) & 0x7f].map((byte) => byte | 0x80);
  const head = isCompressed ? [...padded, size >> 21] : [size >> 24, size >> 16, size >> 8, size];
  return [...head.map((byte) => byte & 0xff), ...inner.bytes];
}

function description(writer: JfrWriter): void {
  for (let at = 0; at < 3; at++) writer.long(0);
  const strings: string[] = [];
  const body = new JfrWriter(writer.isCompressed);
  const text = (value: string): void => {
    if (!strings.includes(value)) strings.push(value);
    body.int(strings.indexOf(value));
  };
  const element = (name: string, attributes: Record<string, string>, children: (() => void)[]): void => {
    text(name);
    body.int(Object.keys(attributes).length);
    for (const [key, value] of Object.entries(attributes)) {
      text(key);
      text(value);
    }
    body.int(children.length);
    for (const child of children) child();
  };
  const fieldOf = ({ name, type, pool, array }: Field) => {
    const attributes = {
      ...{ name, class: String(typeId(type)) },
      ...(pool === true && { constantPool: 'true' }),
      ...(array === true && { dimension: '1' }),
    };
    return () => {
      element('field', attributes, []);
    };
  };
  const classes = typeNames.map((name) => () => {
    element('class', { name, id: String(typeId(name)) }, (described[name] ?? []).map(fieldOf));
  });
  element('root', {}, [
    () => {
      element('metadata', {}, classes);
    },
    () => {
      element('region', { locale: 'en_US', gmtOffset: '0' }, []);
    },
  ]);
  writer.int(strings.length);
  for (const one of strings) writer.text(one);
  writer.bytes.push(...body.bytes);
}

export function jfrChunk(chunk: JfrChunk): Buffer {
  const isCompressed = chunk.isCompressed ?? true;
  const startTicks = chunk.startTicks ?? 1_000_000n;
  const metadata = event(0, isCompressed, description);
  const checkpoint = event(1, isCompressed, (writer) => {
    for (let at = 0; at < 3; at++) writer.long(0);
    writer.bytes.push(1);
    writer.int(Object.keys(chunk.pools).length);
    for (const [type, constants] of Object.entries(chunk.pools)) {
      writer.long(typeId(type));
      writer.int(constants.length);
      constants.forEach((constant, at) => {
        writer.long(at + 1);
        writer.value(type, constant);
      });
    }
  });
  const events = chunk.events.flatMap(([type, values]) =>
    event(typeId(type), isCompressed, (writer) => {
      const ticks = startTicks + BigInt(values['startTime'] as number);
      for (const { name, type: of, pool, array } of described[type] ?? [])
        if (name === 'startTime') writer.long(ticks);
        else if (pool === true) writer.long((values[name] ?? 0) as number);
        else if (array === true) {
          const all = (values[name] ?? []) as readonly Value[];
          writer.int(all.length);
          for (const one of all) writer.value(of, one);
        } else
          writer.value(of, values[name] ?? (of === 'java.lang.String' ? '' : of.startsWith('jdk') ? {} : 0));
    }),
  );
  const body =
    chunk.isDescribedFirst === true ? [metadata, checkpoint, events] : [events, checkpoint, metadata];
  const head = Buffer.alloc(68);
  head.write('FLR\0', 'latin1');
  head.writeUInt16BE(2, 4);
  head.writeUInt16BE(1, 6);
  head.writeBigInt64BE(BigInt(68 + body.flat().length), 8);
  head.writeBigInt64BE(chunk.startNs ?? 1_700_000_000_000_000_000n, 32);
  head.writeBigInt64BE(1_000_000_000n, 40);
  head.writeBigInt64BE(startTicks, 48);
  head.writeBigInt64BE(BigInt(chunk.ticksPerSecond ?? 1e9), 56);
  head.writeUInt32BE(isCompressed ? 1 : 0, 64);
  return Buffer.concat([head, Buffer.from(body.flat())]);
}

const symbols = [
  ...['com/example/Shop', 'main', '([Ljava/lang/String;)V', 'price', '(I)I', 'java/util/concurrent/Phaser'],
  ...['read0', '()I', '[B', 'epoll_wait'],
];
const symbol = (text: string): number => symbols.indexOf(text) + 1;
const classes = ['com/example/Shop', 'java/util/concurrent/Phaser', '[B'];
const methods: readonly (readonly [type: string, name: string, descriptor: string])[] = [
  ['com/example/Shop', 'main', '([Ljava/lang/String;)V'],
  ['com/example/Shop', 'price', '(I)I'],
  ['com/example/Shop', 'read0', '()I'],
  ['', 'epoll_wait', ''],
];
const frame = (method: number, lineNumber: number): Record<string, Value> => ({
  ...{ method, lineNumber, bytecodeIndex: 7, type: 1 },
});

/** Constants of the shop: two threads that run, one that waits; stacks of `price`, of `main`, and of a read. */
export const shopPools: JfrChunk['pools'] = {
  'jdk.types.Symbol': symbols.map((string) => ({ string })),
  'java.lang.Class': classes.map((name) => ({ classLoader: 0, name: symbol(name) })),
  'jdk.types.FrameType': [{ description: 'JIT compiled' }, { description: 'Native' }],
  'jdk.types.Method': methods.map(([type, name, descriptor]) => ({
    ...{ type: classes.indexOf(type) + 1, name: symbol(name), descriptor: symbol(descriptor), modifiers: 1 },
  })),
  'jdk.types.StackTrace': [
    { truncated: false, frames: [frame(2, 41), frame(1, 12)] },
    { truncated: false, frames: [frame(2, 43), frame(1, 12)] },
    { truncated: false, frames: [frame(1, 14)] },
    { truncated: true, frames: [frame(4, 0), frame(3, 60), frame(1, 20)] },
  ],
  'jdk.types.ThreadState': [{ name: 'STATE_RUNNABLE' }, { name: 'STATE_SLEEPING' }],
  'jdk.types.GCName': [{ name: 'G1New' }],
  'java.lang.Thread': [
    { osName: 'main', osThreadId: 1200, javaName: 'main', javaThreadId: 1, virtual: false },
    { osName: 'wörker', osThreadId: 1201, javaName: 'wörker', javaThreadId: 14, virtual: false },
    { osName: '', osThreadId: 0, javaName: '', javaThreadId: 15, virtual: true },
    { osName: 'GC Thread#0', osThreadId: 1202, javaName: '', javaThreadId: 0, virtual: false },
  ],
};

const ms = (value: number): number => value * 1_000_000;

export const shopEvents: JfrChunk['events'] = [
  [
    'jdk.JVMInformation',
    {
      ...at(0),
      jvmName: 'OpenJDK VM',
      jvmVersion: 'VM (21.0.1+12) x',
      javaArguments: 'com.example.Shop -v',
      pid: 1200,
    },
  ],
  ['jdk.ActiveSetting', { ...at(0), id: typeId('jdk.ExecutionSample'), name: 'period', value: '10 ms' }],
  ['jdk.ActiveSetting', { ...at(0), id: typeId('jdk.ExecutionSample'), name: 'enabled', value: 'true' }],
  ['jdk.ThreadStart', { ...at(5), thread: 2, parentThread: 1 }],
  ['jdk.ExecutionSample', { ...at(10), sampledThread: 1, stackTrace: 1, state: 1 }],
  ['jdk.ExecutionSample', { ...at(20), sampledThread: 1, stackTrace: 2, state: 1 }],
  ['jdk.ObjectAllocationSample', { ...at(24), eventThread: 1, stackTrace: 3, objectClass: 3, weight: 4096 }],
  ['com.example.Order', { ...at(25), title: 'two', items: [1.5, 2.5], weight: 3 }],
  ['jdk.ExecutionSample', { ...at(30), sampledThread: 1, stackTrace: 2, state: 1 }],
  ['jdk.NativeMethodSample', { ...at(32), sampledThread: 2, stackTrace: 4, state: 1 }],
  [
    'jdk.JavaMonitorEnter',
    {
      ...at(34),
      duration: ms(20),
      eventThread: 1,
      stackTrace: 3,
      monitorClass: 1,
      previousOwner: 2,
      address: 4096,
    },
  ],
  // Within the wait above: what waits longer goes on behind it.
  [
    'jdk.SocketRead',
    { ...at(40), duration: ms(5), eventThread: 1, stackTrace: 4, host: 'localhost', port: 80 },
  ],
  ['jdk.ExecutionSample', { ...at(44), sampledThread: 1, stackTrace: 1, state: 1 }],
  ['jdk.ExecutionSample', { ...at(58), sampledThread: 1, stackTrace: 1, state: 1 }],
  ['jdk.ThreadPark', { ...at(50), duration: ms(30), eventThread: 3, stackTrace: 3, parkedClass: 2 }],
  ['jdk.GCPhasePause', { ...at(60), duration: ms(2), gcId: 7, name: 'GC Pause' }],
  ['jdk.GarbageCollection', { ...at(60), duration: ms(3), gcId: 7, name: 1 }],
  ['jdk.GCHeapSummary', { ...at(63), heapSpace: { start: 1, end: 2 }, heapUsed: 123_456 }],
  ['jdk.CPULoad', { ...at(70), jvmUser: 0.5, jvmSystem: 0.125, machineTotal: 0.75 }],
  ['jdk.ThreadEnd', { ...at(80), thread: 2 }],
];

function at(value: number): { readonly startTime: number } {
  return { startTime: ms(value) };
}

export const shopChunk: JfrChunk = { pools: shopPools, events: shopEvents };

/** Two chunks: the second's numbers are not compressed, and its ticks are half as long, and more than a double holds. */
export function shopRecording(): Buffer {
  const second: JfrChunk = {
    pools: shopPools,
    isCompressed: false,
    isDescribedFirst: true,
    startNs: 1_700_000_000_100_000_000n,
    startTicks: 2n ** 60n + 1n,
    ticksPerSecond: 2e9,
    events: [
      ['jdk.ExecutionSample', { startTime: ms(20), sampledThread: 1, stackTrace: 1, state: 1 }],
      ['jdk.ExecutionSample', { startTime: ms(40), sampledThread: 1, stackTrace: 1, state: 1 }],
    ],
  };
  return Buffer.concat([jfrChunk(shopChunk), jfrChunk(second)]);
}
