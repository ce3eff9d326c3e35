#include "core/recorder.h"

#include "base/clock.h"
#include "core/drain.h"
#include "core/outside.h"
#include "core/pace.h"
#include "os/linux/socket.h"

namespace btrace {

namespace {

constexpr i64 kDrainEveryNs = 100 * kNsPerMs;
constexpr i64 kStatusEveryNs = kNsPerSecond;
constexpr i64 kPaceEveryNs = 300 * kNsPerMs;
// A row that waits for an equal neighbour is sent at the latest after this.
constexpr i64 kPendingNs = kNsPerSecond;
constexpr i64 kHelloTimeoutNs = 10 * kNsPerSecond;
// A desktop that is told of the attach comes at once; one that does not come leaves nothing behind.
constexpr i64 kAcceptTimeoutNs = 30 * kNsPerSecond;
// What is still unsent at the end has this long to go.
constexpr i64 kFarewellNs = 10 * kNsPerSecond;
// With this much unsent the reader is slow: samples wait in their shards, and what does not fit there is counted.
constexpr size_t kUnsentLimit = 2 * kMiB;

enum class State : u32 { Idle, Running };
Atomic<State> g_state;
Atomic<u32> g_begun;
Atomic<u32> g_finish_asked;
Atomic<u32> g_finish_reason;
Atomic<const char*> g_finish_detail;

class Recorder {
 public:
  Recorder(int fd, const Options& options, Runtime& runtime) : fd_(fd), options_(options), runtime_(runtime) {}
  void run();

 private:
  bool receive_hello(Config& config);
  bool is_ours(const u8* token, size_t size) const;
  void record();
  void serve();
  void cut();
  void pump(i64 wait_ns);
  void receive();
  void obey(const ChunkView& chunk);
  void begin_dump(u64 back_ns);
  void cut_samples();
  void end(EndReason reason, const char* detail = nullptr);
  void farewell();
  void keep_pace(i64 now);
  u64 agent_cpu_ns();
  void start_sampler();
  static void* sampler_main(void* self);

