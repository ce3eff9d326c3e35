// What a monitor is of, against monitors and objects that are laid out here.
#include "rt/art/monitor_object.h"

#include <sys/mman.h>

#include "harness.h"
#include "os/machine.h"
#include "reads_memory.h"

using namespace btrace;
using namespace btrace::art;

namespace {

constexpr u32 kNumber = 51, kFat = 1u << 30, kForwarded = 3u << 30;

// References have 32 bits: the objects lie low.
struct Heap {
  Object* objects;
  u32 made = 0;

  Heap() {
    void* low = mmap(reinterpret_cast<void*>(0x30000000), 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    objects = low == MAP_FAILED ? nullptr : static_cast<Object*>(low);
  }
  ~Heap() { munmap(objects, 4096); }
  u32 add(u32 klass, u32 lock_word) {
    objects[made] = {klass, lock_word};
    return static_cast<u32>(reinterpret_cast<uintptr_t>(&objects[made++]));
  }
};

struct Monitor {
  alignas(8) u32 words[64] = {};
  const ArtMonitor* address() const { return reinterpret_cast<const ArtMonitor*>(words); }
};

struct World {
  Heap heap;
  u32 class_class = heap.add(0, 0);
  u32 a_class = heap.add(class_class, 0);
  u32 object = heap.add(a_class, kFat | kNumber);
  Monitor monitor;
  MonitorObjects objects{};

  World() {
    heap.objects[0].klass = class_class;
    monitor.words[0] = monitor.words[1] = 0x7f123458;
    monitor.words[13] = object;
    monitor.words[30] = kNumber;
  }
  const Object* found() { return objects.of(monitor.address()); }
  const Object* expected() const { return &heap.objects[2]; }
};

TEST("monitor object: is found where its lock word has the monitor's number, and then in every monitor") {
  World world;
  if (!reads_memory()) {
    CHECK(world.found() == nullptr);
    return;
  }
  CHECK(world.found() == world.expected());
  world.monitor.words[13] = world.heap.add(world.a_class, kFat | 7);
  CHECK(world.found() == &world.heap.objects[3]);
  // It is being moved, or the monitor has lost it.
  world.heap.objects[3].lock_word = kForwarded | 7;
  CHECK(world.found() == nullptr);
  world.monitor.words[13] = 0;
  CHECK(world.found() == nullptr);
}

TEST("monitor object: is none without its number") {
  World world;
  world.monitor.words[30]++;
  CHECK(world.found() == nullptr);
  world.monitor.words[30]--;
  CHECK(world.found() == (reads_memory() ? world.expected() : nullptr));
}

TEST("monitor object: two that could be it are none") {
  World two;
  two.monitor.words[20] = two.heap.add(two.a_class, kFat | kNumber);
  CHECK(two.found() == nullptr);
}

TEST("monitor object: what has no class is none") {
  World world;
  world.heap.objects[1].klass = world.object;
  CHECK(world.found() == nullptr);
  world.heap.objects[1].klass = 0x10;
  CHECK(world.found() == nullptr);
}

TEST("monitor object: a runtime whose monitors are of another kind is not searched for ever") {
  World world;
  world.monitor.words[30] = 0;
  for (u32 look = 0; look < 64; look++) CHECK(world.found() == nullptr);
  world.monitor.words[30] = kNumber;
  CHECK(world.found() == nullptr);
}

}  // namespace
