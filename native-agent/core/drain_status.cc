// What the drain says besides samples: threads, losses, what was asked for and what it cost.
#include "base/clock.h"
#include "core/drain.h"
#include "core/texts.h"
#include "os/machine.h"
#include "os/process.h"

namespace btrace {

// ---------------------------------------------------------------- threads and losses

void Drain::put_thread(Bytes& out, ThreadRecord& record) {
  static constexpr i64 kUnknown = 0;
  ThreadDescription thread{};
  thread.kind = record.kind;
  thread.is_main = record.is_main;
  runtime_->describe_thread(record, thread);
  Nested entry(out, 1);
  put_field(out, 1, record.index.load_relaxed());
  put_field(out, 2, record.tid.load_relaxed());
  put_field(out, 3, thread.program_id);
  put_field(out, 4, static_cast<u64>(thread.kind));
  put_text_field(out, 5, thread.name);
  i64 begin_ns = record.begin_ns.load_relaxed();
  i64 end_ns = record.end_ns.load_relaxed();
  put_signed_field(out, 6, begin_ns > session_->origin_ns ? session_->since_origin(begin_ns) : kUnknown);
  put_signed_field(out, 7, end_ns > session_->origin_ns ? session_->since_origin(end_ns) : kUnknown);
  put_field(out, 8, record.creator.load_relaxed());
  put_field(out, 9, thread.is_main);
}

void Drain::cut_threads(Bytes& out) {
  size_t begin = begin_chunk(out);
  size_t empty = out.size();
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() != session_->id) continue;
    // A thread may carry others later on, and one that only the kernel knew may turn out to be the runtime's.
    u32 carries = record.carries.load_relaxed() | (record.runtime_ref.load_relaxed() ? 2 : 0);
    if (record.drained.session == session_->id && record.drained.carries == carries) continue;
    record.drained.session = session_->id;
    record.drained.carries = carries;
    put_thread(out, record);
  }
  if (out.size() == empty)
    out.truncate(begin);
  else
    end(out, begin, ChunkKind::Threads);
}

// Says the last of threads that have ended and lets go of their records.
void Drain::retire_threads(Bytes& out) {
  size_t begin = begin_chunk(out);
  size_t empty = out.size();
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.state.load_acquire() != ThreadRecord::State::Ended) continue;
    bool ours = record.session.load_acquire() == session_->id;
    if (ours && (record.held.has_pending.load_relaxed() || !record.held.shard.empty(session_->pool)))
      continue;  // the next rounds take it
    if (ours) {
      if (record.drained.session == session_->id || record.index.load_relaxed()) put_thread(out, record);
      put_losses_of(record);
      record.held.shard.drop(session_->pool);
      record.session.store_release(0);
    }
    runtime_->forget_thread(record);
    g_threads.release(record);
  }
  if (out.size() == empty)
    out.truncate(begin);
  else
    end(out, begin, ChunkKind::Threads);
}

void Drain::forget_threads() {
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    ThreadRecord::State state = record.state.load_acquire();
    if (state == ThreadRecord::State::Free) continue;
    runtime_->forget_thread(record);
    if (state == ThreadRecord::State::Ended) g_threads.release(record);
  }
  g_threads.release_unbound();
  g_threads.empty_free();
}

void Drain::put_loss(u32 thread, u64 count, LossReason reason) {
  Nested entry(loss_part_, 1);
  put_field(loss_part_, 1, thread);
  put_signed_field(loss_part_, 2, losses_told_ns_);
  put_signed_field(loss_part_, 3, session_->since_origin(now_ns()));
  put_field(loss_part_, 4, count);
  put_field(loss_part_, 5, static_cast<u64>(reason));
  bool sample_lost =
      reason != LossReason::NameUnloaded && reason != LossReason::StackTableFull && reason != LossReason::Overwritten;
  if (sample_lost) dropped_ += count;
}

void Drain::put_losses_of(ThreadRecord& record) {
  for (u32 reason = 0; reason < kLossReasons; reason++) {
    u32 lost = record.held.lost[reason].load_relaxed();
    u32 fresh = lost - record.drained.lost[reason];
    record.drained.lost[reason] = lost;
    if (fresh) put_loss(record.index.load_relaxed(), fresh, static_cast<LossReason>(reason));
  }
}

