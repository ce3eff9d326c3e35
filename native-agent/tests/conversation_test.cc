// A recording as the desktop sees it, over a real socket: here the desktop is the test.
#include "core/conversation.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "base/clock.h"
#include "core/capture.h"
#include "fake_runtime.h"
#include "harness.h"
#include "os/linux/socket.h"

using namespace btrace;

namespace {

constexpr i64 kLongNs = 60 * kNsPerSecond;

struct SlowRuntime : FakeRuntime {
  std::function<void()> installing = [] {};
  void install(Session& session) override {
    installing();
    FakeRuntime::install(session);
  }
  // Naming is what keeps a drain behind.
  bool name_class(u64 key, NameSink& sink) override {
    sys::sleep_ns(20 * kNsPerUs);
    return FakeRuntime::name_class(key, sink);
  }
};

struct Talk {
  SlowRuntime runtime;
  RecordingSwitch asked{};
  Options options;
  int ends[2];
  std::thread agent;
  Bytes sent;  // its pages are mapped before the agent's thread maps any: addresses that change hands are races to TSan
  std::vector<u8> received;

  explicit Talk(u8 token = 7, std::function<void()> installing = [] {}) {
    runtime.installing = installing;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) abort();
    sent.append("", 1);
    memset(options.token, 7, sizeof options.token);
    memset(options.answer, 8, sizeof options.answer);
    agent = std::thread([this] { Conversation(ends[0], options, runtime, asked).run(); });
    u8 bytes[Options::kTokenBytes];
    memset(bytes, token, sizeof bytes);
    say(ChunkKind::Hello, [&](Bytes& out) {
      put_field(out, 1, kFormatMajor);
      put_bytes_field(out, 2, bytes, sizeof bytes);
      Nested config(out, 3);
      put_field(out, 3, 2 * kMiB);
    });
  }
  ~Talk() {
    leave();
    sent.release();
  }
  void leave() {
    if (!agent.joinable()) return;
    close(ends[1]);
    agent.join();
  }

  template <class Body>
  void say(ChunkKind kind, Body body) {
    sent.clear();
    size_t begin = begin_chunk(sent);
    body(sent);
    end_chunk(sent, begin, kind, 0);
    if (send(ends[1], sent.data(), sent.size(), MSG_NOSIGNAL) < 0) abort();
  }

  void command(CommandKind kind) {
    say(ChunkKind::Command, [&](Bytes& out) { put_field(out, 1, static_cast<u64>(kind)); });
  }

  // False when the agent closes, or says nothing of that kind for long.
  bool hears(ChunkKind kind) {
    for (i64 until = now_ns() + kLongNs; now_ns() < until;) {
      ChunkView chunk{};
      for (size_t used; parse_chunk(received.data(), received.size(), chunk, used) == ChunkResult::Complete;) {
        received.erase(received.begin(), received.begin() + static_cast<ptrdiff_t>(used));
        if (chunk.kind == kind) return true;
      }
      u8 part[64 * 1024];
      wait_socket(ends[1], false, kNsPerSecond);
      ssize_t got = recv(ends[1], part, sizeof part, 0);
      if (got == 0) return false;
      if (got > 0) received.insert(received.end(), part, part + got);
    }
    return false;
  }
};

// Captures as fast as it can, and each time something that has no name yet.
struct BusyThread {
  std::atomic<bool> done{false};
  std::thread thread{[this] {
    for (u64 number = 0; !done; number++) {
      Capture capture;
      if (!capture.begin(g_threads.mine(), SampleKind::Allocation, true)) continue;
      capture.frames()[0] = {1, 0};
      capture.row().type = 100 + number;
      capture.commit(1);
    }
  }};
  ~BusyThread() {
    done = true;
    thread.join();
  }
};

TEST("conversation: one who does not know the token hears nothing") {
  Talk talk(9);
  CHECK(!talk.hears(ChunkKind::Welcome));
}

TEST("conversation: the welcome does not wait for the hooks, the header does") {
  std::atomic<bool> welcomed{false}, installed{false};
  Talk talk(7, [&] {
    while (!welcomed) std::this_thread::yield();
    installed = true;
  });
  CHECK(talk.hears(ChunkKind::Welcome));
  welcomed = true;
  CHECK(talk.hears(ChunkKind::Header));
  CHECK(installed);
}

TEST("conversation: it ends when asked to, however far behind it is and whatever goes on being captured") {
  BusyThread busy;
  Talk talk;
  CHECK(talk.hears(ChunkKind::Samples));
  talk.command(CommandKind::Stop);
  CHECK(talk.hears(ChunkKind::Goodbye));
}

TEST("conversation: a desktop that is gone ends it") {
  Talk talk;
  CHECK(talk.hears(ChunkKind::Status));
  talk.leave();
  CHECK(!active_session_id());
}

}  // namespace
