#pragma once
// The running HotSpot: its JVMTI environment and what was found out about its insides.
#include <jvmti.h>

#include "rt/java/class_name.h"
#include "rt/hotspot/vm_structs.h"

namespace btrace::hotspot {

struct Jvm {
  JavaVM* vm = nullptr;
  jvmtiEnv* ti = nullptr;

  void* signal_walk = nullptr;  // AsyncGetCallTrace
  // Reads a field of type long; nullptr where that cannot be done safely (fields.cc).
  jlong(JNICALL* get_long)(JNIEnv*, jobject, jfieldID) = nullptr;
  bool moves_at_safepoints_only = false;  // the collector moves objects only while the program stands still
  // What java.lang.Runtime asks.
  jlong(JNICALL* total_memory)() = nullptr;
  jlong(JNICALL* free_memory)() = nullptr;

  // Each is there only if it was verified; kNoOffset or nullptr otherwise.
  jfieldID thread_pointer = nullptr;  // java.lang.Thread.eetop: JavaThread*
  jfieldID class_pointer = nullptr;   // java.lang.Class's injected field: Klass*
  jfieldID thread_id = nullptr;       // java.lang.Thread.tid
  i32 current_id = kNoOffset;    // JavaThread → Java id of who runs on it: itself, or the virtual thread it carries
  i32 os_thread = kNoOffset;     // JavaThread → OSThread*
  i32 os_thread_id = kNoOffset;  // OSThread → tid
  i32 thread_state = kNoOffset;  // JavaThread's state
  i32 stack_base = kNoOffset;    // JavaThread's stack: it grows down from here
  i32 stack_size = kNoOffset;
  i32 anchor_sp = kNoOffset;  // JavaThread's last Java frame: where it lies, and where it goes on
  i32 anchor_pc = kNoOffset;
  u64 code_begin = 0;  // all that the JVM compiled, its interpreter too
  u64 code_bytes = 0;
  i32 cont_entry = kNoOffset;       // JavaThread → what runs on it as a virtual thread does; from JDK 20 on
  i32 method_const = kNoOffset;     // Method → ConstMethod*, its bytecodes
  i32 pending_monitor = kNoOffset;  // JavaThread → ObjectMonitor* it is about to enter
  i32 monitor_owner = kNoOffset;    // ObjectMonitor's owner: a JavaThread*, a place in its stack, or (23+) its Java id
  i32 monitor_object = kNoOffset;   // ObjectMonitor → a place that holds its object
  i32 lock_stack = kNoOffset;       // JavaThread's objects that it has locked without a monitor, from JDK 21 on
  i32 lock_stack_top = kNoOffset;   // … where their end is kept, counted from the JavaThread
  i32 object_class = kNoOffset;     // object → its class: a Klass*, or 32 bits of one
  u32 object_class_shift = 0;       // lower bits of those that are none of its own
  const void* class_base_at = nullptr;  // of those 32 bits
  const void* class_shift_at = nullptr;
  i32 allocated_bytes = kNoOffset;  // Thread's, up to its current buffer
  i32 buffer_start = kNoOffset;     // the current allocation buffer, from Thread
  i32 buffer_top = kNoOffset;
  i32 klass_name = kNoOffset;  // Klass → Symbol*
  i32 symbol_length = kNoOffset;
  i32 symbol_body = kNoOffset;
  i32 klass_layout = kNoOffset;
  i32 klass_constants = kNoOffset;   // InstanceKlass → ConstantPool*
  i32 constants_source = kNoOffset;  // ConstantPool: index of the source file's name
  i32 constants_begin = kNoOffset;   // its entries

  // Where a carrier's frames end and those of its virtual thread begin; nullptr where there are no virtual threads.
  jmethodID carrier_end = nullptr;    // Continuation.enterSpecial, the carrier's last frame
  jmethodID virtual_begin = nullptr;  // Continuation.enter, the virtual thread's first one
  // JVMTI's extension that tells which one a carrier carries; nullptr when it may not be asked.
  jvmtiError(JNICALL* virtual_thread_on)(jvmtiEnv*, jthread carrier, jthread* virtual_thread) = nullptr;

