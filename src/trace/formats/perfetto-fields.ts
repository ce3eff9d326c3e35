/** Field numbers of proto/perfetto.proto, by message. */
export const Packet = {
  ftraceEvents: 1,
  processTree: 2,
  clockSnapshot: 6,
  sysStats: 7,
  timestamp: 8,
  processStats: 9,
  sequenceId: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  battery: 38,
  powerRails: 40,
  ftraceStats: 34,
  traceStats: 35,
  stateCleared: 41,
  previousDropped: 42,
  processDescriptor: 43,
  threadDescriptor: 44,
  compressedPackets: 50,
  clockId: 58,
  defaults: 59,
  trackDescriptor: 60,
  perfSample: 66,
  gpuMemTotalEvent: 71,
  frameTimelineEvent: 76,
  stackSample: 135,
} as const;

/** Payloads of packets that are not read here, in a person's words: who opens the file is told of them. */
export const unreadPayloads: ReadonlyMap<number, string> = new Map([
  [91, 'counters of the system'],
  ...[37, 56, 74, 75].map((field) => [field, 'what the heap held'] as const),
  [54, 'samples of stacks'],
  ...[52, 53, 57, 62, 65].map((field) => [field, 'the GPU and older frames'] as const),
  ...[117, 118, 120, 122, 129].map((field) => [field, "a kernel's events in their general form"] as const),
  [5, "Chrome's oldest events"],
  [39, "Android's log"],
  [95, "Windows' events"],
  [133, 'packets compressed with zstd: write the trace without that, or with deflate'],
]);

export const PacketDefaults = { trackEvent: 11, clockId: 58, stackSample: 100 } as const;

export const Snapshot = { clocks: 1, primary: 2 } as const;
export const SnapshotClock = { id: 1, timestamp: 2, incremental: 3, unitNs: 4 } as const;
export const Clock = { realtime: 1, monotonic: 3, boottime: 6, firstOfSequence: 64 } as const;

export const Track = {
  uuid: 1,
  name: 2,
  process: 3,
  thread: 4,
  parent: 5,
  counter: 8,
  disallowMerging: 9,
  staticName: 10,
} as const;
export const Process = { pid: 1, cmdline: 2, name: 6 } as const;
export const Thread = { pid: 1, tid: 2, name: 5, referenceUs: 6, referenceThreadTimeUs: 7 } as const;
export const Counter = { type: 1, unit: 3, unitMultiplier: 4, incremental: 5, unitName: 6 } as const;
export const CounterType = { threadTime: 1 } as const;
export const CounterUnit = { timeNs: 1, count: 2, bytes: 3 } as const;

export const Event = {
  timestampDeltaUs: 1,
  threadTimeDeltaUs: 2,
  legacy: 6,
  type: 9,
  nameIid: 10,
  trackUuid: 11,
  extraCounterValues: 12,
  timestampAbsoluteUs: 16,
  threadTimeAbsoluteUs: 17,
  name: 23,
  counterValue: 30,
  extraCounterTracks: 31,
  source: 33,
  sourceIid: 34,
  oldFlowIds: 36,
  oldTerminatingFlowIds: 42,
  doubleCounterValue: 44,
  extraDoubleCounterTracks: 45,
  extraDoubleCounterValues: 46,
  flowIds: 47,
  terminatingFlowIds: 48,
} as const;
export const EventType = { begin: 1, end: 2, instant: 3, counter: 4 } as const;
export const LegacyEvent = {
  nameIid: 1,
  phase: 2,
  durationUs: 3,
  threadDurationUs: 4,
  unscopedId: 6,
  idScope: 7,
  localId: 10,
  globalId: 11,
  pidOverride: 18,
  tidOverride: 19,
} as const;

export const Interned = { eventNames: 2, sourceLocations: 4 } as const;
/** What stacks are made of, in interned data. */
export const InternedStacks = {
  functionNames: 5,
  frames: 6,
  callstacks: 7,
  mappingPaths: 17,
  sourcePaths: 18,
  mappings: 19,
} as const;
export const Frame = {
  iid: 1,
  functionName: 2,
  mapping: 3,
  relativePc: 4,
  sourcePath: 5,
  line: 6,
} as const;
export const Callstack = { iid: 1, frames: 2 } as const;
export const Mapping = { iid: 1, pathIds: 7 } as const;
export const PerfSample = { cpu: 1, pid: 2, tid: 3, callstack: 4 } as const;
export const StackSample = { task: 1, callstack: 6, primary: 9, weight: 11, followerWeights: 14 } as const;
export const SampleTask = { pid: 2, tid: 3 } as const;
export const SampleCounter = { name: 2, unit: 3, unitMultiplier: 5 } as const;
export const SampleUnit = { nanoseconds: 1, bytes: 4, count: 9 } as const;
export const SampleDefaults = { source: 1, primary: 2, followers: 3 } as const;
export const InternedName = { iid: 1, name: 2 } as const;
export const Source = { iid: 1, file: 2, functionName: 3, line: 4 } as const;

