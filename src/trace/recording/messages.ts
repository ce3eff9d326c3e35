/** The cold messages of proto/recording.proto. Nodes, samples and links are columns: see nodes.ts, samples.ts, links.ts. */
import {
  bool,
  bytes,
  fixed32,
  message,
  nested,
  type Of,
  packedSint,
  packedUint,
  repeated,
  sint64,
  string,
  uint32,
  uint64,
  wideUint64,
} from './schema.js';

const Target = message({
  name: string(1),
  pid: uint32(2),
  runtime: string(3),
  os: string(4),
  arch: string(5),
  device: string(6),
  uid: uint32(7),
  pageSize: uint32(8),
  cpus: uint32(9),
});
const Clock = message({ monotonicNs: wideUint64(1), boottimeNs: wideUint64(2), realtimeNs: wideUint64(3) });

export const Config = message({
  syncIntervalNs: uint64(1),
  asyncIntervalNs: uint64(2),
  memoryBytes: uint64(3),
  policy: uint32(4),
  ringNs: uint64(5),
  budgetPpm: uint64(6),
  kinds: packedUint(7),
  mainOnly: bool(8),
  allocationIntervalBytes: uint64(9),
  ringCopies: bool(10),
  survey: bool(11),
});
export type Config = Of<typeof Config>;

export const Header = message({
  major: uint32(1),
  minor: uint32(2),
  target: nested(3, Target),
  clock: nested(4, Clock),
  config: nested(5, Config),
  agentVersion: string(6),
  mode: uint32(7),
  modeReason: string(8),
  buildId: string(9),
});
export type Header = Of<typeof Header>;

const Hook = message({ name: string(1), state: uint32(2), why: string(3) });
export const Hooks = message({ hooks: repeated(1, Hook) });
export type Hooks = Of<typeof Hooks>;

export const Thread = message({
  index: uint32(1),
  tid: uint32(2),
  javaId: uint64(3),
  kind: uint32(4),
  name: string(5),
  beginNs: sint64(6),
  endNs: sint64(7),
  creator: uint32(8),
  isMain: bool(9),
});
export const Threads = message({ threads: repeated(1, Thread) });
export type Thread = Of<typeof Thread>;
export type Threads = Of<typeof Threads>;

export const Class = message({ id: uint32(1), name: string(2), file: string(3), sourceHash: bytes(4) });
export const Classes = message({ classes: repeated(1, Class) });
export type Class = Of<typeof Class>;
export type Classes = Of<typeof Classes>;

export const Method = message({
  id: uint32(1),
  classId: uint32(2),
  name: string(3),
  signature: string(4),
  kind: uint32(5),
  /** Differences, as stored. */
  linePosition: packedSint(6),
  /** Differences, as stored. */
  lineNumber: packedSint(7),
});
export type Method = Of<typeof Method>;
/** For writing; reading takes methods apart only when one is asked for (build/names.ts). */
export const Methods = message({ methods: repeated(1, Method) });
export type Methods = Of<typeof Methods>;

export const Image = message({
  id: uint32(1),
  path: string(2),
  buildId: bytes(3),
  loadAddress: wideUint64(4),
  size: uint64(5),
  arch: string(6),
});
export const Images = message({ images: repeated(1, Image) });
export type Image = Of<typeof Image>;
export type Images = Of<typeof Images>;

export const NativeFunction = message({
  image: uint32(1),
  start: uint64(2),
  name: string(3),
  offset: packedUint(4),
  file: string(5),
  line: packedUint(6),
  depth: packedUint(7),
  /** Told by the agent, as the linker has it. */
  ofMemory: bool(8),
});
export const Symbols = message({ functions: repeated(1, NativeFunction) });
export type NativeFunction = Of<typeof NativeFunction>;
export type Symbols = Of<typeof Symbols>;

export const CalledFunction = message({
  id: uint32(1),
  name: string(2),
  caller: uint32(3),
  library: uint32(4),
  isPoint: bool(5),
});
export const Calls = message({
  functions: repeated(1, CalledFunction),
  function: packedUint(2),
  tid: packedUint(3),
  count: packedUint(4),
  leftOut: uint32(5),
});
export type CalledFunction = Of<typeof CalledFunction>;
export type Calls = Of<typeof Calls>;

