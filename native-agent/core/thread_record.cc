#include "core/thread_record.h"

#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "core/session.h"

namespace btrace {

ThreadRegistry g_threads;

void ThreadRegistry::thread_gone(void* record) {
  g_threads.end(*static_cast<ThreadRecord*>(record), !session_is_open());
}

void ThreadRegistry::make_key() {
  SpinScope scope(spin_);
  if (key_plus_1_.load_relaxed()) return;
  unsigned int key;
  if (libc::key_create(&key, &ThreadRegistry::thread_gone) == 0) key_plus_1_.store_release(key + 1);
}

ThreadRecord* ThreadRegistry::find(u32 tid) {
  for (u32 slot = 0, end = slots(); slot < end; slot++) {
    ThreadRecord& record = at(slot);
    if (record.tid.load_relaxed() == tid && record.state.load_acquire() == ThreadRecord::State::Live) return &record;
  }
  return nullptr;
}

ThreadRecord* ThreadRegistry::find_ended(u32 tid, u64 runtime_thread) {
  for (u32 slot = 0, end = slots(); slot < end; slot++) {
    ThreadRecord& record = at(slot);
    if (record.tid.load_relaxed() == tid && record.runtime_thread.load_relaxed() == runtime_thread &&
        record.state.load_acquire() == ThreadRecord::State::Ended)
      return &record;
  }
  return nullptr;
}

ThreadRecord* ThreadRegistry::obtain(u32 tid) {
  SpinScope scope(spin_);
  return obtain_locked(tid);
}

ThreadRecord* ThreadRegistry::obtain_locked(u32 tid) {
  if (ThreadRecord* known = find(tid)) return known;
  ThreadRecord* record = nullptr;
  u32 end = slots();
  for (u32 slot = 0; slot < end && !record; slot++)
    if (at(slot).state.load_acquire() == ThreadRecord::State::Free) record = &at(slot);
  if (!record) {
    u32 slab = end / kSlabRecords;
    if (slab == kMaxSlabs || (!slabs_[slab] && !(slabs_[slab] = map_array<ThreadRecord>(kSlabRecords)))) {
      refused_.add_relaxed(1);
      return nullptr;
    }
    record = &at(end);
    record->slot = end;
    slots_.store_release(end + 1);
  }
  record->tid.store_relaxed(tid);
  record->session.store_relaxed(0);
  record->runtime_thread.store_relaxed(0);
  record->runtime_ref.store_relaxed(nullptr);
  record->runtime_kept.store_relaxed(nullptr);
  record->java_id.store_relaxed(0);
  record->stack_begin.store_relaxed(0);
  record->stack_end.store_relaxed(0);
  record->creator.store_relaxed(0);
  record->begin_ns.store_relaxed(0);
  record->end_ns.store_relaxed(0);
  record->bound.store_relaxed(0);
  record->busy.store_relaxed(Holder::Nobody);
  record->kind = ThreadKind::Platform;
  record->is_main = tid == sys::getpid();
  record->carries.store_relaxed(0);
  record->carried.store_relaxed(0);
  record->provisional_ns.store_relaxed(0);
  record->announced_session = record->watched_session = record->block.session = 0;
  record->waits_since_ns.store_relaxed(0);
  record->blocked_since_ns.store_relaxed(0);
  record->waker.store_relaxed(0);
  record->state.store_release(ThreadRecord::State::Live);
  return record;
}

ThreadRecord* ThreadRegistry::mine_or_null() {
  u32 key = key_plus_1_.load_acquire();
  return key ? static_cast<ThreadRecord*>(libc::key_get(key - 1)) : nullptr;
}

ThreadRecord* ThreadRegistry::mine(bool make) {
  if (ThreadRecord* known = mine_or_null()) return known;
  if (!key_plus_1_.load_acquire()) make_key();
  u32 key = key_plus_1_.load_acquire();
  if (!key) return nullptr;
  SpinScope scope(spin_);
  ThreadRecord* record = make ? obtain_locked(sys::gettid()) : find(sys::gettid());
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

ThreadRecord* ThreadRegistry::find_java_id(u64 java_id) {
  for (u32 slot = 0, end = slots(); slot < end; slot++) {
    ThreadRecord& record = at(slot);
    if (record.java_id.load_relaxed() == java_id && record.state.load_acquire() == ThreadRecord::State::Live)
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
  SpinScope scope(spin_);
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
  record.state.store_release(ThreadRecord::State::Ended);
  if (u32 key = key_plus_1_.load_acquire())
    if (libc::key_get(key - 1) == &record) libc::key_set(key - 1, nullptr);
  if (free_now) release(record);
}

void ThreadRegistry::end_unbound(ThreadRecord& record) {
  SpinScope scope(spin_);
  if (!record.bound.load_relaxed()) end(record, false);
}

void ThreadRegistry::release_unbound() {
  SpinScope scope(spin_);
  for (u32 slot = 0, end = slots(); slot < end; slot++)
    if (!at(slot).bound.load_relaxed()) release(at(slot));
}

void ThreadRegistry::release(ThreadRecord& record) {
  record.state.store_release(ThreadRecord::State::Free);
}

}  // namespace btrace
