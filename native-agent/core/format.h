#pragma once
// The numbers of docs/FORMAT.md and proto/recording.proto.
#include "base/types.h"

namespace btrace {

inline constexpr u32 kFormatMajor = 1;
inline constexpr u32 kFormatMinor = 7;

enum class ChunkKind : u16 {
  Header = 1,
  Hooks = 2,
  Threads = 3,
  Classes = 4,
  Methods = 5,
  Images = 6,
  Nodes = 7,
  Samples = 8,
  Links = 9,
  Texts = 10,
  Counters = 11,
  Losses = 12,
  Status = 13,
  Footer = 14,
  Symbols = 15,
  OffCarrierWaits = 16,
  Ring = 17,
  Switches = 18,
  Wakes = 19,
  System = 20,
  Lag = 21,
  HeldMemory = 22,
  SystemEvents = 23,
  Calls = 24,
  ProgramSwitches = 25,
  Hello = 64,
  Welcome = 65,
  Command = 66,
  Goodbye = 67,
  RingSamples = 68,
  RingOffCarrierWaits = 69,
};

enum class SampleKind : u16 {
  Unknown = 0,
  CpuTimer = 1,
  ExternalSampler = 2,
  Allocation = 3,
  JniCall = 4,
  Monitor = 5,
  Wait = 6,
  Park = 7,
  Sleep = 8,
  Gc = 9,
  ClassLoad = 10,
  LibraryLoad = 11,
  Binder = 12,
  ThreadStart = 13,
  Notify = 14,
  Unpark = 15,
  MonitorRelease = 16,
  Message = 17,
  Io = 18,
  Poll = 19,
  SyncToDisk = 20,
  Mutex = 21,
  Condition = 22,
  Malloc = 23,
  Free = 24,
  Marker = 25,
  ClockRead = 26,
  OffCarrierWait = 27,
  OffCpu = 28,
  GcWait = 29,
};
inline constexpr u32 kSampleKinds = 30;

enum SampleFlag : u16 {
  kFlagCut = 1,
  kFlagForced = 2,
  kFlagWalkFailed = 4,
  kFlagOwnerEstimated = 8,
  kFlagSafepoint = 16,
  kFlagNativeState = 32,
  kFlagAtWork = 64,
  kFlagOpenWait = 128,
  kFlagFromBefore = 256,
  kFlagWaitedBefore = 512,
};

// Which counters of a sample block were read.
enum CounterBit : u32 {
  kCounterCpu = 1,
  kCounterAllocations = 2,
  kCounterAllocatedBytes = 4,
  kCounterFaults = 8,
  kCounterSwitches = 16,
  kCounterAllocationsEstimated = 256,
  kCounterBytesEstimated = 512,
  kCounterCpuTimed = 1024,
};

enum class HookState : u8 { Installed = 0, Off = 1, Missing = 2, Failed = 3, Removed = 4 };
enum class ThreadKind : u8 { Platform = 0, Virtual = 1, Runtime = 2, Native = 3, Carrier = 4 };
enum class MethodKind : u8 { Managed = 0, ManagedNative = 1, NativeFunction = 2, Stub = 3, Unresolved = 4 };
enum class Policy : u32 { Stream = 0, StopWhenFull = 1, Ring = 2 };
enum class LossReason : u8 {
  BufferFull = 0,
  StackTableFull = 1,
  WalkError = 2,
  SuspendTimeout = 3,
  SlowReader = 4,
  NameUnloaded = 5,
  Overwritten = 6,
  Budget = 7,
  ThreadTableFull = 8,
};
inline constexpr u32 kLossReasons = 9;
enum class SourceKind : u32 { Points = 0, CpuTime = 1, ExternalSampler = 2, Waits = 3 };
enum class LinkCertainty : u8 { Observed = 0, ByIdentity = 1, OwnerAtBegin = 2 };
enum class EndReason : u32 {
  Stopped = 0,
  TargetExited = 1,
  ConnectionLost = 2,
  Limit = 3,
  Cancelled = 4,
  Fault = 5,
  Dumped = 6,
  DiskFull = 7,
};
enum class LagKind : u32 { LongMessage = 0, Busy = 1, NotResponding = 2 };
enum class CommandKind : u32 { Stop = 0, Cancel = 1, Dump = 2 };

}  // namespace btrace
