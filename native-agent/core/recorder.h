#pragma once
// Recordings begin and end here: one at a time; the next may follow when it has ended.
#include "core/options.h"
#include "core/runtime.h"

namespace btrace {

// What an attach returns to the desktop. docs/AGENT.md has the sentences.
enum class StartResult : i32 {
  Started = 0,
  BadOptions = 201,
  AlreadyRecording = 202,
  CannotConnect = 203,
  WrongPeer = 204,
  NoThread = 205,
  NotSupported = 206,
};

// Connects and leaves the rest to a thread of its own. `runtime` lives as long as the process.
StartResult start_recording(const Options& options, Runtime& runtime);
// With the options as text.
StartResult start_recording(const char* options, Runtime& runtime);

// Until the recording that was started records, or ends, or the time that its options allow is over. For threads that
// the runtime need not stop meanwhile.
void wait_until_begun();

bool recording_in_progress();

// How many came before the desktop of the recording that runs, without the right to, and the user id of the last. For
// the runtime, as the recording begins.
u32 strangers_turned_away(u32& last_uid);

// Ends the recording that is running, if any, and waits until everything is sent, at most `wait_ns`.
void finish_recording(EndReason reason, const char* detail, i64 wait_ns);

}  // namespace btrace