void Drain::cut_losses(Bytes& out, bool ending) {
  if (ending) give_up_missed();
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (record.session.load_acquire() == session_->id) put_losses_of(record);
  }
  if (overwritten_ != overwritten_told_) put_loss(0, overwritten_ - overwritten_told_, LossReason::Overwritten);
  overwritten_told_ = overwritten_;
  u64 links_lost = session_->links_lost.load_relaxed();
  if (links_lost != links_lost_told_) put_loss(0, links_lost - links_lost_told_, LossReason::BufferFull);
  links_lost_told_ = links_lost;
  u32 refused = g_threads.refused();
  if (refused != refused_told_) put_loss(0, refused - refused_told_, LossReason::ThreadTableFull);
  refused_told_ = refused;
  if (names_lost_ != names_lost_told_) put_loss(0, names_lost_ - names_lost_told_, LossReason::NameUnloaded);
  names_lost_told_ = names_lost_;
  losses_told_ns_ = session_->since_origin(now_ns());
  if (!loss_part_.size()) return;
  size_t begin = begin_chunk(out);
  out.append(loss_part_.data(), loss_part_.size());
  end(out, begin, ChunkKind::Losses);
  loss_part_.clear();
}

void Drain::cut_load(Bytes& out) {
  size_t begin = begin_chunk(out);
  if (load_.cut(out))
    end(out, begin, ChunkKind::Counters);
  else
    out.truncate(begin);
}

void Drain::cut_load_of_dump(Bytes& out) {
  size_t begin = begin_chunk(out);
  if (load_.copy(out, dump_from_ns_))
    end(out, begin, ChunkKind::Counters);
  else
    out.truncate(begin);
}

void Drain::cut_texts(Bytes& out) {
  size_t begin = begin_chunk(out);
  if (take_new_texts(session_->id, out))
    end(out, begin, ChunkKind::Texts);
  else
    out.truncate(begin);
}

// ---------------------------------------------------------------- what frames a recording

void Drain::cut_welcome(Bytes& out, const u8* token, size_t size) {
  size_t begin = begin_chunk(out);
  put_bytes_field(out, 1, token, size);
  put_field(out, 2, own_pid());
  end(out, begin, ChunkKind::Welcome);
}

void Drain::cut_header(Bytes& out, const char* agent_version) {
  TargetDescription target{};
  runtime_->describe(target);
  size_t begin = begin_chunk(out);
  put_field(out, 1, kFormatMajor);
  put_field(out, 2, kFormatMinor);
  {
    Nested part(out, 3);
    put_text_field(out, 1, target.name);
    put_field(out, 2, own_pid());
    put_text_field(out, 3, target.runtime);
    put_text_field(out, 4, target.os[0] ? target.os : kSystem);
    put_text_field(out, 5, kArchitecture);
    put_text_field(out, 6, target.device);
    put_field(out, 7, own_uid());
    put_field(out, 8, page_bytes());
    put_field(out, 9, processor_count());
  }
  {
    Nested part(out, 4);
    put_field(out, 1, static_cast<u64>(session_->origin_ns));
    put_field(out, 2, static_cast<u64>(session_->origin_boottime_ns));
    put_field(out, 3, static_cast<u64>(session_->origin_realtime_ns));
  }
  {
    Nested part(out, 5);
    put_config(out, session_->config);
  }
  put_text_field(out, 6, agent_version);
  put_text_field(out, 8, runtime_->mode_reason());
  end(out, begin, ChunkKind::Header);
}

void Drain::cut_hooks(Bytes& out) {
  session_->hooks_changed.store(0);
  size_t begin = begin_chunk(out);
  for (u32 i = 0; i < session_->hook_count; i++) {
    const HookReport& hook = session_->hooks[i];
    Nested entry(out, 1);
    put_text_field(out, 1, hook.name);
    put_field(out, 2, static_cast<u64>(hook.state));
    put_text_field(out, 3, hook.why);
  }
  end(out, begin, ChunkKind::Hooks);
}

void Drain::cut_status(Bytes& out, u64 bytes_sent, u64 held_elsewhere, i64 agent_cpu_ns) {
  size_t begin = begin_chunk(out);
  put_signed_field(out, 1, session_->since_origin(now_ns()));
  put_field(out, 2, captures() + session_->repeats.load_relaxed());
  put_field(out, 3, dropped_);
  put_field(out, 4, bytes_sent);
  put_field(out, 5, held_bytes(*session_) + bytes() + held_elsewhere);
  put_field(out, 6, capture_ns());
  put_field(out, 7, static_cast<u64>(max_of<i64>(clock_ns(kClockProcessCpu) - cpu_at_start_ns_, 0)));
  for (u32 kind = 0; kind < kSampleKinds; kind++) {
    CostHistogram& cost = session_->costs[kind];
    u64 count = cost.count();
    if (!count) continue;
    Nested entry(out, 8);
    put_field(out, 1, kind);
    put_field(out, 2, count);
    put_field(out, 3, cost.total_ns.load_relaxed());
    u32 last = CostHistogram::kBuckets;
    while (last && !cost.buckets[last - 1].load_relaxed()) last--;
    Nested buckets(out, 4);
    for (u32 i = 0; i < last; i++) put_varint(out, cost.buckets[i].load_relaxed());
  }
  const u64 interval_ns = effective_interval_ns();
  put_field(out, 9, interval_ns);
  put_field(out, 10, static_cast<u64>(agent_cpu_ns));
  put_sources(out, interval_ns);
  put_field(out, 13, session_->stopped_ns.load_relaxed());
  put_field(out, 14, session_->tells_stops.load_relaxed());
  end(out, begin, ChunkKind::Status);
}

