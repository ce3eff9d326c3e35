/** Field numbers of proto/perfetto.proto, by message. */
export const Packet = {
  ftraceEvents: 1,
  processTree: 2,
  clockSnapshot: 6,
  timestamp: 8,
  sequenceId: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  stateCleared: 41,
  previousDropped: 42,
  processDescriptor: 43,
  threadDescriptor: 44,
  compressedPackets: 50,
  clockId: 58,
  defaults: 59,
  trackDescriptor: 60,
} as const;

/** Payloads of packets that are not read here, in a person's words: who opens the file is told of them. */
export const unreadPayloads: ReadonlyMap<number, string> = new Map([
  ...[7, 9, 38, 40, 71, 91].map((field) => [field, 'counters of the system'] as const),
  ...[37, 56, 74, 75].map((field) => [field, 'what the heap held'] as const),
  ...[54, 66, 135].map((field) => [field, 'samples of stacks'] as const),
  ...[52, 53, 57, 62, 65, 76].map((field) => [field, 'frames and the GPU'] as const),
  ...[117, 118, 120, 122, 129].map((field) => [field, "a kernel's events in their general form"] as const),
  [5, "Chrome's oldest events"],
  [39, "Android's log"],
  [95, "Windows' events"],
  [133, 'packets compressed with zstd: write the trace without that, or with deflate'],
]);

export const PacketDefaults = { trackEvent: 11, clockId: 58 } as const;

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
export const InternedName = { iid: 1, name: 2 } as const;
export const Source = { iid: 1, file: 2, functionName: 3, line: 4 } as const;

export const FtraceBundle = { cpu: 1, event: 2, lostEvents: 3, compactSched: 4 } as const;
export const CompactSched = {
  switchTimestamp: 1,
  switchPrevState: 2,
  switchNextPid: 3,
  internTable: 5,
  switchNextComm: 6,
  wakingTimestamp: 7,
  wakingPid: 8,
} as const;
export const FtraceEvent = {
  timestamp: 1,
  pid: 2,
  print: 3,
  schedSwitch: 4,
  schedWakeup: 17,
  schedWaking: 20,
  schedWakeupNew: 114,
} as const;
export const FtracePrint = { buf: 2 } as const;
export const SchedSwitch = { prevComm: 1, prevPid: 2, prevState: 4, nextComm: 5, nextPid: 6 } as const;
/** The two kinds of wake-ups have the same fields. */
export const SchedWaking = { pid: 2 } as const;

export const ProcessTree = { processes: 1, threads: 2 } as const;
export const TreeThread = { tid: 1, name: 2, tgid: 3 } as const;
export const TreeProcess = { pid: 1, cmdline: 3 } as const;
