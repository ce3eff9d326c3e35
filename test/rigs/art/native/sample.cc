// libsample.so: native code that the sample apps wait in.
#include <jni.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

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

}  // extern "C"
