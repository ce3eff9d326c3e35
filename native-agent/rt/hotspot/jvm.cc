#include "rt/hotspot/jvm.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "rt/hotspot/reads.h"

namespace btrace::hotspot {

bool Jvm::open(JavaVM* java_vm) {
  if (ti) return true;
  vm = java_vm;
  void* env = nullptr;
  if (vm->GetEnv(&env, JVMTI_VERSION_11) != JNI_OK) return false;
  ti = static_cast<jvmtiEnv*>(env);
  return true;
}

void Jvm::explore(JNIEnv* env) {
  signal_walk = libc::symbol("AsyncGetCallTrace");
  total_memory = reinterpret_cast<decltype(total_memory)>(libc::symbol("JVM_TotalMemory"));
  free_memory = reinterpret_cast<decltype(free_memory)>(libc::symbol("JVM_FreeMemory"));
  explore_virtual_threads(env);
  VmStructs structs;
  if (!structs.load()) return;
  explore_fields(env, structs);
  explore_threads(env, structs);
  explore_classes(env, structs);
}

// Verified on the calling thread: following the offsets must lead to the tid the kernel tells.
void Jvm::explore_threads(JNIEnv* env, const VmStructs& structs) {
  jclass thread_class = env->FindClass("java/lang/Thread");
  jfieldID eetop = thread_class ? env->GetFieldID(thread_class, "eetop", "J") : nullptr;
  if (env->ExceptionCheck()) env->ExceptionClear();
  thread_id = thread_class ? env->GetFieldID(thread_class, "tid", "J") : nullptr;
  if (env->ExceptionCheck()) env->ExceptionClear();
  jthread self = nullptr;
  if (!eetop || ti->GetCurrentThread(&self) != JVMTI_ERROR_NONE) return;
  u64 java_thread = read_long(env, self, eetop);
  u64 java_id = java_id_of(env, self);
  env->DeleteLocalRef(self);
  env->DeleteLocalRef(thread_class);

  i32 to_os_thread = structs.offset("JavaThread", "_osthread");
  if (to_os_thread == kNoOffset) to_os_thread = structs.offset("Thread", "_osthread");
  i32 to_tid = structs.offset("OSThread", "_thread_id");
  u64 os_thread_at;
  u32 tid;
  if (!checked_read(java_thread, to_os_thread, os_thread_at) || !checked_read(os_thread_at, to_tid, tid) ||
      tid != sys::gettid())
    return;
  thread_pointer = eetop;
  os_thread = to_os_thread;
  os_thread_id = to_tid;

  // In JVMTI's callers the state is "in native".
  constexpr i32 kInNative = 4;
  i32 to_state = structs.offset("JavaThread", "_thread_state");
  i32 state;
  if (checked_read(java_thread, to_state, state) && state == kInNative) thread_state = to_state;

  // From JDK 24 on. This thread carries nobody: the id is its own.
  i32 to_id = structs.offset("JavaThread", "_monitor_owner_id");
  u64 id;
  if (java_id && checked_read(java_thread, to_id, id) && id == java_id) current_id = to_id;

  explore_monitors(java_thread, structs);
  explore_frames(structs);

  i32 to_allocated = structs.offset("Thread", "_allocated_bytes");
  i32 to_buffer = structs.offset("Thread", "_tlab");
  i32 to_start = structs.offset("ThreadLocalAllocBuffer", "_start");
  i32 to_top = structs.offset("ThreadLocalAllocBuffer", "_top");
  u64 allocated, start, top;
  constexpr u64 kPlausibleBuffer = 1ull << 32;
  if (to_allocated == kNoOffset || to_buffer == kNoOffset || to_start == kNoOffset || to_top == kNoOffset) return;
  if (!checked_read(java_thread, to_allocated, allocated) || !checked_read(java_thread, to_buffer + to_start, start) ||
      !checked_read(java_thread, to_buffer + to_top, top))
    return;
  if (top < start || top - start > kPlausibleBuffer || allocated >> 60) return;
  allocated_bytes = to_allocated;
  buffer_start = to_buffer + to_start;
  buffer_top = to_buffer + to_top;
}

// Verified: the stack that is told must hold this very frame. The owner's word is verified each time by whom it leads
// to.
void Jvm::explore_monitors(u64 java_thread, const VmStructs& structs) {
  i32 to_base = structs.offset("JavaThread", "_stack_base");
  i32 to_size = structs.offset("JavaThread", "_stack_size");
  if (to_base == kNoOffset) to_base = structs.offset("Thread", "_stack_base");
  if (to_size == kNoOffset) to_size = structs.offset("Thread", "_stack_size");
  u64 base, size;
  u64 here = reinterpret_cast<u64>(&base);
  if (!checked_read(java_thread, to_base, base) || !checked_read(java_thread, to_size, size)) return;
  if (here >= base || base - here > size) return;
  stack_base = to_base;
  stack_size = to_size;
  pending_monitor = structs.offset("JavaThread", "_current_pending_monitor");
  monitor_owner = structs.offset("ObjectMonitor", "_owner");
  monitor_object = structs.offset("ObjectMonitor", "_object");
  lock_stack = structs.offset("JavaThread", "_lock_stack");
  lock_stack_top = structs.offset("LockStack", "_top");
  i32 first = structs.offset("LockStack", "_base[0]");
  if (lock_stack == kNoOffset || lock_stack_top == kNoOffset || first == kNoOffset) {
    lock_stack = kNoOffset;
  } else {
    lock_stack_top += lock_stack;
    lock_stack += first;
  }
}

// Verified at each use (stack_here.cc).
void Jvm::explore_frames(const VmStructs& structs) {
  const i32 to_anchor = structs.offset("JavaThread", "_anchor");
  const i32 to_sp = structs.offset("JavaFrameAnchor", "_last_Java_sp");
  const i32 to_pc = structs.offset("JavaFrameAnchor", "_last_Java_pc");
  const void* low = structs.address("CodeCache", "_low_bound");
  const void* high = structs.address("CodeCache", "_high_bound");
  const i32 to_const = structs.offset("Method", "_constMethod");
  if (to_anchor == kNoOffset || to_sp == kNoOffset || to_pc == kNoOffset || to_const == kNoOffset || !low || !high)
    return;
  memcpy(&code_begin, low, sizeof code_begin);
  memcpy(&code_bytes, high, sizeof code_bytes);
  code_bytes -= code_begin;
  anchor_sp = to_anchor + to_sp;
  anchor_pc = to_anchor + to_pc;
  method_const = to_const;
  cont_entry = structs.offset("JavaThread", "_cont_entry");
}

// VirtualThread itself is not touched: its initializer starts threads.
void Jvm::explore_virtual_threads(JNIEnv* env) {
  jclass continuation = env->FindClass("jdk/internal/vm/Continuation");
  if (continuation) {
    carrier_end = env->GetStaticMethodID(continuation, "enterSpecial", "(Ljdk/internal/vm/Continuation;ZZ)V");
    if (!env->ExceptionCheck())
      virtual_begin = env->GetStaticMethodID(continuation, "enter", "(Ljdk/internal/vm/Continuation;Z)V");
    env->DeleteLocalRef(continuation);
  }
  if (env->ExceptionCheck()) env->ExceptionClear();
  if (!virtual_begin) carrier_end = nullptr;
}

u64 Jvm::id_on(u64 java_thread) const {
  return java_thread && current_id != kNoOffset ? plain_read<u64>(java_thread, current_id) : 0;
}

u64 Jvm::id_on_other(u64 java_thread) const {
  u64 id;
  return checked_read(java_thread, current_id, id) ? id : 0;
}

bool Jvm::stack_of(u64 java_thread, u64& base, u64& size) const {
  return checked_read(java_thread, stack_base, base) && checked_read(java_thread, stack_size, size);
}

u64 Jvm::pending_owner(u64 java_thread) const {
  if (!java_thread || pending_monitor == kNoOffset || monitor_owner == kNoOffset) return 0;
  // The monitor cannot go while this thread waits to enter it.
  u64 monitor = plain_read<u64>(java_thread, pending_monitor);
  return may_be_structure(monitor) ? plain_read<u64>(monitor, monitor_owner) : 0;
}

Jvm::PendingMonitor Jvm::pending_of(u64 java_thread) const {
  PendingMonitor found{};
  u64 holder;
  if (!checked_read(java_thread, pending_monitor, found.monitor) || !found.monitor) return {};
  if (!checked_read(found.monitor, monitor_owner, found.owner)) return {};
  if (!checked_read(found.monitor, monitor_object, holder) || !checked_read(holder, 0, found.object)) found.object = 0;
  return found;
}

// The end is counted from the thread's begin.
bool Jvm::has_locked(u64 java_thread, u64 object) const {
  constexpr i32 kMost = 8;
  u32 end;
  if (!object || lock_stack == kNoOffset || !checked_read(java_thread, lock_stack_top, end)) return false;
  for (i32 at = lock_stack; at < static_cast<i32>(end) && at < lock_stack + kMost * static_cast<i32>(sizeof(u64));
       at += sizeof(u64)) {
    u64 locked;
    if (checked_read(java_thread, at, locked) && locked == object) return true;
  }
  return false;
}

u32 Jvm::tid_of(u64 java_thread) const {
  u64 os_thread_at;
  u32 tid;
  if (!checked_read(java_thread, os_thread, os_thread_at) || !checked_read(os_thread_at, os_thread_id, tid)) return 0;
  return tid;
}

u64 Jvm::allocated_by(u64 java_thread) const {
  u64 start = plain_read<u64>(java_thread, buffer_start);
  u64 top = plain_read<u64>(java_thread, buffer_top);
  return plain_read<u64>(java_thread, allocated_bytes) + (top > start ? top - start : 0);
}

}  // namespace btrace::hotspot
