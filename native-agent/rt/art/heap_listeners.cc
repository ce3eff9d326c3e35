#include "core/capture.h"
#include "os/linux/machine.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/points.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

// ---------------------------------------------------------------- what they do

bool no_pre_allocation(void*) {
  return false;
}

// On the allocating thread, which is Runnable.
void object_allocated(void*, ArtThread* self, Object* const* object, size_t bytes) {
  ThreadRecord* record = my_record(self);
  if (!record) return;
  if (ThreadState* state = thread_state(*record)) {
    state->allocations++;
    state->allocated_bytes += bytes;
  }
  if (!gate_open(*record)) return;
  const Object* allocated = object ? *object : nullptr;
  capture_here(self, record, SampleKind::Allocation, {0, allocated ? class_key(allocated->klass) : 0, 0}, false);
}

Blocked g_pause;  // pauses do not overlap, and each is one thread's

void start_pause(void*) {
  g_pause = begin_block();
}

// On the collector's thread, which is not Runnable: no stack.
void end_pause(void*) {
  ThreadRecord* record = g_threads.mine();
  if (!record) return;
  record->block = g_pause;
  end_block(nullptr, record, SampleKind::Gc);
}

// Android 8 to 10 call what comes third, 11 and later what comes fifth. What is third there they call only after the
// fourth said that they should: one table is right for all.
const void* const kAllocationTable[] = {entry(no_destructor), entry(no_destructor), entry(object_allocated),
                                        entry(no_pre_allocation), entry(object_allocated)};
const void* const kPauseTable[] = {entry(no_destructor), entry(no_destructor), entry(start_pause), entry(end_pause)};

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
    read_memory(g_art.internals.heap + word * sizeof(void*), &now, sizeof now);
    return now;
  }
  void set_to(void* listener) const { g_art.internals.as<void(u8*, void*)>(set)(g_art.internals.heap, listener); }
  void clear() const { g_art.internals.as<void(u8*)>(remove)(g_art.internals.heap); }
};

HeapListener g_allocation = {
    "allocation", Need::SetAllocationListener, Need::RemoveAllocationListener, {kAllocationTable}, 0, false};
HeapListener g_pauses = {"gc", Need::SetGcPauseListener, Need::RemoveGcPauseListener, {kPauseTable}, 0, false};

// Returns why it could not be done, or nullptr. Setting ours shows where the heap keeps its listener; what stood there
// before tells whether somebody else listens, who then gets the place back.
const char* install(HeapListener& listener) {
  if (listener.word && listener.current()) return "somebody else listens in this app";
  u8* heap = g_art.internals.heap;
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

void add(Session& session, HeapListener& listener, bool wanted) {
  const Internals& art = g_art.internals;
  if (!wanted) {
    session.report_hook(listener.hook, HookState::Off, "not asked for");
  } else if (!art.has(listener.set) || !art.has(listener.remove)) {
    session.report_hook(listener.hook, HookState::Missing, "this ART does not export it");
  } else if (!art.heap) {
    session.report_hook(listener.hook, HookState::Missing, "the heap could not be found and verified");
  } else {
    const char* why = install(listener);
    listener.installed = !why;
    session.report_hook(listener.hook, why ? HookState::Failed : HookState::Installed, why);
  }
}

void take_out(Session& session, HeapListener& listener) {
  if (!listener.installed) return;
  listener.installed = false;
  if (listener.current() == &listener.object) listener.clear();
  session.report_hook(listener.hook, HookState::Removed);
}

}  // namespace

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
