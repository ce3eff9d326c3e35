// An agent that takes what only one agent of a JVM can have: sampled allocations.
#include <jvmti.h>

#include <cstring>

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char*, void*) {
  jvmtiEnv* ti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&ti), JVMTI_VERSION_11) != JNI_OK) return 1;
  jvmtiCapabilities wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.can_generate_sampled_object_alloc_events = 1;
  return ti->AddCapabilities(&wanted) == JVMTI_ERROR_NONE ? 0 : 1;
}
