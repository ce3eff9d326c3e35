#pragma once
// The way from shards to chunks: takes rows out, numbers methods and classes, sends each stack node once, before the
// samples that use it. Runs on one thread of the agent; everything here is that thread's own.
#include "base/id_map.h"
#include "core/sample_block.h"
#include "core/chunk.h"
#include "core/known_functions.h"
#include "core/pace.h"
#include "core/process_load.h"
#include "core/runtime.h"

namespace btrace {

class Drain final : public NameSink {
 public:
  // False when memory is not there.
  bool init(Session& session, Runtime& runtime);
  void release();

  // One round: at most kBatchRows samples, with everything they need. False when nothing was left to do.
  bool cut_samples(Bytes& out);
  // The same, but what is sent stays where it is: first begin_dump(from), then rounds until false.
  void begin_dump(i64 from_ns);
  bool cut_dump(Bytes& out);
  // What has come into the ring since the last round, for who keeps it elsewhere as well. As cut_dump.
  bool cut_kept(Bytes& out);
  // From when on it tells (monotonic).
  i64 dump_from_ns(i64 now_ns) const {
    return max_of(session_->origin_ns + dump_from_ns_, now_ns - session_->config.ring_ns);
  }
  void cut_load_of_dump(Bytes& out);
  // The ring's: drops what is older than its time, and the oldest when the pool runs short.
  void trim(i64 now_ns);
  // Turns the stack tables when the one in use is nearly full. `drained`: the last cut_samples found nothing.
  void turn_stacks(bool drained);
  // Threads that are new.
  void cut_threads(Bytes& out);
  // Threads that have ended and whose samples are out: their records may be used again.
  void retire_threads(Bytes& out);
  // At the end of a session: the runtime's references go, and records nobody would free.
  void forget_threads();
  // What markers say: before their samples, or a little after.
  void cut_texts(Bytes& out);
  // Appends the off-carrier waits that are open at `now_ns`, as long as they are by then.
  void cut_off_carrier_waits(Bytes& out, i64 now_ns);
  // Appends the sampled allocations that nobody has freed.
  void cut_held_memory(Bytes& out);
  // Appends the waits that are open at `now_ns`, cut at `from_ns`; called when all samples from before are out. A thread
  // that is not known to stand still is walked only if `may_walk`: then no sampler may walk.
  void cut_open_waits(Bytes& out, i64 from_ns, i64 now_ns, bool may_walk);
  // Of a survey: calls since the last time.
  void cut_calls(Bytes& out);
  // Names that were missed, where what they name is back.
  void cut_missed_names(Bytes& out);
  void cut_links(Bytes& out);
  // `ending`: names that are missed now are lost.
  void cut_losses(Bytes& out, bool ending);
  // What the process uses is looked at, and told.
  void take_load() { load_.take(*session_, *runtime_); }
  void cut_load(Bytes& out);
  void cut_header(Bytes& out, const char* agent_version);
  void cut_hooks(Bytes& out);
  void cut_status(Bytes& out, u64 bytes_sent, u64 held_elsewhere, i64 agent_cpu_ns);
  void cut_goodbye(Bytes& out, EndReason reason, const char* detail);
  void cut_welcome(Bytes& out, const u8* token, size_t size);
  // Makes rows that wait for an equal neighbour available, if they have waited this long.
  void flush(i64 age_ns);
  u64 bytes() const;
  // Spent in captures and on events, on the program's threads.
  u64 capture_ns() const;
  // The same for each part of the budget, without the agent's own threads.
  Spent spent() const;

  u32 class_id(u64 key) override;
  u32 add_class(u64 key, const char* name, const char* file) override;
  void set_method(u32 class_id, const char* name, const char* signature, MethodKind kind, const LineEntry* lines,
                  u32 line_count) override;

 private:
  static constexpr u32 kBatchRows = 8192;
  static constexpr u32 kMaxRuns = 4096;
  struct Run {  // rows of one thread within the batch
    u32 thread;
    u32 begin;
    u32 count;
  };

