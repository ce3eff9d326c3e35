#include "agent/own_recording.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/libc.h"
#include "base/spin.h"
#include "core/chunk.h"
#include "core/proto.h"
#include "os/linux/socket.h"

namespace btrace {

namespace {

constexpr i64 kLookEveryNs = 100 * kNsPerMs;
constexpr i64 kConnectNs = 2 * kNsPerSecond;
// Longer than the agent takes to say goodbye.
constexpr i64 kEndNs = 15 * kNsPerSecond;
constexpr u32 kBeginMs = 5000;
constexpr size_t kPathRoom = 1024;
constexpr char kMagic[] = "BTRACE\r\n";
constexpr long kAtCwd = -100, kReadOnly = 0, kWriteNew = 01 | 0100 | 01000, kCloexec = 02000000, kOwnerOnly = 0600;

int open_file(const char* path, long how) {
  return static_cast<int>(
      sys::call(sys::kOpenat, kAtCwd, reinterpret_cast<long>(path), how | kCloexec, how == kReadOnly ? 0 : kOwnerOnly));
}

// A recording's file: whole after each chunk.
class Output {
 public:
  bool is_open() const { return fd_ >= 0; }
  bool failed() const { return failed_; }
  u64 bytes() const { return bytes_; }

  bool open(const char* path) {
    fd_ = open_file(path, kWriteNew);
    failed_ = false;
    bytes_ = 0;
    sequence_ = 0;
    if (fd_ < 0) return false;
    write(kMagic, sizeof kMagic - 1);
    return true;
  }
  // Goes on where `other`, whose file is at `path`, is.
  bool copy(const Output& other, const char* path) {
    int from = open_file(path, kReadOnly);
    if (from < 0) return false;
    u8 part[16 * 1024];
    // The beginning is there already.
    bool skipped = read_exactly(from, part, sizeof kMagic - 1);
    for (u64 left = other.bytes_ - (sizeof kMagic - 1); skipped && left && !failed_;) {
      const size_t size = min_of<u64>(left, sizeof part);
      skipped = read_exactly(from, part, size);
      if (skipped) write(part, size);
      left -= size;
    }
    sys::close(from);
    sequence_ = other.sequence_;
    return skipped && !failed_;
  }
  // Numbered anew, as every writer of a file does.
  void put(ChunkKind kind, const u8* payload, size_t size) {
    chunk_.clear();
    const size_t begin = begin_chunk(chunk_);
    chunk_.append(payload, size);
    end_chunk(chunk_, begin, kind, sequence_++);
    if (chunk_.failed())
      failed_ = true;
    else
      write(chunk_.data(), chunk_.size());
  }
  void finish(i64 end_ns, u64 reason, const u8* detail, size_t detail_size) {
    Bytes footer;
    put_signed_field(footer, 1, end_ns);
    put_field(footer, 2, reason);
    put_bytes_field(footer, 3, detail, detail_size);
    put(ChunkKind::Footer, footer.data(), footer.size());
    footer.release();
    close();
  }
  void close() {
    if (fd_ >= 0) sys::close(fd_);
    fd_ = -1;
    chunk_.release();
  }

 private:
  static bool read_exactly(int fd, u8* to, size_t size) {
    for (long got; size; to += got, size -= static_cast<size_t>(got)) {
      got = sys::call(sys::kRead, fd, reinterpret_cast<long>(to), static_cast<long>(size));
      if (got == -sys::kEintr)
        got = 0;
      else if (got <= 0)
        return false;
    }
    return true;
  }
  void write(const void* from, size_t size) {
    auto at = static_cast<const u8*>(from);
    bytes_ += size;
    for (long written; size && !failed_; at += written, size -= static_cast<size_t>(written)) {
      written = sys::call(sys::kWrite, fd_, reinterpret_cast<long>(at), static_cast<long>(size));
      if (written == -sys::kEintr) written = 0;
      // What is torn now is passed over by who reads it.
      failed_ = written < 0;
      if (failed_) return;
    }
  }

