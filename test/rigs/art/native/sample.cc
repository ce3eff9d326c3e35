// libsample.so: native code that the sample apps wait in.
#include <fcntl.h>
#include <jni.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

class Signal {
 public:
  Signal() { sem_init(&semaphore_, 0, 0); }
  ~Signal() { sem_destroy(&semaphore_); }
  void Give() { sem_post(&semaphore_); }
  void Wait() {
    while (sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
  }

 private:
  sem_t semaphore_;
};

// A thread of native code that is Java's for a while, and lives on without it.
struct Visitor {
  JavaVM* vm;
  jclass type;
  jmethodID stay;
  std::string name;
  pid_t tid = 0;
  Signal is_in{}, may_leave{}, is_out{};
  std::atomic<bool> may_end{false};
};

thread_local Visitor* self = nullptr;

void* Visit(void* data) {
  auto* visitor = self = static_cast<Visitor*>(data);
  visitor->tid = static_cast<pid_t>(syscall(SYS_gettid));
  JavaVMAttachArgs arguments = {JNI_VERSION_1_6, visitor->name.data(), nullptr};
  void* env = nullptr;
  if (visitor->vm->AttachCurrentThreadAsDaemon(&env, &arguments) != JNI_OK) abort();
  static_cast<JNIEnv*>(env)->CallStaticVoidMethod(visitor->type, visitor->stay);
  visitor->vm->DetachCurrentThread();
  visitor->is_out.Give();
  // It uses some CPU time: whoever looks at it sees that it does not stand where it stood.
  const timespec turn = {0, 10000000};
  while (!visitor->may_end) nanosleep(&turn, nullptr);
  delete visitor;
  return nullptr;
}

// A thread that Java never knows: it uses half of a processor until the process ends.
void* Crunch(void*) {
  pthread_setname_np(pthread_self(), "cruncher");
  constexpr long kTurnNs = 5 * 1000 * 1000;
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
  };
  for (;;) {
    const timespec rest = {0, kTurnNs};
    for (const long until = now() + kTurnNs; now() < until;) continue;
    nanosleep(&rest, nullptr);
  }
}

Visitor* VisitorOf(jlong handle) { return reinterpret_cast<Visitor*>(handle); }

long now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

}  // namespace

extern "C" {

JNIEXPORT jint JNI_OnLoad(JavaVM*, void*) {
  pthread_t thread;
  if (getenv("BTRACE_RIG_CRUNCHES") && pthread_create(&thread, nullptr, Crunch, nullptr) == 0) pthread_detach(thread);
  return JNI_VERSION_1_6;
}

JNIEXPORT void Java_sample_NativeWaits_sleepInNative(JNIEnv*, jclass, jint millis) {
  timespec left = {millis / 1000, millis % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// @FastNative: whoever wants the thread to stand still waits for it.
JNIEXPORT void Java_sample_NativeWaits_sleepRunnable(JNIEnv* env, jclass type, jint millis) {
  Java_sample_NativeWaits_sleepInNative(env, type, millis);
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

// The kernel counts how long a thread waits for a processor; what is neither that nor use of one, it waited for somebody.
JNIEXPORT jlong Java_sample_ManyNames_waitedNanos(JNIEnv*, jclass) {
  static thread_local const int counters = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  char text[64] = {};
  if (pread(counters, text, sizeof text - 1, 0) <= 0) abort();
  long on_processor, for_processor;
  if (sscanf(text, "%ld %ld", &on_processor, &for_processor) != 2) abort();
  return now(CLOCK_MONOTONIC) - now(CLOCK_THREAD_CPUTIME_ID) - for_processor;
}

// What the threads that it waited for have worked meanwhile: they may have waited for a processor, too.
JNIEXPORT jlong Java_sample_ManyNames_othersCpuNanos(JNIEnv*, jclass) {
  return now(CLOCK_PROCESS_CPUTIME_ID) - now(CLOCK_THREAD_CPUTIME_ID);
}

JNIEXPORT jlong Java_sample_Visitors_come(JNIEnv* env, jclass type, jstring name) {
  static auto kept = static_cast<jclass>(env->NewGlobalRef(type));
  const char* characters = env->GetStringUTFChars(name, nullptr);
  JavaVM* vm = nullptr;
  env->GetJavaVM(&vm);
  auto* visitor = new Visitor{vm, kept, env->GetStaticMethodID(type, "stay", "()V"), characters};
  env->ReleaseStringUTFChars(name, characters);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, Visit, visitor) != 0) abort();
  pthread_detach(thread);
  visitor->is_in.Wait();
  return reinterpret_cast<jlong>(visitor);
}

JNIEXPORT void Java_sample_Visitors_waitToLeave(JNIEnv*, jclass) {
  self->is_in.Give();
  self->may_leave.Wait();
}

JNIEXPORT jint Java_sample_Visitors_leave(JNIEnv*, jclass, jlong handle) {
  Visitor* visitor = VisitorOf(handle);
  visitor->may_leave.Give();
  visitor->is_out.Wait();
  return visitor->tid;
}

JNIEXPORT void Java_sample_Visitors_end(JNIEnv*, jclass, jlong handle) { VisitorOf(handle)->may_end = true; }

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
