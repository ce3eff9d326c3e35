#include "rt/hotspot/jvm_counters.h"

#include "base/clock.h"
#include "base/libc.h"
#include "os/machine.h"

namespace btrace::hotspot {

namespace {

// As it begins, from JDK 1.4.2 on.
struct Prologue {
  u8 magic[4];
  u8 little_endian, major, minor, accessible;
  i32 used, overflow;
  i64 changed;
  i32 first_entry, entries;
};

struct Entry {
  i32 length, name, vector_length;
  u8 type, flags, units, variability;
  i32 data;
};

constexpr u8 kMagic[] = {0xca, 0xfe, 0xc0, 0xc0};
constexpr i32 kMostEntries = 10'000;
constexpr u8 kLong = 'J';
constexpr size_t kNameRoom = 64;

}  // namespace

const u8* JvmCounters::find(const char* name) const {
  Prologue prologue;
  if (!begin || size < sizeof prologue || !read_memory(begin, &prologue, sizeof prologue)) return nullptr;
  if (memcmp(prologue.magic, kMagic, sizeof kMagic) != 0 || prologue.little_endian != 1 || prologue.major != 2 ||
      !prologue.accessible || prologue.used < 0 || prologue.first_entry < 0)
    return nullptr;
  const size_t used = min_of(size, static_cast<size_t>(prologue.used));
  const size_t name_bytes = strlen(name) + 1;
  if (name_bytes > kNameRoom) return nullptr;
  size_t at = static_cast<size_t>(prologue.first_entry);
  for (i32 left = min_of(prologue.entries, kMostEntries); left > 0 && at + sizeof(Entry) <= used; left--) {
    Entry entry;
    if (!read_memory(begin + at, &entry, sizeof entry) || entry.length < static_cast<i32>(sizeof entry)) return nullptr;
    const size_t end = at + static_cast<size_t>(entry.length);
    if (end > used || entry.name < 0 || entry.data < 0) return nullptr;
    const size_t name_at = at + static_cast<size_t>(entry.name), data_at = at + static_cast<size_t>(entry.data);
    char own[kNameRoom];
    if (entry.type == kLong && !entry.vector_length && data_at + sizeof(i64) <= end && name_at + name_bytes <= end &&
        read_memory(begin + name_at, own, name_bytes) && memcmp(own, name, name_bytes) == 0)
      return begin + data_at;
    at = end;
  }
  return nullptr;
}

bool StopClock::init(const JvmCounters& counters) {
  const u8* frequency = counters.find("sun.os.hrt.frequency");
  const u8* ticks = counters.find("sun.rt.safepointTime");
  if (!frequency || !ticks || !read_memory(frequency, &ticks_per_second_, sizeof ticks_per_second_)) return false;
  if (!ticks_per_second_) return false;
  ticks_ = ticks;
  return true;
}

i64 StopClock::total_ns() const {
  u64 ticks;
  if (!ticks_ || !read_memory(ticks_, &ticks, sizeof ticks)) return -1;
  const u64 second = static_cast<u64>(kNsPerSecond);
  return static_cast<i64>(ticks / ticks_per_second_ * second + ticks % ticks_per_second_ * second / ticks_per_second_);
}

}  // namespace btrace::hotspot
