// What the process uses, from the kernel's texts to the message.
#include "core/process_load.h"

#include <map>

#include "base/clock.h"
#include "core/proto.h"
#include "fake_runtime.h"
#include "harness.h"
#include "os/linux/proc_status.h"

using namespace btrace;

namespace {

struct Track {
  std::string unit;
  std::vector<i64> time, value;
};

std::vector<i64> sums(const FieldReader& field) {
  std::vector<i64> values;
  i64 sum = 0;
  const u8* at = field.bytes();
  for (u64 entry; at != field.bytes() + field.size() && get_varint(at, field.bytes() + field.size(), entry);)
    values.push_back(sum += unzigzag(entry));
  return values;
}

std::map<std::string, Track> tracks(Bytes& out) {
  std::map<std::string, Track> found;
  FieldReader message(out.data(), out.size());
  while (message.next()) {
    FieldReader field(message.bytes(), message.size());
    std::string name;
    Track track;
    while (field.next()) {
      std::string text(reinterpret_cast<const char*>(field.bytes()), field.is_bytes() ? field.size() : 0);
      if (field.field() == 1) name = text;
      if (field.field() == 2) track.unit = text;
      if (field.field() == 3) track.time = sums(field);
      if (field.field() == 4) track.value = sums(field);
    }
    found[name] = track;
  }
  out.clear();
  return found;
}

void work(i64 ns) {
  for (i64 until = clock_ns(kClockThreadCpu) + ns; clock_ns(kClockThreadCpu) < until;) {
  }
}

TEST("process load: rows hold from one look to the next, and each goes out once") {
  FakeRuntime runtime;
  Session session{};
  session.origin_ns = now_ns();
  ProcessLoad load;
  CHECK(load.init());
  Bytes out;
  load.take(session, runtime);
  CHECK(!load.cut(out));
  runtime.heap = 5000;
  work(120 * kNsPerMs);
  load.take(session, runtime);
  i64 second = session.since_origin(now_ns());
  load.take(session, runtime);  // too early: nothing
  CHECK(load.cut(out));
  auto first = tracks(out);
  CHECK_EQUAL(first.at("CPU").unit, "%");
  CHECK_EQUAL(first.at("CPU").time.size(), size_t{1});
  // Other processes may have had the processor meanwhile, other threads of this one used some.
  CHECK(first.at("CPU").value[0] > 0);
  CHECK(first.at("resident memory").value[0] > 1 << 20);
  CHECK(first.at("threads").value[0] >= 1);
  CHECK_EQUAL(first.count("heap used"), size_t{0});
  CHECK(!load.cut(out));
  sys::sleep_ns(120 * kNsPerMs);
  load.take(session, runtime);
  CHECK(load.cut(out));
  auto next = tracks(out);
  CHECK_EQUAL(next.at("heap used").value[0], i64{5000});
  CHECK(next.at("CPU").time[0] > first.at("CPU").time[0] && next.at("CPU").time[0] <= second);
  // A dump has them again, as far back as it is asked.
  CHECK(load.copy(out, 0));
  CHECK_EQUAL(tracks(out).at("CPU").time.size(), size_t{2});
  CHECK(load.copy(out, second + 1));
  CHECK_EQUAL(tracks(out).at("CPU").time.size(), size_t{1});
  load.release();
}

TEST("process load: numbers of the kernel's text") {
  const char* status = "Name:\tVmRSS: 7\nVmHWM:\t  99 kB\nVmRSS:\t  1234 kB\nThreads:\t12\nSeccomp:";
  CHECK_EQUAL(number_in_status(status, "VmRSS"), i64{1234});
  CHECK_EQUAL(number_in_status(status, "Threads"), i64{12});
  CHECK_EQUAL(number_in_status(status, "Seccomp"), i64{-1});
  CHECK_EQUAL(number_in_status(status, "VmSwap"), i64{-1});
}

}  // namespace
