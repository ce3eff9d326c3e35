#include "agent/own_recording.h"

#include "agent/desktop.h"
#include "base/clock.h"
#include "base/libc.h"
#include "base/spin.h"
#include "base/text_builder.h"
#include "os/linux/machine.h"
#include "os/linux/socket.h"

namespace btrace {

namespace {

constexpr i64 kConnectNs = 2 * kNsPerSecond;
constexpr u32 kBeginMs = 5000;

Spin g_calls;  // they come one at a time
// The recording that is made, or was made last.
struct {
  OwnRecording recording;
  Options options;
  char path[kPathRoom];
} g_own;
RecordingFile g_file;
DesktopSwitch g_switch;
Atomic<u32> g_running;
Atomic<OwnResult> g_result;

int connect_to_agent() {
  int fd;
  for (const i64 until = now_ns() + kConnectNs; (fd = connect_abstract(g_own.options.listen)) < 0 && now_ns() < until;)
    sys::sleep_ns(kNsPerMs);
  return fd;
}

void* desktop_main(void*) {
  const int fd = connect_to_agent();
  OwnResult result = OwnResult::BrokenOff;
  if (fd >= 0) {
    Desktop desktop(fd, g_own.options, g_own.recording, g_file, g_own.path, g_switch);
    result = desktop.run();
  }
  g_file.close();
  g_result.store(result);
  g_running.store(0);
  return nullptr;
}

// Named as a desktop does it: others see that the app is being recorded. False: there are no random bytes.
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
  TextBuilder(options.listen).add("btrace-").number(sys::getpid()).add("-").hex(random.name, sizeof random.name);
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

i32 number(StartResult result) {
  return static_cast<i32>(result);
}
i32 number(OwnResult result) {
  return static_cast<i32>(result);
}

}  // namespace

i32 start_own_recording(const char* path, const OwnRecording& recording, Runtime& runtime) {
  SpinScope scope(g_calls);
  if (g_running.load()) return number(StartResult::AlreadyRecording);
  if (!make_options(g_own.options)) return number(StartResult::CannotConnect);
  // A recording that somebody else makes must not cost a file that is there.
  if (recording_in_progress()) return number(StartResult::AlreadyRecording);
  if (!copy_path(g_own.path, path) || !g_file.open(path)) return number(OwnResult::NoFile);
  const StartResult started = start_recording(g_own.options, runtime);
  if (started != StartResult::Started) {
    g_file.close();
    return number(started);
  }
  g_own.recording = recording;
  g_switch.stop_asked.store(0);
  g_switch.dump.store(DesktopSwitch::Dump::None);
  g_running.store(1);
  unsigned long thread;
  if (libc::thread_create(&thread, nullptr, desktop_main, nullptr) != 0) {
    g_file.close();
    g_running.store(0);
    return number(StartResult::NoThread);  // the agent ends by itself: nobody comes
  }
  libc::thread_detach(thread);
  wait_until_begun();
  return number(OwnResult::Done);
}

i32 stop_own_recording() {
  SpinScope scope(g_calls);
  if (g_running.load()) {
    g_switch.stop_asked.store(1);
    // The agent has more to take out of the program when everything is said: the next recording may begin after it.
    for (const i64 until = now_ns() + 2 * kEndNs; g_running.load() || recording_in_progress();) {
      if (now_ns() >= until) return number(OwnResult::TimedOut);
      sys::sleep_ns(kNsPerMs);
    }
  }
  return number(g_result.load());
}

i32 dump_own_recording(const char* path, u64 back_ns) {
  SpinScope scope(g_calls);
  if (!g_running.load()) return number(OwnResult::NotRecording);
  if (g_own.recording.config.policy != Policy::Ring) return number(OwnResult::NotARing);
  // The last one took too long, and goes on.
  if (g_switch.dump.load() != DesktopSwitch::Dump::None) return number(OwnResult::TimedOut);
  if (!copy_path(g_switch.dump_path, path)) return number(OwnResult::NoFile);
  g_switch.dump_back_ns = back_ns;
  g_switch.dump.store(DesktopSwitch::Dump::Asked);
  for (const i64 until = now_ns() + kEndNs; now_ns() < until; sys::sleep_ns(kNsPerMs)) {
    // In this order: what was begun is answered before the recording is over.
    const bool over = !g_running.load();
    if (g_switch.dump.load() == DesktopSwitch::Dump::None) return number(g_switch.dump_result.load());
    if (over) return number(OwnResult::NotRecording);
  }
  return number(OwnResult::TimedOut);
}

}  // namespace btrace