  // Gets the JVMTI environment. False: too old, or not to be had.
  bool open(JavaVM* java_vm);
  // Looks around; the calling thread is attached, the program is running.
  void explore(JNIEnv* env);

  JNIEnv* env() const {
    void* env = nullptr;
    return vm->GetEnv(&env, JNI_VERSION_1_6) == JNI_OK ? static_cast<JNIEnv*>(env) : nullptr;
  }
  void free(void* memory) const {
    if (memory) ti->Deallocate(static_cast<unsigned char*>(memory));
  }
  // The JavaThread* of a java.lang.Thread, 0 if it has none (any more).
  u64 thread_of(JNIEnv* env, jobject thread) const {
    return read_long(env, thread, thread_pointer);
  }
  // The Java id of a java.lang.Thread, 0 if it cannot be told.
  u64 java_id_of(JNIEnv* env, jobject thread) const { return read_long(env, thread, thread_id); }
  // The key of a java.lang.Class, 0 if it has none. Enters the JVM once; takes no lock.
  u64 class_of(JNIEnv* env, jclass java_class) const;
  // The operating system's id of a JavaThread, 0 if it cannot be told.
  u32 tid_of(u64 java_thread) const;
  // Where a thread's stack begins (its highest address) and how large it is.
  bool stack_of(u64 java_thread, u64& base, u64& size) const;
  // From JDK 24 on.
  bool tells_who_runs() const { return current_id != kNoOffset; }
  // The Java id of who runs on the calling thread, 0 if it cannot be told; on another one by a checked read.
  u64 id_on(u64 java_thread) const;
  u64 id_on_other(u64 java_thread) const;
  // Who holds the monitor that the calling thread waits to enter: the raw word, 0 if it cannot be told.
  u64 pending_owner(u64 java_thread) const;
  // The same of another thread, by checked reads: what it waits to enter, if anything.
  struct PendingMonitor {
    u64 monitor;  // 0: nothing
    u64 owner;    // the raw word
    u64 object;   // where it was a moment ago, to be compared and read with care
  };
  PendingMonitor pending_of(u64 java_thread) const;
  // Whether another thread has locked an object without a monitor.
  bool has_locked(u64 java_thread, u64 object) const;
  // The key of such an object's class, 0 if it cannot be told.
  u64 class_of_raw(u64 object) const;
  // The JVM's own count for the calling thread.
  u64 allocated_by(u64 java_thread) const;

 private:
  u64 read_long(JNIEnv* env, jobject object, jfieldID field) const {
    return field && get_long && object ? static_cast<u64>(get_long(env, object, field)) : 0;
  }
  void explore_fields(JNIEnv* env, const VmStructs& structs);
  void explore_threads(JNIEnv* env, const VmStructs& structs);
  void explore_virtual_threads(JNIEnv* env);
  void explore_monitors(u64 java_thread, const VmStructs& structs);
  void explore_frames(const VmStructs& structs);
  void explore_classes(JNIEnv* env, const VmStructs& structs);
  void explore_objects(JNIEnv* env, const VmStructs& structs);
};

// What a class is known by: its Klass*, and some bits of its name above that. Once it is unloaded another one may lie
// in its place.
inline constexpr u32 kClassPlaceBits = 48;
// Of classes whose place is not known (names.cc); no name's bits reach up there.
inline constexpr u64 kPlacelessClass = 1ull << 63;

// The name and source file of a class by checked reads; false when it is not there any more.
bool read_class_name(const Jvm& jvm, u64 key, char* internal, size_t size);
bool read_class_file(const Jvm& jvm, u64 key, char* file, size_t size);

}  // namespace btrace::hotspot
