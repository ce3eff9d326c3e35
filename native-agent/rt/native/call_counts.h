#pragma once
// How often each thread calls each imported function: what a survey counts. A call pointer (os/imports.h) leads to a
// stub of its own, which adds one to the calling thread's count and jumps on to what the pointer held. A stub uses the
// registers that the linker's own code between a call and its function may use, and leaves nothing on the stack.
#include "core/runtime.h"
#include "os/imports.h"

namespace btrace::native {

class CallCounts {
 public:
  static constexpr u32 kFunctions = 4096, kColumns = 1024;

  static bool are_possible();
  // False when the kernel gives no memory. Counts begin at 0.
  bool begin();
  // Counts what is imported now; to be called again when something may have been loaded, or bound by the loader.
  void count_imports(Images& images, const char* except);
  // Puts all pointers back. Returns how many still lead here.
  u32 end() { return imports_.undo(); }

  u32 functions() const { return functions_; }
  const CalledFunction& function(u32 number) const { return known_[number]; }
  // The next counts that have grown, by function and thread; false when there are no more. `at` begins at 0.
  bool next(u64& at, CallCount& count);
  // Imports that are not counted: there is no room, they lead somewhere else than to code, or they are imported by
  // address.
  u32 left_out() const { return calls_.refused + calls_.by_address; }

 private:
  static constexpr size_t kNameBytes = 1024 * 1024;
  static void* redirect(void* self, const CallPointer& call);
  u32 number_of(const CallPointer& call);

  Imports imports_;
  Images* images_ = nullptr;
  Imports::Calls calls_{};
  CalledFunction* known_ = nullptr;
  // A stub is never given to another pointer, nor to one of another name at the same place, because a thread may be in
  // it at any time: also long after the last survey.
  void*** places_ = nullptr;
  // By a hash of the place, numbers plus 1; 0: no more. A look asks of each pointer while the loader waits, and programs
  // may have many more than there is room for.
  u16 first_of_[kFunctions] = {};
  u16 next_of_[kFunctions] = {};
  u64* told_ = nullptr;
  char* names_ = nullptr;
  size_t name_bytes_ = 0;
  u32 functions_ = 0;
};

}  // namespace btrace::native
