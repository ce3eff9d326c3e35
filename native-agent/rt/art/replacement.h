#pragma once
// A native method that one of ours stands in for, by RegisterNatives.
#include <jni.h>

#include "core/session.h"

namespace btrace::art {

// As RegisterNatives takes it.
template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

struct Replacement {
  const char* hook;
  const char* class_name;
  const char* method;
  const char* signature;
  void* ours;
  SampleKind kind;
  bool is_static;
  Atomic<void*> original = {};  // known before ours can be reached
  jclass java_class = nullptr;
  bool installed = false;
};

// Returns why it could not be done, or nullptr; the hook says so too.
const char* put_in(Session& session, JNIEnv* env, Replacement& replacement);
void take_out(Session& session, JNIEnv* env, Replacement& replacement);

}  // namespace btrace::art
