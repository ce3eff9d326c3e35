// What NativeWork.java calls: functions that do nothing but use CPU time, one of them partly through another, and how much
// each used by the thread's own clock.
#include <jni.h>
#include <time.h>

namespace work {

static jlong cpu_ns() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

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

__attribute__((noinline)) unsigned deal(unsigned seed, int rounds, jlong& shuffled) {
  for (int i = 0; i < rounds; i++) seed = (seed + (seed << 5)) ^ (seed >> 9);
  const jlong begin = cpu_ns();
  seed = shuffle(seed, 2 * rounds);
  shuffled += cpu_ns() - begin;
  return seed;
}

}  // namespace work

extern "C" JNIEXPORT jint JNICALL Java_NativeWork_both(JNIEnv* env, jclass, jint seed, jint rounds, jlongArray used) {
  jlong sums[3];
  env->GetLongArrayRegion(used, 0, 3, sums);
  const jlong begin = work::cpu_ns();
  unsigned mixed = work::deal(static_cast<unsigned>(seed), rounds, sums[2]);
  const jlong dealt = work::cpu_ns();
  mixed = work::Sieve::sift(mixed, rounds);
  sums[0] += dealt - begin;
  sums[1] += work::cpu_ns() - dealt;
  env->SetLongArrayRegion(used, 0, 3, sums);
  return static_cast<jint>(mixed);
}
