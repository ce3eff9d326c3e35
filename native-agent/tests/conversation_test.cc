// A recording as the desktop sees it, over a real socket: here the desktop is the test.
#include "core/conversation.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "base/clock.h"
#include "core/capture.h"
#include "core/recorder.h"
#include "fake_runtime.h"
#include "harness.h"
#include "os/socket.h"

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

  explicit Talk(u8 token = 7, std::function<void()> installing = [] {}) : Talk(Silent{}, installing) {
    u8 bytes[Options::kTokenBytes];
    memset(bytes, token, sizeof bytes);
    say(ChunkKind::Hello, [&](Bytes& out) {
      put_field(out, 1, kFormatMajor);
      put_bytes_field(out, 2, bytes, sizeof bytes);
      Nested config(out, 3);
      put_field(out, 3, 2 * kMiB);
    });
  }
  // A desktop that says nothing of itself.
  struct Silent {};
  explicit Talk(Silent, std::function<void()> installing = [] {}) {
    runtime.installing = installing;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) abort();
    sent.append("", 1);
    memset(options.token, 7, sizeof options.token);
    memset(options.answer, 8, sizeof options.answer);
    agent = std::thread([this] { Conversation(ends[0], options, runtime, asked).run(); });
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
      wait_socket(ends[1], true, false, kNsPerSecond);
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
      if (!capture.begin(g_threads.current_record(), SampleKind::Allocation, true)) continue;
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

TEST("conversation: a program that ends waits for none in which nothing is urgent") {
  // On a busy machine one may take long; without a wake-up all of them do.
  constexpr i64 kSoonNs = 100 * kNsPerMs;
  Config config;
  config.policy = Policy::Ring;
  config.async_interval_ns = kNsPerSecond;
  config.memory_bytes = 2 * kMiB;
  CHECK(config.is_patient());
  i64 least_ns = kLongNs;
  for (int turn = 0; turn < 8 && least_ns > kSoonNs; turn++) {
    Talk talk(Talk::Silent{});
    talk.say(ChunkKind::Hello, [&](Bytes& out) {
      put_field(out, 1, kFormatMajor);
      put_bytes_field(out, 2, talk.options.token, sizeof talk.options.token);
      Nested nested(out, 3);
      put_config(out, config);
    });
    CHECK(talk.hears(ChunkKind::Hooks));
    sys::sleep_ns(50 * kNsPerMs);  // it waits by then: one that looks just now needs no wake-up
    const i64 asked_ns = now_ns();
    talk.asked.finish(EndReason::TargetExited, nullptr);
    CHECK(talk.hears(ChunkKind::Goodbye));
    least_ns = min_of(least_ns, now_ns() - asked_ns);
  }
  CHECK(least_ns <= kSoonNs);
}

TEST("recorder: it takes one connection, and closes a second one") {
  static FakeRuntime runtime;
  int first[2], second[2];
  CHECK(connected_pair(first) && connected_pair(second));
  CHECK(start_recording_on(first[0], {}, runtime) == StartResult::Started);
  CHECK(!may_start_recording());
  CHECK(start_recording_on(second[0], {}, runtime) == StartResult::AlreadyRecording);
  char byte;
  CHECK_EQUAL(recv(second[1], &byte, 1, MSG_DONTWAIT), ssize_t{0});
  close(second[1]);
  close(first[1]);
  for (const i64 until = now_ns() + kLongNs; !may_start_recording() && now_ns() < until;) sys::sleep_ns(kNsPerMs);
  CHECK(may_start_recording());
}

