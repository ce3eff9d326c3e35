#include "host/external_recording.h"

#include <unistd.h>

#include "base/clock.h"
#include "core/sample_block.h"
#include "core/chunk.h"
#include "core/conversation.h"
#include "os/machine.h"

namespace btrace::host {

namespace {

// Shorter waits are added up and told with the next one.
constexpr i64 kShortestWaitNs = 20 * kNsPerUs;
// Node and index slots of the stack table; the rest is for rows and buffers.
constexpr u64 kBytesOfNode = 24, kStackShare = 2;
constexpr u32 kMostRowsOfThread = 16384;
constexpr size_t kMostEndedThreads = 16384;
constexpr u16 kCounters = kCounterCpu | kCounterSwitches | kCounterCpuTimed;

}  // namespace

bool ExternalRecording::init() {
  origin_ns_ = now_ns();
  target_cpu_at_begin_ns_ = load_cpu_ns_ = process_.cpu_ns();
  own_cpu_at_begin_ns_ = clock_ns(kClockProcessCpu);
  if (!stacks_.init(static_cast<u32>(config_.memory_bytes / kBytesOfNode / kStackShare))) return false;
  LastStack last{};
  const Frame off_cpu{kOffCpu, -1};
  off_cpu_ = stacks_.insert(&off_cpu, 1, last);
  return true;
}

// ---------------------------------------------------------------- what the kernel tells

ExternalRecording::Thread& ExternalRecording::thread(u32 tid) {
  auto [at, is_new] = threads_.try_emplace(tid);
  Thread& found = at->second;
  if (is_new) {
    found.index = next_index_++;
    found.tid = tid;
    found.is_main = tid == process_.pid();
    found.name = process_.thread_name(tid);
    found.since_ns = origin_ns_;
    found.last = std::make_unique<LastStack>();
    met_++;
  }
  return found;
}

void ExternalRecording::meet(u32 tid, bool is_running) {
  Thread& met = thread(tid);
  met.is_known = !is_running;  // one that runs now may have waited when the events began
  met.stack_at_switch = off_cpu_;
}

void ExternalRecording::take(const KernelRecord& record) {
  if (record.time_ns < origin_ns_) return;
  switch (record.header->type) {
    case PERF_RECORD_SAMPLE: return take_sample(record);
    case PERF_RECORD_SWITCH: return take_switch(record);
    case PERF_RECORD_MMAP2: return take_mapping(record);
    case PERF_RECORD_FORK: return take_fork(record);
    case PERF_RECORD_COMM: return take_name(record);
    case PERF_RECORD_EXIT: return retire(record.tid, record.time_ns);
    case PERF_RECORD_LOST: {
      u64 count;
      memcpy(&count, reinterpret_cast<const u8*>(record.header) + 16, sizeof count);
      lost_ += count;
      return;
    }
    default: return;
  }
}

i64 ExternalRecording::cpu_at(const Thread& thread, i64 now) const {
  return thread.cpu_ns + (thread.is_running ? now - thread.since_ns : 0);
}

Row ExternalRecording::row_of(const Thread& thread, i64 time_ns, SampleKind kind, u32 stack) const {
  Row row{};
  row.time_ns = since_origin(time_ns);
  row.cpu_ns = cpu_at(thread, time_ns);
  row.kind = kind;
  row.stack = stack;
  row.counters = kCounters;
  row.voluntary_switches = thread.voluntary;
  row.involuntary_switches = thread.involuntary;
  return row;
}

void ExternalRecording::push(Thread& thread, const Row& row) {
  std::vector<Row>& rows = thread.rows;
  const size_t count = rows.size();
  if (count >= 2 && mergeable(rows[count - 1], row) && mergeable(rows[count - 2], row)) {
    const u32 merged = rows[count - 1].merged + 1;
    rows[count - 1] = row;
    rows[count - 1].merged = merged;
    return;
  }
  if (count >= kMostRowsOfThread) {
    lost_++;
    return;
  }
  rows.push_back(row);
}

u32 ExternalRecording::stack_of(Thread& thread, const KernelSample& sample) {
  StackUnwinder::Stack walked = unwinder_.walk(sample, frames_);
  if (!walked.count) return 0;
  if (!walked.is_whole) frames_[walked.count++] = {kCallersMissing, -1};
  const u32 stack = stacks_.insert(frames_, walked.count, *thread.last);
  if (stack != StackTable::kNoNode) return stack;
  stacks_lost_++;
  return 0;
}

void ExternalRecording::take_sample(const KernelRecord& record) {
  KernelSample sample;
  if (!KernelEvents::read_sample(record, sample)) return;
  Thread& sampled = thread(record.tid);
  const u32 stack = stack_of(sampled, sample);
  if (sample.period == 1) {  // of a switch, whose record comes next
    sampled.stack_at_switch = stack;
    return;
  }
  if (!sampled.is_running) {
    // It ran before its first record.
    sampled.is_running = sampled.is_known = true;
    if (sampled.rows.empty()) sampled.since_ns = max_of(sampled.since_ns, origin_ns_);
  }
  samples_taken_++;
  push(sampled, row_of(sampled, record.time_ns, SampleKind::CpuTimer, stack));
}

void ExternalRecording::take_switch(const KernelRecord& record) {
  Thread& switched = thread(record.tid);
  const i64 now = record.time_ns;
  if (record.header->misc & PERF_RECORD_MISC_SWITCH_OUT) {
    const bool is_preempted = record.header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
    if (switched.is_running || !switched.is_known) switched.cpu_ns += now - switched.since_ns;
    switched.is_known = true;
    switched.is_running = false;
    switched.is_preempted = is_preempted;
    switched.since_ns = now;
    (is_preempted ? switched.involuntary : switched.voluntary)++;
    return;
  }
  if (!switched.is_running) end_wait(switched, now, switched.rows.empty() && !switched.voluntary ? kFlagFromBefore : 0);
  switched.is_known = switched.is_running = true;
  switched.since_ns = now;
  switched.stack_at_switch = 0;
}

// A thread that was put aside for another one waits for nothing: that time is nobody's.
void ExternalRecording::end_wait(Thread& waited, i64 now, u16 flags) {
  const i64 lasted = now - waited.since_ns;
  if (waited.is_preempted || lasted <= 0 || !config_.wants(SampleKind::OffCpu)) return;
  if (lasted < kShortestWaitNs) {
    waited.left_out_ns += lasted;
    return;
  }
  const u32 stack = waited.stack_at_switch ? waited.stack_at_switch : off_cpu_;
  Row row = row_of(waited, waited.since_ns, SampleKind::OffCpu, stack);
  row.duration_ns = lasted;
  row.flags = flags;
  if (waited.left_out_ns * 2 > waited.since_ns - waited.last_wait_end_ns) row.flags |= kFlagWaitedBefore;
  waited.left_out_ns = 0;
  waited.last_wait_end_ns = now;
  waits_taken_++;
  push(waited, row);
}

void ExternalRecording::take_mapping(const KernelRecord& record) {
  struct Body {
    perf_event_header header;
    u32 pid, tid;
    u64 address, length, offset;
    u32 major, minor;
    u64 inode, generation;
    u32 protection, flags;
  } body;
  constexpr u32 kExecutable = 4;
  const auto* at = reinterpret_cast<const u8*>(record.header);
  if (record.header->size < sizeof body + 16) return;
  memcpy(&body, at, sizeof body);
  if (!(body.protection & kExecutable) || body.pid != process_.pid()) return;
  const char* path = reinterpret_cast<const char*>(at + sizeof body);
  const std::string name = std::string(path, record.header->size - sizeof body - 16).c_str();
  images_.add({body.address, body.address + body.length, body.offset, name == "//anon" ? "" : name});
}

void ExternalRecording::take_fork(const KernelRecord& record) {
  struct Body {
    perf_event_header header;
    u32 pid, parent_pid, tid, parent_tid;
  } body;
  memcpy(&body, record.header, sizeof body);
  if (body.pid != process_.pid()) return;  // a process of its own
  const auto parent = threads_.find(body.parent_tid);
  const u32 creator = parent == threads_.end() ? 0 : parent->second.index;
  if (threads_.count(body.tid)) return;  // it was met in /proc already
  Thread& born = thread(body.tid);
  born.begin_ns = record.time_ns;
  born.since_ns = record.time_ns;
  born.creator = creator;
  // Until it runs for the first time it waits for a processor.
  born.is_known = born.is_preempted = true;
}

void ExternalRecording::take_name(const KernelRecord& record) {
  const auto* at = reinterpret_cast<const char*>(record.header);
  u32 pid;
  memcpy(&pid, at + 8, sizeof pid);
  if (pid != process_.pid() || record.header->size < 32) return;
  Thread& named = thread(record.tid);
  named.name = std::string(at + 16, record.header->size - 32).c_str();
  named.is_announced = false;
  if (record.header->misc & PERF_RECORD_MISC_COMM_EXEC) images_.forget();
}

void ExternalRecording::retire(u32 tid, i64 now) {
  const auto at = threads_.find(tid);
  if (at == threads_.end()) return;
  Thread& ended = at->second;
  ended.end_ns = now;
  ended.last.reset();
  // A reader that is far behind takes none of them meanwhile.
  if (ended_.size() < kMostEndedThreads)
    ended_.push_back(std::move(ended));
  else
    lost_ += ended.rows.size();
  threads_.erase(at);
}

// ---------------------------------------------------------------- what goes out

void ExternalRecording::put_thread(Bytes& out, Thread& told) {
  told.is_announced = true;
  Nested entry(out, 1);
  put_field(out, 1, told.index);
  put_field(out, 2, told.tid);
  put_field(out, 4, static_cast<u64>(ThreadKind::Platform));
  put_text_field(out, 5, told.name.c_str());
  put_signed_field(out, 6, told.begin_ns ? max_of<i64>(since_origin(told.begin_ns), 1) : 0);
  put_signed_field(out, 7, told.end_ns ? max_of<i64>(since_origin(told.end_ns), 1) : 0);
  put_field(out, 8, told.creator);
  put_field(out, 9, told.is_main);
}

void ExternalRecording::cut_threads(Bytes& out) {
  const size_t begin = begin_chunk(out), empty = out.size();
  for (auto& [tid, told] : threads_)
    if (!told.is_announced) put_thread(out, told);
  for (Thread& told : ended_) put_thread(out, told);
  if (out.size() == empty)
    out.truncate(begin);
  else
    end_chunk_of(out, begin, ChunkKind::Threads);
}

void ExternalRecording::cut_images(Bytes& out) {
  if (!are_methods_told_) {
    are_methods_told_ = true;
    const size_t begin = begin_chunk(out);
    const auto put = [&](u32 id, const char* name) {
      Nested entry(out, 1);
      put_field(out, 1, id);
      put_text_field(out, 3, name);
      put_field(out, 5, static_cast<u64>(MethodKind::Stub));
    };
    put(kUnknownCode, "[unknown code]");
    put(kOffCpu, "[off CPU]");
    put(kCallersMissing, "[callers missing]");
    end_chunk_of(out, begin, ChunkKind::Methods);
  }
  const size_t begin = begin_chunk(out), empty = out.size();
  images_.take_new([&](const TargetImage& image) {
    Nested entry(out, 1);
    put_field(out, 1, image.id);
    put_text_field(out, 2, image.path.c_str());
    put_bytes_field(out, 3, image.build_id.data(), image.build_id.size());
    put_field(out, 4, image.load_address);
    put_field(out, 5, image.end - image.begin);
    put_text_field(out, 6, kArchitecture);
  });
  if (out.size() == empty)
    out.truncate(begin);
  else
    end_chunk_of(out, begin, ChunkKind::Images);
}

void ExternalRecording::cut_nodes(Bytes& out) {
  const u32 used = stacks_.used();
  if (nodes_told_ >= used) return;
  std::vector<NodeRow> nodes;
  nodes.reserve(used - nodes_told_);
  for (u32 id = nodes_told_; id < used; id++) {
    const Node& node = stacks_.at(id);
    const u32 image = node.is_native() ? node.image() : 0;
    nodes.push_back({id, node.parent, static_cast<i64>(node.code), image ? 0 : node.position, image});
  }
  nodes_told_ = used;
  const size_t begin = begin_chunk(out);
  put_nodes(out, nodes.data(), static_cast<u32>(nodes.size()));
  end_chunk_of(out, begin, ChunkKind::Nodes);
}

void ExternalRecording::put_rows(Bytes& out, Thread& of) {
  if (of.rows.empty()) return;
  put_sample_block(out, of.index, of.rows.data(), static_cast<u32>(of.rows.size()), [](u64) { return 0u; });
  of.rows.clear();
}

void ExternalRecording::cut_rows(Bytes& out) {
  // A chunk must stay far below the largest that a reader takes.
  constexpr size_t kMostChunkBytes = 4 << 20;
  size_t begin = begin_chunk(out), empty = out.size();
  const auto put = [&](Thread& of) {
    put_rows(out, of);
    if (out.size() - begin < kMostChunkBytes) return;
    end_chunk_of(out, begin, ChunkKind::Samples);
    begin = begin_chunk(out);
    empty = out.size();
  };
  for (auto& [tid, of] : threads_) put(of);
  for (Thread& of : ended_) put(of);
  ended_.clear();
  if (out.size() == empty)
    out.truncate(begin);
  else
    end_chunk_of(out, begin, ChunkKind::Samples);
}

void ExternalRecording::cut_losses(Bytes& out) {
  const i64 now = since_origin(now_ns());
  const size_t begin = begin_chunk(out), empty = out.size();
  const auto put = [&](u64 count, u64& told, LossReason reason) {
    if (count == told) return;
    Nested entry(out, 1);
    put_signed_field(out, 2, losses_told_ns_);
    put_signed_field(out, 3, now);
    put_field(out, 4, count - told);
    put_field(out, 5, static_cast<u64>(reason));
    told = count;
  };
  put(lost_, lost_told_, LossReason::BufferFull);
  put(stacks_lost_, stacks_lost_told_, LossReason::StackTableFull);
  losses_told_ns_ = now;
  if (out.size() == empty)
    out.truncate(begin);
  else
    end_chunk_of(out, begin, ChunkKind::Losses);
}

void ExternalRecording::cut(Bytes& out) {
  cut_threads(out);
  cut_images(out);
  cut_nodes(out);
  cut_rows(out);
  cut_losses(out);
}

void ExternalRecording::cut_last(Bytes& out) {
  const i64 now = now_ns();
  for (auto& [tid, open] : threads_) {
    if (open.is_running || !open.is_known) continue;
    const bool from_before = !open.voluntary && !open.involuntary && !open.begin_ns;
    end_wait(open, now, kFlagOpenWait | (from_before ? kFlagFromBefore : 0));
  }
  cut(out);
}

void ExternalRecording::cut_header(Bytes& out) {
  const size_t begin = begin_chunk(out);
  put_field(out, 1, kFormatMajor);
  put_field(out, 2, kFormatMinor);
  {
    Nested part(out, 3);
    put_text_field(out, 1, process_.name().c_str());
    put_field(out, 2, process_.pid());
    put_text_field(out, 3, "native");
    put_text_field(out, 4, "linux");
    put_text_field(out, 5, kArchitecture);
    put_field(out, 7, process_.uid());
    put_field(out, 8, page_bytes());
    put_field(out, 9, processor_count());
  }
  {
    Nested part(out, 4);
    const i64 elapsed = now_ns() - origin_ns_;
    put_field(out, 1, static_cast<u64>(origin_ns_));
    put_field(out, 2, static_cast<u64>(clock_ns(kClockBoottime) - elapsed));
    put_field(out, 3, static_cast<u64>(clock_ns(kClockRealtime) - elapsed));
  }
  {
    Nested part(out, 5);
    put_config(out, config_);
  }
  put_text_field(out, 6, kAgentVersion);
  put_field(out, 7, 1);  // EXTERNAL
  put_text_field(out, 8, "The kernel samples this program; nothing of BTrace is in it.");
  end_chunk_of(out, begin, ChunkKind::Header);
}

void ExternalRecording::cut_hooks(Bytes& out, bool has_switch_stacks) {
  const size_t begin = begin_chunk(out);
  const auto put = [&](const char* name, HookState state, const char* why) {
    Nested entry(out, 1);
    put_text_field(out, 1, name);
    put_field(out, 2, static_cast<u64>(state));
    put_text_field(out, 3, why);
  };
  put("CPU time", config_.async_interval_ns ? HookState::Installed : HookState::Off,
      config_.async_interval_ns ? "" : "no interval was asked for");
  put("switches", HookState::Installed, "");
  put("stacks of waits", has_switch_stacks ? HookState::Installed : HookState::Off,
      has_switch_stacks ? ""
                        : "the kernel gives them to its administrator alone: sudo sysctl kernel.perf_event_paranoid=1, "
                          "or run btrace as root");
  end_chunk_of(out, begin, ChunkKind::Hooks);
}

void ExternalRecording::cut_status(Bytes& out, u64 bytes_sent, u64 held_elsewhere) {
  const u64 own_ns = static_cast<u64>(clock_ns(kClockProcessCpu) - own_cpu_at_begin_ns_);
  const size_t begin = begin_chunk(out);
  put_signed_field(out, 1, since_origin(now_ns()));
  put_field(out, 2, samples_taken_ + waits_taken_);
  put_field(out, 3, lost_);
  put_field(out, 4, bytes_sent);
  put_field(out, 5, held_elsewhere + stacks_.touched_bytes());
  put_field(out, 7, static_cast<u64>(max_of<i64>(process_.cpu_ns() - target_cpu_at_begin_ns_, 0)));
  put_field(out, 10, own_ns);
  const auto put = [&](SourceKind kind, i64 asked_ns) {
    if (!asked_ns) return;
    Nested entry(out, 11);
    put_field(out, 1, static_cast<u64>(kind));
    put_field(out, 2, static_cast<u64>(asked_ns));
    put_field(out, 3, static_cast<u64>(asked_ns));
  };
  put(SourceKind::CpuTime, config_.async_interval_ns);
  put(SourceKind::Waits, kShortestWaitNs);
  end_chunk_of(out, begin, ChunkKind::Status);
}

void ExternalRecording::cut_load(Bytes& out) {
  const i64 now = now_ns(), cpu_ns = process_.cpu_ns();
  if (load_time_ns_ && cpu_ns) {
    const size_t begin = begin_chunk(out);
    const auto put = [&](const char* name, const char* unit, i64 value) {
      Nested block(out, 1);
      put_text_field(out, 1, name);
      put_text_field(out, 2, unit);
      put_delta_column(out, 3, 1, Coding::Plain, 0, [&](u32) { return since_origin(load_time_ns_); });
      put_delta_column(out, 4, 1, Coding::Plain, 0, [&](u32) { return value; });
    };
    put("CPU", "%", (cpu_ns - load_cpu_ns_) * 100 / max_of<i64>(now - load_time_ns_, 1));
    put("resident memory", "bytes", static_cast<i64>(process_.resident_bytes()));
    put("threads", "1", static_cast<i64>(threads_.size()));
    end_chunk_of(out, begin, ChunkKind::Counters);
  }
  load_time_ns_ = now;
  load_cpu_ns_ = cpu_ns;
}

void ExternalRecording::cut_goodbye(Bytes& out, EndReason reason, const char* detail) {
  const size_t begin = begin_chunk(out);
  put_field(out, 1, static_cast<u64>(reason));
  put_text_field(out, 2, detail);
  end_chunk_of(out, begin, ChunkKind::Goodbye);
}

}  // namespace btrace::host
