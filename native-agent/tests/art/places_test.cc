// What ART's structures are recognized by, in memory that is made up: each fact is false in turn, and then the place is
// not taken, hook health says why, and nothing is written.
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/syscall.h"
#include "core/session.h"
#include "harness.h"
#include "reads_memory.h"
#include "rt/art/art.h"
#include "rt/art/points.h"

using namespace btrace;
using namespace btrace::art;

namespace {

using Word = uintptr_t;
constexpr size_t kIdWords = 65536 / 8 / sizeof(Word);
constexpr u32 kVmAt = 100, kThreadListAt = 95, kMainId = 1, kOwnId = 7;
constexpr u32 kObject = 0x12345678;

template <class T>
Word address_of(T& of) {
  return reinterpret_cast<Word>(&of);
}

struct Space {
  Word words[16] = {};
};

struct Node {
  Word next, before, value;
};

// All that the search reads, in one piece, so that a write anywhere in it is seen.
struct Memory {
  Word libart[32] = {};
  Word vm[4] = {};
  Word runtime[512] = {};
  Word heap[512] = {};
  Word arena_pool[512] = {};  // of libart as well, and beside the heap
  Word spaces[2] = {};
  Space space[2];
  Word collectors[1] = {};
  Word collector[16] = {};
  struct {
    Word given[kIdWords] = {};
    Word lock[4] = {};
    Word first = 0, last = 0, count = 0;
    Word behind[64] = {};
  } list;
  Node nodes[2] = {};
  u32 thread[2][64] = {};
};

class World {
 public:
  explicit World(u32 heap_before_list = 8) : memory(*new Memory) {
    // A class with virtual functions: its table and its functions lie in libart.
    memory.libart[4] = address_of(memory.libart[20]);
    const Word table = address_of(memory.libart[4]);
    memory.runtime[kVmAt] = address_of(memory.vm);
    memory.runtime[kThreadListAt] = address_of(memory.list);
    for (u32 i = 1; i < heap_before_list; i++) memory.runtime[kThreadListAt - i] = address_of(memory.arena_pool);
    memory.runtime[kThreadListAt - heap_before_list] = address_of(memory.heap);
    memory.arena_pool[0] = table;

    memory.heap[0] = address_of(memory.spaces[0]);
    memory.heap[1] = memory.heap[2] = address_of(memory.spaces[0]) + sizeof memory.spaces;
    for (u32 i = 0; i < 2; i++) {
      memory.spaces[i] = address_of(memory.space[i]);
      memory.space[i].words[0] = table;
    }
    Word* extent = memory.space[1].words + 6;
    extent[0] = 0x12000000, extent[1] = 0x12800000, extent[2] = 0x13000000;
    memory.heap[200] = address_of(memory.collectors);
    memory.heap[201] = memory.heap[202] = address_of(memory.collectors) + sizeof memory.collectors;
    memory.collectors[0] = address_of(memory.collector);
    memory.collector[0] = table;
    memory.collector[3] = address_of(memory.heap);

    const u32 ids[2] = {kMainId, kOwnId};
    const u32 tids[2] = {static_cast<u32>(getpid()), sys::gettid()};
    Word ring[4] = {address_of(memory.list.first), address_of(memory.nodes[0]), address_of(memory.nodes[1]),
                    address_of(memory.list.first)};
    memory.list.first = ring[1];
    memory.list.last = ring[2];
    for (u32 i = 0; i < 2; i++) {
      memory.nodes[i] = {ring[i + 2], ring[i], address_of(memory.thread[i])};
      memory.thread[i][4] = ids[i];
      memory.thread[i][5] = tids[i];
      give(ids[i], true);
    }
  }
  ~World() { delete &memory; }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void give(u32 id, bool given) {
    Word& word = memory.list.given[(id - 1) / (sizeof(Word) * 8)];
    const Word bit = Word{1} << (id - 1) % (sizeof(Word) * 8);
    word = given ? word | bit : word & ~bit;
  }

