// libsample.so: native code that the sample apps wait in.
#include <jni.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

extern "C" {

JNIEXPORT jint JNI_OnLoad(JavaVM*, void*) { return JNI_VERSION_1_6; }

JNIEXPORT void Java_sample_NativeWaits_sleepInNative(JNIEnv*, jclass, jint millis) {
  timespec left = {millis / 1000, millis % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// Waits for a pipe that nobody writes to.
JNIEXPORT void Java_sample_NativeWaits_pollInNative(JNIEnv*, jclass, jint millis) {
  int ends[2];
  if (pipe(ends) != 0) return;
  pollfd wait = {ends[0], POLLIN, 0};
  poll(&wait, 1, millis);
  close(ends[0]);
  close(ends[1]);
}

// The frame that ART put below this function begins with the method's address. It is right again before ART needs it, and
// while `held` is held the collector does not look at stacks.
JNIEXPORT jint Java_sample_BadPointer_allocateWithBadFrame(JNIEnv* env, jclass type, jintArray held, jint objects) {
  constexpr int kWords = 256;
  const uintptr_t bad = 0x1000;
  const auto method = reinterpret_cast<uintptr_t>(env->GetStaticMethodID(type, "allocateWithBadFrame", "([II)I"));
  auto* stack = static_cast<volatile uintptr_t*>(__builtin_frame_address(0));
  volatile uintptr_t* places[kWords];
  int found = 0;
  for (int i = 0; i < kWords; i++) {
    if (stack[i] == method) places[found++] = stack + i;
  }
  void* elements = env->GetPrimitiveArrayCritical(held, nullptr);
  for (int i = 0; i < found; i++) *places[i] = bad;
  for (int i = 0; i < objects; i++) env->DeleteLocalRef(env->NewIntArray(4));
  for (int i = 0; i < found; i++) *places[i] = method;
  env->ReleasePrimitiveArrayCritical(held, elements, 0);
  return found;
}

}  // extern "C"