  struct OpenRow {
    Row row;
    ThreadRecord* record;
    i64 begin_ns;  // as the thread has published it; 0: it has not
  };
  u32 put_locks_first(u32* order, u32 slots);
  bool inspect_open_wait(ThreadRecord& record, i64 from_ns, i64 now_ns, Frame* frames, OpenRow& open);
  bool still_open(OpenRow& open);
  u32 take_out_off_carrier_waits(u32 thread, u32 begin, u32 count);
  u32 collect();
  u32 collect_dump();
  u32 collect_kept();
  // The nodes that were noted, with what they need.
  void cut_nodes(Bytes& out);
  void cut_rows(Bytes& out, u32 rows, ChunkKind samples = ChunkKind::Samples,
                ChunkKind waits = ChunkKind::OffCarrierWaits);
  bool others_done();
  void drop_epochs_before(u32 epoch);
  void note_node(u32 id);
  u32 method_id(u64 code);
  // A method or class that was gone when it was to be named.
  struct Missed {
    u64 key;
    u32 id;  // 0: none
    bool is_class;
  };
  void miss(const Missed& missed);
  void give_up_missed();
  u32 image_id(u32 number);
  u32 type_id(u64 key);
  void put_run(Bytes& out, const Run& run);
  void put_thread(Bytes& out, ThreadRecord& record);
  void put_loss(u32 thread, u64 count, LossReason reason);
  void put_losses_of(ThreadRecord& record);
  void cut_names(Bytes& out);
  // Of images of which the desktop has no file, the functions that the noted addresses lie in.
  void put_functions();
  void put_called_function(Bytes& out, u32 number);
  // Of captures at points, by the interval.
  struct Gated {
    u64 captures;
    u64 ns;
  };
  Gated gated() const;
  u64 captures() const;
  u64 effective_interval_ns();
  void put_sources(Bytes& out, u64 at_points_ns);
  void end(Bytes& out, size_t begin, ChunkKind kind) { end_chunk(out, begin, kind, sequence_++); }

  Session* session_ = nullptr;
  Runtime* runtime_ = nullptr;
  u32 sequence_ = 0;
  Row* rows_ = nullptr;
  Run* runs_ = nullptr;
  u32 run_count_ = 0;
  OffCarrierWaitRow* waits_ = nullptr;  // those of the batch
  u32 wait_count_ = 0;
  u32* new_nodes_ = nullptr;
  u32 new_node_count_ = 0;
  NodeRow* node_rows_ = nullptr;
  u64* sent_nodes_ = nullptr;         // a bit per node of either table
  bool quiet_ = true;                 // no capture brings nodes of the table that is not in use any more
  bool other_clean_ = true;           // and nothing undrained names one
  Shard::Cursor* cursors_ = nullptr;  // of a dump, by slot
  u32 cursor_count_ = 0;
  i64 dump_from_ns_ = 0;
  u64 overwritten_ = 0;
  u64 overwritten_told_ = 0;
  u64 sent_count_ = 0;
  u32 node_capacity_ = 0;
  u32 next_slot_ = 0;  // where the next batch begins, so that no thread starves
  IdMap methods_;
  IdMap classes_;
  u32 next_method_ = 1;
  u32 next_class_ = 1;
  u32 naming_ = 0;        // id of the method being named
  u32 naming_class_ = 0;  // id of the class that is named again
  static constexpr u32 kMissed = 64;
  Missed missed_[kMissed] = {};
  u32 next_missed_ = 0;
  u32 image_ids_[Images::kImages] = {};  // by number; 0: not sent yet
  u32 next_image_ = 1;
  Bytes class_part_;
  Bytes method_part_;
  Bytes image_part_;
  Bytes function_part_;
  KnownFunctions functions_;
  Link* links_ = nullptr;
  ProcessLoad load_;
  u64 links_lost_told_ = 0;
  Bytes loss_part_;
  Bytes call_part_;
  IdMap told_functions_;
  i64 losses_told_ns_ = 0;
  u32 refused_told_ = 0;
  u64 names_lost_ = 0;
  u64 names_lost_told_ = 0;
  u64 dropped_ = 0;
  i64 cpu_at_start_ns_ = 0;
  Gated told_{};  // at the last Status
  u64 mean_cost_ns_ = 0;
};

}  // namespace btrace
