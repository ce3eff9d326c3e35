// What NativeWork.java calls: two functions that do nothing but use CPU time, and how much each used by the thread's own clock.
#include <jni.h>
#include <time.h>

namespace work {

__attribute__((noinline)) unsigned shuffle(unsigned seed, int rounds) {
  for (int i = 0; i < rounds; i++) seed = (seed ^ (seed >> 13)) * 0x5bd1e995u + 1;
  return seed;
}

struct Sieve {
  __attribute__((noinline)) static unsigned sift(unsigned seed, int rounds) {
    for (int i = 0; i < rounds; i++) seed = (seed * 1664525u) ^ (seed >> 7);
    return seed;
  }
};

}  // namespace work

static jlong cpu_ns() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

extern "C" JNIEXPORT jint JNICALL Java_NativeWork_both(JNIEnv* env, jclass, jint seed, jint rounds, jlongArray used) {
  jlong times[3] = {cpu_ns()};
  unsigned mixed = work::shuffle(static_cast<unsigned>(seed), 3 * rounds);
  times[1] = cpu_ns();
  mixed = work::Sieve::sift(mixed, rounds);
  times[2] = cpu_ns();
  jlong sums[2];
  env->GetLongArrayRegion(used, 0, 2, sums);
  for (int i = 0; i < 2; i++) sums[i] += times[i + 1] - times[i];
  env->SetLongArrayRegion(used, 0, 2, sums);
  return static_cast<jint>(mixed);
}
