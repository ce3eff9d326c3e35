#pragma once
// The switches of another program's threads, for a reader that lays them beside a recording: the scheduler's side where
// the kernel's own trace may not be opened (docs/SYSTEM.md, "Without tracefs").
#include "base/types.h"
#include "host/kernel_events.h"

namespace btrace::host {

// What a record says. The reader is src/trace/system/switch-stream.ts.
enum class SwitchKind : u8 {
  In = 0,         // onto a core
  Preempted = 1,  // off it, and ready
  Slept = 2,      // off it by itself
  Ended = 3,
  Born = 4,     // ready, and not on a core yet
  Lost = 5,     // `tid`: how many records of this core the kernel had no room for, until now; of core kNoCore, not known
                // when. 0: it has no room from now on
  Allowed = 6,  // the kernel lets this user ask; comes before the program is named
  Begun = 7,    // all threads are watched from now on
  Over = 8,     // nothing is watched from now on
  Cost = 9,     // `time_ns`: the CPU time that this took
};

constexpr u16 kNoCore = 0xffff;

struct SwitchRecord {
  i64 time_ns;  // of CLOCK_MONOTONIC
  u32 tid;
  u16 core;
  SwitchKind kind;
  u8 unused;
};
static_assert(sizeof(SwitchRecord) == 16);

// False: the kernel's record says nothing of the process's threads.
bool read_switch(const KernelRecord& record, u32 pid, SwitchRecord& out);

// Reads the process's number from `in`, a line, and writes records to `out` until `in` ends, the process does, or
// nobody reads. False with the reason.
bool stream_switches(int in, int out, Refusal& why);

}  // namespace btrace::host