// What a desktop may say, and what it may not: a Hello and commands, each with numbers that nobody asks for, in any
// order, damaged, cut, and among chunks of other kinds.
std::vector<u8> hostile_words(u32 seed, const Options& options, Bytes& chunk) {
  std::mt19937 random(seed);
  auto below = [&](u32 most) { return static_cast<u32>(random() % most); };
  auto number = [&]() -> u64 {
    constexpr u64 kWild[] = {0, 1, 2, 63, 64, 1ull << 31, 1ull << 32, 1ull << 62, 1ull << 63, ~0ull};
    return below(3) ? kWild[below(sizeof kWild / sizeof kWild[0])] : random();
  };
  std::vector<u8> words;
  auto say = [&](ChunkKind kind, auto body) {
    chunk.clear();
    size_t begin = begin_chunk(chunk);
    body(chunk);
    const u32 payload = static_cast<u32>(chunk.size() - begin - kChunkHeaderBytes);
    if (payload && !below(8)) chunk.data()[begin + kChunkHeaderBytes + below(payload)] ^= static_cast<u8>(random());
    end_chunk(chunk, begin, kind, static_cast<u32>(number()));
    if (!below(20)) chunk.data()[below(static_cast<u32>(chunk.size()))] ^= static_cast<u8>(1u << below(8));
    words.insert(words.end(), chunk.data(),
                 chunk.data() + (below(40) ? chunk.size() : below(static_cast<u32>(chunk.size()))));
  };
  if (below(10))
    say(ChunkKind::Hello, [&](Bytes& out) {
      put_field(out, 1, below(20) ? kFormatMajor : number());
      put_bytes_field(out, 2, options.token, below(20) ? sizeof options.token : below(sizeof options.token));
      Nested config(out, 3);
      for (u32 field = 1; field <= 10; field++) {
        if (!below(3)) continue;
        if (field == 7 && below(2)) {
          Nested kinds(out, 7);
          for (u32 left = below(70); left; left--) put_varint(out, number());
        } else {
          put_field(out, field, field == 4 ? below(4) : number());
        }
      }
    });
  for (u32 left = below(20); left; left--) {
    if (!below(6)) {
      say(static_cast<ChunkKind>(below(70)), [&](Bytes& out) {
        for (u32 bytes = below(200); bytes; bytes--) out.put(static_cast<u8>(random()));
      });
    } else {
      say(ChunkKind::Command, [&](Bytes& out) {
        put_field(out, 1, below(4) ? 3 : number());
        put_field(out, 2, number());
      });
    }
  }
  return words;
}

TEST("conversation: whatever a desktop says, it ends when that one is gone") {
  for (u32 seed = 1; seed <= 200; seed++) {
    Talk talk(Talk::Silent{});
    const std::vector<u8> words = hostile_words(seed, talk.options, talk.sent);
    if (send(talk.ends[1], words.data(), words.size(), MSG_NOSIGNAL) < 0) abort();
    if (seed % 2) {  // it listens to the end
      shutdown(talk.ends[1], SHUT_WR);
      CHECK(!talk.hears(ChunkKind::Hello));
    }
    talk.leave();
    CHECK(!active_session_id());
  }
}

TEST("conversation: what it holds of what comes is bounded, however long a chunk says that it is") {
  std::vector<u8> flood(kMaxChunkPayload / 8, 0x55);
  Bytes chunk;
  size_t begin = begin_chunk(chunk);
  chunk.append("", 1);
  end_chunk(chunk, begin, ChunkKind::Command, 0);
  for (bool endless : {true, false}) {
    // Of one endless chunk, or of as many small ones as there is room for.
    if (endless) {
      memcpy(flood.data(), chunk.data(), kChunkHeaderBytes);
      for (int at : {12, 16}) memcpy(flood.data() + at, &kMaxChunkPayload, 4);
    } else {
      for (size_t at = 0; at + chunk.size() <= flood.size(); at += chunk.size())
        memcpy(flood.data() + at, chunk.data(), chunk.size());
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) abort();
    Connection connection(ends[0]);
    size_t said = 0, most = 0, heard = 0;
    while (connection.is_open() && said < flood.size()) {
      ssize_t sent = send(ends[1], flood.data() + said, flood.size() - said, MSG_NOSIGNAL);
      if (sent > 0) said += static_cast<size_t>(sent);
      connection.pump(0);
      most = max_of(most, connection.held_bytes());
      for (ChunkView view{}; connection.next(view);) heard++;
    }
    CHECK_EQUAL(connection.is_open(), !endless);
    CHECK_EQUAL(heard > 1000, !endless);
    CHECK(most <= 256 * 1024);
    connection.release();
    close(ends[1]);
  }
  chunk.release();
}