  int fd_ = -1;
  bool failed_ = false;
  u64 bytes_ = 0;
  u32 sequence_ = 0;
  Bytes chunk_;
};

// Of the ring's stretch alone; every other kind holds for the whole recording.
bool is_of_ring(ChunkKind kind) {
  return kind == ChunkKind::Samples || kind == ChunkKind::Links || kind == ChunkKind::Counters ||
         kind == ChunkKind::Losses;
}

enum class Phase : u32 { Idle, Recording, Ending };
enum class Ask : u32 { Nothing, Dump, Dumping };

class Desktop {
 public:
  Atomic<Phase> phase;
  Atomic<Ask> ask;
  Atomic<u32> stop_asked;
  Atomic<i32> dump_result;
  Atomic<i32> result;
  OwnRecording recording;
  char path[kPathRoom];
  char dump_path[kPathRoom];
  u64 dump_back_ns;
  char name[64];
  u8 token[16];
  u8 answer[16];
  Output file;

  void run();

 private:
  bool enter();
  void converse();
  bool take(const ChunkView& chunk);
  bool say_goodbye(const ChunkView& chunk);
  void begin_dump();
  void end_dump(OwnResult how);
  void send(ChunkKind kind, const Bytes& payload);
  void command(CommandKind kind, u64 dump_ns = 0);
  i64 elapsed_ns() const { return now_ns() - origin_ns_; }