export const FtraceBundle = {
  cpu: 1,
  event: 2,
  lostEvents: 3,
  compactSched: 4,
  ftraceClock: 5,
  ftraceTimestamp: 6,
  bootTimestamp: 7,
} as const;
export const FtraceStats = { cpuStats: 2 } as const;
export const CoreStats = { cpu: 1, overrun: 3, droppedEvents: 8 } as const;
export const TraceStats = { bufferStats: 1 } as const;
export const BufferStats = { chunksOverwritten: 3, chunksDiscarded: 18, writerPacketLoss: 19 } as const;
export const CompactSched = {
  switchTimestamp: 1,
  switchPrevState: 2,
  switchNextPid: 3,
  switchNextPrio: 4,
  internTable: 5,
  switchNextComm: 6,
  wakingTimestamp: 7,
  wakingPid: 8,
  wakingTargetCpu: 9,
  wakingPrio: 10,
  wakingComm: 11,
  wakingCommonFlags: 12,
} as const;
export const FtraceEvent = {
  timestamp: 1,
  pid: 2,
  print: 3,
  schedSwitch: 4,
  commonFlags: 5,
  cpuFrequency: 11,
  schedWakeup: 17,
  schedBlockedReason: 18,
  schedWaking: 20,
  binderTransaction: 50,
  binderTransactionReceived: 51,
  schedWakeupNew: 114,
  taskNewtask: 235,
  taskRename: 236,
  rssStat: 313,
  gpuFrequency: 332,
  gpuMemTotal: 340,
} as const;
export const FtracePrint = { buf: 2 } as const;
export const SchedSwitch = {
  prevComm: 1,
  prevPid: 2,
  prevPrio: 3,
  prevState: 4,
  nextComm: 5,
  nextPid: 6,
  nextPrio: 7,
} as const;
/** The two kinds of wake-ups have the same fields. */
export const SchedWaking = { comm: 1, pid: 2 } as const;
export const CoreFrequency = { state: 1, cpuId: 2 } as const;
export const DiskWait = { pid: 1, ioWait: 3 } as const;
export const NewTask = { pid: 1, comm: 2, cloneFlags: 3 } as const;
export const RenamedTask = { pid: 1, newcomm: 3 } as const;

export const BinderSent = { debugId: 1, toProc: 3, reply: 5, flags: 7 } as const;
export const BinderReceived = { debugId: 1 } as const;
export const RssStat = { member: 1, size: 2, curr: 3 } as const;
export const GpuFrequency = { gpuId: 1, state: 2 } as const;
/** As an event and as a packet. */
export const GpuMemory = { gpuId: 1, pid: 2, size: 3 } as const;

export const FrameEvent = {
  expectedSurfaceFrameStart: 3,
  actualSurfaceFrameStart: 4,
  frameEnd: 5,
} as const;
/** Of both kinds of starts; an end has the cookie alone. */
export const FrameStart = { cookie: 1, token: 2, displayToken: 3, pid: 4, jankType: 9 } as const;

export const SysStats = { meminfo: 1, devfreq: 10, psi: 14, thermalZone: 15 } as const;
/** Entries of the four have a number or a name, and a value. */
export const MemoryInfo = { key: 1, value: 2 } as const;
export const Pressure = { resource: 1, totalNs: 2 } as const;
export const Device = { key: 1, value: 2 } as const;
export const ThermalZone = { name: 1, temp: 2, type: 3 } as const;
export const ProcessStats = { processes: 1 } as const;
export const ProcessCounts = {
  pid: 1,
  size: 2,
  rss: 3,
  rssAnon: 4,
  rssFile: 5,
  rssShmem: 6,
  swap: 7,
  oomScore: 10,
} as const;
export const Battery = { chargeCounter: 1, capacityPercent: 2, current: 3, currentAvg: 4 } as const;
export const PowerRails = { railDescriptor: 1, energyData: 2 } as const;
export const Rail = { index: 1, railName: 2 } as const;
export const RailEnergy = { index: 1, timestamp: 2, energy: 3 } as const;

export const ProcessTree = { processes: 1, threads: 2 } as const;
export const TreeThread = { tid: 1, name: 2, tgid: 3 } as const;
export const TreeProcess = { pid: 1, cmdline: 3 } as const;
