#include "core/process_load.h"

#include "base/clock.h"
#include "core/columns.h"
#include "os/process.h"

namespace btrace {

namespace {
// What a shorter time tells of the load is chance.
constexpr i64 kShortestRowNs = 100 * kNsPerMs;
}  // namespace

void ProcessLoad::take(const Session& session, Runtime& runtime) {
  i64 now = session.since_origin(now_ns());
  i64 cpu_ns = clock_ns(kClockProcessCpu);
  if (taken_) {
    Row& before = at(taken_ - 1);
    i64 lasted = now - before.time_ns;
    if (lasted < kShortestRowNs) return;
    before.load = (cpu_ns - cpu_ns_) * 100 / lasted;
  }
  cpu_ns_ = cpu_ns;
  const ProcessUse use = process_use();
  at(taken_++) = {now, 0, runtime.heap_used(), use.resident_bytes, use.threads};
}

bool ProcessLoad::put(Bytes& out, u32 first) const {
  // The newest has not ended, and the oldest may be overwritten.
  u32 end = taken_ ? taken_ - 1 : 0;
  if (end >= kRows && first < end - kRows + 1) first = end - kRows + 1;
  if (first >= end) return false;
  auto put_counter = [&](const char* name, const char* unit, i64 Row::* value) {
    if (at(first).*value < 0) return;
    Nested block(out, 1);
    put_text_field(out, 1, name);
    put_text_field(out, 2, unit);
    put_delta_column(out, 3, end - first, Coding::Plain, 0, [&](u32 row) { return at(first + row).time_ns; });
    put_delta_column(out, 4, end - first, Coding::Plain, 0, [&](u32 row) { return at(first + row).*value; });
  };
  put_counter("CPU", "%", &Row::load);
  put_counter("heap used", "bytes", &Row::heap);
  put_counter("resident memory", "bytes", &Row::resident);
  put_counter("threads", "1", &Row::threads);
  return true;
}

bool ProcessLoad::cut(Bytes& out) {
  if (!put(out, cut_)) return false;
  cut_ = taken_ - 1;
  return true;
}

bool ProcessLoad::copy(Bytes& out, i64 from_ns) const {
  u32 first = taken_ > kRows ? taken_ - kRows : 0;
  while (first + 1 < taken_ && at(first + 1).time_ns <= from_ns) first++;
  return put(out, first);
}

}  // namespace btrace
