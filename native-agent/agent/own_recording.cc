#include "agent/own_recording.h"

#include "agent/desktop.h"
#include "base/clock.h"
#include "base/libc.h"
#include "base/text_builder.h"
#include "core/session.h"
#include "core/thread_record.h"
#include "os/machine.h"
#include "os/process.h"
#include "os/signal.h"
#include "os/socket.h"

namespace btrace {

namespace {

constexpr i64 kConnectNs = 2 * kNsPerSecond;
constexpr u32 kBeginMs = 5000;

Atomic<u32> g_caller;  // the number of the process that is in a call; 0: none is
// The recording that is made, or was made last.
struct {
  OwnRecording recording;
  Options options;
  char path[kPathRoom];
  int connected;  // our end; -1 where the agent listens
  u32 number;     // of recordings_started()
} g_own;
RecordingFile g_file;
DesktopSwitch g_switch;
// The number of the process that records, 0: none does. A child of fork has nobody who writes its file.
Atomic<u32> g_recorder;
Atomic<OwnResult> g_result;

// Calls come one at a time. A child of fork does not wait for its parent's, which nobody ends in the child.
class Call {
 public:
  Call() {
    const u32 self = own_pid();
    for (u32 caller = 0; !g_caller.swap_if(caller, self);) {
      if (caller != self) continue;
      caller = 0;
      sleep_ns(kNsPerMs / 4);
    }
  }
  ~Call() { g_caller.store(0); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

int connect_to_agent() {
  int fd = g_own.connected;
  if (fd >= 0) return fd;
  for (const i64 until = now_ns() + kConnectNs; (fd = connect_abstract(g_own.options.listen)) < 0 && now_ns() < until;)
    sleep_ns(kNsPerMs);
  return fd;
}

// When everything is said the agent has still to be taken out of the program: only then may the next recording begin.
bool agent_runs() {
  return recording_in_progress() && recordings_started() == g_own.number;
}

void* desktop_main(void*) {
  block_all_signals();  // the program's are for its own threads
  become_agent_thread("btrace file");
  const int fd = connect_to_agent();
  OwnResult result = OwnResult::BrokenOff;
  if (fd >= 0) {
    Desktop desktop(fd, g_own.options, g_own.recording, g_file, g_own.path, g_switch);
    result = desktop.run();
  }
  g_file.close();
  // The agent may wait for us still, where nobody could connect. And a child of fork may have our end of the connection
  // as well: then the agent does not see that it is closed here.
  if (result != OwnResult::Done && agent_runs()) finish_recording(EndReason::ConnectionLost, nullptr, 0);
  g_result.store(result);
  g_recorder.store(0);
  return nullptr;
}

// Named as a desktop does it: others see that the app is being recorded. Where the system has no such names the two ends
// are connected here. False: there are no random bytes.
bool make_options(Options& options) {
  struct {
    u8 name[8];
    u8 token[Options::kTokenBytes];
    u8 answer[Options::kTokenBytes];
    char end;
  } random;
  if (read_small_file("/dev/urandom", reinterpret_cast<char*>(&random), sizeof random) != sizeof random - 1)
    return false;
  options = {};
  TextBuilder(options.listen).add("btrace-").number(own_pid()).add("-").hex(random.name, sizeof random.name);
  memcpy(options.token, random.token, sizeof options.token);
  memcpy(options.answer, random.answer, sizeof options.answer);
  options.wait_ms = kBeginMs;
  return true;
}

bool copy_path(char (&to)[kPathRoom], const char* from) {
  const size_t length = strlen(from);
  if (!length || length >= kPathRoom) return false;
  memcpy(to, from, length + 1);
  return true;
}

bool copy_note(const DumpNote& note) {
  g_switch.note.clear();
  g_switch.note.append(note.payload, note.size);
  g_switch.note_kind = note.kind;
  return !g_switch.note.failed();
}

// A ring of a recording that is bounded has at most half of what it may take.
bool open_file(const char* path, const OwnRecording& recording) {
  if (recording.config.policy != Policy::Ring || recording.is_for_dumps) return g_file.open(path);
  constexpr u64 kRingBytes = 8 * kMiB, kLeastRingBytes = 64 * 1024;
  const u64 most = recording.max_bytes ? recording.max_bytes / 2 : kRingBytes;
  return g_file.open_with_ring(path, static_cast<u32>(min_of(max_of(most, kLeastRingBytes), kRingBytes)));
}

StartResult start_agent(Runtime& runtime) {
  g_own.connected = -1;
  if (has_abstract_names()) return start_recording(g_own.options, runtime);
  int ends[2];
  if (!connected_pair(ends)) return StartResult::CannotConnect;
  const StartResult started = start_recording_on(ends[0], g_own.options, runtime);
  if (started == StartResult::Started)
    g_own.connected = ends[1];
  else
    close_file(ends[1]);
  return started;
}

// False: it took too long.
bool wait_for_end() {
  for (const i64 until = now_ns() + 2 * kEndNs; own_recording_runs() || agent_runs(); sleep_ns(kNsPerMs))
    if (now_ns() >= until) return false;
  return true;
}

i32 number(StartResult result) {
  return static_cast<i32>(result);
}
i32 number(OwnResult result) {
  return static_cast<i32>(result);
}

}  // namespace

OwnRecording usual_recording(i64 ring_ns, u64 max_bytes) {
  OwnRecording recording{};
  Config& config = recording.config;
  config.async_interval_ns = 10 * kNsPerMs;
  config.policy = ring_ns > 0 ? Policy::Ring : Policy::Stream;
  config.ring_ns = ring_ns;
  config.ring_copies = ring_ns > 0;
  config.allocation_interval_bytes = 64 * 1024;
  recording.max_bytes = max_bytes;
  return recording;
}

i32 start_own_recording(const char* path, const OwnRecording& recording, Runtime& runtime) {
  Call call;
  if (own_recording_runs() && active_session_id()) return number(StartResult::AlreadyRecording);
  // One that ended by itself is not over yet where nothing is captured any more.
  if (!wait_for_end()) return number(OwnResult::TimedOut);
  if (!make_options(g_own.options)) return number(StartResult::CannotConnect);
  // A start that is refused must not cost a file that is there: a child of fork may name its parent's.
  if (!may_start_recording()) return number(StartResult::AlreadyRecording);
  if (!copy_path(g_own.path, path)) return number(OwnResult::NoFile);
  if (!open_file(path, recording)) {
    const bool made = g_file.is_open();
    g_file.close();
    return number(made ? OwnResult::FileFailed : OwnResult::NoFile);
  }
  const StartResult started = start_agent(runtime);
  if (started != StartResult::Started) {
    g_file.close();
    return number(started);
  }
  g_own.recording = recording;
  g_own.number = recordings_started();
  g_switch.stop_asked.store(0);
  g_switch.dump.store(DesktopSwitch::Dump::None);
  g_recorder.store(own_pid());
  unsigned long thread;
  if (libc::thread_create(&thread, nullptr, desktop_main, nullptr) != 0) {
    g_file.close();
    if (g_own.connected >= 0) close_file(g_own.connected);
    g_recorder.store(0);
    // Nobody comes.
    finish_recording(EndReason::ConnectionLost, nullptr, 0);
    return number(StartResult::NoThread);
  }
  libc::thread_detach(thread);
  wait_until_begun();
  return number(own_recording_runs() ? OwnResult::Done : g_result.load());
}

i32 stop_own_recording() {
  Call call;
  if (own_recording_runs()) g_switch.stop_asked.store(1);
  return number(wait_for_end() ? g_result.load() : OwnResult::TimedOut);
}

bool own_recording_runs() {
  const u32 recorder = g_recorder.load();
  return recorder && recorder == own_pid();
}

void finish_own_recording(i64 wait_ns) {
  for (const i64 until = now_ns() + wait_ns; own_recording_runs() && now_ns() < until;) sleep_ns(kNsPerMs);
}

i32 dump_own_recording(const char* path, u64 back_ns, const DumpNote* note) {
  Call call;
  if (!own_recording_runs()) return number(OwnResult::NotRecording);
  if (g_own.recording.config.policy != Policy::Ring) return number(OwnResult::NotARing);
  // The last one took too long, and goes on.
  if (g_switch.dump.load() != DesktopSwitch::Dump::None) return number(OwnResult::TimedOut);
  // It would take the place of what it is made of.
  if (!strcmp(path, g_own.path)) return number(OwnResult::NoFile);
  if (!copy_path(g_switch.dump_path, path)) return number(OwnResult::NoFile);
  g_switch.dump_back_ns = back_ns;
  // A note that is still there is one of a dump that took too long.
  if (note && !copy_note(*note)) return number(OwnResult::FileFailed);
  g_switch.has_note = note != nullptr;
  g_switch.dump.store(DesktopSwitch::Dump::Asked);
  for (const i64 until = now_ns() + kEndNs; now_ns() < until; sleep_ns(kNsPerMs)) {
    // In this order: what was begun is answered before the recording is over.
    const bool over = !own_recording_runs();
    if (g_switch.dump.load() == DesktopSwitch::Dump::None) return number(g_switch.dump_result.load());
    if (over) return number(OwnResult::NotRecording);
  }
  return number(OwnResult::TimedOut);
}

}  // namespace btrace
