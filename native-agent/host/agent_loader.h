#pragma once
// Loads the agent into a native program that runs, and has it begin a recording.
//
// One thread of the program is stopped for a moment (quiet_thread.h) and makes three calls: memory for a page of code
// and one of data, and a thread of the program's own C library that runs that code with all signals blocked. That one
// loads the library; it waits for the dynamic linker and the allocator as any other thread does, and takes the pages
// away as it ends. Nothing else of the program is changed.
#include <string>

#include "host/kernel_events.h"

namespace btrace::host {

struct AgentLoad {
  u32 pid;
  std::string library;  // the agent's, as the program sees it too
  std::string options;
};

// True when the agent has connected to who listens for it. Else the program is as it was; `why` says what was in the
// way.
bool load_agent(const AgentLoad& load, Refusal& why);

// How long the program's thread was stopped or worked for us, the last time; for tests.
i64 last_held_ns();

}  // namespace btrace::host
