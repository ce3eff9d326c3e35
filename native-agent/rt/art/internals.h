#pragma once
// The running ART's insides: functions found by symbol, places found by looking and verified. What could not be had is
// nullptr or 0, and `missing` says what.
#include <jni.h>

#include "rt/art/elf.h"
#include "rt/art/signatures.h"

namespace btrace::art {

// ART's own types, by address only.
using ArtThread = u8;
using ArtMethod = u8;
using ArtMonitor = u8;

struct Internals {
  JavaVM* vm = nullptr;
  Resolved resolved[kNeeds] = {};
  // Of libart: its build id, its module's version, what of the table was handed over by the desktop and what is not in
  // it. Whoever reads a report knows which ART it was.
  char library[4096] = {};
  u8* runtime = nullptr;
  u8* heap = nullptr;
  u8* thread_list = nullptr;
  u32 thread_tid = 0;           // from ArtThread: the operating system's id; ART's own id lies in the word before it
  u32 method_native_entry = 0;  // from ArtMethod: what RegisterNatives writes; learned before the first replacement

  // True when libart is here.
  bool open(JavaVM* java_vm);
  // Looks for the rest; the calling thread is attached. Idempotent.
  void explore(JNIEnv* env);

  bool has(Need need) const { return resolved[static_cast<u32>(need)].address != nullptr; }
  u8 variant(Need need) const { return resolved[static_cast<u32>(need)].variant; }
  template <class Function>
  Function* as(Need need) const {
    return reinterpret_cast<Function*>(resolved[static_cast<u32>(need)].address);
  }
  bool can_walk() const {
    return has(Need::VisitorConstructor) && has(Need::WalkStack) && has(Need::GetMethod) && has(Need::GetDexPc);
  }
  bool can_suspend_one() const {
    return thread_list && thread_tid && has(Need::SuspendByThreadId) && has(Need::Resume);
  }
  u8* callbacks() const { return as<u8*(u8*)>(Need::RuntimeCallbacks)(runtime); }

  JNIEnv* env() const {
    void* env = nullptr;
    return vm->GetEnv(&env, JNI_VERSION_1_6) == JNI_OK ? static_cast<JNIEnv*>(env) : nullptr;
  }
  // JNIEnvExt and JavaVMExt begin with their function table; the next word is the thread's, the runtime's address.
  static ArtThread* thread_of(JNIEnv* env) { return reinterpret_cast<ArtThread**>(env)[1]; }
  // Of a thread that cannot end meanwhile. 0: not known.
  u32 tid_of(const ArtThread* thread) const { return thread_tid ? word(thread, thread_tid) : 0; }
  u32 art_id_of(const ArtThread* thread) const { return thread_tid ? word(thread, thread_tid - 4) : 0; }

 private:
  static u32 word(const u8* at, u32 offset) { return *reinterpret_cast<const u32*>(at + offset); }
  void describe(const LoadedLibrary& libart, const char* problem);
  void find_thread_ids(const ArtThread* self, u32 own_tid);
  // True: they were changing just then, another look may find them.
  bool find_lists(const ArtThread* self);

  bool hidden_[kNeeds] = {};  // neither exported nor in the file's full table
  bool explored_ = false;
};

// Holds all threads at their next safe point while it lives. The caller is attached and not Runnable.
class AllSuspended {
 public:
  AllSuspended(const Internals& art, const char* why) : art_(art) {
    art.as<void(void*, const char*, bool)>(Need::SuspendAllBegin)(room_, why, false);
  }
  ~AllSuspended() { art_.as<void(void*)>(Need::SuspendAllEnd)(room_); }
  AllSuspended(const AllSuspended&) = delete;
  AllSuspended& operator=(const AllSuspended&) = delete;

 private:
  const Internals& art_;
  u8 room_[64];  // ScopedSuspendAll has no fields
};

}  // namespace btrace::art
