#include "agent/listener.h"

#include "base/libc.h"
#include "core/recorder.h"
#include "os/darwin/loopback.h"
#include "os/machine.h"
#include "os/process.h"
#include "os/signal.h"
#include "os/socket.h"

namespace btrace {

namespace {

constexpr i64 kAcceptNs = 3600 * kNsPerSecond;
constexpr i64 kLookEveryNs = 50 * kNsPerMs;
constexpr i64 kAfterFailureNs = kNsPerSecond;

struct {
  int listener;
  Options options;
  Runtime* runtime;
} g_door;

// The token decides who may record: a port of the device does not say who connects to it.
void* door_main(void*) {
  block_all_signals();
  become_agent_thread("btrace door");
  for (;;) {
    const int fd = accept_within(g_door.listener, kAcceptNs);
    if (fd < 0) {
      sleep_ns(kAfterFailureNs);
      continue;
    }
    start_recording_on(fd, g_door.options, *g_door.runtime);
    while (recording_in_progress()) sleep_ns(kLookEveryNs);
  }
  return nullptr;
}

}  // namespace

bool listen_for_desktops(const Options& options, Runtime& runtime) {
  const int listener = listen_loopback(static_cast<u16>(options.port));
  if (listener < 0) return false;
  g_door = {listener, options, &runtime};
  unsigned long thread;
  if (libc::thread_create(&thread, nullptr, door_main, nullptr) != 0) {
    close_file(listener);
    return false;
  }
  libc::thread_detach(thread);
  return true;
}

}  // namespace btrace
