#pragma once
// Kernel records into the rows of a recording, and those into chunks. Memory is bounded: rows go out every few hundred
// milliseconds, stacks are kept once in a table of fixed size, and a thread is forgotten when it has ended.
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "core/chunk.h"
#include "core/config.h"
#include "core/row.h"
#include "core/stack_table.h"
#include "host/kernel_events.h"
#include "host/stack_unwinder.h"
#include "host/target_images.h"
#include "host/target_process.h"

namespace btrace::host {

class ExternalRecording {
 public:
  ExternalRecording(TargetProcess& process, TargetImages& images, const Config& config)
      : process_(process), images_(images), config_(config), unwinder_(images) {}
  // False when there is no memory for stacks.
  bool init();
  i64 origin_ns() const { return origin_ns_; }

  // A thread that was there before its first record.
  void meet(u32 tid, bool is_running);
  void take(const KernelRecord& record);
  bool has_ended() const { return threads_.empty() && met_ > 0; }

  void cut_header(Bytes& out);
  void cut_hooks(Bytes& out, bool has_switch_stacks);
  // Names, images, nodes and rows that came since the last cut, in the order in which a reader needs them.
  void cut(Bytes& out);
  // Waits that have not ended, too.
  void cut_last(Bytes& out);
  void cut_status(Bytes& out, u64 bytes_sent, u64 held_elsewhere);
  void cut_load(Bytes& out);
  void cut_goodbye(Bytes& out, EndReason reason, const char* detail);
  void end_chunk_of(Bytes& out, size_t begin, ChunkKind kind) { end_chunk(out, begin, kind, sequence_++); }

 private:
  struct Thread {
    u32 index, tid, creator;
    i64 begin_ns, end_ns;  // 0: not known
    std::string name;
    bool is_announced, is_main;
    bool is_known;    // whether it runs
    bool is_running;  // since `since_ns`
    bool is_preempted;
    i64 since_ns;
    i64 cpu_ns;  // up to `since_ns`
    i64 left_out_ns, last_wait_end_ns;
    u32 stack_at_switch;
    u32 voluntary, involuntary;
    std::vector<Row> rows;
    std::unique_ptr<LastStack> last;
  };

  Thread& thread(u32 tid);
  Row row_of(const Thread& thread, i64 time_ns, SampleKind kind, u32 stack) const;
  i64 cpu_at(const Thread& thread, i64 now) const;
  void push(Thread& thread, const Row& row);
  void take_sample(const KernelRecord& record);
  void take_switch(const KernelRecord& record);
  void take_mapping(const KernelRecord& record);
  void take_fork(const KernelRecord& record);
  void take_name(const KernelRecord& record);
  void end_wait(Thread& thread, i64 now, u16 flags);
  u32 stack_of(Thread& thread, const KernelSample& sample);
  void retire(u32 tid, i64 now);
  void cut_threads(Bytes& out);
  void put_thread(Bytes& out, Thread& thread);
  void cut_images(Bytes& out);
  void cut_nodes(Bytes& out);
  void cut_rows(Bytes& out);
  void cut_losses(Bytes& out);
  void put_rows(Bytes& out, Thread& thread);
  i64 since_origin(i64 ns) const { return ns - origin_ns_; }

  TargetProcess& process_;
  TargetImages& images_;
  const Config& config_;
  StackUnwinder unwinder_;
  StackTable stacks_{};
  std::unordered_map<u32, Thread> threads_;
  std::vector<Thread> ended_;
  Frame frames_[StackUnwinder::kMostFrames + 1];
  i64 origin_ns_ = 0;
  u32 sequence_ = 0, next_index_ = 1, nodes_told_ = 1, met_ = 0;
  bool are_methods_told_ = false;
  u32 off_cpu_ = 0;  // the stack of a wait of which none is known
  u64 samples_taken_ = 0, waits_taken_ = 0, lost_ = 0, lost_told_ = 0, stacks_lost_ = 0, stacks_lost_told_ = 0;
  i64 losses_told_ns_ = 0;
  i64 target_cpu_at_begin_ns_ = 0, own_cpu_at_begin_ns_ = 0;
  i64 load_time_ns_ = 0, load_cpu_ns_ = 0;
};

}  // namespace btrace::host