  int fd_;
  u32 sequence_;
  i64 origin_ns_;
  bool stopping_;
  bool full_;     // that is why
  bool dumping_;  // the agent sends what the ring holds
  Output dump_;
  Bytes in_;
};
Desktop g_desktop;
Spin g_calls;  // start and stop come one at a time

void Desktop::send(ChunkKind kind, const Bytes& payload) {
  Bytes out;
  const size_t begin = begin_chunk(out);
  out.append(payload.data(), payload.size());
  end_chunk(out, begin, kind, sequence_++);
  for (size_t sent = 0; !out.failed() && sent < out.size();) {
    IoResult moved = send_some(fd_, out.data() + sent, out.size() - sent);
    if (moved.closed) break;
    if (moved.bytes > 0)
      sent += static_cast<size_t>(moved.bytes);
    else
      wait_socket(fd_, true, kLookEveryNs);
  }
  out.release();
}

void Desktop::command(CommandKind kind, u64 dump_ns) {
  Bytes payload;
  put_field(payload, 1, static_cast<u64>(kind));
  put_field(payload, 2, dump_ns);
  send(ChunkKind::Command, payload);
  payload.release();
}

bool Desktop::enter() {
  for (i64 until = now_ns() + kConnectNs; (fd_ = connect_abstract(name)) < 0 && now_ns() < until;)
    sys::sleep_ns(kNsPerMs);
  if (fd_ < 0) return false;
  Bytes hello;
  put_field(hello, 1, kFormatMajor);
  put_bytes_field(hello, 2, token, sizeof token);
  {
    Nested config(hello, 3);
    put_config(hello, recording.config);
  }
  send(ChunkKind::Hello, hello);
  hello.release();
  return true;
}

void Desktop::begin_dump() {
  ask.store(Ask::Dumping);
  if (!dump_.open(dump_path)) return end_dump(OwnResult::NoFile);
  if (!dump_.copy(file, path)) return end_dump(OwnResult::FileFailed);
  command(CommandKind::Dump, dump_back_ns);
  dumping_ = true;
}

void Desktop::end_dump(OwnResult how) {
  if (ask.load() != Ask::Dumping) return;
  if (dump_.is_open()) {
    if (how == OwnResult::Done) dump_.finish(elapsed_ns(), static_cast<u64>(EndReason::Dumped), nullptr, 0);
    if (dump_.failed()) how = OwnResult::FileFailed;
    dump_.close();
  }
  dump_result.store(static_cast<i32>(how));
  ask.store(Ask::Nothing);
}

// True when it was the last thing that the agent says.
bool Desktop::say_goodbye(const ChunkView& chunk) {
  u64 reason = 0;
  const u8* detail = nullptr;
  size_t detail_size = 0;
  FieldReader field(chunk.payload, chunk.size);
  while (field.next()) {
    if (field.field() == 1) reason = field.value();
    if (field.field() == 2 && field.is_bytes()) detail = field.bytes(), detail_size = field.size();
  }
  if (reason == static_cast<u64>(EndReason::Dumped)) {
    end_dump(OwnResult::Done);
    dumping_ = false;
    return false;
  }
  if (full_ && reason == static_cast<u64>(EndReason::Stopped)) {
    static constexpr char kWhy[] = "the limit of the file's size was reached";
    file.finish(elapsed_ns(), static_cast<u64>(EndReason::Limit), reinterpret_cast<const u8*>(kWhy), sizeof kWhy - 1);
  } else {
    file.finish(elapsed_ns(), reason, detail, detail_size);
  }
  return true;
}

// False when the conversation is over.
bool Desktop::take(const ChunkView& chunk) {
  if (chunk.kind == ChunkKind::Welcome) {
    FieldReader field(chunk.payload, chunk.size);
    while (field.next())
      if (field.field() == 1 && field.is_bytes())
        return field.size() == sizeof answer && !memcmp(field.bytes(), answer, sizeof answer);
    return false;
  }
  if (chunk.kind == ChunkKind::Goodbye) return !say_goodbye(chunk);
  if (chunk.kind == ChunkKind::Header) {
    FieldReader field(chunk.payload, chunk.size);
    while (field.next()) {
      if (field.field() != 4 || !field.is_bytes()) continue;
      FieldReader clock(field.bytes(), field.size());
      while (clock.next())
        if (clock.field() == 1) origin_ns_ = static_cast<i64>(clock.value());
    }
  }
  if (dump_.is_open()) {
    dump_.put(chunk.kind, chunk.payload, chunk.size);
    if (dump_.failed()) end_dump(OwnResult::FileFailed);
  }
  if (dumping_ && is_of_ring(chunk.kind)) return true;
  file.put(chunk.kind, chunk.payload, chunk.size);
  if (!file.failed()) return true;
  result.store(static_cast<i32>(OwnResult::FileFailed));
  return false;
}

void Desktop::converse() {
  i64 ends_ns = INT64_MAX;
  while (now_ns() < ends_ns) {
    if (!stopping_) full_ = recording.max_bytes && file.bytes() >= recording.max_bytes;
    if (!stopping_ && (stop_asked.load() || full_)) {
      stopping_ = true;
      ends_ns = now_ns() + kEndNs;
      command(CommandKind::Stop);
    }
    if (!stopping_ && !dumping_ && ask.load() == Ask::Dump) begin_dump();
    if (wait_socket(fd_, false, kLookEveryNs).readable) {
      u8 part[8 * 1024];
      IoResult got = receive_some(fd_, part, sizeof part);
      if (got.bytes > 0) in_.append(part, static_cast<size_t>(got.bytes));
      if (got.closed || in_.failed()) return;
    }
    ChunkView chunk;
    size_t used, taken = 0;
    ChunkResult parsed;
    while ((parsed = parse_chunk(in_.data() + taken, in_.size() - taken, chunk, used)) == ChunkResult::Complete) {
      taken += used;
      if (!take(chunk)) return;
    }
    if (parsed == ChunkResult::Broken) return;
    in_.drop_front(taken);
  }
}

void Desktop::run() {
  fd_ = -1;
  sequence_ = 0;
  stopping_ = full_ = dumping_ = false;
  origin_ns_ = now_ns();
  if (enter()) converse();
  phase.store(Phase::Ending);
  if (fd_ >= 0) sys::close(fd_);
  // Somebody asked just now.
  Ask dump = Ask::Dump;
  ask.swap_if(dump, Ask::Dumping);
  end_dump(OwnResult::NotRecording);
  file.close();
  in_.release();
  phase.store(Phase::Idle);
}

void* desktop_main(void*) {
  g_desktop.run();
  return nullptr;
}

bool read_random(u8* to, size_t size) {
  const int fd = open_file("/dev/urandom", kReadOnly);
  if (fd < 0) return false;
  const long got = sys::call(sys::kRead, fd, reinterpret_cast<long>(to), static_cast<long>(size));
  sys::close(fd);
  return got == static_cast<long>(size);
}

// What the agent is told, piece by piece.
struct Text {
  char* at;
  Text& add(const char* text) {
    while (*text) *at++ = *text++;
    *at = 0;
    return *this;
  }
  Text& hex(const u8* bytes, size_t size) {
    constexpr char kDigits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) *at++ = kDigits[bytes[i] >> 4], *at++ = kDigits[bytes[i] & 15];
    *at = 0;
    return *this;
  }
  Text& number(u32 value) {
    char digits[12];
    u32 count = 0;
    do digits[count++] = static_cast<char>('0' + value % 10);
    while (value /= 10);
    while (count) *at++ = digits[--count];
    *at = 0;
    return *this;
  }
};

bool copy_path(char (&to)[kPathRoom], const char* from) {
  const size_t length = strlen(from);
  if (!length || length >= kPathRoom) return false;
  memcpy(to, from, length + 1);
  return true;
}

// Until the next recording may begin.
bool wait_for_idle(i64 limit_ns) {
  for (i64 until = now_ns() + limit_ns; g_desktop.phase.load() != Phase::Idle || recording_in_progress();) {
    if (now_ns() >= until) return false;
    sys::sleep_ns(kNsPerMs);
  }
  return true;
}

}  // namespace

