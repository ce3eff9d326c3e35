#pragma once
// What the kernel tells of another process: samples by its threads' CPU time, each switch, and what it maps, starts and
// ends. One event for each thread and processor: only such events are inherited by threads that come later, and share
// one buffer a processor.
#include <linux/perf_event.h>

#include <string>
#include <vector>

#include "base/types.h"

namespace btrace::host {

// One record, in the order of time of all processors. Valid until the next one is asked for.
struct KernelRecord {
  const perf_event_header* header;
  u32 pid, tid;
  u32 processor;
  i64 time_ns;         // of CLOCK_MONOTONIC
  bool filled_buffer;  // the processor's buffer had no room behind it
};

// The registers that a sample has, in the kernel's order.
struct UserRegisters {
  u64 frame, link, sp, pc;
};

struct KernelSample {
  u64 period;
  const u64* chain;  // addresses and context markers
  u64 chain_length;
  UserRegisters registers;
  bool has_registers;
  const u8* stack;  // from registers.sp on
  u64 stack_bytes;
};

struct EventOptions {
  i64 interval_ns;  // of CPU time; 0: no samples by it
  bool on_exec;     // the process begins with its next exec
  bool switches_only = false;  // neither samples nor mappings, in small buffers
};

// Why nothing can be recorded, in words for a person: what, and what to do.
struct Refusal {
  std::string what, next_step;
};

class KernelEvents {
 public:
  ~KernelEvents() { close(); }
  // False with the reason. Threads that end meanwhile are passed over.
  bool open(u32 pid, const std::vector<u32>& tids, const EventOptions& options, Refusal& why);
  // Threads that came between the look into /proc and the events.
  void add(const std::vector<u32>& tids);
  void enable();
  void close();

  // Takes what has come: records up to the time of the call before this one, so that none is out of order.
  void begin_round();
  // Takes all that is there.
  void begin_last_round();
  bool next(KernelRecord& record);
  void end_round();
  static bool read_sample(const KernelRecord& record, KernelSample& sample);

  // Whether a switch brings its stack. Only the kernel's administrator may ask for that.
  bool has_switch_stacks() const { return has_switch_stacks_; }
  u64 fill_percent() const;
  // Processors whose buffer was full and has no record since: the next one would have said how many were lost.
  std::vector<u32> full_to_the_end() const;
  // Of all events so far, those that had no room; false where the kernel does not count them (before Linux 6.0).
  bool read_lost(u64& count) const;
  size_t buffer_bytes() const;
  size_t events() const { return fds_.size(); }

 private:
  struct Buffer {
    int fd;
    perf_event_mmap_page* page;
    const u8* data;
    u64 bytes, tail, head;
    u64 full_at;        // the head when it was full; 0: not since its last record
    const u8* record;  // the next one, whole; null: none
    i64 time_ns;
    std::vector<u8> copy;  // of one that lies at the end and the beginning
  };
  enum class Opened { Yes, Gone, Failed };

  perf_event_attr sample_event() const;
  perf_event_attr switch_event() const;
  Opened open_for(u32 tid, u32 processor, const perf_event_attr& attr);
  Opened open_thread(u32 tid);
  bool map(Buffer& buffer);
  static u64 least_bytes(const perf_event_header& header);
  void look(Buffer& buffer);

  std::vector<int> fds_;
  std::vector<Buffer> buffers_;  // by processor
  std::vector<u32> processors_;
  EventOptions options_{};
  bool has_switch_stacks_ = true, counts_lost_ = true;
  int error_ = 0;
  i64 until_ns_ = 0, next_until_ns_ = 0;
  Buffer* last_ = nullptr;
};

// Raises the limit of open files as far as this user may.
void raise_open_files();

}  // namespace btrace::host
