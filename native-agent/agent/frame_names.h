#pragma once
// Names of frames, for the lag watch's own thread: of the stack that goes into a lag file, and of those that show that
// a thread waits for something to do.
#include "core/runtime.h"

namespace btrace {

struct FrameName {
  char class_name[512];
  char method[256];
  char file[128];
  i32 line;  // 0: not known
};

// Asks the runtime. False if what it was is gone.
bool name_frame(Runtime& runtime, u64 code, i64 position, FrameName& name);

// Whether a stack's thread waits for its next message, by the frames that loops and queues wait in. What was found of
// a method is kept, so that each is named once.
class IdleStacks {
 public:
  bool is_idle(const Session& session, Runtime& runtime, u32 node);
  void forget();

 private:
  enum class Frame : u8 {
    Unknown,
    Other,
    Passed,  // of the library: what waits for it lies above
    Idle,
  };
  Frame kind_of(Runtime& runtime, u64 code);

  static constexpr u32 kMethods = 2048, kVerdicts = 256;
  static constexpr u32 kDeepest = 16;  // frames that may lie between a loop and the thread's wait
  struct Method {
    u64 code;
    Frame kind;
  };
  struct Verdict {
    u32 node;
    bool is_idle;
  };
  Method methods_[kMethods];
  Verdict verdicts_[kVerdicts];
  u32 count_;
  FrameName name_;
};

}  // namespace btrace
