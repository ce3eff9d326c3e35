#include "rt/hotspot/jvm.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "os/linux/machine.h"

namespace btrace::hotspot {

namespace {

template <class T>
T plain_read(u64 base, i32 offset) {
  T value;
  __builtin_memcpy(&value, reinterpret_cast<const u8*>(base) + offset, sizeof value);
  return value;
}

template <class T>
bool checked_read(u64 base, i32 offset, T& value) {
  return base && offset != kNoOffset && read_memory(reinterpret_cast<const u8*>(base) + offset, &value, sizeof value);
}

}  // namespace

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
  u64 java_thread = static_cast<u64>(env->GetLongField(self, eetop));
  i64 java_id = thread_id ? env->GetLongField(self, thread_id) : 0;
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
  i64 id;
  if (java_id && checked_read(java_thread, to_id, id) && id == java_id) current_id = to_id;

  explore_monitors(java_thread, structs);

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
  return monitor ? plain_read<u64>(monitor, monitor_owner) : 0;
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

// What was a class has a name that is text (names.cc).
u64 Jvm::class_of_raw(u64 object) const {
  u64 base;
  i32 shift;
  u32 narrow;
  if (!object || !class_base_at || !read_memory(class_base_at, &base, sizeof base) ||
      !read_memory(class_shift_at, &shift, sizeof shift) || shift < 0 || shift > 10 ||
      !checked_read(object, object_class, narrow))
    return 0;
  const u64 klass = base + (u64{narrow} << shift);
  char name[256];
  return read_class_name(*this, klass, name, sizeof name) ? klass : 0;
}

// A Klass* is read as if it were a Java field of java.lang.Class: the id of an instance field holds its offset above
// two marking bits. Verified by reading java.lang.Object's class and its name back.
void Jvm::explore_classes(JNIEnv* env, const VmStructs& structs) {
  klass_name = structs.offset("Klass", "_name");
  symbol_length = structs.offset("Symbol", "_length");
  symbol_body = structs.offset("Symbol", "_body[0]");
  if (symbol_body == kNoOffset) symbol_body = structs.offset("Symbol", "_body");
  klass_layout = structs.offset("Klass", "_layout_helper");
  klass_constants = structs.offset("InstanceKlass", "_constants");
  constants_source = structs.offset("ConstantPool", "_source_file_name_index");
  constants_begin = structs.size_of("ConstantPool");
  const void* klass_offset_at = structs.address("java_lang_Class", "_klass_offset");
  if (!thread_pointer || !klass_offset_at) return;
  i32 klass_offset;
  if (!read_memory(klass_offset_at, &klass_offset, sizeof klass_offset) || klass_offset <= 0) return;
  constexpr uintptr_t kMarks = 3, kUncheckedInstance = 2;
  // With -Xcheck:jni a made-up id would end the program.
  const void* checks = structs.flag("CheckJNICalls");
  bool checked = true;
  if (!checks || !read_memory(checks, &checked, sizeof checked) || checked) return;
  // Nor may an id carry more than that.
  if ((reinterpret_cast<uintptr_t>(thread_pointer) & kMarks) != kUncheckedInstance) return;
  auto made_up = reinterpret_cast<jfieldID>(static_cast<uintptr_t>(klass_offset) << 2 | kUncheckedInstance);
  jclass type = env->FindClass("java/lang/Object");
  if (!type) return;
  u64 klass = static_cast<u64>(env->GetLongField(type, made_up));
  env->DeleteLocalRef(type);
  char name[32];
  if (read_class_name(*this, klass, name, sizeof name) && strcmp(name, "java/lang/Object") == 0)
    class_pointer = made_up;
  explore_objects(env, structs, klass);
}

// Verified: an object of java.lang.Object's class must be told to be one. Where classes are not 32 bits of a pointer, or
// collectors move objects while the program runs, it is not, and their classes are left unknown.
void Jvm::explore_objects(JNIEnv* env, const VmStructs& structs, u64 object_klass) {
  object_class = structs.offset("oopDesc", "_metadata._compressed_klass");
  class_base_at = structs.address("CompressedKlassPointers", "_base");
  class_shift_at = structs.address("CompressedKlassPointers", "_shift");
  if (!class_base_at) class_base_at = structs.address("CompressedKlassPointers", "_narrow_klass._base");
  if (!class_shift_at) class_shift_at = structs.address("CompressedKlassPointers", "_narrow_klass._shift");
  jclass type = env->FindClass("java/lang/Object");
  jobject object = type ? env->AllocObject(type) : nullptr;
  u64 raw;
  // A local reference is the address of a place that holds the object.
  const bool known = object && class_base_at && class_shift_at && class_pointer &&
                     read_memory(object, &raw, sizeof raw) && class_of_raw(raw) == object_klass;
  if (env->ExceptionCheck()) env->ExceptionClear();
  if (!known) class_base_at = nullptr;
  if (object) env->DeleteLocalRef(object);
  if (type) env->DeleteLocalRef(type);
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

bool read_symbol(const Jvm& jvm, u64 symbol, char* text, size_t size) {
  u16 length;
  if (!checked_read(symbol, jvm.symbol_length, length) || !length || length >= size) return false;
  if (!read_memory(reinterpret_cast<const u8*>(symbol) + jvm.symbol_body, text, length)) return false;
  text[length] = 0;
  // What was a name is text; memory that is something else by now seldom is.
  for (u32 i = 0; i < length; i++)
    if (static_cast<u8>(text[i]) < 0x20) return false;
  return true;
}

bool read_class_name(const Jvm& jvm, u64 klass, char* internal, size_t size) {
  u64 symbol;
  return checked_read(klass, jvm.klass_name, symbol) && read_symbol(jvm, symbol, internal, size);
}

bool read_class_file(const Jvm& jvm, u64 klass, char* file, size_t size) {
  i32 layout;
  u64 constants, symbol;
  u16 index;
  if (jvm.constants_begin == kNoOffset || !checked_read(klass, jvm.klass_layout, layout) || layout <= 0) return false;
  if (!checked_read(klass, jvm.klass_constants, constants) || !checked_read(constants, jvm.constants_source, index))
    return false;
  constexpr i32 kEntryBytes = sizeof(void*);
  return index && checked_read(constants, jvm.constants_begin + index * kEntryBytes, symbol) &&
         read_symbol(jvm, symbol, file, size);
}

}  // namespace btrace::hotspot
