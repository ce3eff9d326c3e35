#pragma once
// Looking for classes and members that may not be there: nullptr, and no exception left behind. ART ends the process
// when a second one is thrown over the first. A lookup in nothing finds nothing, so that lookups can follow one
// another.
#include <jni.h>

namespace btrace::art {

// False when there was one.
inline bool clear_exception(JNIEnv* env) {
  if (!env->ExceptionCheck()) return true;
  env->ExceptionClear();
  return false;
}

inline jclass find_class(JNIEnv* env, const char* name) {
  jclass found = env->FindClass(name);
  return clear_exception(env) ? found : nullptr;
}
inline jfieldID find_field(JNIEnv* env, jclass owner, const char* name, const char* signature) {
  jfieldID found = owner ? env->GetFieldID(owner, name, signature) : nullptr;
  return clear_exception(env) ? found : nullptr;
}
inline jmethodID find_method(JNIEnv* env, jclass owner, const char* name, const char* signature) {
  jmethodID found = owner ? env->GetMethodID(owner, name, signature) : nullptr;
  return clear_exception(env) ? found : nullptr;
}
inline jmethodID find_static_method(JNIEnv* env, jclass owner, const char* name, const char* signature) {
  jmethodID found = owner ? env->GetStaticMethodID(owner, name, signature) : nullptr;
  return clear_exception(env) ? found : nullptr;
}

// Local references made while it lives end with it.
class LocalFrame {
 public:
  LocalFrame(JNIEnv* env, jint room) : env_(env), pushed_(env && env->PushLocalFrame(room) == 0) {}
  ~LocalFrame() {
    if (pushed_) env_->PopLocalFrame(nullptr);
  }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;
  explicit operator bool() const { return pushed_; }

 private:
  JNIEnv* env_;
  bool pushed_;
};

}  // namespace btrace::art
