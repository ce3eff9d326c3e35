#pragma once
// Writes lags into files, and hands these over to the program.
#include "agent/lag_files.h"
#include "agent/lag_settings.h"
#include "base/spin.h"
#include "core/format.h"
#include "core/runtime.h"
#include "core/thread_record.h"

namespace btrace {

struct FoundLag {
  LagKind kind;
  ThreadRecord& record;
  Lag lag;
  RecentStacks::Costliest costliest;
  u32 session;  // the id of the one whose tables have the stack
  u32 unwritten;
  u32 cpu_percent;
};

class LagWriter {
 public:
  // False if the folder cannot be written. `settings` stay where they are.
  bool open(const LagSettings& settings, Runtime& runtime);
  void end(LastEnd how);
  void close();

  // On the watch's thread.
  void live(bool in_lag);  // the sign of life
  void tidy();
  void write(i64 now, const FoundLag& found);

  // On any thread.
  u64 written() const { return written_.load(); }
  // Takes the oldest file that nobody has taken.
  bool take(char (&path)[kPathRoom]);
  // Waits while there is none, at most `wait_ns`. `changes`: as changes() was before take().
  u32 changes() const { return changes_.load(); }
  void wait(u32 changes, i64 wait_ns) const;
  void wake_takers();
  void set_in_front(bool is_in_front);
  LastEnd last_end();
  void correct_last_end(LastEnd end);

 private:
  static constexpr u32 kReady = 32;
  struct Ready {
    char path[kPathRoom];
  };
  bool put(Bytes& out, i64 now, const FoundLag& found) const;

  const LagSettings* settings_ = nullptr;
  Runtime* runtime_ = nullptr;
  Spin lock_;  // of all below
  LagFiles files_;
  Ready ready_[kReady];
  u32 ready_count_ = 0;
  Atomic<u32> changes_;
  Atomic<u64> written_;
};

}  // namespace btrace
