#pragma once
// Functions of libart that it keeps the names of for debuggers alone, packed (.gnu_debugdata). The desktop unpacks them
// and leaves those that the agent asks for beside the agent's file, as text:
//   build-id HEX     of the library that they are of
//   why TEXT         why there are none
//   HEX NAME         a symbol's value and name
#include "rt/art/elf.h"

namespace btrace::art {

class HandedSymbols {
 public:
  ~HandedSymbols();
  HandedSymbols() = default;
  HandedSymbols(const HandedSymbols&) = delete;
  HandedSymbols& operator=(const HandedSymbols&) = delete;

  // What lies beside the agent's own file. That there is nothing is no problem.
  void read_beside_agent(const LoadedLibrary& library);
  void read(const char* path, const LoadedLibrary& library);
  // nullptr when it was not handed over, or is not in the library's code.
  void* symbol(const char* name) const;
  // Why some or all are not used; empty: nothing stood in the way.
  const char* problem() const { return problem_; }

 private:
  static constexpr size_t kRoom = 16 * 1024;

  void check_build_id(const char* hex);

  const LoadedLibrary* library_ = nullptr;
  char* text_ = nullptr;  // lines, each with a 0 behind, and an empty one at the end
  char problem_[256] = {};
};

}  // namespace btrace::art
