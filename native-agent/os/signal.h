#pragma once
// Signals and timers by raw system calls: libc's structures for them differ between libraries.
#include "base/types.h"

namespace btrace {

// The kernel's siginfo of a timer's signal.
struct SignalInfo {
  i32 number;
  i32 error;
  i32 code;
  alignas(void*) i32 timer;
  i32 overrun;
  void* value;  // what the timer was made with
};
inline constexpr i32 kSentByTimer = -2;

using SignalHandler = void (*)(int number, SignalInfo* info, void* context);

struct SignalAction {
  SignalHandler handler = nullptr;  // nullptr: the default
  unsigned long flags = 0;
  void* restorer = nullptr;
  u32 mask[2] = {};

  static constexpr unsigned long kWithInfo = 4, kOnItsStack = 0x08000000;

  bool is_default_or_ignored() const { return reinterpret_cast<uintptr_t>(handler) <= 1; }
  // A handler finds its way back into the kernel, which is for who sets it to see to on some processors.
  void see_to_return();
};

// What tells where a thread is.
struct Registers {
  uintptr_t pc, sp, frame;
  uintptr_t link;  // where a call leaves its return address, if that is a register
};

// Where a handler's thread was interrupted.
Registers interrupted_at(const void* context);
// The same of the program itself, where `context` is of a place in another handler, as with a second profiler whose
// timer expires at the same tick: the context that handler was given, by its frame on the stack. `context` where there
// is none. It reads the calling thread's stack, which ends at `stack_end`. For x86-64; elsewhere it gives `context`
// back.
void* program_context(void* context, uintptr_t stack_begin, uintptr_t stack_end);
// Learns how handlers return, by which their frames are known. From then on program_context() finds them.
void learn_signal_returns();
// Makes the context one of another place, for who only reads it: to be undone before the handler returns.
void interrupt_elsewhere(void* context, const Registers& at);

// A signal that nobody uses; 0: there is none. SIGPROF if it may be that, for debuggers let it pass; else a real-time
// signal.
int free_signal(bool may_be_sigprof);
bool read_action(int number, SignalAction& action);
bool set_action(int number, const SignalAction& action);
// System calls that are interrupted go on by themselves, where they can.
bool set_handler(int number, SignalHandler handler, SignalAction& before);
// On the calling thread, which then gets none. Returns what was blocked before.
u64 block_all_signals();
void restore_blocked_signals(u64 before);
// Drops what is still on its way, so that a default action never sees it.
void restore_action(int number, const SignalAction& before);

// A timer on the CPU clock of one thread that sends `number` to that thread; -1 when the kernel gives none.
i32 make_cpu_timer(u32 tid, int number, void* value);
bool start_timer(i32 timer, i64 interval_ns);
void delete_timer(i32 timer);

}  // namespace btrace