i32 start_own_recording(const char* path, const OwnRecording& recording, StartResult (*begin)(const char* options)) {
  SpinScope scope(g_calls);
  Desktop& desktop = g_desktop;
  if (desktop.phase.load() != Phase::Idle) return static_cast<i32>(StartResult::AlreadyRecording);
  u8 random[8];
  if (!read_random(random, sizeof random) || !read_random(desktop.token, sizeof desktop.token) ||
      !read_random(desktop.answer, sizeof desktop.answer))
    return static_cast<i32>(StartResult::CannotConnect);
  // As a desktop calls it: others see that the app is being recorded.
  Text{desktop.name}.add("btrace-").number(sys::getpid()).add("-").hex(random, sizeof random);
  char options[256];
  Text{options}.add("listen=").add(desktop.name).add(",token=").hex(desktop.token, sizeof desktop.token);
  Text{options + strlen(options)}.add(",answer=").hex(desktop.answer, sizeof desktop.answer);
  Text{options + strlen(options)}.add(",wait=").number(kBeginMs);
  // A recording that somebody else makes must not cost a file that is there.
  if (recording_in_progress()) return static_cast<i32>(StartResult::AlreadyRecording);
  if (!copy_path(desktop.path, path) || !desktop.file.open(path)) return static_cast<i32>(OwnResult::NoFile);
  const StartResult started = begin(options);
  if (started != StartResult::Started) {
    desktop.file.close();
    return static_cast<i32>(started);
  }
  desktop.recording = recording;
  desktop.stop_asked.store(0);
  desktop.ask.store(Ask::Nothing);
  desktop.result.store(0);
  desktop.phase.store(Phase::Recording);
  unsigned long thread;
  if (libc::thread_create(&thread, nullptr, desktop_main, nullptr) != 0) {
    desktop.file.close();
    desktop.phase.store(Phase::Idle);
    return static_cast<i32>(StartResult::NoThread);  // the agent ends by itself: nobody comes
  }
  libc::thread_detach(thread);
  wait_until_begun();
  return 0;
}

i32 stop_own_recording() {
  SpinScope scope(g_calls);
  if (g_desktop.phase.load() != Phase::Idle) {
    g_desktop.stop_asked.store(1);
    if (!wait_for_idle(2 * kEndNs)) return static_cast<i32>(OwnResult::TimedOut);
  }
  return g_desktop.result.load();
}

i32 dump_own_recording(const char* path, u64 back_ns) {
  SpinScope scope(g_calls);
  Desktop& desktop = g_desktop;
  if (desktop.phase.load() != Phase::Recording) return static_cast<i32>(OwnResult::NotRecording);
  if (desktop.recording.config.policy != Policy::Ring) return static_cast<i32>(OwnResult::NotARing);
  if (!copy_path(desktop.dump_path, path)) return static_cast<i32>(OwnResult::NoFile);
  desktop.dump_back_ns = back_ns;
  desktop.dump_result.store(static_cast<i32>(OwnResult::NotRecording));
  desktop.ask.store(Ask::Dump);
  for (i64 until = now_ns() + kEndNs; desktop.ask.load() != Ask::Nothing;) {
    if (now_ns() >= until) return static_cast<i32>(OwnResult::TimedOut);
    // It has ended between the two looks.
    if (desktop.phase.load() == Phase::Idle) return static_cast<i32>(OwnResult::NotRecording);
    sys::sleep_ns(kNsPerMs);
  }
  return desktop.dump_result.load();
}

}  // namespace btrace
