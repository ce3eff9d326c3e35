// Loaded by the program Moving of test/rigs/jvm: reads fields of an object that the collector moves meanwhile, as the
// agent does at a point.
#include "base/clock.h"
#include "rt/hotspot/hotspot.h"

using namespace btrace;
using hotspot::g_hotspot;

namespace {

constexpr i64 kWatchNs = 1500 * kNsPerMs;

}  // namespace

// Watches a class for some time without entering the JVM, then asks the agent which one it is. 0: as before; 1: so as
// well, though JNI's own stub read something else; 2: the agent was told of another class.
extern "C" JNIEXPORT jint JNICALL Java_Moving_watch(JNIEnv* env, jclass, jclass type) {
  hotspot::Jvm& jvm = g_hotspot.jvm;
  if (!jvm.get_long) {
    JavaVM* vm = nullptr;
    if (env->GetJavaVM(&vm) != JNI_OK || !jvm.open(vm)) return -1;
    jvm.explore(env);
  }
  const u64 key = jvm.class_of(env, type);
  if (!key || !jvm.class_pointer) return -1;
  const jlong klass = jvm.get_long(env, type, jvm.class_pointer);
  bool stub_was_wrong = false;
  for (const i64 end = now_ns() + kWatchNs; !stub_was_wrong && now_ns() < end;)
    for (int i = 0; i < 1000; i++) stub_was_wrong |= env->GetLongField(type, jvm.class_pointer) != klass;
  if (jvm.class_of(env, type) != key) return 2;
  return stub_was_wrong;
}
