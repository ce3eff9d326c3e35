// libjavacore.so: what the core library's own natives do beyond those that libart brings along.
#include <dlfcn.h>
#include <jni.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace {

jlong Clock(clockid_t id) {
  timespec time;
  clock_gettime(id, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

}  // namespace

extern "C" {

JNIEXPORT jlong Java_java_lang_System_nanoTime(JNIEnv*, jclass) { return Clock(CLOCK_MONOTONIC); }

JNIEXPORT jlong Java_java_lang_System_currentTimeMillis(JNIEnv*, jclass) { return Clock(CLOCK_REALTIME) / 1000000; }

JNIEXPORT jlong Java_android_os_SystemClock_currentThreadCpuNanos(JNIEnv*, jclass) {
  return Clock(CLOCK_THREAD_CPUTIME_ID);
}

JNIEXPORT void Java_java_lang_Runtime_nativeExit(JNIEnv*, jclass, jint status) { _exit(status); }

JNIEXPORT jstring Java_java_lang_Runtime_nativeLoad(JNIEnv* env, jclass, jstring file, jobject loader, jclass caller) {
  // JavaVMExt::LoadNativeLibrary(JNIEnv*, std::string const&, jobject, jclass, std::string*)
  using Load = bool (*)(JavaVM*, JNIEnv*, const std::string&, jobject, jclass, std::string*);
  static const Load load = reinterpret_cast<Load>(
      dlsym(RTLD_DEFAULT,
            "_ZN3art9JavaVMExt17LoadNativeLibraryEP7_JNIEnvRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEP8_"
            "jobjectP7_jclassPS8_"));
  if (!load) return env->NewStringUTF("this libart has no JavaVMExt::LoadNativeLibrary");
  const char* characters = env->GetStringUTFChars(file, nullptr);
  const std::string path = characters;
  env->ReleaseStringUTFChars(file, characters);
  JavaVM* vm = nullptr;
  env->GetJavaVM(&vm);
  std::string error;
  return load(vm, env, path, loader, caller, &error) ? nullptr : env->NewStringUTF(error.c_str());
}

// As Android's own, this one is not left to be found by its name.
JNIEXPORT jint JNI_OnLoad(JavaVM* vm, void*) {
  JNIEnv* env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
  const JNINativeMethod load = {const_cast<char*>("nativeLoad"),
                                const_cast<char*>("(Ljava/lang/String;Ljava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/String;"),
                                reinterpret_cast<void*>(Java_java_lang_Runtime_nativeLoad)};
  jclass runtime = env->FindClass("java/lang/Runtime");
  const bool registered = runtime && env->RegisterNatives(runtime, &load, 1) == JNI_OK;
  env->DeleteLocalRef(runtime);  // the runtime that begins wants none left
  return registered ? JNI_VERSION_1_6 : JNI_ERR;
}

JNIEXPORT void Java_java_io_PrintStream_write0(JNIEnv* env, jclass, jint fd, jstring text) {
  const char* characters = env->GetStringUTFChars(text, nullptr);
  const jsize length = env->GetStringUTFLength(text);
  for (jsize written = 0; written < length;) {
    const ssize_t count = write(fd, characters + written, length - written);
    if (count < 0 && errno != EINTR) break;
    if (count > 0) written += static_cast<jsize>(count);
  }
  env->ReleaseStringUTFChars(text, characters);
}

JNIEXPORT jint Java_java_io_FileInputStream_read0(JNIEnv*, jclass, jint fd) {
  unsigned char byte;
  ssize_t count;
  while ((count = read(fd, &byte, 1)) < 0 && errno == EINTR) {
  }
  return count == 1 ? byte : -1;
}

// Up to Android 11 libart brings it along.
JNIEXPORT jint Java_java_lang_Thread_getNativeTid(JNIEnv*, jobject) { return static_cast<jint>(syscall(SYS_gettid)); }

}  // extern "C"
