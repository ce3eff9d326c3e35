#include "base/clock.h"
#include "base/text_builder.h"
#include "core/capture.h"
#include "os/machine.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/listener_proof.h"
#include "rt/art/points.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

// ---------------------------------------------------------------- what they do

bool no_pre_allocation(void*) {
  return false;
}

void end_collection_wait(ArtThread* self, ThreadRecord& record, ThreadState& state) {
  Wait wait{};
  wait.begin_ns = state.slept.end(this_moment());
  if (!wait.begin_ns) return;
  const Session* session = active_session();
  if (!session || wait.begin_ns < session->origin_ns || !session->config.wants(SampleKind::GcWait)) return;
  wait.session = session->id;
  wait.begin_cpu_ns = kCpuNotRead;
  end_wait(self, &record, SampleKind::GcWait, wait, false);
}

ListenerProof g_allocation_proof;

// On the allocating thread, which is Runnable.
void object_allocated(void*, ArtThread* self, Object* const* object, size_t bytes) {
  if (!g_allocation_proof.holds()) {
    uintptr_t allocated = 0;
    if (g_allocation_proof.is_asking() && may_be_proof_array(bytes) &&
        read_memory(object, &allocated, sizeof allocated) && is_proof_array(allocated))
      g_allocation_proof.see(0);
    return;
  }
  ThreadRecord* record = my_record(self);
  if (!record) return;
  if (ThreadState* state = thread_state(*record)) {
    state->allocations++;
    state->allocated_bytes += bytes;
    if (state->slept.is_open()) end_collection_wait(self, *record, *state);
  }
  if (!gate_open(*record)) return;
  const Object* allocated = object ? *object : nullptr;
  capture_here(self, record, SampleKind::Allocation, {0, allocated ? class_key(allocated->klass) : 0, 0}, false);
}

Atomic<i64> g_pause_end_ns;
Wait g_pause;  // pauses do not overlap, and each is one thread's
Atomic<u32> g_in_pause;
Atomic<u32> g_lone_ends;  // that no begin was told before
Atomic<u32> g_are_no_pauses;

// Two threads that live as long as this is asked; one of them is not the one that tells of a pause.
const ArtThread* g_witnesses[2];

// All threads are stopped when a pause begins. (Some versions resume the first of them before they tell of its end.)
bool all_are_stopped() {
  JNIEnv* env = g_art.internals.env();
  const ArtThread* self = env ? Internals::thread_of(env) : nullptr;
  return g_stop_flag.is_set(g_witnesses[g_witnesses[0] == self]);
}

void start_pause(void*) {
  if (g_are_no_pauses.load_relaxed()) return;
  if (!all_are_stopped()) return g_are_no_pauses.store_relaxed(1);
  g_pause = begin_wait();
  g_in_pause.store_release(1);
}

// On the collector's thread, which is not Runnable: no stack.
void end_pause(void*) {
  if (g_are_no_pauses.load_relaxed()) return;
  if (!g_in_pause.exchange(0)) {
    // The listener may have come in the middle of one.
    constexpr u32 kMostLoneEnds = 1;
    if (g_lone_ends.add(1) >= kMostLoneEnds) g_are_no_pauses.store_relaxed(1);
    return;
  }
  ThreadRecord* record = g_threads.current_record();
  if (!record) return;
  g_pause_end_ns.store_release(now_ns());
  record->own.wait = g_pause;
  end_wait(nullptr, record, SampleKind::Gc);
}

// Of a virtual function that no version known has: a runtime that calls it gets an answer that changes nothing.
u64 unknown(void*) {
  return 0;
}

// Android 8 to 10 call what comes third, 11 and later what comes fifth. What is third there they call only after the
// fourth said that they should: one table is right for all.
const void* const kAllocationTable[] = {entry(no_destructor), entry(no_destructor), entry(object_allocated),
                                        entry(no_pre_allocation), entry(object_allocated),
                                        entry(unknown),       entry(unknown)};
const void* const kPauseTable[] = {entry(no_destructor), entry(no_destructor), entry(start_pause), entry(end_pause),
                                   entry(unknown),       entry(unknown)};

// ---------------------------------------------------------------- putting them in

// Heap keeps its listeners among its first words.
constexpr u32 kHeapWords = 4096 / sizeof(void*);

struct HeapListener {
  const char* hook;
  Need set;
  Need remove;
  VirtualObject object;
  u32 word;  // where the heap keeps it; 0: not known yet
  bool installed;

