#pragma once
// The functions of a sampled thread: by the unwind tables of their files from the part of the stack that the kernel
// copied, by frame pointers where there are no tables, and by the kernel's own chain beyond what was copied.
#include <vector>

#include "core/stack_table.h"
#include "host/kernel_events.h"
#include "host/target_images.h"

namespace btrace::host {

// Frames that are no function of a file: methods of the recording by these ids, with names in brackets.
inline constexpr u32 kUnknownCode = 1, kOffCpu = 2, kCallersMissing = 3;

class StackUnwinder {
 public:
  explicit StackUnwinder(TargetImages& images) : images_(images), rules_(kSlots) {}
  static constexpr u32 kMostFrames = 512;
  struct Stack {
    u32 count;
    bool is_whole;   // up to where the thread began
    // Each step was. By frame pointers those are missed that a signal's handler interrupted.
    bool by_tables;
  };
  // Leaf first.
  Stack walk(const KernelSample& sample, Frame* frames);

 private:
  struct Slot {
    u64 address;
    u32 version;
    bool is_known;
    UnwindRule rule;
  };
  static constexpr size_t kSlots = 16384;

  const UnwindRule* rule_at(const TargetImage& image, u64 address);
  u32 append_chain(const KernelSample& sample, u64 from, Frame* frames, u32 count);
  void put(u64 address, Frame& frame);

  TargetImages& images_;
  std::vector<Slot> rules_;
};

}  // namespace btrace::host
