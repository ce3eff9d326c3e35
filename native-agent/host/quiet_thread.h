#pragma once
// Whether a stopped thread may make calls of the C library for us: it is proven to be in none that holds a lock, nor in
// the dynamic linker, by where it is and by all of its callers.
#if defined(__x86_64__)

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/borrowed_thread.h"
#include "host/elf_functions.h"
#include "host/stack_unwinder.h"
#include "host/target_images.h"

namespace btrace::host {

class QuietThreads {
 public:
  QuietThreads(const TargetProcess& process, const TargetMemory& memory, TargetImages& images)
      : process_(process), memory_(memory), images_(images), unwinder_(images) {}
  // Reads their files. What is not known yet when a thread is stopped is not known of it.
  void read_images();
  enum class Does : u8 {
    Rest,  // it waits for the world
    Run,
    Other,  // a call that could end early if it were stopped, or a wait that cannot be left, such as vfork()'s
  };
  // By /proc alone.
  Does seems_to(u32 tid) const;
  bool is_quiet(const BorrowedThread& thread);
  // The functions of an image's file; null where it cannot be read.
  const ElfFunctions* functions_of(const TargetImage& image);

 private:
  struct File {
    explicit File(const std::string& path);
    bool is_in_holder(u64 value) const;
    ElfFunctions functions;
    std::vector<ElfFunctions::Range> holders;
    bool brings_allocator;
  };
  const File* file_of(const TargetImage& image);
  bool has_room(const user_regs_struct& registers, u64& stack_end) const;

  const TargetProcess& process_;
  const TargetMemory& memory_;
  TargetImages& images_;
  StackUnwinder unwinder_;
  std::map<i64, const TargetImage*> by_id_;
  std::map<std::string, std::unique_ptr<File>> files_;
};

}  // namespace btrace::host

#endif
