#include "core/conversation.h"

#include "base/clock.h"
#include "os/machine.h"
#include "os/process.h"

namespace btrace {

namespace {

// Commands are obeyed at once. So often it is seen whether the program ends, and whether there is much to drain.
constexpr i64 kLookEveryNs = 100 * kNsPerMs;
// Where nothing is urgent. A command waits as long, a program that ends does not.
constexpr i64 kPatientLookEveryNs = 250 * kNsPerMs;
constexpr i64 kPatientSamplerLooksEveryNs = kNsPerSecond;
constexpr i64 kPatientDrainEveryNs = 2 * kNsPerSecond;
constexpr i64 kPatientStatusEveryNs = 4 * kNsPerSecond;
constexpr i64 kFirstLookNs = 200 * kNsPerMs;
// Each time costs some 50 us, however little there is.
constexpr i64 kDrainEveryNs = 3 * kLookEveryNs;
// Where the agent's own threads cost more than their part of the budget.
constexpr i64 kMostDrainEveryNs = 8 * kLookEveryNs;
// These go with a drain: each one, and every third.
constexpr i64 kPaceEveryNs = 2 * kLookEveryNs;
constexpr i64 kStatusEveryNs = 8 * kLookEveryNs;
// A row that waits for an equal neighbour goes out, with its names, within a second: with the drain that comes before.
constexpr i64 kPendingNs = kNsPerSecond - kDrainEveryNs;
constexpr i64 kHelloTimeoutNs = 10 * kNsPerSecond;
// What is still unsent at the end has this long to go.
constexpr i64 kFarewellNs = 10 * kNsPerSecond;
// With this much unsent, or so large a part of the memory, the reader is slow: samples wait in their shards, and what
// does not fit there is counted.
constexpr u64 kUnsentLimit = 2 * kMiB;
constexpr u64 kUnsentPart = 16;
// For what is sent when it is asked for.
constexpr i64 kSentAtOnceNs = 2 * kNsPerSecond;
// Little goes out together.
constexpr size_t kSentAtOnce = 64 * 1024;

bool enter(Runtime& runtime, const char* name) {
  become_agent_thread(name);
  return runtime.enter_agent_thread(name);
}

}  // namespace

void RecordingSwitch::finish(EndReason reason, const char* detail) {
  finish_reason.store(static_cast<u32>(reason));
  finish_detail.store(detail);
  finish_asked.store(1);
  wake_waiting(finish_asked, 1);
}

void Conversation::run() {
  Config config;
  if (enter(runtime_, "btrace")) {
    if (receive_hello(config) && (session_ = open_session(config))) {
      if (drain_.init(*session_, runtime_)) record();
      drain_.release();
      close_session(*session_);
    }
    runtime_.leave_agent_thread();
  }
  connection_.release();
}

bool Conversation::is_ours(const u8* token, size_t size) const {
  if (size != Options::kTokenBytes) return false;
  u8 difference = 0;
  for (u32 i = 0; i < Options::kTokenBytes; i++) difference |= token[i] ^ options_.token[i];
  return difference == 0;
}

bool Conversation::receive_hello(Config& config) {
  ChunkView chunk;
  for (i64 until = now_ns() + kHelloTimeoutNs; !connection_.next(chunk); connection_.pump(kLookEveryNs))
    if (!connection_.is_open() || now_ns() >= until) return false;
  if (chunk.kind != ChunkKind::Hello) return false;
  bool known = false;
  u64 major = 0;
  FieldReader field(chunk.payload, chunk.size);
  while (field.next()) {
    if (field.field() == 1) major = field.value();
    if (field.field() == 2 && field.is_bytes()) known = is_ours(field.bytes(), field.size());
    if (field.field() == 3 && field.is_bytes() && !parse_config(field.bytes(), field.size(), config)) return false;
  }
  return known && major == kFormatMajor && !field.broken();
}

void Conversation::record() {
  cpu_at_start_ns_ = clock_ns(kClockThreadCpu);
  ring_ = session_->config.policy == Policy::Ring;
  Bytes& out = connection_.out();
  drain_.cut_welcome(out, options_.answer, sizeof options_.answer);
  // The desktop knows at once that it is us. What comes next may take seconds where the program's threads have more to
  // do than the machine can: it waits for the header.
  connection_.pump(0);
  drain_.cut_header(out, kAgentVersion);
  // A thread that is interrupted in a hook of ours is shown where the program is: at the call that we are in front of.
  session_->images.leave_out(reinterpret_cast<uintptr_t>(&Conversation::sampler_main));
  activate_session(*session_);
  runtime_.install(*session_);
  start_samplers();
  asked_.begun.store(1);
  drain_.cut_hooks(out);
  next_status_ns_ = now_ns();
  serve();
  tell_last_cpu(*session_);
  tell_last_work(*session_, runtime_);
  end_samplers();
  // From here nothing is captured, so what there is to send does not grow. It goes first: bringing the samplers home
  // and taking the hooks out may last.
  deactivate_session();
  const i64 ended_ns = now_ns();
  drain_.cut_off_carrier_waits(out, ended_ns);
  drain_.cut_held_memory(out);
  const bool all_out = send_rest();
  while (samplers_running_.load()) sleep_ns(kNsPerMs);
  if (all_out) drain_.cut_open_waits(out, session_->origin_ns, ended_ns, true);
  runtime_.remove(*session_);
  farewell();
  drain_.forget_threads();
}

void Conversation::serve() {
  // Not at once: a program that begins now starts its first threads, and they have yet to take their names.
  i64 next_cut = now_ns() + kLookEveryNs;
  const bool is_patient = session_->config.is_patient();
  const i64 look_every_ns = is_patient ? kPatientLookEveryNs : kLookEveryNs;
  while (!ending_) {
    i64 next_look = now_ns() + look_every_ns;
    // Comes back at once for a command; a socket that takes bytes again is served meanwhile.
    for (i64 now = now_ns(); now < next_look && !ending_; now = now_ns()) {
      is_patient ? pump_patiently(next_look - now) : pump(next_look - now);
      if (session_->full.load_relaxed()) end(EndReason::Limit, "the memory for samples was full");
      if (!ending_ && asked_.sends_asked.load() != asked_.sends_done.load()) send_at_once();
    }
    // What is there at the end waits until the hooks are out: then it does not grow any more.
    if (ending_ || (now_ns() < next_cut && !dumping_ && !session_->fills_up())) continue;
    next_cut = now_ns() + (is_patient ? kPatientDrainEveryNs
                                      : min_of(session_->agent_stretched(kDrainEveryNs), kMostDrainEveryNs));
    cut();
  }
}

// ---------------------------------------------------------------- both ways

// Moves bytes, waiting at most `wait_ns` for something to happen, and does what it is told.
void Conversation::pump(i64 wait_ns) {
  connection_.pump(wait_ns);
  ChunkView chunk;
  while (connection_.next(chunk)) obey(chunk);
  if (!connection_.is_open()) end(EndReason::ConnectionLost);
  if (asked_.finish_asked.load()) end(static_cast<EndReason>(asked_.finish_reason.load()), asked_.finish_detail.load());
}

// The same, but wakes early only if the program ends. What is unsent goes out as soon as the desktop takes it.
void Conversation::pump_patiently(i64 wait_ns) {
  connection_.send_all(0);
  if (connection_.unsent()) return pump(wait_ns);
  wait_while(asked_.finish_asked, 0, wait_ns);
  pump(0);
}

void Conversation::obey(const ChunkView& chunk) {
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

void Conversation::end(EndReason reason, const char* detail) {
  if (ending_) return;
  ending_ = true;
  reason_ = reason;
  detail_ = detail;
}

// ---------------------------------------------------------------- what is sent

// The ring's samples go out while it stays as it is; Goodbye(DUMPED) says that they are all there.
void Conversation::begin_dump(u64 back_ns) {
  i64 now = session_->since_origin(now_ns());
  drain_.flush(0);
  drain_.begin_dump(back_ns ? now - static_cast<i64>(min_of<u64>(back_ns, static_cast<u64>(max_of<i64>(now, 0)))) : 0);
  dumping_ = true;
}

size_t Conversation::unsent_limit() const {
  return min_of(kUnsentLimit, session_->config.memory_bytes / kUnsentPart);
}

void Conversation::send_dump() {
  Bytes& out = connection_.out();
  while (connection_.is_open() && drain_.cut_dump(out))
    while (connection_.is_open() && connection_.unsent() > unsent_limit()) pump(kLookEveryNs);
  const i64 now = now_ns();
  drain_.cut_off_carrier_waits(out, now);
  drain_.cut_held_memory(out);
  drain_.cut_open_waits(out, drain_.dump_from_ns(now), now, false);
  drain_.cut_load_of_dump(out);
  drain_.cut_texts(out);
  drain_.cut_goodbye(out, EndReason::Dumped, nullptr);
  dumping_ = false;
}

// False when nothing was left to do, or it is the ring's.
bool Conversation::cut_samples() {
  if (dumping_) send_dump();
  if (ring_) {
    if (session_->config.ring_copies)
      while (!ending_ && connection_.unsent() < unsent_limit() && drain_.cut_kept(connection_.out())) pump(0);
    drain_.trim(now_ns());
    drain_.turn_stacks(false);
    return false;
  }
  // Where threads capture faster than this one gets to run, there are always more: the rest of a round is owed too.
  const i64 until = now_ns() + kStatusEveryNs;
  bool more = true;
  while (!ending_ && now_ns() < until && connection_.unsent() < unsent_limit() &&
         (more = drain_.cut_samples(connection_.out())))
    if (connection_.unsent() >= kSentAtOnce) pump(0);
  drain_.turn_stacks(!more);
  return more;
}

// Whoever asked waits for it, and the program's other threads go on.
void Conversation::send_at_once() {
  const u32 asked = asked_.sends_asked.load();
  const i64 until = now_ns() + kSentAtOnceNs;
  next_status_ns_ = 0;
  drain_.flush(0);
  bool more = true;
  while (connection_.is_open() && (more || connection_.unsent()) && now_ns() < until) {
    more = more && cut();
    connection_.send_all(kLookEveryNs);
  }
  asked_.sends_done.store(asked);
}

// False when all samples are out.
bool Conversation::cut() {
  Bytes& out = connection_.out();
  session_->images.refresh_if_missed();
  drain_.flush(kPendingNs);
  drain_.cut_texts(out);
  const bool more = cut_samples();
  drain_.cut_missed_names(out);
  drain_.cut_links(out);
  drain_.cut_threads(out);
  drain_.retire_threads(out);
  drain_.take_load();
  i64 now = now_ns();
  if (!ending_) keep_pace(now);
  if (now >= next_status_ns_) {
    next_status_ns_ = now + (session_->config.is_patient() ? kPatientStatusEveryNs : kStatusEveryNs);
    drain_.cut_losses(out, ending_);
    drain_.cut_calls(out);
    if (!ring_) drain_.cut_load(out);
    drain_.cut_status(out, connection_.bytes_sent(), connection_.held_bytes(), static_cast<i64>(agent_cpu_ns()));
  }
  if (session_->hooks_changed.load()) drain_.cut_hooks(out);
  return more;
}

// What is in the shards, with its names, as far as the reader takes it in time. False when some is left.
bool Conversation::send_rest() {
  if (dumping_) send_dump();
  ring_ = false;
  drain_.flush(0);
  const i64 until = now_ns() + kFarewellNs;
  while (connection_.is_open() && now_ns() < until) {
    bool more = connection_.unsent() < unsent_limit() && drain_.cut_samples(connection_.out());
    if (!more && !connection_.unsent()) return true;
    connection_.send_all(more ? 0 : kLookEveryNs);
  }
  return false;
}

void Conversation::farewell() {
  send_rest();
  if (!connection_.is_open()) return;
  next_status_ns_ = 0;
  cut();
  drain_.cut_goodbye(connection_.out(), reason_, detail_);
  const i64 until = now_ns() + kFarewellNs;
  while (connection_.is_open() && connection_.unsent() && now_ns() < until) connection_.send_all(kLookEveryNs);
}

// ---------------------------------------------------------------- what it costs

// Of the agent's own threads since the recording began.
u64 Conversation::agent_cpu_ns() {
  i64 sum = own_cpu_ns() - cpu_at_start_ns_;
  for (Sampler& sampler : samplers_) {
    u32 tid = sampler.tid.load();
    sampler.cpu_ns = max_of(sampler.cpu_ns, tid ? thread_cpu_ns(tid) : -1);
    sum += sampler.cpu_ns;
  }
  return static_cast<u64>(sum);
}

void Conversation::keep_pace(i64 now) {
  if (now - paced_ns_ < kPaceEveryNs) return;
  u64 process_cpu_ns = static_cast<u64>(clock_ns(kClockProcessCpu));
  u64 cpu_ns = process_cpu_ns - paced_process_cpu_ns_;
  // The budget is at least that of one core.
  const u64 base_ns = max_of(cpu_ns, static_cast<u64>(now - paced_ns_));
  if (paced_ns_) session_->events_ns.add_relaxed(runtime_.adapt(*session_, base_ns));
  Spent spent = drain_.spent();
  spent.agent_ns += agent_cpu_ns();
  // The first step has the work of the start in it, which does not come again.
  if (paced_ns_) {
    const auto since = [](u64 sum, u64 before) { return sum - min_of(sum, before); };
    const Spent step{since(spent.points_ns, paced_spent_.points_ns), since(spent.waits_ns, paced_spent_.waits_ns),
                     since(spent.agent_ns, paced_spent_.agent_ns), since(spent.interrupts_ns, paced_spent_.interrupts_ns)};
    pace_.step(session_->config, now - paced_ns_, step, cpu_ns);
    session_->stretch.store_relaxed(pace_.stretch(Pace::kPoints));
    session_->waits_stretch.store_relaxed(pace_.stretch(Pace::kWaits));
    session_->agent_stretch.store_relaxed(pace_.stretch(Pace::kAgent));
    session_->interrupts_stretch.store_relaxed(pace_.stretch(Pace::kInterrupts));
  }
  paced_ns_ = now;
  paced_process_cpu_ns_ = process_cpu_ns;
  paced_spent_ = spent;
}

// ---------------------------------------------------------------- external samplers

void* Conversation::sampler_main(void* sampler) {
  auto& [conversation, group, tid, cpu_ns] = *static_cast<Sampler*>(sampler);
  if (enter(conversation->runtime_, "btrace sampler")) {
    tid.store(own_tid());
    const bool is_patient = conversation->session_->config.is_patient();
    const i64 looks_every_ns = is_patient ? kPatientSamplerLooksEveryNs : kLookEveryNs;
    ExternalSampler external(conversation->samplers_asked_to_end_, group);
    if (external.init(*conversation->session_, conversation->runtime_))
      external.run(looks_every_ns, conversation->samplers_looked_);
    external.release();
    tid.store(0);
    conversation->runtime_.leave_agent_thread();
  }
  conversation->samplers_running_.subtract(1);
  return nullptr;
}

void Conversation::start_samplers() {
  if (!session_->config.async_interval_ns || !session_->config.wants(SampleKind::ExternalSampler)) {
    session_->report_hook("external sampler", HookState::Off, "not asked for");
    return;
  }
  // Where threads are interrupted by timers, other-thread walks are few and wait for nobody.
  const bool timed = runtime_.can_walk_here() && session_->config.wants(SampleKind::CpuTimer);
  const bool one = timed || session_->config.main_only || runtime_.walks_at_once();
  for (u32 number = 0; number < (one ? 1 : kThreadGroups); number++) {
    samplers_[number].conversation = this;
    samplers_[number].group = one ? kAllGroups : number;
    unsigned long thread;
    samplers_running_.add(1);
    if (libc::thread_create(&thread, nullptr, &Conversation::sampler_main, &samplers_[number]) != 0) {
      samplers_running_.subtract(1);
      session_->report_hook("external sampler", HookState::Failed, "not all its threads could be started");
      return;
    }
    libc::thread_detach(thread);
  }
  session_->report_hook("external sampler", HookState::Installed);
  // Who waits for the begin, a program that is recorded from its start, finds its threads' timers running.
  const i64 until = now_ns() + kFirstLookNs;
  while (samplers_looked_.load() < samplers_running_.load() && now_ns() < until) sleep_ns(kNsPerMs / 4);
}

// They are gone after the walk that each is at; that may take long where nobody gets to run.
void Conversation::end_samplers() {
  samplers_asked_to_end_.store(1);
  wake_waiting(samplers_asked_to_end_, kThreadGroups);
  CpuTimers::wake();
  if (session_->hook_state("external sampler") == HookState::Installed) session_->report_hook("external sampler", HookState::Removed);
}

}  // namespace btrace
