#pragma once
// The main thread's run loop: what it does between two waits is a message. Core Foundation tells it, to observers.
#include "core/session.h"
#include "os/images.h"

namespace btrace::darwin {

class RunLoop {
 public:
  // On the conversation's thread, again and again: observes as soon as that may be, and once.
  void install(Session& session);
  void remove(Session& session);
  // On the external sampler's thread: whether it wants the next, and that the main thread stands in code of this image.
  bool waits_for_program() const { return is_found_.load_relaxed() && !program_runs_.load_relaxed(); }
  void saw_code_of(const Image& image);

 private:
  bool find();
  void tell(Session& session, HookState state, const char* why = nullptr);

  // A program's own code runs when the libraries that it needs have been set up. Before that Core Foundation must not
  // be called.
  Atomic<u32> program_runs_;
  Atomic<u32> is_found_;
  bool is_installed_ = false;
  u64 images_ = 0;  // which were loaded when Core Foundation was last looked for
};

}  // namespace btrace::darwin
