// How the agent speaks with each version of ART, with a runtime that is made up around it: which place in a listener's
// table a version calls, and what it is called with itself.
#include <sys/mman.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/capture.h"
#include "core/waits.h"
#include "harness.h"
#include "reads_memory.h"
#include "rt/art/art.h"
#include "rt/art/listener_proof.h"
#include "rt/art/points.h"
#include "rt/art/thread_state.h"

using namespace btrace;
using namespace btrace::art;

namespace {

constexpr u32 kNative = 91u << 16;  // a state: no thread is walked here
constexpr u32 kTidPlace = 5, kArtId = 7, kListenerWord = 40;

JNINativeInterface_ g_table{};
JNIInvokeInterface_ g_vm_table{};
JavaVM g_vm{&g_vm_table};

// In the order in which add_callbacks() adds them.
enum { kMonitor, kPark, kClass, kThread, kPhase, kAll };

// References have 32 bits: what they lead to lies low.
struct Objects {
  Object class_class, a_class;
  struct {
    Object head;
    u32 length;
  } array;
};

u32 reference_to(const void* object) {
  return static_cast<u32>(reinterpret_cast<uintptr_t>(object));
}

struct World {
  u32 thread[64] = {kNative};
  struct {
    const JNINativeInterface_* functions = &g_table;
    void* thread;
  } beside;
  u8* heap[512] = {};
  u8 runtime[8] = {};
  u32 suspensions = 0;
  bool all_suspended = false, changed_while_running = false;
  VirtualObject* added[8] = {};
  u32 added_count = 0;
  Objects* objects;
  bool exception = false;
  // Which of a listener's functions the version calls, and how many it has before those that are known.
  u32 allocation_at = 4, load_at = 5, before_known = 0;

