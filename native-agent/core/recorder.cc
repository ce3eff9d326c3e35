#include "core/recorder.h"

#include "base/clock.h"
#include "core/conversation.h"
#include "os/process.h"
#include "os/socket.h"

namespace btrace {

namespace {

// A desktop that is told of the attach comes at once; one that does not come leaves nothing behind.
constexpr i64 kAcceptTimeoutNs = 30 * kNsPerSecond;
constexpr i64 kAcceptEveryNs = 100 * kNsPerMs;

enum class State : u32 { Idle, Running };
Atomic<State> g_state;
Atomic<u32> g_started;  // so many recordings
Atomic<u32> g_pid;  // the process that records: a forked child has a copy of all this, and no thread of ours
RecordingSwitch g_switch;

struct StartRequest {
  int fd;  // connected, or listening when the options say so
  Options options;
  Runtime* runtime;
};
StartRequest g_request;
// Written by the recorder's thread before a runtime can ask.
u32 g_strangers, g_last_stranger;

// The first connection by somebody who may; others are closed. Negative when nobody came in time.
int accept_desktop(int listener) {
  const i64 until = now_ns() + kAcceptTimeoutNs;
  int fd = -1;
  g_strangers = 0;
  while (fd < 0 && now_ns() < until && !g_switch.finish_asked.load()) {
    fd = accept_within(listener, min_of(until - now_ns(), kAcceptEveryNs));
    if (const u32 uid = fd >= 0 ? peer_uid(fd) : 0; fd >= 0 && !may_record_us(uid)) {
      g_strangers++;
      g_last_stranger = uid;
      close_file(fd);
      fd = -1;
    }
  }
  close_file(listener);
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
  if (may_record_us(peer_uid(fd))) return StartResult::Started;
  close_file(fd);
  return StartResult::WrongPeer;
}

}  // namespace

bool recording_in_progress() {
  return g_state.load() != State::Idle && g_pid.load_relaxed() == own_pid();
}

u32 recordings_started() {
  return g_started.load();
}

bool may_start_recording() {
  return g_state.load() == State::Idle;
}

u32 strangers_turned_away(u32& last_uid) {
  last_uid = g_last_stranger;
  return g_strangers;
}

StartResult start_recording(const char* text, Runtime& runtime) {
  Options options;
  return parse_options(text, options) ? start_recording(options, runtime) : StartResult::BadOptions;
}

namespace {

// `connect` gives the socket.
template <class Connect>
StartResult start(const Options& options, Runtime& runtime, Connect connect) {
  State idle = State::Idle;
  if (!g_state.swap_if(idle, State::Running)) return StartResult::AlreadyRecording;
  g_pid.store_relaxed(own_pid());
  g_switch.finish_asked.store(0);
  g_switch.begun.store(0);
  g_switch.sends_done.store(g_switch.sends_asked.load());
  int fd = -1;
  StartResult result = connect(fd);
  if (result == StartResult::Started) {
    g_request = {fd, options, &runtime};
    unsigned long thread;
    g_started.add(1);
    if (libc::thread_create(&thread, nullptr, recorder_main, nullptr) == 0) {
      libc::thread_detach(thread);
      return StartResult::Started;
    }
    close_file(fd);
    result = StartResult::NoThread;
  }
  g_state.store(State::Idle);
  return result;
}

}  // namespace

StartResult start_recording(const Options& options, Runtime& runtime) {
  return start(options, runtime, [&](int& fd) { return connect(options, fd); });
}

StartResult start_recording_on(int connected, const Options& options, Runtime& runtime) {
  Options here = options;
  here.listen[0] = 0;
  const StartResult started = start(here, runtime, [&](int& fd) {
    fd = connected;
    return StartResult::Started;
  });
  if (started == StartResult::AlreadyRecording) close_file(connected);
  return started;
}

void wait_until_begun() {
  wait_until_begun([] { sleep_ns(kNsPerMs); });
}

void wait_until_begun(void (*sleep)()) {
  const i64 until = now_ns() + g_request.options.wait_ms * kNsPerMs;
  while (!g_switch.begun.load() && recording_in_progress() && now_ns() < until) sleep();
}

void wait_until_begun(u32 wait_ms) {
  for (const i64 until = now_ns() + wait_ms * kNsPerMs; !g_switch.begun.load() && now_ns() < until;) sleep_ns(kNsPerMs);
}

void send_recorded(i64 wait_ns) {
  if (!recording_in_progress()) return;
  if (const SessionReader reader; reader.session() && reader.session()->config.policy == Policy::Ring)
    g_switch.finish(EndReason::Stopped, "the program was about to become another one (exec)");
  const u32 asked = g_switch.sends_asked.add(1) + 1;
  const auto is_out = [&] { return static_cast<i32>(g_switch.sends_done.load() - asked) >= 0; };
  for (i64 until = now_ns() + wait_ns; recording_in_progress() && !is_out() && now_ns() < until;) sleep_ns(kNsPerMs);
}

void finish_recording(EndReason reason, const char* detail, i64 wait_ns) {
  if (!recording_in_progress()) return;
  g_switch.finish(reason, detail);
  for (i64 until = now_ns() + wait_ns; recording_in_progress() && now_ns() < until;) sleep_ns(kNsPerMs);
}

}  // namespace btrace
