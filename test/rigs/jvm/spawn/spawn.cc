// What Spawn.java calls: creates threads that the JVM does not know, each of which works for some milliseconds.
#include <jni.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>

namespace {

constexpr long kWorkNs = 10 * 1000 * 1000;

void work(const char* name) {
  prctl(PR_SET_NAME, name);
  timespec time;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  while (time.tv_sec == 0 && time.tv_nsec < kWorkNs);
}

void run_and_join(void* (*run)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, nullptr) == 0) pthread_join(thread, nullptr);
}

void* inner(void*) {
  work("inner");
  return nullptr;
}

void* outer(void*) {
  work("outer");
  run_and_join(inner);
  return nullptr;
}

}  // namespace

extern "C" JNIEXPORT void JNICALL Java_Spawn_spawn(JNIEnv*, jclass) {
  run_and_join(outer);
}
