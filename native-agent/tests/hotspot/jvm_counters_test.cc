#include "rt/hotspot/jvm_counters.h"

#include <cstring>
#include <vector>

#include "harness.h"
#include "reads_memory.h"

using namespace btrace;
using hotspot::JvmCounters;
using hotspot::StopClock;

namespace {

// As the JVM lays them out.
struct Memory {
  std::vector<u8> bytes = std::vector<u8>(32);

  Memory() {
    const u8 begin[] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    memcpy(bytes.data(), begin, sizeof begin);
    set(24, 32);
  }
  void set(size_t at, i32 value) { memcpy(bytes.data() + at, &value, sizeof value); }
  i32 get(size_t at) const {
    i32 value;
    memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  // Returns where the entry begins.
  size_t add(const char* name, i64 value, u8 type = 'J') {
    const size_t at = bytes.size(), name_room = (strlen(name) + 1 + 7) / 8 * 8;
    bytes.resize(at + 24 + name_room + 8);
    set(at, static_cast<i32>(bytes.size() - at));
    set(at + 4, 24);
    bytes[at + 12] = type;
    set(at + 16, static_cast<i32>(24 + name_room));
    strcpy(reinterpret_cast<char*>(bytes.data() + at + 24), name);
    memcpy(bytes.data() + at + 24 + name_room, &value, sizeof value);
    set(8, static_cast<i32>(bytes.size()));
    set(28, get(28) + 1);
    return at;
  }
  JvmCounters counters() const { return {bytes.data(), bytes.size()}; }
};

}  // namespace

TEST("JVM counters: the stop clock tells nanoseconds, whatever the JVM counts in") {
  if (!reads_memory()) return;
  Memory memory;
  memory.add("sun.rt.safepoints", 7);
  memory.add("sun.rt.safepointTime", 0, 'B');  // of another type: not it
  memory.add("sun.rt.safepointTime", 2'500'001);
  memory.add("sun.os.hrt.frequency", 1'000'000);
  StopClock clock;
  CHECK(clock.init(memory.counters()));
  CHECK_EQUAL(clock.total_ns(), i64{2'500'001'000});
}

TEST("JVM counters: without the counter nothing is told") {
  Memory memory;
  memory.add("sun.os.hrt.frequency", 1'000'000);
  StopClock clock;
  CHECK(!clock.init(memory.counters()));
  CHECK(!clock.init({}));
  CHECK_EQUAL(clock.total_ns(), i64{-1});
}

TEST("JVM counters: what is no such memory, or leads out of it, is left alone") {
  if (!reads_memory()) return;
  const char* name = "sun.rt.safepointTime";
  Memory memory;
  const size_t first = memory.add("a", 1);
  memory.add(name, 5);
  CHECK(memory.counters().find(name) != nullptr);
  CHECK(JvmCounters({memory.bytes.data(), memory.bytes.size() - 1}).find(name) == nullptr);
  CHECK(JvmCounters({reinterpret_cast<const u8*>(16), 4096}).find(name) == nullptr);
  const i32 length = memory.get(first);
  for (i32 wrong : {0, -8, 19, 1 << 30}) {
    memory.set(first, wrong);
    CHECK(memory.counters().find(name) == nullptr);
  }
  memory.set(first, length);
  memory.bytes[7] = 0;  // the JVM is laying it out
  CHECK(memory.counters().find(name) == nullptr);
}