  Places found() {
    Places places;
    look(places);
    return places;
  }
  // Whether another look may find more.
  bool look(Places& places) {
    const auto* libart = reinterpret_cast<const u8*>(memory.libart);
    const Anchors anchors{reinterpret_cast<u8*>(memory.runtime),
                          memory.vm,
                          reinterpret_cast<const u8*>(memory.thread[1]),
                          sys::gettid(),
                          sys::getpid(),
                          {libart, libart + sizeof memory.libart},
                          object};
    return find_places(anchors, places);
  }

  Memory& memory;
  u32 object = kObject;
};

u32 g_calls;

// A heap that takes its listener; of what is none it would change a word as well.
void set_listener(u8* heap, void* listener) {
  g_calls++;
  reinterpret_cast<void**>(heap)[40] = listener;
}
void clear_listener(u8* heap) {
  set_listener(heap, nullptr);
}

// An ART in which nothing can be allocated: the listener is put in, and taken out again as it cannot be tried.
constexpr const char* kTried = "this ART does not tell the listener of an allocation as it should";
JNINativeInterface_ g_table{};
JNIInvokeInterface_ g_vm_table{};
JNIEnv g_env{&g_table};
JavaVM g_vm{&g_vm_table};

// Puts the heap's listeners in. Returns what hook health says of the first.
std::string listened(const Places& places) {
  g_calls = 0;
  g_table.PushLocalFrame = [](JNIEnv*, jint) -> jint { return JNI_ERR; };
  g_vm_table.GetEnv = [](JavaVM*, void** env, jint) -> jint { return *env = &g_env, JNI_OK; };
  Internals& art = g_art.internals;
  art.vm = &g_vm;
  art.places = places;
  auto set = [&](Need need, auto* function) {
    art.resolved[static_cast<u32>(need)] = {reinterpret_cast<void*>(function), 0};
  };
  set(Need::SetAllocationListener, set_listener);
  set(Need::RemoveAllocationListener, clear_listener);
  Session* session = open_session(Config{});
  CHECK(session != nullptr);
  add_heap_listeners(*session);
  const HookState state = session->hook_state("allocation");
  const char* why = session->hook("allocation")->why;
  const std::string said = state == HookState::Installed ? "installed" : why ? why : "";
  remove_heap_listeners(*session);
  close_session(*session);
  art = {};
  return said;
}

TEST("art places: all are found, with seven words between heap and thread list as with eight or others") {
  if (!reads_memory()) return;
  for (u32 distance : {5u, 8u, 9u, 12u}) {
    World world(distance);
    const Places places = world.found();
    CHECK(places.heap.at == reinterpret_cast<u8*>(world.memory.heap));
    CHECK(places.thread_list.at == reinterpret_cast<u8*>(&world.memory.list));
    CHECK_EQUAL(places.thread_tid, 20u);
    CHECK(places.main_thread == reinterpret_cast<const u8*>(world.memory.thread[0]));
    CHECK(!places.heap.doubt && !places.thread_list.doubt && !places.tid_doubt);
    CHECK_EQUAL(listened(places), kTried);
    CHECK_EQUAL(g_calls, 2u);
  }
}

TEST("art places: what only begins as a list does not ask for another look once the list is found") {
  if (!reads_memory()) return;
  World world;
  Node broken[2] = {{address_of(broken[1]), address_of(world.memory.list.lock[0]), address_of(world.memory.thread[0])},
                    {address_of(broken[0]), 0, address_of(world.memory.thread[0])}};
  world.memory.list.lock[0] = address_of(broken[0]);
  Places places;
  CHECK(!world.look(places));
  CHECK(places.main_thread == reinterpret_cast<const u8*>(world.memory.thread[0]));
  // The list itself breaks off.
  world.memory.nodes[1].before = 0;
  CHECK(world.look(places));
  CHECK(!places.main_thread);
}

struct Lie {
  const char* fact;
  std::function<void(World&)> tell;
  const char* doubt;  // of the heap
};

const Lie kHeapLies[] = {
    {"a space is no object of libart's", [](World& w) { w.memory.space[0].words[0] = address_of(w.memory.vm); },
     "spaces"},
    {"its functions are not libart's", [](World& w) { w.memory.libart[4] = address_of(w.memory.vm); }, "spaces"},
    {"there are no spaces", [](World& w) { w.memory.heap[1] = w.memory.heap[0]; }, "spaces"},
    {"no space has the object", [](World& w) { w.object = 0x55555000; }, "spaces"},
    {"no object is known", [](World& w) { w.object = 0; }, "no Java object"},
    {"the collector knows another heap", [](World& w) { w.memory.collector[3] = address_of(w.memory.arena_pool); },
     "not known by its own"},
    {"what knows it is not of libart", [](World& w) { w.memory.collector[0] = address_of(w.memory.vm); },
     "not known by its own"},
    {"there are two of them",
     [](World& w) {
       memcpy(w.memory.arena_pool, w.memory.heap, sizeof w.memory.heap);
       w.memory.collector[4] = address_of(w.memory.arena_pool);
     },
     "more than one"},
    {"it is not in the runtime", [](World& w) { w.memory.runtime[kThreadListAt - 8] = 0; }, "spaces"},
    {"the thread list is none", [](World& w) { w.memory.nodes[1].before = 0; }, "no thread list"},
};

TEST("art places: where one fact of the heap is false nothing is written, and hook health says so") {
  if (!reads_memory()) return;
  for (const Lie& lie : kHeapLies) {
    World world;
    lie.tell(world);
    const Memory before = world.memory;
    const Places places = world.found();
    const std::string said = listened(places);
    if (places.heap.at || g_calls || said.find(lie.doubt) == std::string::npos ||
        said.find("the heap is not proven: ") != 0)
      harness::fail(__FILE__, __LINE__, std::string(lie.fact) + ": " + said);
    CHECK(memcmp(&before, &world.memory, sizeof before) == 0);
  }
}

TEST("art places: a thread list must hold this thread and have given out its id") {
  if (!reads_memory()) return;
  const Lie lies[] = {
      {"its id was not given out", [](World& w) { w.give(kOwnId, false); }, ""},
      {"this thread is not in it", [](World& w) { w.memory.nodes[1].value = address_of(w.memory.vm); }, ""},
      {"a link back leads elsewhere", [](World& w) { w.memory.nodes[0].before = address_of(w.memory.vm); }, ""},
      {"the ring is open", [](World& w) { w.memory.nodes[1].next = 0; }, ""},
      {"the runtime has another machine", [](World& w) { w.memory.runtime[kVmAt] = 0; }, ""},
  };
  for (const Lie& lie : lies) {
    World world;
    lie.tell(world);
    const Places places = world.found();
    if (places.thread_list.at || !places.thread_list.doubt || places.heap.at || places.thread_tid)
      harness::fail(__FILE__, __LINE__, lie.fact);
  }
}

TEST("art places: ids in Thread are taken where all threads have them") {
  if (!reads_memory()) return;
  const Lie lies[] = {
      {"another's id was not given out", [](World& w) { w.give(kMainId, false); }, ""},
      {"another's number is no thread's", [](World& w) { w.memory.thread[0][5] = 0x7ffffff0; }, ""},
      {"there is no other thread",
       [](World& w) {
         w.memory.list.first = address_of(w.memory.nodes[1]);
         w.memory.nodes[1].before = address_of(w.memory.list.first);
       },
       ""},
  };
  for (const Lie& lie : lies) {
    World world;
    lie.tell(world);
    const Places places = world.found();
    if (places.thread_tid || !places.tid_doubt) harness::fail(__FILE__, __LINE__, lie.fact);
    CHECK(places.thread_list.at != nullptr);
  }
}

}  // namespace
