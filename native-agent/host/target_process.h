#pragma once
// What /proc says of the recorded process. It may end between any two reads: then there is no answer.
#include <string>
#include <vector>

#include "base/types.h"

namespace btrace::host {

// Executable memory and the file it comes from.
struct Mapping {
  u64 begin, end, file_offset;
  std::string path;  // empty: of no file
};

class TargetProcess {
 public:
  // `command`: what it is going to be, where it is only started now; else empty.
  explicit TargetProcess(u32 pid, const std::string& command) : pid_(pid), command_(command) {}
  u32 pid() const { return pid_; }
  // Of a file in its folder of /proc; empty where that cannot be read.
  std::string text(const std::string& name) const;
  std::vector<u32> threads() const;
  std::string thread_name(u32 tid) const;
  // The last part of the program's path; the kernel's name where that is not told.
  std::string name() const;
  std::vector<Mapping> mappings() const;
  // Where a file of the process's is to be found by us.
  std::string reachable(const std::string& path) const;
  i64 cpu_ns() const;
  u64 resident_bytes() const;
  u32 uid() const;
  bool is_alive() const;

 private:
  std::string file(const char* name) const { return "/proc/" + std::to_string(pid_) + "/" + name; }
  u32 pid_;
  std::string command_;
};

}  // namespace btrace::host
