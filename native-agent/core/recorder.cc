#include "core/recorder.h"

#include "base/clock.h"
#include "core/conversation.h"
#include "os/linux/socket.h"

namespace btrace {

namespace {

// A desktop that is told of the attach comes at once; one that does not come leaves nothing behind.
constexpr i64 kAcceptTimeoutNs = 30 * kNsPerSecond;
constexpr i64 kAcceptEveryNs = 100 * kNsPerMs;

enum class State : u32 { Idle, Running };
Atomic<State> g_state;
RecordingSwitch g_switch;

struct StartRequest {
  int fd;  // connected, or listening when the options say so
  Options options;
  Runtime* runtime;
};
StartRequest g_request;
// Written by the recorder's thread before a runtime can ask.
u32 g_strangers, g_last_stranger;

// Through adb the peer is the shell's.
bool may_talk_to(u32 uid) {
  constexpr u32 kShellUid = 2000;
  return uid == sys::getuid() || uid == 0 || uid == kShellUid;
}

// The first connection by somebody who may; others are closed. Negative when nobody came in time.
int accept_desktop(int listener) {
  const i64 until = now_ns() + kAcceptTimeoutNs;
  int fd = -1;
  g_strangers = 0;
  while (fd < 0 && now_ns() < until && !g_switch.finish_asked.load()) {
    fd = accept_within(listener, min_of(until - now_ns(), kAcceptEveryNs));
    if (const u32 uid = fd >= 0 ? peer_uid(fd) : 0; fd >= 0 && !may_talk_to(uid)) {
      g_strangers++;
      g_last_stranger = uid;
      sys::close(fd);
      fd = -1;
    }
  }
  sys::close(listener);
  return fd;
}

void* recorder_main(void*) {
  int fd = g_request.options.listen[0] ? accept_desktop(g_request.fd) : g_request.fd;
  if (fd >= 0) {
    Conversation conversation(fd, g_request.options, *g_request.runtime, g_switch);
    conversation.run();
  }
  g_state.store(State::Idle);
  return nullptr;
}

StartResult connect(const Options& options, int& fd) {
  if (options.listen[0]) {
    fd = listen_abstract(options.listen);
    return fd < 0 ? StartResult::CannotConnect : StartResult::Started;
  }
  fd = connect_path(options.socket);
  if (fd < 0) return StartResult::CannotConnect;
  if (may_talk_to(peer_uid(fd))) return StartResult::Started;
  sys::close(fd);
  return StartResult::WrongPeer;
}

}  // namespace

bool recording_in_progress() {
  return g_state.load() != State::Idle;
}

u32 strangers_turned_away(u32& last_uid) {
  last_uid = g_last_stranger;
  return g_strangers;
}

StartResult start_recording(const char* text, Runtime& runtime) {
  Options options;
  return parse_options(text, options) ? start_recording(options, runtime) : StartResult::BadOptions;
}

StartResult start_recording(const Options& options, Runtime& runtime) {
  State idle = State::Idle;
  if (!g_state.swap_if(idle, State::Running)) return StartResult::AlreadyRecording;
  g_switch.finish_asked.store(0);
  g_switch.begun.store(0);
  int fd = -1;
  StartResult result = connect(options, fd);
  if (result == StartResult::Started) {
    g_request = {fd, options, &runtime};
    unsigned long thread;
    if (libc::thread_create(&thread, nullptr, recorder_main, nullptr) == 0) {
      libc::thread_detach(thread);
      return StartResult::Started;
    }
    sys::close(fd);
    result = StartResult::NoThread;
  }
  g_state.store(State::Idle);
  return result;
}

void wait_until_begun() {
  const i64 until = now_ns() + g_request.options.wait_ms * kNsPerMs;
  while (!g_switch.begun.load() && recording_in_progress() && now_ns() < until) sys::sleep_ns(kNsPerMs);
}

void finish_recording(EndReason reason, const char* detail, i64 wait_ns) {
  if (!recording_in_progress()) return;
  g_switch.finish_reason.store(static_cast<u32>(reason));
  g_switch.finish_detail.store(detail);
  g_switch.finish_asked.store(1);
  for (i64 until = now_ns() + wait_ns; recording_in_progress() && now_ns() < until;) sys::sleep_ns(kNsPerMs);
}

}  // namespace btrace
