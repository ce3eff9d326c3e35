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
  NotLive = 207,
};

// Connects and leaves the rest to a thread of its own. `runtime` lives as long as the process.
StartResult start_recording(const Options& options, Runtime& runtime);
// On a connection that is there, which is closed if nothing starts; `options` as they were for whoever listened.
StartResult start_recording_on(int fd, const Options& options, Runtime& runtime);
// With the options as text.
StartResult start_recording(const char* options, Runtime& runtime);

// Until the recording that was started records, or ends, or the time that its options allow is over. For threads that
// the runtime need not stop meanwhile.
void wait_until_begun();
// For a thread that the runtime may have to stop meanwhile: `sleep` lasts a millisecond or so, and lets it.
void wait_until_begun(void (*sleep)());
// The same where a desktop is waited for: it connects, and starts the recording, within `wait_ms` or not at all.
void wait_until_begun(u32 wait_ms);

bool recording_in_progress();
// So far; the number of the last one.
u32 recordings_started();
// False also in a child of fork whose parent was being recorded: that recording is still set up in it.
bool may_start_recording();

// How many came before the desktop of the recording that runs, without the right to, and the user id of the last. For
// the runtime, as the recording begins.
u32 strangers_turned_away(u32& last_uid);

// Sends all that was recorded so far, and waits until it is out, at most `wait_ns`: for a program that may become another
// one. The recording goes on. One that keeps a ring ends, for its ring would be lost.
void send_recorded(i64 wait_ns);

// Ends the recording that is running, if any, and waits until everything is sent, at most `wait_ns`.
void finish_recording(EndReason reason, const char* detail, i64 wait_ns);

}  // namespace btrace
