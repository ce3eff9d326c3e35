#include "rt/art/monitor_object.h"

#include "os/machine.h"
#include "rt/art/reads.h"

namespace btrace::art {

namespace {

constexpr u32 kMonitorBytes = 192;

const Object* at(u32 reference) {
  return reinterpret_cast<const Object*>(static_cast<uintptr_t>(reference));
}

bool read_object(u32 reference, Object& object) {
  constexpr u32 kAlignment = 8, kLowest = 0x10000;
  return reference >= kLowest && reference % kAlignment == 0 && read_managed(at(reference), &object, sizeof object);
}

// Its class's class is java.lang.Class, which is its own.
bool is_object(const Object& object) {
  Object java_class, class_class;
  return read_object(object.klass, java_class) && read_object(java_class.klass, class_class) &&
         class_class.klass == java_class.klass;
}

}  // namespace

// A monitor keeps its number beside the reference, and the object's lock word has the same.
u32 MonitorObjects::find(const ArtMonitor* monitor) {
  constexpr u32 kWords = kMonitorBytes / sizeof(u32);
  u32 words[kWords];
  if (!read_memory(monitor, words, sizeof words)) return 0;
  u32 found = 0;
  for (u32 place = 0; place < kWords; place++) {
    Object object;
    const u64 id = read_object(words[place], object) ? monitor_id(&object) : 0;
    bool has_number = false;
    for (u32 other = 0; id && other < kWords; other++) has_number |= other != place && u64{words[other]} + 1 == id;
    if (!has_number || !is_object(object)) continue;
    if (found) return 0;
    found = place * sizeof(u32);
  }
  return found;
}

const Object* MonitorObjects::of(const ArtMonitor* monitor) {
  u32 place = place_.load_relaxed();
  if (!place) {
    if (looks_.load_relaxed() >= kLooks) return nullptr;
    looks_.add_relaxed(1);
    place = find(monitor);
    if (!place) return nullptr;
    place_.store_relaxed(place);
  }
  const Object* object = at(*reinterpret_cast<const u32*>(monitor + place));
  return monitor_id(object) ? object : nullptr;
}

}  // namespace btrace::art
