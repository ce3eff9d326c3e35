#pragma once
// The functions between an interrupted instruction of native code and the managed method that called it, found in the
// signal's handler: by the unwind tables of the images they lie in, within the thread's own stack. All of them or none:
// a library without tables, a frame that is not understood or a stack that is none of the thread's end it.
#include "base/atomic.h"
#include "os/images.h"
#include "os/signal.h"
#include "os/unwind_table.h"

namespace btrace {

// Where one may look: the thread's stack, and in it where the managed method's frame ends that native code was called
// from.
struct NativeStackRange {
  uintptr_t begin, end;
  uintptr_t managed;  // 0: not known
};

struct NativePlace {
  uintptr_t address;  // of a caller: in its call
  u32 image;
};

struct NativeWalk {
  u32 count;
  bool is_whole;  // up to the function that the thread began with; else callers are missing
};

class NativeStacks {
 public:
  static constexpr u32 kMost = 128;

  // False when the kernel gives no memory.
  bool init();
  void release();
  // On any thread, leaf first; 0: it could not be followed to the managed method.
  u32 walk(Images& images, const Registers& from, const NativeStackRange& stack, NativePlace* places);
  // The stack of a thread that has no managed frames, as far as it can be followed; reads of the stack are checked, for
  // nobody knows where it ends. At least the interrupted instruction, if that lies in an image.
  NativeWalk walk_all(Images& images, const Registers& from, NativePlace* places, u32 limit);
  // Finds the nearest caller whose code lies in [code, code + code_bytes), where the runtime keeps what it compiles.
  // `from` is where a call of native code returns to. False: the stack could not be followed that far.
  bool find_caller_in(Images& images, const Registers& from, const NativeStackRange& stack, uintptr_t code,
                      uintptr_t code_bytes, Registers& caller);
  size_t touched_bytes() const;

 private:
  bool find_rule(const Images& images, const NativePlace& place, UnwindRule& rule);

  // Rules that were found before, by their addresses: reading a table costs some ten system calls.
  struct Slot {
    Atomic<u64> check;
    Atomic<u64> words[2];
  };
  static constexpr u32 kSlots = 4096;
  Slot* slots_;
};

}  // namespace btrace