TEST("conversation: a desktop takes chunks that are as long as an agent makes them") {
  std::vector<u8> rows(1024 * 1024, 0x55);
  Bytes said;
  for (u32 sequence = 0; sequence < 3; sequence++) {
    const size_t begin = begin_chunk(said);
    said.append(rows.data(), rows.size() >> sequence);
    end_chunk(said, begin, ChunkKind::Samples, sequence);
  }
  for (bool is_desktop : {true, false}) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) abort();
    Connection connection(ends[0], is_desktop ? Connection::kLongestOfAgent : Connection::kLongestOfDesktop);
    std::vector<size_t> heard;
    for (size_t at = 0; connection.is_open() && heard.size() < 3;) {
      const ssize_t sent = send(ends[1], said.data() + at, said.size() - at, MSG_NOSIGNAL);
      if (sent > 0) at += static_cast<size_t>(sent);
      connection.pump(0);
      for (ChunkView view{}; connection.next(view);) heard.push_back(view.size);
    }
    CHECK_EQUAL(connection.is_open(), is_desktop);
    CHECK_EQUAL(heard.size(), is_desktop ? 3u : 0u);
    for (size_t i = 0; i < heard.size(); i++) CHECK_EQUAL(heard[i], rows.size() >> i);
    connection.release();
    close(ends[1]);
  }
  said.release();
}

TEST("conversation: who is not listened to any more wakes nobody, and is seen to go") {
  std::vector<u8> flood(64 * 1024, 0x55);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends)) abort();
  Connection connection(ends[0]);
  // As much as is taken here, and as much as the kernel holds then.
  while (send(ends[1], flood.data(), flood.size(), MSG_NOSIGNAL) > 0) connection.pump(0);
  const i64 begin_ns = now_ns();
  connection.pump(20 * kNsPerMs);
  CHECK(now_ns() - begin_ns >= 20 * kNsPerMs);
  CHECK(connection.is_open());
  close(ends[1]);
  connection.pump(kLongNs);
  CHECK(!connection.is_open());
  connection.release();
}

// One short thread after the other, each told from its begin to its end as a runtime does it.
struct ThreadChurn {
  static constexpr u64 kEntry = 77;
  std::atomic<bool> done{false};
  std::atomic<u32> ended{0};
  std::thread threads[3];

  static void live() {
    ThreadRecord& record = *g_threads.current_record();
    record.begin_ns.store_relaxed(now_ns());
    if (Session* session = active_session()) begin_thread(*session, record, kEntry);
    for (u64 number = 0; number < 20; number++) {
      Capture capture;
      if (!capture.begin(&record, SampleKind::Allocation, true)) continue;
      capture.frames()[0] = {1 + number, 0};
      capture.commit(1);
    }
    Capture end;
    end.tell_end(&record, {kEntry, -1});
    g_threads.end(record, !session_is_open());
  }

  ThreadChurn() {
    for (std::thread& thread : threads)
      thread = std::thread([this] {
        for (; !done; ended++) std::thread(live).join();
      });
  }
  ~ThreadChurn() {
    done = true;
    for (std::thread& thread : threads) thread.join();
  }
};

TEST("conversation: threads that come and go bear recordings that come and go") {
  ThreadChurn churn;
  u32 whole = 0;
  for (const i64 until = now_ns() + kNsPerSecond; now_ns() < until || whole < 3;) {
    // One who is not let in, one who leaves in the middle, one who stays to the end.
    CHECK(!Talk(9).hears(ChunkKind::Welcome));
    CHECK(Talk().hears(ChunkKind::Header));
    Talk talk;
    CHECK(talk.hears(ChunkKind::Samples));
    talk.command(CommandKind::Stop);
    if (talk.hears(ChunkKind::Goodbye)) whole++;
    talk.leave();
    CHECK(!active_session_id());
  }
  CHECK(churn.ended > 20);
}

TEST("conversation: a desktop that is gone ends it") {
  Talk talk;
  CHECK(talk.hears(ChunkKind::Status));
  talk.leave();
  CHECK(!active_session_id());
}

}  // namespace