  void* current() const {
    void* now = nullptr;
    read_memory(g_art.internals.places.heap.at + word * sizeof(void*), &now, sizeof now);
    return now;
  }
  void set_to(void* listener) const {
    g_art.internals.as<void(u8*, void*)>(set)(g_art.internals.places.heap.at, listener);
  }
  void clear() const { g_art.internals.as<void(u8*)>(remove)(g_art.internals.places.heap.at); }
};

HeapListener g_allocation = {
    "allocation", Need::SetAllocationListener, Need::RemoveAllocationListener, {kAllocationTable}, 0, false};
HeapListener g_pauses = {"gc", Need::SetGcPauseListener, Need::RemoveGcPauseListener, {kPauseTable}, 0, false};

// Returns why it could not be done, or nullptr. Setting ours shows where the heap keeps its listener; what stood there
// before tells whether somebody else listens, who then gets the place back.
const char* install(HeapListener& listener) {
  if (listener.word && listener.current()) return "somebody else listens in this app";
  u8* heap = g_art.internals.places.heap.at;
  void* before[kHeapWords];
  void* after[kHeapWords];
  if (!read_memory(heap, before, sizeof before)) return "the heap could not be read";
  listener.set_to(&listener.object);
  u32 word = 0;
  if (read_memory(heap, after, sizeof after))
    while (word < kHeapWords && after[word] != &listener.object) word++;
  if (!word || word == kHeapWords) {
    listener.clear();
    return "the heap did not take the listener";
  }
  listener.word = word;
  if (!before[word]) return nullptr;
  listener.set_to(before[word]);
  return "somebody else listens in this app";
}

// Returns why it is not so, or nullptr.
const char* prove_allocation_listener() {
  JNIEnv* env = g_art.internals.env();
  LocalFrame frame(env, 4);
  if (frame && g_allocation_proof.prove(1, [&] { new_proof_array(env); })) return nullptr;
  return "this ART does not tell the listener of an allocation as it should";
}

// The same. Whether what it tells of are pauses is seen when they come.
const char* prepare_for_pauses() {
  if (!g_art.internals.places.main_thread) return "the main thread was not found in ART's list of threads";
  if (!g_stop_flag.is_known()) return "this ART does not show when all threads stand still";
  g_witnesses[0] = g_art.internals.places.main_thread;
  g_witnesses[1] = Internals::thread_of(g_art.internals.env());
  g_in_pause.store_relaxed(0);
  g_lone_ends.store_relaxed(0);
  g_are_no_pauses.store_relaxed(0);
  return nullptr;
}

constexpr const char* kNoPauses = "what this ART tells the listener of are no pauses";

void add(Session& session, HeapListener& listener, bool wanted) {
  const Internals& art = g_art.internals;
  if (!wanted) {
    session.report_hook(listener.hook, HookState::Off, "not asked for");
  } else if (!art.has(listener.set) || !art.has(listener.remove)) {
    session.report_hook(listener.hook, HookState::Missing, "this ART does not export it");
  } else if (!art.places.heap.at) {
    static char why[256];
    TextBuilder(why).add("the heap is not proven: ").add(art.places.heap.doubt);
    session.report_hook(listener.hook, HookState::Missing, why);
  } else {
    if (&listener == &g_allocation) g_allocation_proof.forget();
    const char* why = &listener == &g_pauses ? prepare_for_pauses() : nullptr;
    if (!why) why = install(listener);
    if (!why && &listener == &g_allocation && (why = prove_allocation_listener())) listener.clear();
    listener.installed = !why;
    session.report_hook(listener.hook, why ? HookState::Failed : HookState::Installed, why);
  }
}

void take_out(Session& session, HeapListener& listener) {
  if (!listener.installed) return;
  listener.installed = false;
  if (listener.current() == &listener.object) listener.clear();
  if (&listener == &g_pauses && g_are_no_pauses.load_relaxed())
    session.report_hook(listener.hook, HookState::Failed, kNoPauses);
  else
    session.report_hook(listener.hook, HookState::Removed);
}

}  // namespace

i64 last_pause_end_ns() {
  return g_pause_end_ns.load_acquire();
}

bool counts_allocations() {
  return g_allocation.installed;
}

void add_heap_listeners(Session& session) {
  add(session, g_allocation, session.config.wants(SampleKind::Allocation));
  add(session, g_pauses, session.config.wants(SampleKind::Gc));
}

void remove_heap_listeners(Session& session) {
  take_out(session, g_pauses);
  take_out(session, g_allocation);
}

}  // namespace btrace::art
