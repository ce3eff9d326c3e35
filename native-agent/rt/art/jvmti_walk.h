#pragma once
// Other threads' stacks by JVMTI, which ART has in debuggable apps: the runtime itself holds the thread at its next
// safe point, or walks for it while it stands in native code, and no private symbol is needed. ART 15 and later hide
// what suspending one thread takes: there this is the one way, everywhere else the first.
#include <jvmti.h>

#include "core/stack_table.h"
#include "rt/art/internals.h"

namespace btrace::art {

class JvmtiWalk {
 public:
  // False: this runtime gives no JVMTI. Once is enough: each environment that is asked for stays for ever.
  bool open(JavaVM* vm);
  bool is_open() const { return ti_ != nullptr; }
  // Leaf first; 0: it has no frames, or has ended; -1: it failed. One caller at a time, with room for some references.
  i32 walk(JNIEnv* env, jthread thread, Frame* frames, u32 limit, u16& flags);

 private:
  const ArtMethod* address_of(JNIEnv* env, jmethodID id);
  bool find_address_field(JNIEnv* env);

  // Debuggable apps have numbers for method ids from Android 11 on; what they stand for is asked for once.
  static constexpr u32 kKnown = 4096;
  struct Known {
    jmethodID id;
    const ArtMethod* method;
  };

  jvmtiEnv* ti_ = nullptr;
  jvmtiFrameInfo* found_ = nullptr;
  u32 room_ = 0;
  Known* known_ = nullptr;
  jclass executable_ = nullptr;  // a global reference
  jfieldID address_ = nullptr;   // Executable.artMethod
};

}  // namespace btrace::art
