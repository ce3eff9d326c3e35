#pragma once
// What the kernel counts of the calling thread: its CPU time, major page faults and switches.
#include "core/thread_record.h"

namespace btrace {

// Into a row of the calling thread, whose record is held. The clock always; faults and switches cost half of it all,
// and where the thread was on its processor all the time since they were last read they are what they were.
void read_kernel_counters(Row& row, ThreadRecord& record);

}  // namespace btrace
