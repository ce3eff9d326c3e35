#include "rt/art/runnable.h"

#include "core/session.h"
#include "rt/art/art.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/method_code.h"
#include "rt/art/thread_state.h"

namespace btrace::art {

namespace {

// Thread begins with its flags and state, in all versions: 16 bits each to Android 12, 24 and 8 from 13 on. The flags
// in use stay below bit 16, so that the upper half tells the states apart in both.
u32 state_of(const ArtThread* thread) {
  return __atomic_load_n(reinterpret_cast<const u32*>(thread), __ATOMIC_RELAXED) >> 16;
}
constexpr u32 kUnknownState = 0xffff'ffff;
u32 g_runnable_state = kUnknownState;
u32 g_native_state = kUnknownState;

bool is_in_state(const ArtThread* self, const u32& state) {
  const u32 known = __atomic_load_n(&state, __ATOMIC_RELAXED);
  return known != kUnknownState && self && state_of(self) == known;
}

struct Door {
  jclass object;  // java.lang.Object, which is an object too: what notify is called on
  jmethodID notify;

  bool find(JNIEnv* env) {
    if (notify) return true;
    jclass local = find_class(env, "java/lang/Object");
    jmethodID method = find_method(env, local, "notify", "()V");
    object = method ? static_cast<jclass>(env->NewGlobalRef(local)) : nullptr;
    if (object) notify = method;
    return object != nullptr;
  }
};
Door g_door;

ThreadState* my_state() {
  ThreadRecord* record = g_threads.current_record();
  return record ? thread_state(*record) : nullptr;
}

struct Probe {
  u32 runnable_state;
  ArtMethod* expected[3];
  bool walked, as_expected;
};

void look(ArtThread* self, void* data) {
  static_cast<Probe*>(data)->runnable_state = state_of(self);
}

void walk_known(ArtThread* self, void* data) {
  auto& probe = *static_cast<Probe*>(data);
  constexpr u32 kRoom = 64;
  Frame frames[kRoom];
  u16 flags = 0;
  const i32 count = walk_stack(self, self, frames, kRoom, flags);
  probe.walked = count >= 0;
  // The errand's own frame has been taken away.
  probe.as_expected = count >= 2;
  for (i32 i = 0; i < 2; i++) probe.as_expected &= frames[i].code == method_code(probe.expected[i + 1]);
}

// Method.invoke of Method.invoke of Object.notify: three frames that are known beforehand, all of them natives.
bool walk_known_stack(JNIEnv* env, Probe& probe) {
  jclass method_class = find_class(env, "java/lang/reflect/Method");
  jmethodID invoke =
      find_method(env, method_class, "invoke", "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;");
  if (!invoke) return false;
  jobject reflected_notify = env->ToReflectedMethod(g_door.object, g_door.notify, JNI_FALSE);
  jobject reflected_invoke = env->ToReflectedMethod(method_class, invoke, JNI_FALSE);
  jobjectArray nothing = env->NewObjectArray(0, g_door.object, nullptr);
  jobjectArray inner = env->NewObjectArray(2, g_door.object, nullptr);
  if (!clear_exception(env) || !reflected_notify || !reflected_invoke || !nothing || !inner) return false;
  env->SetObjectArrayElement(inner, 0, g_door.object);
  env->SetObjectArrayElement(inner, 1, nothing);
  probe.expected[0] = art_method(env, g_door.object, g_door.notify);
  probe.expected[1] = probe.expected[2] = art_method(env, method_class, invoke);
  ThreadState* state = my_state();
  if (!state || !probe.expected[0] || !probe.expected[1]) return false;
  learn_method_code(env, {{probe.expected[0], reflected_notify}, {probe.expected[1], reflected_invoke}});
  Errand errand{walk_known, &probe};
  state->errand = &errand;
  env->CallObjectMethod(reflected_invoke, invoke, reflected_notify, inner);
  state->errand = nullptr;
  return clear_exception(env) && errand.begun && probe.walked && probe.as_expected;
}

}  // namespace

bool is_runnable(const ArtThread* self) {
  return is_in_state(self, g_runnable_state);
}

bool is_in_native_code(const ArtThread* self) {
  return is_in_state(self, g_native_state);
}

bool run_as_runnable(JNIEnv* env, Errand& errand) {
  ThreadState* state = my_state();
  if (!state || !g_door.notify || env->ExceptionCheck()) return false;
  state->errand = &errand;
  env->CallVoidMethod(g_door.object, g_door.notify);
  state->errand = nullptr;
  // The hooks went just now: the original found that nobody holds the lock, and says so.
  if (!errand.begun) clear_exception(env);
  return errand.begun;
}

bool do_errand(JNIEnv* env) {
  ThreadRecord* record = g_threads.current_record_or_null();
  ThreadState* state = record ? thread_state(*record) : nullptr;
  if (!state || !state->errand) return false;
  Errand& errand = *state->errand;
  if (errand.begun) return false;  // Java code within it notifies somebody
  errand.begun = true;
  errand.run(Internals::thread_of(env), errand.data);
  return true;
}

bool on_errand() {
  ThreadRecord* record = g_threads.current_record_or_null();
  ThreadState* state = record ? thread_state(*record) : nullptr;
  return state && state->errand;
}

const char* learn_to_walk(JNIEnv* env) {
  LocalFrame frame(env, 32);
  Probe probe{};
  if (!frame || !g_door.find(env)) return "Object.notify could not be found";
  const u32 native_state = state_of(Internals::thread_of(env));
  Errand errand{look, &probe};
  if (!run_as_runnable(env, errand)) return "Object.notify could not be stood in for";
  if (probe.runnable_state == native_state) return "a thread's state could not be told";
  __atomic_store_n(&g_runnable_state, probe.runnable_state, __ATOMIC_RELAXED);
  if (walk_known_stack(env, probe)) {
    __atomic_store_n(&g_native_state, native_state, __ATOMIC_RELAXED);
    return nullptr;
  }
  __atomic_store_n(&g_runnable_state, kUnknownState, __ATOMIC_RELAXED);
  return "a stack that is known was not walked as it stands";
}

}  // namespace btrace::art
