#pragma once
// Memory that is not there, met by code that cannot be made to look first (a runtime's own walk): what runs within the
// guard is left where it stands, and the program goes on.
//
// Our handler stands before all others and passes on every fault that is not ours, untouched, so that a runtime that
// lives by faults (ART, HotSpot) keeps its way. SIGSEGV only: SIGBUS belongs to ART's collector from Android 14.
#include "base/types.h"

namespace btrace {

// From then on `guarded` guards; false: it only calls. Not from several threads at once, in pairs.
bool install_fault_guard();
void remove_fault_guard();
bool guards_faults();

// In place while it lives, where it was not before.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  bool mine_;
};

// Calls body(data). False when it met memory that is not there: locks it held are still held then.
bool guarded(void (*body)(void* data), void* data);

}  // namespace btrace