  World();
  ~World();
  template <class... Arguments>
  void tell(VirtualObject* listener, u32 place, Arguments... arguments) const {
    if (!listener) return;
    const void* function = listener->table[place + before_known];
    reinterpret_cast<void (*)(void*, Arguments...)>(const_cast<void*>(function))(listener, arguments...);
  }
} *g_world;

template <class Function>
void set(Need need, Function* function, u8 variant = 0) {
  g_art.internals.resolved[static_cast<u32>(need)] = {reinterpret_cast<void*>(function), variant};
}

void keep_listener(u8* heap, void* listener) {
  reinterpret_cast<void**>(heap)[kListenerWord] = listener;
}
void forget_listener(u8* heap) {
  keep_listener(heap, nullptr);
}
void add_callback(u8*, void* callback) {
  g_world->changed_while_running |= !g_world->all_suspended;
  g_world->added[g_world->added_count++] = static_cast<VirtualObject*>(callback);
}
void remove_callback(u8*, void* callback) {
  g_world->changed_while_running |= !g_world->all_suspended;
  for (VirtualObject*& added : g_world->added)
    if (added == callback) added = nullptr;
}

template <class Handle>
Handle handle(uintptr_t value) {
  return reinterpret_cast<Handle>(value);
}

// What the agent does to be told of it.
void allocate_array() {
  Objects& objects = *g_world->objects;
  objects.array = {{reference_to(&objects.a_class), 0}, kProofArrayLength};
  uintptr_t array = reinterpret_cast<uintptr_t>(&objects.array);
  g_world->tell(reinterpret_cast<VirtualObject*>(g_world->heap[kListenerWord]), g_world->allocation_at,
                reinterpret_cast<ArtThread*>(g_world->thread), reinterpret_cast<Object* const*>(&array),
                size_t{kProofArrayLength + 15});
}
void wait_for_array() {
  const u32 array = reference_to(&g_world->objects->array);
  g_world->tell(g_world->added[kMonitor], 2, reinterpret_cast<Object* const*>(&array), kProofWaitMs);
  g_world->tell(g_world->added[kMonitor], 3, static_cast<ArtMonitor*>(nullptr), true);
}
void park() {
  g_world->tell(g_world->added[kPark], 0, false, kProofParkNs);
  g_world->tell(g_world->added[kPark], 1, true);
}
void load_class() {
  const u32 loaded = reference_to(&g_world->objects->a_class);
  g_world->tell(g_world->added[kClass], g_world->load_at, reinterpret_cast<Object* const*>(&loaded));
}

void know_acts() {
  g_table.PushLocalFrame = [](JNIEnv*, jint) -> jint { return JNI_OK; };
  g_table.PopLocalFrame = [](JNIEnv*, jobject) -> jobject { return nullptr; };
  g_table.GetMethodID = [](JNIEnv*, jclass, const char*, const char*) { return handle<jmethodID>(2); };
  g_table.GetStaticMethodID = [](JNIEnv*, jclass, const char*, const char*) { return handle<jmethodID>(3); };
  g_table.MonitorEnter = g_table.MonitorExit = [](JNIEnv*, jobject) -> jint { return JNI_OK; };
  g_table.ExceptionCheck = [](JNIEnv*) -> jboolean { return g_world->exception; };
  g_table.ExceptionClear = [](JNIEnv*) { g_world->exception = false; };
  g_table.NewByteArray = [](JNIEnv*, jsize) { return allocate_array(), handle<jbyteArray>(4); };
  g_table.CallVoidMethodV = [](JNIEnv*, jobject, jmethodID, va_list) { wait_for_array(); };
  g_table.CallStaticVoidMethodV = [](JNIEnv*, jclass, jmethodID, va_list) { park(); };
  g_table.FindClass = [](JNIEnv*, const char* name) {
    if (name[0] == '[') load_class();
    return handle<jclass>(1);
  };
}

World::World() {
  g_world = this;
  objects = static_cast<Objects*>(mmap(handle<void*>(0x30000000), sizeof *objects, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  CHECK(objects != MAP_FAILED);
  objects->class_class.klass = objects->a_class.klass = reference_to(&objects->class_class);
  beside.thread = thread;
  thread[kTidPlace - 1] = kArtId;
  g_vm_table.GetEnv = [](JavaVM*, void** env, jint) -> jint {
    *env = &g_world->beside;
    return JNI_OK;
  };
  know_acts();
  g_art.internals.vm = &g_vm;
  g_art.internals.places.heap.at = reinterpret_cast<u8*>(heap);
  g_art.internals.runtime = runtime;
  g_art.internals.places.thread_tid = kTidPlace * sizeof(u32);
  for (Need need : {Need::VisitorConstructor, Need::WalkStack, Need::GetMethod, Need::GetDexPc}) set(need, +[] {});
  set(Need::SetAllocationListener, keep_listener);
  set(Need::RemoveAllocationListener, forget_listener);
  set(Need::RuntimeCallbacks, +[](u8* of) { return of; });
  for (Need need : {Need::AddMonitorCallback, Need::AddParkCallback, Need::AddThreadCallback, Need::AddClassCallback,
                    Need::AddPhaseCallback})
    set(need, add_callback);
  for (Need need : {Need::RemoveMonitorCallback, Need::RemoveParkCallback, Need::RemoveThreadCallback,
                    Need::RemoveClassCallback, Need::RemovePhaseCallback})
    set(need, remove_callback);
  set(Need::SuspendAllBegin, +[](void*, const char*, bool) { g_world->all_suspended = true; });
  set(Need::SuspendAllEnd, +[](void*) { g_world->all_suspended = false; });
  make_thread_states();
}
World::~World() {
  munmap(objects, sizeof *objects);
  g_art.internals = {};
}

// Of a recording, on a thread that is gone afterwards.
void recorded(const std::function<void(Session&, ThreadRecord&)>& body) {
  Config config;
  config.sync_interval_ns = 0;
  Session* session = open_session(config);
  CHECK(session != nullptr);
  activate_session(*session);
  std::string failed;
  std::thread([&] {
    try {
      body(*session, *g_threads.current_record());
    } catch (const harness::Failure& failure) {
      failed = failure.what;
    }
  }).join();
  deactivate_session();
  close_session(*session);
  CHECK_EQUAL(failed, "");
}

template <class Function>
Function* place(const VirtualObject* object, u32 index) {
  return reinterpret_cast<Function*>(const_cast<void*>(object->table[index]));
}

// ---------------------------------------------------------------- what ART calls

TEST("art versions: an allocation is told at the place that each version calls for it, and is counted once") {
  // To Android 10, and from 11 on.
  for (u32 allocation_at : {2u, 4u}) {
    World world;
    world.allocation_at = allocation_at;
    recorded([&](Session& session, ThreadRecord& record) {
      add_heap_listeners(session);
      CHECK(session.hook_state("allocation") == (reads_memory() ? HookState::Installed : HookState::Failed));
      if (!reads_memory()) return;
      auto* listener = reinterpret_cast<VirtualObject*>(world.heap[kListenerWord]);
      CHECK(listener != nullptr);
      auto* self = reinterpret_cast<ArtThread*>(world.thread);
      Object* nothing = nullptr;
      const ThreadState& state = *thread_state(record);
      auto tell = [&](u32 index) {
        place<void(void*, ArtThread*, Object* const*, size_t)>(listener, index)(listener, self, &nothing, 24);
      };
      // Two destructors come first, and then it, to Android 10.
      tell(2);
      CHECK_EQUAL(state.allocations, u64{1});
      // From 11 on: before the allocation; whether it is to be called before it; after it.
      if (place<bool(void*)>(listener, 3)(listener)) tell(2);
      tell(4);
      CHECK_EQUAL(state.allocations, u64{2});
      CHECK_EQUAL(state.allocated_bytes, u64{48});
      remove_heap_listeners(session);
      CHECK(!world.heap[kListenerWord]);
    });
  }
}

TEST("art versions: what a version with more functions than are known calls otherwise is taken out again") {
  World world;
  world.before_known = 1;
  set(Need::DefineClassEvents, +[] {});
  recorded([&](Session& session, ThreadRecord&) {
    add_heap_listeners(session);
    add_callbacks(session);
    for (const char* hook : {"allocation", "monitor", "park"}) CHECK(session.hook_state(hook) == HookState::Failed);
    CHECK(!world.heap[kListenerWord] && !world.added[kMonitor] && !world.added[kPark]);
    CHECK(!world.changed_while_running);
    remove_callbacks(session);
    remove_heap_listeners(session);
  });
}

TEST("art versions: a listener of threads that is told of another than the calling one is believed no more") {
  World world;
  set(Need::DefineClassEvents, +[] {});
  recorded([&](Session& session, ThreadRecord& record) {
    add_callbacks(session);
    // Of another thread: what it leads to is not there.
    world.tell(world.added[kThread], 2, reinterpret_cast<ArtThread*>(8));
    record.begin_ns.store(0);
    world.tell(world.added[kThread], 2, reinterpret_cast<ArtThread*>(world.thread));
    CHECK_EQUAL(record.begin_ns.load(), i64{0});
    remove_callbacks(session);
    CHECK(session.hook_state("threads") == HookState::Failed);
  });
}

TEST("art versions: callbacks are in and out while all threads stand still, each at the places that the version calls") {
  for (bool has_define_class : {false, true}) {
    World world;
    set(has_define_class ? Need::DefineClassEvents : Need::SuspendByThreadId, +[] {});
    world.load_at = has_define_class ? 5 : 3;
    recorded([&](Session& session, ThreadRecord& record) {
      add_callbacks(session);
      CHECK_EQUAL(world.added_count, u32{kAll});
      CHECK(session.hook_state("monitor") == (reads_memory() ? HookState::Installed : HookState::Failed));
      if (!reads_memory()) return remove_callbacks(session);
      auto call = [&](u32 which, u32 index, auto... arguments) {
        place<void(void*, decltype(arguments)...)>(world.added[which], index)(world.added[which], arguments...);
      };
      auto* self = reinterpret_cast<ArtThread*>(world.thread);
      alignas(8) u8 monitor[256] = {};
      void* handle[1] = {};
      auto* object = reinterpret_cast<Object* const*>(handle);
      SampleKind kind;
      Wait wait;

      call(kMonitor, 0, static_cast<ArtMonitor*>(monitor));
      CHECK(read_published_wait(record, kind, wait) && kind == SampleKind::Monitor);
      call(kMonitor, 1, static_cast<ArtMonitor*>(monitor));
      CHECK(!read_published_wait(record, kind, wait));
      call(kMonitor, 2, object, i64{1000});
      CHECK(read_published_wait(record, kind, wait) && kind == SampleKind::Wait);
      call(kMonitor, 3, static_cast<ArtMonitor*>(monitor), true);
      CHECK(!read_published_wait(record, kind, wait));
      call(kPark, 0, false, i64{1000});
      CHECK(read_published_wait(record, kind, wait) && kind == SampleKind::Park);
      call(kPark, 1, true);
      CHECK(!read_published_wait(record, kind, wait));

      // ClassLoad alone is taken down: here it gives a loss, as nothing is walked. ClassPreDefine and ClassPrepare have
      // other parameters, BeginDefineClass and EndDefineClass none.
      const u32 load = has_define_class ? 5 : 3, places = has_define_class ? 7 : 5;
      Atomic<u32>& lost = record.held.lost[static_cast<u32>(LossReason::WalkError)];
      for (u32 index = 0; index < places; index++) {
        const u32 before = lost.load();
        call(kClass, index, object);
        CHECK_EQUAL(lost.load() - before, u32{index == load});
      }

      record.begin_ns.store(0);
      call(kThread, 2, self);
      CHECK(record.begin_ns.load() > 0);
      call(kPhase, 2, u32{1});  // of the runtime's start: nothing is to be done
      call(kThread, 3, self);
      CHECK(record.state.load() == ThreadRecord::State::Ended);
      remove_callbacks(session);
      for (const VirtualObject* added : world.added) CHECK(!added);
      CHECK(!world.changed_while_running);
    });
  }
}

TEST("art versions: where a version cannot be told from what is hidden, no classes are listened for") {
  World world;
  recorded([&](Session& session, ThreadRecord&) {
    add_callbacks(session);
    CHECK_EQUAL(world.added_count, u32{kAll - 1});
    CHECK(session.hook_state("class load") == HookState::Missing);
    if (reads_memory())
      CHECK_EQUAL(std::string(session.hook("monitor")->why), "without owners: this ART hides who has a monitor");
    remove_callbacks(session);
  });
}

// ---------------------------------------------------------------- what ART is called with

struct Suspending {
  u8 list[8] = {};
  bool times_out = false, ends = false;
  u32 asked_for = 0, reason = 99, resumed = 0, resumed_for = 99;
  i32 attempt = 0;
  u8* given = nullptr;
} *g_suspending;

ArtThread* suspended(u8* list, u32 art_id, u32 reason) {
  g_suspending->asked_for = list == g_suspending->list ? art_id : 0;
  g_suspending->reason = reason;
  return g_suspending->given = g_suspending->times_out || g_suspending->ends
                                   ? nullptr
                                   : reinterpret_cast<ArtThread*>(g_world->thread) + sizeof g_world->thread / 2;
}
ArtThread* suspend26(u8* list, u32 art_id, bool for_debugger, bool* timed_out) {
  *timed_out = g_suspending->times_out;
  return suspended(list, art_id, for_debugger);
}
ArtThread* suspend27(u8* list, u32 art_id, u32 reason, bool* timed_out) {
  *timed_out = g_suspending->times_out;
  return suspended(list, art_id, reason);
}
ArtThread* suspend35(u8* list, u32 art_id, u32 reason, i32 attempt) {
  g_suspending->attempt = attempt;
  return suspended(list, art_id, reason);
}
template <class Reason>
bool resume(u8* list, ArtThread* thread, Reason reason) {
  g_suspending->resumed += list == g_suspending->list && thread == g_suspending->given;
  g_suspending->resumed_for = reason;
  return true;
}

TEST("art versions: one thread is suspended and resumed with what the version takes") {
  for (u8 variant : {kSuspendForDebugger, kSuspendReasonAndTimeout, kSuspendAttempt}) {
    World world;
    world.exception = true;  // nothing is done as Runnable
    Suspending now;
    g_suspending = &now;
    if (variant == kSuspendForDebugger) {
      set(Need::SuspendByThreadId, suspend26, variant);
      set(Need::Resume, resume<bool>, kResumeForDebugger);
    } else {
      variant == kSuspendAttempt ? set(Need::SuspendByThreadId, suspend35, variant)
                                 : set(Need::SuspendByThreadId, suspend27, variant);
      set(Need::Resume, resume<u32>, kResumeReason);
    }
    CHECK(!g_art.can_walk_other_threads());
    g_art.internals.places.thread_list.at = now.list;
    CHECK(g_art.can_walk_other_threads());
    ThreadRecord record{};
    record.tid.store(4321);
    auto walk = [&](u32 art_id) {
      record.runtime_ref.store(reinterpret_cast<void*>(uintptr_t{art_id}));
      now.asked_for = 0;
      Frame frames[4];
      WalkNotes notes;
      return g_art.walk_other_thread(record, frames, 4, notes);
    };
    // Neither one that is not known nor the agent's own.
    CHECK_EQUAL(walk(0), 0);
    CHECK_EQUAL(walk(kArtId), 0);
    CHECK_EQUAL(now.asked_for, 0u);
    // ART has given the id to another thread: it is let go, and not walked.
    u32* found = world.thread + 32;
    found[kTidPlace] = 99;
    CHECK_EQUAL(walk(12), 0);
    CHECK_EQUAL(now.resumed, 1u);
    found[kTidPlace] = 4321;
    CHECK_EQUAL(walk(12), kNotWalked);  // nothing is done as Runnable here
    CHECK_EQUAL(now.resumed, 2u);
    CHECK_EQUAL(now.asked_for, 12u);
    CHECK_EQUAL(now.reason, 0u);
    CHECK_EQUAL(now.resumed_for, 0u);
    // The newest end the process after another attempt than one of the first three of four.
    if (variant == kSuspendAttempt) CHECK_EQUAL(now.attempt, 1);
    now.times_out = true;
    CHECK_EQUAL(walk(12), Runtime::kTimedOut);
    now.times_out = false;
    now.ends = true;  // which the newest do not tell from the other
    CHECK_EQUAL(walk(12), variant == kSuspendAttempt ? Runtime::kTimedOut : 0);
    CHECK_EQUAL(now.resumed, 2u);
  }
}

}  // namespace
