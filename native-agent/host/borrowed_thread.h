#pragma once
// A thread of another process that is stopped for a moment, calls functions for us, and goes on as if it had not: with
// its registers, vector registers, signal mask, and its system call begun anew where the kernel would do so.
//
// From the first instruction that it runs for us, its way back lies on its stack, as the kernel's own way back from a
// signal handler: a signal frame, to which each call returns (rt_sigreturn). So it finds back also when we are killed.
// For x86-64.
#if defined(__x86_64__)

#include <sys/user.h>

#include <vector>

#include "base/types.h"
#include "host/target_memory.h"

namespace btrace::host {

// Below the stack pointer: for the frame, and for what is called.
inline constexpr u64 kBorrowedStackBytes = 64 * 1024;

class BorrowedThread {
 public:
  enum class Stop : u8 {
    Stopped,
    NotNow,  // it ends, or something else happens to it: it goes on
    Late,    // it does not stop. Only the end of this program lets go of it
  };

  BorrowedThread(u32 tid, const TargetMemory& memory) : tid_(tid), memory_(memory) {}
  // It goes on, as far as that depends on us.
  ~BorrowedThread() { release(); }
  BorrowedThread(const BorrowedThread&) = delete;
  BorrowedThread& operator=(const BorrowedThread&) = delete;

  Stop stop();
  u32 tid() const { return tid_; }
  const user_regs_struct& registers() const { return registers_; }
  // Stopped in a system call, and which.
  bool is_in_call() const { return static_cast<i64>(registers_.orig_rax) >= 0; }
  // Whether it runs code that may not be left in the middle (rseq).
  bool is_in_restartable_sequence() const;

  // Puts its way back on its stack. `return_code` is where it has the C library's return from signal handlers. False:
  // nothing was changed.
  bool prepare(u64 return_code);
  // Calls `function`. `result`: what its system call of this number gave. False: it did not return in time; it goes on
  // by itself.
  bool call(u64 function, u64 number, const u64 (&arguments)[6], i64& result);
  // The thread that the last call started, by its number; not above 0: none.
  i64 started() const { return started_; }
  // It is as it was before, and goes on.
  void release();
  // How long it was stopped, or worked for us.
  i64 held_ns() const { return held_ns_; }

  // For tests: called before each step that changes the thread.
  static void (*on_step)(u32 step);

 private:
  enum class Wait : u8 { Stopped, Gone, Late };
  Wait wait_for_stop(i64 limit_ns, int& status);
  bool begin_interrupted_call_anew();
  bool put(user_regs_struct registers);
  bool put_mask(u64 mask);
  bool go_to_return();
  void let_go(int signal);

  enum class State : u8 { Free, Stopped, Borrowed };

  const u32 tid_;
  const TargetMemory& memory_;
  State state_ = State::Free;
  user_regs_struct registers_{};
  std::vector<u8> vectors_;
  u64 mask_ = 0;
  u64 return_code_ = 0, frame_ = 0;
  i64 since_ns_ = 0, held_ns_ = 0, started_ = 0;
  u32 step_ = 0;
};

}  // namespace btrace::host

#endif
