#pragma once
// The lag watch of a program that has the agent as its library: a thread that looks at chosen threads, and writes a
// file when one of them hangs. docs/LAGS.md says what it does, and what it costs.
#include "agent/lag_files.h"
#include "agent/lag_settings.h"
#include "core/runtime.h"

namespace btrace {

// Beside StartResult and OwnResult; in-app/btrace/BTrace.java has the sentences.
enum class LagResult : i32 { Done = 0, Watching = 401, NoFolder = 402 };

i32 start_lag_watch(const LagSettings& settings, Runtime& runtime);
// `is_exit`: the program ends by its own will.
i32 stop_lag_watch(bool is_exit);

// Waits at most `wait_ns` for a lag's file. 1: it is in `path`; 0: there is none yet; -1: nothing is watched.
i32 next_lag_file(char (&path)[kPathRoom], i64 wait_ns);

// What the program tells of itself.
void lag_program_crashed();
void lag_program_in_front(bool is_in_front);

LastEnd last_end_of_program();
void correct_last_end_of_program(LastEnd end);

struct LagCounts {
  u64 lags;   // found
  u64 files;  // written
};
LagCounts lag_counts();

}  // namespace btrace
