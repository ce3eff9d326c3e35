#pragma once
// One recording as the desktop sees it (docs/FORMAT.md, Conversation): from its Hello to our Goodbye. Runs on the
// agent's thread that talks and drains; external samplers walk the program's threads meanwhile.
#include "core/connection.h"
#include "core/drain.h"
#include "core/options.h"
#include "core/external_sampler.h"
#include "core/pace.h"

namespace btrace {

inline constexpr const char* kAgentVersion = "0.1.0";

// Between a recording and the threads that started it or want it to end.
struct RecordingSwitch {
  Atomic<u32> begun;
  Atomic<u32> finish_asked;
  Atomic<u32> finish_reason;
  Atomic<const char*> finish_detail;
  Atomic<u32> sends_asked;  // how often all that was recorded was to be sent at once
  Atomic<u32> sends_done;   // how many of these are out

  // On any thread: ends the recording.
  void finish(EndReason reason, const char* detail);
};

class Conversation {
 public:
  Conversation(int fd, const Options& options, Runtime& runtime, RecordingSwitch& asked)
      : connection_(fd), options_(options), runtime_(runtime), asked_(asked) {}
  // Until the recording has ended, or none was made.
  void run();

 private:
  bool receive_hello(Config& config);
  bool is_ours(const u8* token, size_t size) const;
  void record();
  void serve();
  bool cut();
  void send_at_once();
  void pump(i64 wait_ns);
  void pump_patiently(i64 wait_ns);
  void obey(const ChunkView& chunk);
  void begin_dump(u64 back_ns);
  void send_dump();
  bool cut_samples();
  size_t unsent_limit() const;
  void end(EndReason reason, const char* detail = nullptr);
  bool send_rest();
  void farewell();
  void keep_pace(i64 now);
  u64 agent_cpu_ns();
  void start_samplers();
  void end_samplers();
  static void* sampler_main(void* sampler);

  // The thread of an external sampler.
  struct Sampler {
    Conversation* conversation;
    u32 group;
    Atomic<u32> tid;  // while it runs
    i64 cpu_ns;
  };

  Connection connection_;
  Options options_;
  Runtime& runtime_;
  RecordingSwitch& asked_;
  Session* session_ = nullptr;
  Drain drain_;
  bool ending_ = false;
  EndReason reason_ = EndReason::Stopped;
  const char* detail_ = nullptr;
  i64 next_status_ns_ = 0;
  // At the last step of the pace; 0: there was none yet.
  i64 paced_ns_ = 0;
  u64 paced_process_cpu_ns_ = 0;
  Spent paced_spent_{};
  Pace pace_;
  bool ring_ = false;
  bool dumping_ = false;
  Sampler samplers_[kThreadGroups]{};
  Atomic<u32> samplers_asked_to_end_{};
  Atomic<u32> samplers_running_{};
  Atomic<u32> samplers_looked_{};
  i64 cpu_at_start_ns_ = 0;
};

}  // namespace btrace
