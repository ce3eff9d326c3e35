#pragma once
// The stack of a thread that captures itself. A walk costs a microsecond a frame where what it reads is in no cache,
// and it seldom is: threads are captured when they have waited, or once in a millisecond. But they come back to the
// same places, and these are known again by what lies on the stack, at a fraction of that.
#include "core/capture.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

// Of what a walk depends on: the words on the stack that lead into compiled code or the interpreter (return addresses),
// and those that lead to where the JVM keeps methods (of the interpreter's frames, a method and the place in its
// bytecodes). Where it keeps them is learnt from the methods that were met. A word that means nothing any more may make
// two keys of one stack, no harm done.
class StackHere {
 public:
  explicit StackHere(Capture& capture);
  // The row, if the stack is known. False: it is to be walked into the capture's frames.
  bool commit_cached_stack();
  // The row, with these frames.
  void commit(u32 frame_count);

  struct Range {
    u64 begin, end;
    bool has(u64 at) const { return at - begin < end - begin; }
  };
  // Methods that the JVM brought along lie low where it found room there, others high.
  static constexpr u32 kRanges = 2;
  static constexpr u64 kHigh = 1ull << 40;

 private:
  void make_key();
  bool has_learnt_all(const Frame* frames, u32 count) const;

  Capture& capture_;
  Range methods_[kRanges];
  u64 key_ = 0;  // 0: there is none
  u32 known_ = 0;
};

// A class was loaded, or compiled code came or went: it may lie where other code was, which makes keys of before void.
void code_changes();
// Stacks are known again from here, if `hears_of_code`: that code_changes() is called. How that went is told as a
// hook's health.
void begin_knowing_stacks(Session& session, bool hears_of_code);
void check_known_stacks(Session& session);
void end_knowing_stacks(Session& session);

}  // namespace btrace::hotspot
