#include "rt/art/signatures.h"

namespace btrace::art {

const Signature kSignatures[] = {
    {Need::RuntimeInstance, 0, 26, 36, "_ZN3art7Runtime9instance_E"},
    {Need::RuntimeCallbacks, 0, 26, 36, "_ZN3art7Runtime19GetRuntimeCallbacksEv"},

    {Need::VisitorConstructor, 0, 26, 36, "_ZN3art12StackVisitorC2EPNS_6ThreadEPNS_7ContextENS0_13StackWalkKindEb"},
    {Need::WalkStack, 0, 26, 36, "_ZN3art12StackVisitor9WalkStackILNS0_16CountTransitionsE0EEEvb"},
    {Need::GetMethod, 0, 26, 36, "_ZNK3art12StackVisitor9GetMethodEv"},
    {Need::GetDexPc, 0, 26, 36, "_ZNK3art12StackVisitor8GetDexPcEb"},

    {Need::SetAllocationListener, 0, 26, 36, "_ZN3art2gc4Heap21SetAllocationListenerEPNS0_18AllocationListenerE"},
    {Need::RemoveAllocationListener, 0, 26, 36, "_ZN3art2gc4Heap24RemoveAllocationListenerEv"},
    {Need::DefineClassEvents, 0, 30, 36, "_ZN3art16RuntimeCallbacks16BeginDefineClassEv"},
    {Need::SetGcPauseListener, 0, 26, 36, "_ZN3art2gc4Heap18SetGcPauseListenerEPNS0_15GcPauseListenerE"},
    {Need::RemoveGcPauseListener, 0, 26, 36, "_ZN3art2gc4Heap21RemoveGcPauseListenerEv"},

    {Need::AddMonitorCallback, 0, 28, 36, "_ZN3art16RuntimeCallbacks18AddMonitorCallbackEPNS_15MonitorCallbackE"},
    {Need::RemoveMonitorCallback, 0, 28, 36, "_ZN3art16RuntimeCallbacks21RemoveMonitorCallbackEPNS_15MonitorCallbackE"},
    {Need::AddParkCallback, 0, 29, 36, "_ZN3art16RuntimeCallbacks15AddParkCallbackEPNS_12ParkCallbackE"},
    {Need::RemoveParkCallback, 0, 29, 36, "_ZN3art16RuntimeCallbacks18RemoveParkCallbackEPNS_12ParkCallbackE"},
    {Need::AddThreadCallback, 0, 26, 36,
     "_ZN3art16RuntimeCallbacks26AddThreadLifecycleCallbackEPNS_23ThreadLifecycleCallbackE"},
    {Need::RemoveThreadCallback, 0, 26, 36,
     "_ZN3art16RuntimeCallbacks29RemoveThreadLifecycleCallbackEPNS_23ThreadLifecycleCallbackE"},
    {Need::AddClassCallback, 0, 26, 36, "_ZN3art16RuntimeCallbacks20AddClassLoadCallbackEPNS_17ClassLoadCallbackE"},
    {Need::RemoveClassCallback, 0, 26, 36,
     "_ZN3art16RuntimeCallbacks23RemoveClassLoadCallbackEPNS_17ClassLoadCallbackE"},
    {Need::AddPhaseCallback, 0, 26, 36,
     "_ZN3art16RuntimeCallbacks23AddRuntimePhaseCallbackEPNS_20RuntimePhaseCallbackE"},
    {Need::RemovePhaseCallback, 0, 26, 36,
     "_ZN3art16RuntimeCallbacks26RemoveRuntimePhaseCallbackEPNS_20RuntimePhaseCallbackE"},

    {Need::SuspendAllBegin, 0, 26, 36, "_ZN3art16ScopedSuspendAllC1EPKcb"},
    {Need::SuspendAllEnd, 0, 26, 36, "_ZN3art16ScopedSuspendAllD1Ev"},
    // 35 and later hide it: there it is found by the packed debug information or not at all.
    {Need::SuspendByThreadId, kSuspendAttempt, 35, 36,
     "_ZN3art10ThreadList23SuspendThreadByThreadIdEjNS_13SuspendReasonEi"},
    {Need::SuspendByThreadId, kSuspendReasonAndTimeout, 27, 34,
     "_ZN3art10ThreadList23SuspendThreadByThreadIdEjNS_13SuspendReasonEPb"},
    {Need::SuspendByThreadId, kSuspendForDebugger, 26, 26, "_ZN3art10ThreadList23SuspendThreadByThreadIdEjbPb"},
    {Need::Resume, kResumeReason, 27, 36, "_ZN3art10ThreadList6ResumeEPNS_6ThreadENS_13SuspendReasonE"},
    {Need::Resume, kResumeForDebugger, 26, 26, "_ZN3art10ThreadList6ResumeEPNS_6ThreadEb"},

    {Need::MonitorOwner, 0, 26, 36, "_ZN3art7Monitor16GetOwnerThreadIdEv"},

    {Need::ContextCreate, 0, 26, 36, "_ZN3art7Context6CreateEv"},
    {Need::RunCheckpoint, 2, 36, 36, "_ZN3art10ThreadList13RunCheckpointEPNS_7ClosureES2_bb"},
    {Need::RunCheckpoint, 1, 35, 35, "_ZN3art10ThreadList13RunCheckpointEPNS_7ClosureES2_b"},
    {Need::RunCheckpoint, 0, 26, 34, "_ZN3art10ThreadList13RunCheckpointEPNS_7ClosureES2_"},
    {Need::SuspendByPeer, 3, 35, 36, "_ZN3art10ThreadList19SuspendThreadByPeerEP8_jobjectNS_13SuspendReasonE"},
    {Need::SuspendByPeer, 2, 31, 34, "_ZN3art10ThreadList19SuspendThreadByPeerEP8_jobjectNS_13SuspendReasonEPb"},
    {Need::SuspendByPeer, 1, 27, 30, "_ZN3art10ThreadList19SuspendThreadByPeerEP8_jobjectbNS_13SuspendReasonEPb"},
    {Need::SuspendByPeer, 0, 26, 26, "_ZN3art10ThreadList19SuspendThreadByPeerEP8_jobjectbbPb"},
    {Need::MonitorEnter, 1, 29, 36, "_ZN3art7Monitor12MonitorEnterEPNS_6ThreadENS_6ObjPtrINS_6mirror6ObjectEEEb"},
    {Need::MonitorEnter, 0, 26, 28, "_ZN3art7Monitor12MonitorEnterEPNS_6ThreadEPNS_6mirror6ObjectEb"},
    {Need::MonitorExit, 1, 29, 36, "_ZN3art7Monitor11MonitorExitEPNS_6ThreadENS_6ObjPtrINS_6mirror6ObjectEEE"},
    {Need::MonitorExit, 0, 26, 28, "_ZN3art7Monitor11MonitorExitEPNS_6ThreadEPNS_6mirror6ObjectE"},
};
const u32 kSignatureCount = sizeof kSignatures / sizeof *kSignatures;

const char* newest_symbol(Need need) {
  for (const Signature& signature : kSignatures)
    if (signature.need == need) return signature.symbol;
  return "";
}

}  // namespace btrace::art