export const Text = message({ id: uint32(1), value: string(2) });
export const Texts = message({ texts: repeated(1, Text) });
export type Text = Of<typeof Text>;
export type Texts = Of<typeof Texts>;

const CounterBlock = message({
  name: string(1),
  unit: string(2),
  /** Differences, as stored. */
  time: packedSint(3),
  /** Differences, as stored. */
  value: packedSint(4),
});
export const Counters = message({ blocks: repeated(1, CounterBlock) });
export type Counters = Of<typeof Counters>;

const Loss = message({
  thread: uint32(1),
  beginNs: sint64(2),
  endNs: sint64(3),
  count: uint64(4),
  reason: uint32(5),
});
export const Losses = message({ losses: repeated(1, Loss) });
export type Losses = Of<typeof Losses>;

const Cost = message({ kind: uint32(1), count: uint64(2), totalNs: uint64(3), buckets: packedUint(4) });
const Source = message({ kind: uint32(1), askedNs: uint64(2), effectiveNs: uint64(3) });
export const Status = message({
  timeNs: sint64(1),
  samples: uint64(2),
  dropped: uint64(3),
  bytesSent: uint64(4),
  memoryBytes: uint64(5),
  captureNs: uint64(6),
  cpuNs: uint64(7),
  costs: repeated(8, Cost),
  effectiveIntervalNs: uint64(9),
  drainNs: uint64(10),
  sources: repeated(11, Source),
  tickNs: uint64(12),
  stoppedNs: uint64(13),
  tellsStops: bool(14),
});
export type Status = Of<typeof Status>;

export const Footer = message({
  endNs: sint64(1),
  reason: uint32(2),
  detail: string(3),
  /** Differences, as stored. */
  chunkOffset: packedUint(4),
  chunkKind: packedUint(5),
  /** Differences, as stored. */
  chunkBeginNs: packedSint(6),
  chunkEndNs: packedSint(7),
});
export type Footer = Of<typeof Footer>;

export const LagFrame = message({
  className: string(1),
  method: string(2),
  file: string(3),
  line: uint32(4),
});
export const Lag = message({
  kind: uint32(1),
  thread: uint32(2),
  beginNs: sint64(3),
  detectedNs: sint64(4),
  endNs: sint64(5),
  cpuPercent: uint32(6),
  repeats: uint32(7),
  stacks: uint32(8),
  frames: repeated(9, LagFrame),
  appVersion: string(10),
  deviceClass: string(11),
  user: wideUint64(12),
  threadName: string(13),
  unwritten: uint32(14),
  residentBytes: uint64(15),
  heapBytes: uint64(16),
  threads: uint32(17),
  realtimeNs: wideUint64(18),
});
export type LagFrame = Of<typeof LagFrame>;
export type Lag = Of<typeof Lag>;

export const Hello = message({ major: uint32(1), token: bytes(2), config: nested(3, Config) });
export type Hello = Of<typeof Hello>;
export const Welcome = message({ token: bytes(1), pid: uint32(2) });
export type Welcome = Of<typeof Welcome>;
export const Command = message({ kind: uint32(1), dumpNs: uint64(2) });
export type Command = Of<typeof Command>;
export const Goodbye = message({ reason: uint32(1), detail: string(2) });
export type Goodbye = Of<typeof Goodbye>;

/** The scalars of a block of samples; its columns are read by samples.ts. */
export const SampleBlockHead = message({
  thread: uint32(1),
  count: uint32(2),
  baseTimeNs: sint64(3),
  baseCpuNs: uint64(4),
  baseAllocations: uint64(5),
  baseAllocatedBytes: uint64(6),
  baseMajorFaults: uint64(7),
  baseVoluntarySwitches: uint64(8),
  baseInvoluntarySwitches: uint64(9),
  baseStack: uint32(10),
  baseMessage: uint32(11),
  counters: fixed32(12),
});
export type SampleBlockHead = Of<typeof SampleBlockHead>;
