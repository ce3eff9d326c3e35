#pragma once
// A recording that the program itself makes: what the desktop does at the other end of the agent's socket is done by a
// thread in here.
#include "core/config.h"
#include "core/recorder.h"

namespace btrace {

struct OwnRecording {
  Config config;
  u64 max_bytes;       // the recording ends when its file has grown to this
  bool is_for_dumps;   // of a ring: its file has only what dumps need, and goes with the recording
};

// At the intervals that recordings have at the desktop; `ring_ns` 0: no ring.
OwnRecording usual_recording(i64 ring_ns, u64 max_bytes);

// What a dump says of itself: a message of docs/FORMAT.md.
struct DumpNote {
  ChunkKind kind;
  const u8* payload;
  size_t size;
};

// Beside StartResult, what a program is told; in-app/btrace/BTrace.java and in-app/btrace.h have the sentences.
enum class OwnResult : i32 {
  Done = 0,
  NoFile = 301,      // it could not be made
  FileFailed = 302,  // it could not be written: the storage is full
  NotRecording = 303,
  NotARing = 304,
  TimedOut = 305,
  BrokenOff = 306,  // by the agent, without a goodbye
};

// Into a new file at `path`. `runtime` as in start_recording. A StartResult or an OwnResult.
i32 start_own_recording(const char* path, const OwnRecording& recording, Runtime& runtime);
// Ends it, if it has not ended by itself, and returns when the file is whole: how the last one went.
i32 stop_own_recording();
bool own_recording_runs();
// Waits until the file of a recording that is ending is whole, at most `wait_ns`.
void finish_own_recording(i64 wait_ns);
// Writes what a ring holds of the last `back_ns` (0: all) to its own file and goes on; `note`, if any, at its end.
i32 dump_own_recording(const char* path, u64 back_ns, const DumpNote* note = nullptr);

}  // namespace btrace