  int fd_;
  Options options_;
  Runtime& runtime_;
  Session* session_ = nullptr;
  Drain drain_;
  Bytes out_;
  size_t sent_ = 0;  // of out_
  Bytes in_;
  u64 bytes_sent_ = 0;
  bool connected_ = true;
  bool ending_ = false;
  EndReason reason_ = EndReason::Stopped;
  const char* detail_ = nullptr;
  i64 next_status_ns_ = 0;
  // At the last step of the pace; 0: there was none yet.
  i64 paced_ns_ = 0;
  u64 paced_process_cpu_ns_ = 0;
  u64 paced_spent_ns_ = 0;
  Pace pace_;
  bool ring_ = false;
  bool dumping_ = false;
  Atomic<u32> sampler_asked_to_end_{};
  Atomic<u32> sampler_running_{};
  Atomic<u32> sampler_tid_{};
  i64 cpu_at_start_ns_ = 0;
  i64 sampler_cpu_ns_ = 0;
};

void Recorder::end(EndReason reason, const char* detail) {
  if (ending_) return;
  ending_ = true;
  reason_ = reason;
  detail_ = detail;
}

bool Recorder::is_ours(const u8* token, size_t size) const {
  if (size != Options::kTokenBytes) return false;
  u8 difference = 0;
  for (u32 i = 0; i < Options::kTokenBytes; i++) difference |= token[i] ^ options_.token[i];
  return difference == 0;
}

void Recorder::receive() {
  u8 part[4096];
  for (;;) {
    IoResult got = receive_some(fd_, part, sizeof part);
    if (got.closed) connected_ = false;
    if (got.bytes <= 0) return;
    in_.append(part, static_cast<size_t>(got.bytes));
  }
}

bool Recorder::receive_hello(Config& config) {
  constexpr size_t kLongestHello = 64 * 1024;
  for (i64 until = now_ns() + kHelloTimeoutNs; now_ns() < until && connected_;) {
    wait_socket(fd_, false, kDrainEveryNs);
    receive();
    ChunkView chunk;
    size_t used;
    ChunkResult result = parse_chunk(in_.data(), in_.size(), chunk, used);
    if (result == ChunkResult::NeedMore && in_.size() < kLongestHello) continue;
    if (result != ChunkResult::Complete || chunk.kind != ChunkKind::Hello) return false;
    bool known = false;
    u64 major = 0;
    FieldReader field(chunk.payload, chunk.size);
    while (field.next()) {
      if (field.field() == 1) major = field.value();
      if (field.field() == 2 && field.is_bytes()) known = is_ours(field.bytes(), field.size());
      if (field.field() == 3 && field.is_bytes() && !parse_config(field.bytes(), field.size(), config)) return false;
    }
    in_.drop_front(used);
    return known && major == kFormatMajor && !field.broken();
  }
  return false;
}

void Recorder::obey(const ChunkView& chunk) {
  if (chunk.kind != ChunkKind::Command) return;
  u64 kind = 0;
  u64 dump_ns = 0;
  FieldReader field(chunk.payload, chunk.size);
  while (field.next()) {
    if (field.field() == 1) kind = field.value();
    if (field.field() == 2) dump_ns = field.value();
  }
  switch (static_cast<CommandKind>(kind)) {
    case CommandKind::Stop: end(EndReason::Stopped); break;
    case CommandKind::Cancel: end(EndReason::Cancelled); break;
    case CommandKind::Dump:
      if (ring_) begin_dump(dump_ns);
      break;
    default: break;
  }
}

// The ring's samples go out while it stays as it is; Goodbye(DUMPED) says that they are all there.
void Recorder::begin_dump(u64 back_ns) {
  i64 now = session_->since_origin(now_ns());
  drain_.flush(0);
  drain_.begin_dump(back_ns ? now - static_cast<i64>(min_of<u64>(back_ns, static_cast<u64>(max_of<i64>(now, 0)))) : 0);
  dumping_ = true;
}

// Moves bytes both ways, waiting at most `wait_ns` for something to happen.
void Recorder::pump(i64 wait_ns) {
  bool unsent = sent_ < out_.size();
  Readiness ready = wait_socket(fd_, unsent, wait_ns);
  if (ready.readable) {
    receive();
    ChunkView chunk;
    size_t used;
    ChunkResult result;
    while ((result = parse_chunk(in_.data(), in_.size(), chunk, used)) == ChunkResult::Complete) {
      obey(chunk);
      in_.drop_front(used);
    }
    if (result == ChunkResult::Broken) connected_ = false;
  }
  while (unsent && connected_ && sent_ < out_.size()) {
    IoResult sent = send_some(fd_, out_.data() + sent_, out_.size() - sent_);
    if (sent.closed) connected_ = false;
    if (sent.bytes <= 0) break;
    sent_ += static_cast<size_t>(sent.bytes);
    bytes_sent_ += static_cast<u64>(sent.bytes);
  }
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
  }
  if (!connected_) end(EndReason::ConnectionLost);
}

void Recorder::cut_samples() {
  if (dumping_) {
    while (connected_ && drain_.cut_dump(out_))
      while (connected_ && out_.size() - sent_ > kUnsentLimit) pump(kDrainEveryNs);
    drain_.cut_texts(out_);
    drain_.cut_goodbye(out_, EndReason::Dumped, nullptr);
    dumping_ = false;
  }
  if (ring_) {
    drain_.trim(now_ns());
    drain_.turn_stacks(false);
    return;
  }
  bool more = true;
  while (connected_ && out_.size() - sent_ < kUnsentLimit && (more = drain_.cut_samples(out_))) pump(0);
  drain_.turn_stacks(!more);
}

// Of the agent's own threads since the recording began.
u64 Recorder::agent_cpu_ns() {
  u32 sampler = sampler_tid_.load();
  i64 sampler_cpu = sampler ? thread_cpu_ns(sampler) : -1;
  if (sampler_cpu > 0) sampler_cpu_ns_ = sampler_cpu;
  return static_cast<u64>(own_cpu_ns() - cpu_at_start_ns_ + sampler_cpu_ns_);
}

void Recorder::keep_pace(i64 now) {
  if (now - paced_ns_ < kPaceEveryNs) return;
  u64 process_cpu_ns = static_cast<u64>(clock_ns(kClockProcessCpu));
  u64 cpu_ns = process_cpu_ns - paced_process_cpu_ns_;
  if (paced_ns_) session_->events_ns.add_relaxed(runtime_.adapt(*session_, cpu_ns));
  u64 spent_ns = drain_.unforced_ns() + agent_cpu_ns();
  // The first step has the work of the start in it, which does not come again.
  if (paced_ns_)
    session_->stretch.store_relaxed(pace_.step(session_->config, now - paced_ns_, spent_ns - paced_spent_ns_, cpu_ns));
  paced_ns_ = now;
  paced_process_cpu_ns_ = process_cpu_ns;
  paced_spent_ns_ = spent_ns;
}

void Recorder::cut() {
  drain_.flush(kPendingNs);
  drain_.cut_texts(out_);
  cut_samples();
  drain_.cut_links(out_);
  drain_.cut_threads(out_);
  drain_.retire_threads(out_);
  i64 now = now_ns();
  if (!ending_) keep_pace(now);
  if (now >= next_status_ns_) {
    next_status_ns_ = now + kStatusEveryNs;
    drain_.cut_losses(out_);
    drain_.cut_status(out_, bytes_sent_, out_.capacity() + in_.capacity(), static_cast<i64>(agent_cpu_ns()));
  }
  if (session_->hooks_changed.load()) drain_.cut_hooks(out_);
}

void Recorder::serve() {
  while (!ending_) {
    i64 next_cut = now_ns() + kDrainEveryNs;
    // Comes back at once for a command; a socket that takes bytes again is served meanwhile.
    for (i64 now = now_ns(); now < next_cut && !ending_; now = now_ns()) {
      pump(next_cut - now);
      if (g_finish_asked.load()) end(static_cast<EndReason>(g_finish_reason.load()), g_finish_detail.load());
      if (session_->full.load_relaxed()) end(EndReason::Limit, "the memory for samples was full");
    }
    cut();
  }
}

void Recorder::farewell() {
  ring_ = false;
  drain_.flush(0);
  i64 until = now_ns() + kFarewellNs;
  while (connected_ && now_ns() < until) {
    bool more = out_.size() - sent_ < kUnsentLimit && drain_.cut_samples(out_);
    if (!more && sent_ == out_.size()) break;
    pump(more ? 0 : kDrainEveryNs);
  }
  if (!connected_) return;
  next_status_ns_ = 0;
  cut();
  drain_.cut_goodbye(out_, reason_, detail_);
  while (connected_ && sent_ < out_.size() && now_ns() < until) pump(kDrainEveryNs);
}

void* Recorder::sampler_main(void* self) {
  auto& recorder = *static_cast<Recorder*>(self);
  if (recorder.runtime_.enter_agent_thread("btrace sampler")) {
    recorder.sampler_tid_.store(sys::gettid());
    OutsideSampler sampler;
    if (sampler.init(*recorder.session_, recorder.runtime_)) {
      while (!recorder.sampler_asked_to_end_.load()) sampler.wait(min_of(sampler.tick(), kDrainEveryNs));
    }
    sampler.release();
    recorder.sampler_tid_.store(0);
    recorder.runtime_.leave_agent_thread();
  }
  recorder.sampler_running_.store(0);
  return nullptr;
}

void Recorder::start_sampler() {
  if (!session_->config.async_interval_ns || !session_->config.wants(SampleKind::AsyncOutside)) {
    session_->report_hook("outside", HookState::Off, "not asked for");
    return;
  }
  unsigned long thread;
  sampler_running_.store(1);
  if (libc::thread_create(&thread, nullptr, &Recorder::sampler_main, this) != 0) {
    sampler_running_.store(0);
    session_->report_hook("outside", HookState::Failed, "no thread could be started for it");
    return;
  }
  libc::thread_detach(thread);
  session_->report_hook("outside", HookState::Installed);
}

void Recorder::record() {
  cpu_at_start_ns_ = clock_ns(kClockThreadCpu);
  ring_ = session_->config.policy == Policy::Ring;
  drain_.cut_welcome(out_, options_.answer, sizeof options_.answer);
  drain_.cut_header(out_, kAgentVersion);
  activate_session(*session_);
  runtime_.install(*session_);
  start_sampler();
  g_begun.store(1);
  drain_.cut_hooks(out_);
  next_status_ns_ = now_ns();
  serve();
  sampler_asked_to_end_.store(1);
  if (session_->hook_state("outside") == HookState::Installed) session_->report_hook("outside", HookState::Removed);
  runtime_.remove(*session_);
  deactivate_session();
  while (sampler_running_.load()) sys::sleep_ns(kNsPerMs);
  farewell();
  drain_.forget_threads();
}

void Recorder::run() {
  Config config;
  if (runtime_.enter_agent_thread("btrace")) {
    if (receive_hello(config) && (session_ = open_session(config))) {
      if (drain_.init(*session_, runtime_)) record();
      drain_.release();
      close_session(*session_);
    }
    runtime_.leave_agent_thread();
  }
  sys::close(fd_);
  in_.release();
  out_.release();
}

struct StartRequest {
  int fd;  // connected, or listening when the options say so
  Options options;
  Runtime* runtime;
};
StartRequest g_request;

// Through adb the peer is the shell's.
bool may_talk_to(u32 uid) {
  constexpr u32 kShellUid = 2000;
  return uid == sys::getuid() || uid == 0 || uid == kShellUid;
}

// The first connection by somebody who may; others are closed. Negative when nobody came in time.
int accept_desktop(int listener) {
  const i64 until = now_ns() + kAcceptTimeoutNs;
  int fd = -1;
  while (fd < 0 && now_ns() < until && !g_finish_asked.load()) {
    fd = accept_within(listener, min_of(until - now_ns(), kDrainEveryNs));
    if (fd >= 0 && !may_talk_to(peer_uid(fd))) {
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
    Recorder recorder(fd, g_request.options, *g_request.runtime);
    recorder.run();
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

StartResult start_recording(const char* text, Runtime& runtime) {
  Options options;
  if (!parse_options(text, options)) return StartResult::BadOptions;
  State idle = State::Idle;
  if (!g_state.swap_if(idle, State::Running)) return StartResult::AlreadyRecording;
  g_finish_asked.store(0);
  g_begun.store(0);
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
  while (!g_begun.load() && recording_in_progress() && now_ns() < until) sys::sleep_ns(kNsPerMs);
}

void finish_recording(EndReason reason, const char* detail, i64 wait_ns) {
  if (!recording_in_progress()) return;
  g_finish_reason.store(static_cast<u32>(reason));
  g_finish_detail.store(detail);
  g_finish_asked.store(1);
  for (i64 until = now_ns() + wait_ns; recording_in_progress() && now_ns() < until;) sys::sleep_ns(kNsPerMs);
}

}  // namespace btrace
