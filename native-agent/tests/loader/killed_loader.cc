// Loads the agent into a program as btrace-external does, and is killed at one of its steps:
//   killed-loader OPTIONS LIBRARY PID [STEP]
// Without STEP it says for how long a thread of the program was held, in ns, and how many steps there were.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/agent_loader.h"
#include "host/borrowed_thread.h"

namespace {

unsigned steps, last_step = ~0u;

}  // namespace

int main(int count, char** words) {
  using namespace btrace::host;
  if (count < 4) return 2;
  if (count > 4) last_step = static_cast<unsigned>(atoi(words[4]));
#if defined(__x86_64__)
  BorrowedThread::on_step = [](btrace::u32) {
    if (steps++ == last_step) kill(getpid(), SIGKILL);
  };
#endif
  Refusal why;
  const bool is_loaded = load_agent({static_cast<btrace::u32>(atoi(words[3])), words[2], words[1]}, why);
  printf("{\"loaded\":%s,\"heldNs\":%lld,\"steps\":%u,\"why\":\"%s\"}\n", is_loaded ? "true" : "false",
         static_cast<long long>(last_held_ns()), steps, why.what.c_str());
  return is_loaded ? 0 : 3;
}
