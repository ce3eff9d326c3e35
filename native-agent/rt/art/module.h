#pragma once
// The Android module (APEX) that a library comes in. Play updates it apart from the system: it says more of a runtime
// than the API level does.
#include "base/types.h"

namespace btrace::art {

struct Module {
  char name[64];  // "com.google.android.art"
  u32 version;
};

// `library`: the path of its file, in lib or lib64 of its module. False when it is in none that says so: before
// Android 10 it is part of the system.
bool read_module(const char* library, Module& module);

}  // namespace btrace::art
