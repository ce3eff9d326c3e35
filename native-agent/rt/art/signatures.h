#pragma once
// What the agent asks the Android Runtime for, by mangled name: one row a signature, newest first. A function whose
// parameters changed between versions has one row each; the symbols that are there decide, not the version of Android.
#include "base/types.h"

namespace btrace::art {

enum class Need : u8 {
  RuntimeInstance,
  RuntimeCallbacks,
  VisitorConstructor,
  WalkStack,
  GetMethod,
  GetDexPc,
  SetAllocationListener,
  RemoveAllocationListener,
  SetGcPauseListener,
  RemoveGcPauseListener,
  AddMonitorCallback,
  RemoveMonitorCallback,
  AddParkCallback,
  RemoveParkCallback,
  AddThreadCallback,
  RemoveThreadCallback,
  AddClassCallback,
  RemoveClassCallback,
  AddPhaseCallback,
  RemovePhaseCallback,
  SuspendAllBegin,
  SuspendAllEnd,
  SuspendByThreadId,
  Resume,
  MonitorOwner,
  // Never called: its being there tells how ClassLoadCallback is laid out.
  DefineClassEvents,
  // Never called: a report says which of them an ART has, for whoever has to find another way in a version to come.
  ContextCreate,
  RunCheckpoint,
  SuspendByPeer,
  MonitorEnter,
  MonitorExit,
};
inline constexpr u32 kNeeds = static_cast<u32>(Need::MonitorExit) + 1;

struct Signature {
  Need need;
  u8 variant;   // what the caller must know to call it; 0 where all versions agree
  u8 from_api;  // seen in sources of these Android API levels; for people, never compared
  u8 to_api;
  const char* symbol;
};

// SuspendByThreadId.
inline constexpr u8 kSuspendReasonAndTimeout = 0, kSuspendForDebugger = 1, kSuspendAttempt = 2;
// Resume.
inline constexpr u8 kResumeReason = 0, kResumeForDebugger = 1;

extern const Signature kSignatures[];
extern const u32 kSignatureCount;
const char* newest_symbol(Need need);

struct Resolved {
  void* address;
  u8 variant;
};

// The newest signature of each need that `find` knows. A need that has none keeps a nullptr.
template <class Find>
void resolve_signatures(Find find, Resolved (&resolved)[kNeeds]) {
  for (u32 i = 0; i < kSignatureCount; i++) {
    const Signature& signature = kSignatures[i];
    Resolved& to = resolved[static_cast<u32>(signature.need)];
    if (to.address) continue;
    if (void* address = find(signature.symbol)) to = {address, signature.variant};
  }
}

}  // namespace btrace::art
