#pragma once
// A program of iOS or macOS.
#include "core/cpu_allowance.h"
#include "rt/darwin/run_loop.h"
#include "rt/native/native.h"

namespace btrace::darwin {

class Darwin : public native::Native {
 public:
  void install(Session& session) override;
  void describe_thread(ThreadRecord& record, ThreadDescription& thread) override;
  i32 walk_other_thread(ThreadRecord& record, Frame* frames, u32 limit, WalkNotes& notes) override;
  bool can_walk_other_threads() override { return true; }
  bool can_walk_here() override { return false; }
  bool walks_at_once() override { return true; }
  void find_new_threads(Session& session, i64 now_ns) override;
  void remove(Session& session) override;
  u64 adapt(Session& session, u64 cpu_ns) override;

 protected:
  native::Points system_points(u32 family) override;

 private:
  // A list of the threads costs some microseconds a thread: it takes no more than this share of a core.
  static constexpr i64 kPausePerScan = 200;

  void meet(ThreadRecord& record);
  void look_for_program(ThreadRecord& main);

  Session* session_ = nullptr;
  i64 next_scan_ns_ = 0;
  CpuAllowance for_scans_{kPausePerScan};
  u32 scans_ = 0;
  RunLoop run_loop_;
  u32* seen_ = nullptr;  // by slot: the scan that saw the record's thread last
};

extern Darwin g_darwin;

}  // namespace btrace::darwin
