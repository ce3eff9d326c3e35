// libprobe.so: an agent that says how it was loaded, and whether it could have JVMTI.
#include <jni.h>

#include <cstdio>

namespace {

constexpr jint kJvmti12 = 0x30010200;

jint Say(const char* how, JavaVM* vm, const char* options) {
  void* jvmti = nullptr;
  const jint result = vm->GetEnv(&jvmti, kJvmti12);
  printf("probe: %s(%s), GetEnv(JVMTI) = %d\n", how, options ? options : "", result);
  fflush(stdout);
  return JNI_OK;
}

}  // namespace

extern "C" JNIEXPORT jint Agent_OnLoad(JavaVM* vm, char* options, void*) { return Say("Agent_OnLoad", vm, options); }
extern "C" JNIEXPORT jint Agent_OnAttach(JavaVM* vm, char* options, void*) { return Say("Agent_OnAttach", vm, options); }
