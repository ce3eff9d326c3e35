#pragma once
#include "agent/recording_file.h"
#include "core/lag_watch.h"

namespace btrace {

struct LagSettings {
  static constexpr size_t kTextRoom = 128;

  char folder[kPathRoom];
  char threads[512];  // names with commas between; "main" is the main thread, a * at the end stands for any rest
  char version[kTextRoom];
  char device[kTextRoom];
  u64 user;  // stable_hash of the id; 0: none was given
  LagLimits limits;
  LagQuota quota;
  i64 ring_ns;
};

}  // namespace btrace
