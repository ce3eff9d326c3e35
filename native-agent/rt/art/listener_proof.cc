#include "rt/art/listener_proof.h"

#include "base/libc.h"
#include "os/machine.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/reads.h"

namespace btrace::art {

StopFlag g_stop_flag;

jobject new_proof_array(JNIEnv* env) {
  jobject array = env->NewByteArray(kProofArrayLength);
  return clear_exception(env) ? array : nullptr;
}

bool is_proof_array(uintptr_t reference) {
  struct {
    Object head;
    u32 length;
  } array{};
  return read_managed(reinterpret_cast<const void*>(reference), &array, sizeof array) &&
         array.length == kProofArrayLength;
}

u32 reference_in(const void* handle) {
  u32 reference = 0;
  return read_memory(handle, &reference, sizeof reference) ? reference : 0;
}

bool is_class_object(uintptr_t reference) {
  auto class_of = [](uintptr_t object) {
    Object head{};
    return object && read_managed(reinterpret_cast<const void*>(object), &head, sizeof head) ? head.klass : 0;
  };
  // java.lang.Class is its own class.
  const u32 java_class = class_of(reference);
  return java_class && class_of(java_class) == java_class;
}

void wait_for_proof_array(JNIEnv* env) {
  LocalFrame frame(env, 8);
  if (!frame) return;
  jmethodID wait = find_method(env, find_class(env, "java/lang/Object"), "wait", "(J)V");
  jobject array = wait ? new_proof_array(env) : nullptr;
  if (!array || env->MonitorEnter(array) != JNI_OK) return;
  env->CallVoidMethod(array, wait, jlong{kProofWaitMs});
  clear_exception(env);
  env->MonitorExit(array);
}

void park_as_proof(JNIEnv* env) {
  LocalFrame frame(env, 8);
  if (!frame) return;
  jclass support = find_class(env, "java/util/concurrent/locks/LockSupport");
  jmethodID park = find_static_method(env, support, "parkNanos", "(J)V");
  if (!park) return;
  env->CallStaticVoidMethod(support, park, jlong{kProofParkNs});
  clear_exception(env);
}

void load_proof_class(JNIEnv* env) {
  constexpr u32 kMostDimensions = 16;
  static u32 dimensions;
  LocalFrame frame(env, 8);
  if (!frame || dimensions == kMostDimensions) return;
  dimensions++;
  char name[64];
  memset(name, '[', dimensions);
  memcpy(name + dimensions, "Ljava/lang/Void;", sizeof "Ljava/lang/Void;");
  find_class(env, name);
}

u32 StopFlag::flags_of(const ArtThread* thread) {
  constexpr u32 kFlags = 0xffff;
  u32 word = 0;
  return thread && read_memory(thread, &word, sizeof word) ? word & kFlags : 0;
}

bool StopFlag::learn(u32 before, u32 during, u32 after) {
  const u32 bit = during & ~(before | after);
  if (!bit || bit & (bit - 1)) return false;
  // Flags that differ before and after show that somebody else asked for something meanwhile, perhaps for a stop, and
  // then the bit may be another one: two such stops have to agree.
  const bool is_alone = before == after && (during & before) == before;
  if (!is_alone && supposed_ != bit) {
    supposed_ = bit;
    return false;
  }
  bit_.store_relaxed(bit);
  return true;
}

}  // namespace btrace::art
