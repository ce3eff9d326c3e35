#pragma once
// The running ART's insides: functions found by symbol, places found by looking and verified. What could not be had is
// nullptr or 0, and `missing` says what.
#include <jni.h>

#include "rt/art/elf.h"
#include "rt/art/places.h"
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
  Image image;  // of libart
  u8* runtime = nullptr;
  const char* runtime_doubt = "it was not looked for";
  Places places;
  u32 method_native_entry = 0;  // from ArtMethod: what RegisterNatives writes; learned before the first replacement

  // True when libart is here.
  bool open(JavaVM* java_vm);
  // Looks for the rest; the calling thread is attached. Idempotent.
  void explore(JNIEnv* env);
  // Of explore, what needs no thread. nullptr, or why the runtime is not proven to be one.
  const char* find_runtime();

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
    return places.thread_list.at && places.thread_tid && has(Need::SuspendByThreadId) && has(Need::Resume);
  }
  u8* callbacks() const { return as<u8*(u8*)>(Need::RuntimeCallbacks)(runtime); }

  JNIEnv* env() const {
    void* env = nullptr;
    return vm->GetEnv(&env, JNI_VERSION_1_6) == JNI_OK ? static_cast<JNIEnv*>(env) : nullptr;
  }
  // JNIEnvExt and JavaVMExt begin with their function table; the next word is the thread's, the runtime's address.
  static ArtThread* thread_of(JNIEnv* env) { return reinterpret_cast<ArtThread**>(env)[1]; }
  // Of a thread that cannot end meanwhile. 0: not known.
  u32 tid_of(const ArtThread* thread) const { return places.thread_tid ? word(thread, places.thread_tid) : 0; }
  u32 art_id_of(const ArtThread* thread) const { return places.thread_tid ? word(thread, places.thread_tid - 4) : 0; }

 private:
  static u32 word(const u8* at, u32 offset) { return *reinterpret_cast<const u32*>(at + offset); }
  void describe(const LoadedLibrary& libart, const char* problem);
  const char* doubt_runtime() const;

  bool hidden_[kNeeds] = {};  // neither exported nor in the file's full table
  bool explored_ = false;
};

}  // namespace btrace::art
