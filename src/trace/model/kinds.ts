/** The enumerations of recording.proto. Types are plain numbers: a reader meets values that a newer agent added. */

export const SampleKind = {
  Unknown: 0,
  CpuTimer: 1,
  ExternalSampler: 2,
  Allocation: 3,
  JniCall: 4,
  Monitor: 5,
  Wait: 6,
  Park: 7,
  Sleep: 8,
  Gc: 9,
  ClassLoad: 10,
  LibraryLoad: 11,
  Binder: 12,
  ThreadStart: 13,
  Notify: 14,
  Unpark: 15,
  MonitorRelease: 16,
  Message: 17,
  Io: 18,
  Poll: 19,
  SyncToDisk: 20,
  Mutex: 21,
  Condition: 22,
  Malloc: 23,
  Free: 24,
  Marker: 25,
  ClockRead: 26,
  OffCarrierWait: 27,
  OffCpu: 28,
  GcWait: 29,
} as const;

/** The kinds that are waits. Whoever shows them has a word for each: a record by `WaitKind` does not compile without one. */
const waitKinds = [
  'Monitor',
  'Wait',
  'Park',
  'Sleep',
  'Gc',
  'Binder',
  'Io',
  'Poll',
  'SyncToDisk',
  'Mutex',
  'Condition',
  'OffCpu',
  'GcWait',
] as const satisfies readonly (keyof typeof SampleKind)[];
export type WaitKind = (typeof waitKinds)[number];

/** undefined of what is no wait, or one that a newer agent added. */
export function waitKindOf(kind: number): WaitKind | undefined {
  return waitKinds.find((name) => SampleKind[name] === kind);
}

/** Bits: why a frame was late, as Android's compositor judges. */
export const Jank = {
  None: 1,
  CompositorScheduling: 2,
  Prediction: 4,
  Display: 8,
  CompositorCpu: 16,
  CompositorGpu: 32,
  AppDeadline: 64,
  BufferStuffing: 128,
  Unknown: 256,
  CompositorStuffing: 512,
  Dropped: 1024,
} as const;

/** Bits. */
export const SampleFlag = {
  Cut: 1,
  Forced: 2,
  WalkFailed: 4,
  OwnerEstimated: 8,
  Safepoint: 16,
  NativeState: 32,
  AtWork: 64,
  OpenWait: 128,
  FromBefore: 256,
  WaitedBefore: 512,
} as const;

/** Bits of SampleBlock.counters: what the agent read with these samples. */
export const CounterBit = {
  Cpu: 1,
  Allocations: 2,
  AllocatedBytes: 4,
  Faults: 8,
  Switches: 16,
  AllocationsEstimated: 0x100,
  BytesEstimated: 0x200,
  CpuTimed: 0x400,
} as const;

export const Mode = { InProcess: 0, External: 1, Imported: 2, Synthetic: 3 } as const;
export const Policy = { Stream: 0, StopWhenFull: 1, Ring: 2 } as const;
export const HookState = { Installed: 0, Off: 1, Missing: 2, Failed: 3, Removed: 4 } as const;
export const ThreadKind = { Platform: 0, Virtual: 1, Runtime: 2, Native: 3, Carrier: 4 } as const;
export const MethodKind = {
  Managed: 0,
  ManagedNative: 1,
  NativeFunction: 2,
  Stub: 3,
  Unresolved: 4,
} as const;
export const LinkCertainty = { Observed: 0, ByIdentity: 1, OwnerAtBegin: 2 } as const;
export const LossReason = {
  BufferFull: 0,
  StackTableFull: 1,
  WalkError: 2,
  SuspendTimeout: 3,
  SlowReader: 4,
  NameUnloaded: 5,
  Overwritten: 6,
  Budget: 7,
  ThreadTableFull: 8,
} as const;
export const EndReason = {
  Stopped: 0,
  TargetExited: 1,
  ConnectionLost: 2,
  Limit: 3,
  Cancelled: 4,
  Fault: 5,
  Dumped: 6,
  DiskFull: 7,
} as const;
/** Why a lag file was written. */
export const LagKind = { LongMessage: 0, Busy: 1, NotResponding: 2 } as const;
/** The ways in which samples come. */
export const SourceKind = { Points: 0, CpuTime: 1, ExternalSampler: 2, Waits: 3 } as const;
export const CommandKind = { Stop: 0, Cancel: 1, Dump: 2 } as const;

/** What this code reads and writes; docs/FORMAT.md. */
export const formatMajor = 1;
export const formatMinor = 7;