namespace {
constexpr SampleKind kByClock[] = {SampleKind::CpuTimer, SampleKind::ExternalSampler};
}  // namespace

u64 Drain::captures() const {
  u64 sum = 0;
  for (const CostHistogram& cost : session_->costs) sum += cost.count();
  return sum;
}

u64 Drain::capture_ns() const {
  const Spent all = spent();
  return all.points_ns + all.waits_ns + all.agent_ns + all.interrupts_ns;
}

Drain::Gated Drain::gated() const {
  // Of all and of its parts the parts are read first: they grow after it does.
  u64 count = session_->forced.load_acquire(), ns = session_->forced_ns.load_acquire();
  for (SampleKind kind : kByClock) {
    count += session_->costs[static_cast<u32>(kind)].count();
    ns += session_->costs[static_cast<u32>(kind)].total_ns.load_acquire();
  }
  u64 all_ns = 0;
  for (const CostHistogram& cost : session_->costs) all_ns += cost.total_ns.load_relaxed();
  const u64 all = captures();
  return {all - min_of(all, count), all_ns - min_of(all_ns, ns)};
}

Spent Drain::spent() const {
  const u64 by_agent_ns = session_->by_agent_ns.load_acquire();
  const auto cost_of = [&](SampleKind kind) { return session_->costs[static_cast<u32>(kind)].total_ns.load_relaxed(); };
  const u64 external_ns = cost_of(SampleKind::ExternalSampler);
  return {gated().ns + session_->events_ns.load_relaxed(), session_->forced_ns.load_relaxed(),
          external_ns - min_of(external_ns, by_agent_ns), cost_of(SampleKind::CpuTimer)};
}

// What the budget makes of the interval, by the mean cost of the captures at points since the last time.
u64 Drain::effective_interval_ns() {
  const Gated now = gated();
  const u64 captures = now.captures - min_of(now.captures, told_.captures);
  if (captures) mean_cost_ns_ = (now.ns - min_of(now.ns, told_.ns)) / captures;
  told_ = now;
  u64 interval = static_cast<u64>(session_->interval_ns());
  u64 budget = session_->config.budget_ppm;
  return budget ? max_of(interval, mean_cost_ns_ * 1000000 / budget) : interval;
}

// What was asked of each source, and what is kept of it now.
void Drain::put_sources(Bytes& out, u64 at_points_ns) {
  const Config& config = session_->config;
  const u64 tick_ns = session_->has_timers.load_relaxed() ? static_cast<u64>(kernel_tick_ns()) : 0;
  const auto put = [&](SourceKind kind, i64 asked_ns, u64 kept_ns) {
    Nested entry(out, 11);
    put_field(out, 1, static_cast<u64>(kind));
    put_field(out, 2, static_cast<u64>(asked_ns));
    put_field(out, 3, kept_ns);
  };
  put(SourceKind::Points, config.sync_interval_ns, at_points_ns);
  put(SourceKind::Waits, Session::kShortestWaitNs, static_cast<u64>(session_->shortest_wait_ns()));
  if (tick_ns)
    put(SourceKind::CpuTime, config.async_interval_ns,
        max_of(static_cast<u64>(config.async_interval_ns) * session_->timer_stretch(), tick_ns));
  if (session_->hook_state("external sampler") == HookState::Installed)
    put(SourceKind::ExternalSampler, config.async_interval_ns,
        static_cast<u64>(session_->agent_stretched(config.async_interval_ns)));
  put_field(out, 12, tick_ns);
}

void Drain::cut_goodbye(Bytes& out, EndReason reason, const char* detail) {
  size_t begin = begin_chunk(out);
  put_field(out, 1, static_cast<u64>(reason));
  put_text_field(out, 2, detail);
  end(out, begin, ChunkKind::Goodbye);
}

}  // namespace btrace
