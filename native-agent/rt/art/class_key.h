#pragma once
// What a class is called by in samples. Its address will not do: the collector moves classes. Its place in the dex file
// that defines it stays, and names it without asking the runtime again.
#include <jni.h>

#include "rt/art/dex.h"

namespace btrace::art {

// Learns where java.lang.Class keeps what is needed. False: this ART hides it, classes stay unknown.
bool find_class_fields(JNIEnv* env);

// From a reference as objects hold it. On a Runnable thread. 0: not known. Some 20 ns.
u64 class_key(u32 class_reference);
u64 class_key(JNIEnv* env, jobject java_class);

// The class's name as a person writes it, and its dex file and class definition when it has them.
struct ClassName {
  char text[2048];
  DexFile dex;
  bool in_dex;
  u32 class_def;  // where the class is defined in it; no such place for an array
};
bool name_of_class(u64 key, ClassName& name);

}  // namespace btrace::art
