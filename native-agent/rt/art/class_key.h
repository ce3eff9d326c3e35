#pragma once
// What a class is called by in samples. Its address will not do: the collector moves classes. Its place in the dex file
// that defines it stays, and names it without asking the runtime again. Another dex file may come to lie where one was
// that is closed: it is told by its signature, as the dexer wrote it.
#include <jni.h>

#include "rt/art/dex.h"

namespace btrace::art {

// Learns where java.lang.Class keeps what is needed. False: this ART hides it, classes stay unknown.
bool find_class_fields(JNIEnv* env);

// From a reference as objects hold it. On a Runnable thread. 0: not known. Some 20 ns.
u64 class_key(u32 class_reference);

// The class's name as a person writes it, and its dex file and class definition when it has them.
struct ClassName {
  char text[2048];
  char file[512];  // its source file; empty: not known
  DexFile dex;
  bool in_dex;
  u32 type_index;
  u32 class_def;  // where the class is defined in it; no such place for an array
};
bool name_of_class(u64 key, ClassName& name);

// What java.lang.reflect.Proxy makes has no dex file: all such classes are one here.
bool is_proxy(u64 key);

}  // namespace btrace::art
