// Another agent in the same JVM, as its options say. "profile": each thread that starts has a timer on its CPU clock, as
// with other profilers, and its handler takes a noticeable time. "retransform": all classes are retransformed, again and
// again.
#include <jvmti.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>

namespace {

constexpr long kIntervalNs = 10'000'000, kHandlerNs = 300'000;

long cpu_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

void neighbours_handler(int, siginfo_t*, void*) {
  for (const long end = cpu_ns() + kHandlerNs; cpu_ns() < end;) continue;
}

void JNICALL on_thread_start(jvmtiEnv*, JNIEnv*, jthread) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = static_cast<int>(syscall(SYS_gettid));
  timer_t timer;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer)) return;
  const itimerspec times{{0, kIntervalNs}, {0, kIntervalNs}};
  timer_settime(timer, 0, &times, nullptr);
}

void JNICALL retransform(jvmtiEnv* jvmti, JNIEnv* env, void*) {
  for (;;) {
    jint count = 0;
    jclass* classes = nullptr;
    if (jvmti->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE) return;
    for (jint i = 0; i < count; i++) {
      jboolean can = JNI_FALSE;
      char* name = nullptr;
      // Those of the JDK are many, and each stops the program.
      if (jvmti->GetClassSignature(classes[i], &name, nullptr) == JVMTI_ERROR_NONE && strncmp(name, "LGale", 5) == 0 &&
          jvmti->IsModifiableClass(classes[i], &can) == JVMTI_ERROR_NONE && can)
        jvmti->RetransformClasses(1, &classes[i]);
      if (name) jvmti->Deallocate(reinterpret_cast<unsigned char*>(name));
      env->DeleteLocalRef(classes[i]);
    }
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(classes));
    usleep(20'000);
  }
}

void JNICALL on_init(jvmtiEnv* jvmti, JNIEnv* env, jthread) {
  jclass type = env->FindClass("java/lang/Thread");
  jobject thread = type ? env->NewObject(type, env->GetMethodID(type, "<init>", "()V")) : nullptr;
  if (thread) jvmti->RunAgentThread(thread, retransform, nullptr, JVMTI_THREAD_NORM_PRIORITY);
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  jvmtiEventCallbacks callbacks{};
  callbacks.ThreadStart = on_thread_start;
  callbacks.VMInit = on_init;
  jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
  if (options && strstr(options, "retransform")) {
    jvmtiCapabilities capabilities{};
    capabilities.can_retransform_classes = 1;
    jvmti->AddCapabilities(&capabilities);
    jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr);
  }
  if (options && strstr(options, "profile")) {
    struct sigaction action{};
    action.sa_sigaction = neighbours_handler;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(SIGPROF, &action, nullptr);
    jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, nullptr);
  }
  return JNI_OK;
}
