#pragma once
// What a monitor is of. ART's callback tells of an art::Monitor alone, which keeps a reference to its object, at a place
// that differs from version to version.
#include "base/atomic.h"
#include "rt/art/internals.h"
#include "rt/art/points.h"

namespace btrace::art {

class MonitorObjects {
 public:
  // Of a monitor that is waited for or held, on a Runnable thread. nullptr: not known, as while the collector moves it.
  const Object* of(const ArtMonitor* monitor);

 private:
  // One that lies before memory that is not there is not read whole: so many are tried.
  static constexpr u32 kLooks = 64;

  static u32 find(const ArtMonitor* monitor);

  Atomic<u32> place_;  // of the reference; 0: not found, a vtable lies there
  Atomic<u32> looks_;
};

}  // namespace btrace::art
