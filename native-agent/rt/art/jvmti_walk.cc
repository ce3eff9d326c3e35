#include "rt/art/jvmti_walk.h"

#include "base/pages.h"
#include "core/format.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/method_code.h"

namespace btrace::art {

bool JvmtiWalk::open(JavaVM* vm) {
  if (ti_) return true;
  void* env = nullptr;
  if (vm->GetEnv(&env, JVMTI_VERSION_1_2) != JNI_OK) return false;
  if (!known_) known_ = map_array<Known>(kKnown);
  if (!known_) return false;
  ti_ = static_cast<jvmtiEnv*>(env);
  return true;
}

bool JvmtiWalk::find_address_field(JNIEnv* env) {
  if (address_) return true;
  jclass local = find_class(env, "java/lang/reflect/Executable");
  jfieldID field = find_field(env, local, "artMethod", "J");
  executable_ = field ? static_cast<jclass>(env->NewGlobalRef(local)) : nullptr;
  if (executable_) address_ = field;
  if (local) env->DeleteLocalRef(local);
  return address_ != nullptr;
}

// The address that all other walks know the method by; nullptr when it cannot be told.
const ArtMethod* JvmtiWalk::address_of(JNIEnv* env, jmethodID id) {
  const auto value = reinterpret_cast<u64>(id);
  if (value % 2 == 0) return reinterpret_cast<const ArtMethod*>(id);
  Known& known = known_[(value >> 1) % kKnown];
  if (known.id == id) return known.method;
  if (!find_address_field(env)) return nullptr;
  jobject reflected = env->ToReflectedMethod(executable_, id, JNI_FALSE);
  if (!clear_exception(env) || !reflected) return nullptr;
  known = {id, reinterpret_cast<const ArtMethod*>(env->GetLongField(reflected, address_))};
  env->DeleteLocalRef(reflected);
  return known.method;
}

i32 JvmtiWalk::walk(JNIEnv* env, jthread thread, Frame* frames, u32 limit, u16& flags) {
  if (room_ < limit) {
    unmap_array(found_, room_);
    found_ = map_array<jvmtiFrameInfo>(limit);
    room_ = found_ ? limit : 0;
    if (!found_) return -1;
  }
  jint count = 0;
  const jvmtiError error = ti_->GetStackTrace(thread, 0, static_cast<jint>(limit), found_, &count);
  if (error == JVMTI_ERROR_THREAD_NOT_ALIVE) return 0;
  if (error != JVMTI_ERROR_NONE) return -1;
  u32 kept = 0;
  for (jint i = 0; i < count; i++)
    if (u64 code = method_code_if_there(address_of(env, found_[i].method))) frames[kept++] = {code, found_[i].location};
  // What lies beyond the limit are the frames nearest the root.
  if (static_cast<u32>(count) == limit) flags |= kFlagCut;
  return static_cast<i32>(kept);
}

}  // namespace btrace::art
