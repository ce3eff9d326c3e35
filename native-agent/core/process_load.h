#pragma once
// What the process as a whole uses over time: processors, memory, threads. The newest rows are kept, each from when it
// was taken until the next one was.
#include "core/runtime.h"

namespace btrace {

class ProcessLoad {
 public:
  static constexpr u32 kRows = 512;

  // False when memory is not there.
  bool init() { return (rows_ = map_array<Row>(kRows)) != nullptr; }
  void release() { unmap_array(rows_, kRows); }
  void take(const Session& session, Runtime& runtime);
  // Appends the counter blocks of a Counters message: of rows that have ended, what was not cut yet, or what reaches
  // beyond `from_ns`. False when there is none.
  bool cut(Bytes& out);
  bool copy(Bytes& out, i64 from_ns) const;

 private:
  struct Row {
    i64 time_ns;
    i64 load;      // of a processor while the row lasted, in percent
    i64 heap;      // when it began, as the rest; -1: not known
    i64 resident;  // bytes
    i64 threads;
  };
  Row& at(u32 number) const { return rows_[number % kRows]; }
  bool put(Bytes& out, u32 first) const;

  Row* rows_ = nullptr;
  u32 taken_ = 0;
  u32 cut_ = 0;  // of those, rows that went out
  i64 cpu_ns_ = 0;
};

}  // namespace btrace
