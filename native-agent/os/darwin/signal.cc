// The system has no timers on the CPU clocks of threads: no signal is ever asked for, and threads are walked by another
// one that suspends them (stopped_thread.h).
#include "os/signal.h"

#include "os/darwin/libsystem.h"

namespace btrace {

namespace {
constexpr int kSetMask = 3;
}

Registers interrupted_at(const void*) {
  return {};
}
void* program_context(void* context, uintptr_t, uintptr_t) {
  return context;
}
void learn_signal_returns() {}
int free_signal(bool) {
  return 0;
}
bool read_action(int, SignalAction&) {
  return false;
}
bool set_handler(int, SignalHandler, SignalAction&) {
  return false;
}
void restore_action(int, const SignalAction&) {}
i32 make_cpu_timer(u32, int, void*) {
  return -1;
}
bool start_timer(i32, i64) {
  return false;
}
void delete_timer(i32) {}

u64 block_all_signals() {
  const u32 all = ~u32{0};
  u32 before = 0;
  darwin::pthread_sigmask(kSetMask, &all, &before);
  return before;
}

void restore_blocked_signals(u64 before) {
  const u32 mask = static_cast<u32>(before);
  darwin::pthread_sigmask(kSetMask, &mask, nullptr);
}

}  // namespace btrace
