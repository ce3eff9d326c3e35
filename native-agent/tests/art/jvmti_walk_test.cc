// Walks by JVMTI against a recorded conversation: what ART's JVMTI answers in a debuggable app, as its sources have it.
// The packaged runtime of the other tests has none.
#include "rt/art/jvmti_walk.h"

#include <map>
#include <vector>

#include "core/format.h"
#include "harness.h"
#include "reads_memory.h"

using namespace btrace;
using namespace btrace::art;

namespace {

const auto kThread = reinterpret_cast<jthread>(0x10);
// Of a class each, which is all that is looked at.
alignas(8) u32 g_methods[2][4] = {{1}, {1}};
const u64 kPointerMethod = reinterpret_cast<u64>(g_methods[0]);
const u64 kIndexedMethod = reinterpret_cast<u64>(g_methods[1]);

struct Conversation {
  jint version_asked = 0;
  bool has_jvmti = true;
  jvmtiError answer = JVMTI_ERROR_NONE;
  std::vector<jvmtiFrameInfo> stack;
  int reflections = 0, local_references = 0;
  bool class_given = true;
} g_said;

jvmtiInterface_1_ g_jvmti_table{};
jvmtiEnv g_jvmti{&g_jvmti_table};
JNINativeInterface_ g_jni_table{};
JNIEnv g_env{&g_jni_table};
JNIInvokeInterface_ g_vm_table{};
JavaVM g_vm{&g_vm_table};

jint JNICALL get_env(JavaVM*, void** env, jint version) {
  g_said.version_asked = version;
  *env = &g_jvmti;
  return g_said.has_jvmti ? JNI_OK : JNI_EVERSION;
}

jvmtiError JNICALL get_stack_trace(jvmtiEnv*, jthread thread, jint start, jint most, jvmtiFrameInfo* frames,
                                   jint* count) {
  CHECK(thread == kThread && start == 0);
  if (g_said.answer != JVMTI_ERROR_NONE) return g_said.answer;
  *count = std::min(most, static_cast<jint>(g_said.stack.size()));
  for (jint i = 0; i < *count; i++) frames[i] = g_said.stack[static_cast<size_t>(i)];
  return JVMTI_ERROR_NONE;
}

template <class T>
T reference(uintptr_t value) {
  g_said.local_references++;
  return reinterpret_cast<T>(value);
}

struct Answers {
  Answers() {
    g_said = {};
    g_vm_table.GetEnv = get_env;
    g_jvmti_table.GetStackTrace = get_stack_trace;
    g_jni_table.FindClass = [](JNIEnv*, const char*) { return reference<jclass>(0x20); };
    g_jni_table.GetFieldID = [](JNIEnv*, jclass, const char*, const char*) { return reinterpret_cast<jfieldID>(0x30); };
    g_jni_table.NewGlobalRef = [](JNIEnv*, jobject object) { return object; };
    g_jni_table.DeleteLocalRef = [](JNIEnv*, jobject) { g_said.local_references--; };
    g_jni_table.ExceptionCheck = [](JNIEnv*) -> jboolean { return JNI_FALSE; };
    g_jni_table.ToReflectedMethod = [](JNIEnv*, jclass type, jmethodID, jboolean) {
      g_said.reflections++;
      g_said.class_given &= type != nullptr;  // CheckJNI, which debuggable apps run under, ends the app otherwise
      return reference<jobject>(0x40);
    };
    g_jni_table.GetLongField = [](JNIEnv*, jobject, jfieldID) { return static_cast<jlong>(kIndexedMethod); };
  }
};

jmethodID id_of(u64 value) {
  return reinterpret_cast<jmethodID>(value);
}

// Of a method that cannot be read it is not known whether it is there still.
void nothing_is_walked() {
  JvmtiWalk walk;
  CHECK(walk.open(&g_vm));
  g_said.stack = {{id_of(kPointerMethod), -1}};
  Frame frames[8];
  u16 flags = 0;
  CHECK_EQUAL(walk.walk(&g_env, kThread, frames, 8, flags), 0);
}

TEST("art jvmti: methods are known by their address, whether ids are pointers or numbers") {
  Answers answers;
  if (!reads_memory()) return nothing_is_walked();
  JvmtiWalk walk;
  CHECK(walk.open(&g_vm));
  CHECK_EQUAL(g_said.version_asked, static_cast<jint>(JVMTI_VERSION_1_2));
  // A native method has position -1, in ART too.
  g_said.stack = {{id_of(kPointerMethod), -1}, {id_of(7), 42}, {id_of(7), 3}};
  Frame frames[8];
  for (int turn = 0; turn < 3; turn++) {
    u16 flags = 0;
    CHECK_EQUAL(walk.walk(&g_env, kThread, frames, 8, flags), 3);
    CHECK_EQUAL(flags, u16{0});
    CHECK_EQUAL(frames[0].code, kPointerMethod);
    CHECK_EQUAL(frames[0].position, i64{-1});
    CHECK_EQUAL(frames[1].code, kIndexedMethod);
    CHECK_EQUAL(frames[1].position, i64{42});
    CHECK_EQUAL(frames[2].position, i64{3});
  }
  CHECK_EQUAL(g_said.reflections, 1);
  CHECK_EQUAL(g_said.local_references, 0);
  CHECK(g_said.class_given);
}

TEST("art jvmti: a stack deeper than there is room says so, one of a thread that ended is none, an error is a loss") {
  Answers answers;
  if (!reads_memory()) return nothing_is_walked();
  JvmtiWalk walk;
  CHECK(walk.open(&g_vm));
  g_said.stack.assign(20, {id_of(kPointerMethod), 1});
  Frame frames[16];
  u16 flags = 0;
  CHECK_EQUAL(walk.walk(&g_env, kThread, frames, 16, flags), 16);
  CHECK(flags & kFlagCut);
  g_said.answer = JVMTI_ERROR_THREAD_NOT_ALIVE;
  CHECK_EQUAL(walk.walk(&g_env, kThread, frames, 16, flags), 0);
  g_said.answer = JVMTI_ERROR_INTERNAL;
  CHECK_EQUAL(walk.walk(&g_env, kThread, frames, 16, flags), -1);
}

TEST("art jvmti: an app that is not debuggable has none") {
  Answers answers;
  g_said.has_jvmti = false;
  JvmtiWalk walk;
  CHECK(!walk.open(&g_vm));
  CHECK(!walk.is_open());
}

}  // namespace
