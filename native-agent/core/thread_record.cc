#include "core/thread_record.h"

#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "core/session.h"
#include "os/machine.h"
#include "os/process.h"
#include "os/signal.h"

namespace btrace {

ThreadRegistry g_threads;

namespace {

// A handler of the program's that calls what is redirected may want the lock that its own thread holds: it comes later.
class QuietScope {
 public:
  explicit QuietScope(Spin& spin) : before_(block_all_signals()), spin_(spin) { spin_.lock(); }
  ~QuietScope() {
    spin_.unlock();
    restore_blocked_signals(before_);
  }
  QuietScope(const QuietScope&) = delete;
  QuietScope& operator=(const QuietScope&) = delete;

 private:
  u64 before_;
  Spin& spin_;
};

// A handler of the thread that had a free record may hold it still: what is made of it meanwhile would be let go of with
// it. Those of the agent's own threads stay held by them.
bool hold_free(ThreadRecord& record) {
  Holder found = record.busy.load();
  return (found == Holder::Nobody || found == Holder::Never) && record.busy.swap_if(found, Holder::Agent);
}

}  // namespace

void ThreadRegistry::thread_gone(void* record) {
  g_threads.end(*static_cast<ThreadRecord*>(record), !session_is_open());
}

void ThreadRegistry::make_key() {
  QuietScope scope(spin_);
  if (key_plus_1_.load_relaxed()) return;
  libc::ThreadKey key;
  if (libc::key_create(&key, &ThreadRegistry::thread_gone) == 0) key_plus_1_.store_release(static_cast<u32>(key) + 1);
}

ThreadRecord* ThreadRegistry::find(u32 tid) {
  for (u32 slot = 0, end = slots(); slot < end; slot++) {
    if (tids_[slot].load_relaxed() != tid) continue;
    ThreadRecord& record = at(slot);
    if (record.tid.load_relaxed() == tid && record.state.load_acquire() == ThreadRecord::State::Live) return &record;
  }
  return nullptr;
}

ThreadRecord* ThreadRegistry::find_ended(u32 tid, u64 runtime_thread) {
  for (u32 slot = 0, end = slots(); slot < end; slot++) {
    if (tids_[slot].load_relaxed() != tid) continue;
    ThreadRecord& record = at(slot);
    if (record.tid.load_relaxed() == tid && record.runtime_thread.load_relaxed() == runtime_thread &&
        record.state.load_acquire() == ThreadRecord::State::Ended)
      return &record;
  }
  return nullptr;
}

ThreadRecord* ThreadRegistry::obtain(u32 tid) {
  QuietScope scope(spin_);
  return obtain_locked(tid);
}

ThreadRecord* ThreadRegistry::obtain_locked(u32 tid) {
  if (ThreadRecord* known = find(tid)) return known;
  u32 slot = 0, end = slots();
  while (slot < end && (tids_[slot].load_acquire() || !hold_free(at(slot)))) slot++;
  if (slot == end) {
    u32 slab = end / kSlabRecords;
    if (slab == kMaxSlabs || (!slabs_[slab] && !(slabs_[slab] = map_array<ThreadRecord>(kSlabRecords)))) {
      refused_.add_relaxed(1);
      return nullptr;
    }
  }
  ThreadRecord* record = &at(slot);
  record->slot = slot;
  if (slot == end) slots_.store_release(end + 1);
  record->tid.store_relaxed(tid);
  tids_[record->slot].store_relaxed(tid);
  record->session.store_relaxed(0);
  record->runtime_thread.store_relaxed(0);
  record->runtime_ref.store_relaxed(nullptr);
  record->runtime_kept.store_relaxed(nullptr);
  record->program_id.store_relaxed(0);
  record->stack_begin.store_relaxed(0);
  record->stack_end.store_relaxed(0);
  record->creator.store_relaxed(0);
  record->created_in.store_relaxed(0);
  record->begin_ns.store_relaxed(0);
  record->own.entry = 0;
  record->own.loop_message = 0;
  record->own.knows_name = false;
  record->own.allocated = {};
  record->end_ns.store_relaxed(0);
  record->bound.store_relaxed(0);
  record->kind = ThreadKind::Platform;
  record->is_main = is_main_thread(tid);
  record->native.session.store_relaxed(0);
  record->native.root = 0;
  record->native.name.write({});
  record->carries.store_relaxed(0);
  record->carried.store_relaxed(0);
  record->loop.store_relaxed(nullptr);
  record->timer.provisional_ns.store_relaxed(0);
  record->drained.session = record->sampler.session = record->own.wait.session = 0;
  record->wait.waits_since_ns.store_relaxed(0);
  record->wait.published_since_ns.store_relaxed(0);
  record->wait.waker.store_relaxed(0);
  record->held.begin_cpu_ns = -1;
  record->state.store_release(ThreadRecord::State::Live);
  record->busy.store(Holder::Nobody);
  changes_.add(1);
  return record;
}

ThreadRecord* ThreadRegistry::current_record_or_null() {
  u32 key = key_plus_1_.load_acquire();
  return key ? static_cast<ThreadRecord*>(libc::key_get(key - 1)) : nullptr;
}

ThreadRecord* ThreadRegistry::current_record(bool make) {
  if (ThreadRecord* known = current_record_or_null()) return known;
  if (!key_plus_1_.load_acquire()) make_key();
  u32 key = key_plus_1_.load_acquire();
  if (!key) return nullptr;
  QuietScope scope(spin_);
  ThreadRecord* record = make ? obtain_locked(own_tid()) : find(own_tid());
  if (!record || libc::key_set(key - 1, record) != 0) return nullptr;
  record->bound.store_relaxed(1);
  return record;
}

namespace {
constexpr u32 kMaxProbes = 64;
u32 hash_of(u64 pointer) {
  return static_cast<u32>((pointer * 0x9E3779B97F4A7C15ull) >> 40);
}
}  // namespace

ThreadRecord* ThreadRegistry::find_runtime(u64 runtime_thread) {
  RuntimeEntry* table = __atomic_load_n(&by_runtime_, __ATOMIC_ACQUIRE);
  if (!table || !runtime_thread) return nullptr;
  u32 at = hash_of(runtime_thread) % kRuntimeSlots;
  for (u32 probe = 0; probe < kMaxProbes; probe++, at = (at + 1) % kRuntimeSlots) {
    u64 key = table[at].key.load_acquire();
    if (!key) return nullptr;
    if (key != runtime_thread) continue;
    ThreadRecord& record = this->at(table[at].slot.load_relaxed());
    bool right = record.runtime_thread.load_relaxed() == runtime_thread &&
                 record.state.load_acquire() == ThreadRecord::State::Live;
    if (right) return &record;
  }
  return nullptr;
}

ThreadRecord* ThreadRegistry::find_stack(u64 address) {
  for (u32 slot = 0, end = slots(); slot < end; slot++) {
    ThreadRecord& record = at(slot);
    if (address >= record.stack_begin.load_relaxed() && address < record.stack_end.load_relaxed() &&
        record.state.load_acquire() == ThreadRecord::State::Live)
      return &record;
  }
  return nullptr;
}

ThreadRecord* ThreadRegistry::find_program_id(u64 program_id) {
  for (u32 slot = 0, end = slots(); slot < end; slot++) {
    ThreadRecord& record = at(slot);
    if (record.program_id.load_relaxed() == program_id && record.state.load_acquire() == ThreadRecord::State::Live)
      return &record;
  }
  return nullptr;
}

ThreadRecord* ThreadRegistry::owned(void* pointer) {
  for (u32 slab = 0, end = (slots() + kSlabRecords - 1) / kSlabRecords; slab < end; slab++) {
    auto* first = reinterpret_cast<u8*>(slabs_[slab]);
    auto* at = static_cast<u8*>(pointer);
    if (at < first || at >= first + kSlabRecords * sizeof(ThreadRecord)) continue;
    return (at - first) % static_cast<ptrdiff_t>(sizeof(ThreadRecord)) ? nullptr : reinterpret_cast<ThreadRecord*>(at);
  }
  return nullptr;
}

bool ThreadRegistry::stale(RuntimeEntry& entry) {
  ThreadRecord& record = at(entry.slot.load_relaxed());
  return record.runtime_thread.load_relaxed() != entry.key.load_relaxed() ||
         record.state.load_acquire() != ThreadRecord::State::Live;
}

void ThreadRegistry::index_runtime(ThreadRecord& record, u64 runtime_thread) {
  QuietScope scope(spin_);
  if (!by_runtime_) __atomic_store_n(&by_runtime_, map_array<RuntimeEntry>(kRuntimeSlots), __ATOMIC_RELEASE);
  record.runtime_thread.store_release(runtime_thread);
  if (!by_runtime_ || !runtime_thread) return;
  u32 at = hash_of(runtime_thread) % kRuntimeSlots;
  for (u32 probe = 0; probe < kMaxProbes; probe++, at = (at + 1) % kRuntimeSlots) {
    RuntimeEntry& entry = by_runtime_[at];
    if (entry.key.load_relaxed() && !stale(entry)) continue;
    entry.slot.store_relaxed(record.slot);
    entry.key.store_release(runtime_thread);
    return;
  }
}

void ThreadRegistry::end(ThreadRecord& record, bool free_now) {
  record.end_ns.store_relaxed(now_ns());
  // One that is freed at once is never seen as ended: the drain would free it, too, when it may be another thread's.
  if (!free_now) record.state.store_release(ThreadRecord::State::Ended);
  if (u32 key = key_plus_1_.load_acquire())
    if (libc::key_get(key - 1) == &record) libc::key_set(key - 1, nullptr);
  if (free_now) release(record);
}

void ThreadRegistry::end_unbound(ThreadRecord& record) {
  QuietScope scope(spin_);
  if (!record.bound.load_relaxed()) end(record, false);
}

void ThreadRegistry::release_unbound() {
  QuietScope scope(spin_);
  for (u32 slot = 0, end = slots(); slot < end; slot++)
    if (tids_[slot].load_relaxed() && !at(slot).bound.load_relaxed()) release(at(slot));
}

void ThreadRegistry::empty_free() {
  const uintptr_t page = page_bytes();
  for (u32 slot = 0, end = slots(); page && slot < end;) {
    // No thread is given one meanwhile; one slab at a time, so that none that starts waits for long.
    QuietScope scope(spin_);
    const u32 slab_end = min_of(end, (slot / kSlabRecords + 1) * kSlabRecords);
    while (slot < slab_end) {
      const u32 first = slot;
      while (slot < slab_end && !tids_[slot].load_acquire() && hold_free(at(slot))) slot++;
      if (slot == first) {
        slot++;
        continue;
      }
      const uintptr_t from = (reinterpret_cast<uintptr_t>(&at(first)) + page - 1) / page * page;
      const uintptr_t to = reinterpret_cast<uintptr_t>(&at(slot - 1) + 1) / page * page;
      if (to > from) empty_pages(reinterpret_cast<void*>(from), to - from);
      for (u32 held = first; held < slot; held++) at(held).busy.store(Holder::Nobody);
    }
  }
}

void ThreadRegistry::release(ThreadRecord& record) {
  record.state.store_release(ThreadRecord::State::Free);
  // Last: from here on it may be another thread's. One that was let go of meanwhile, and emptied, has no number any
  // more.
  if (const u32 slot = record.slot; &at(slot) == &record) tids_[slot].store_release(0);
}

void read_kernel_name(ThreadRecord& record, KernelName::Text& name) {
  memset(name, 0, sizeof name);
  thread_comm(record.tid.load_relaxed(), name, sizeof name);
  if (name[0] && record.state.load_acquire() == ThreadRecord::State::Live) record.native.name.write(name);
  record.native.name.read(name);
}

void become_agent_thread(const char* name) {
  set_thread_comm(name);
  if (ThreadRecord* record = g_threads.current_record()) record->busy.store(Holder::Never);
}

}  // namespace btrace
