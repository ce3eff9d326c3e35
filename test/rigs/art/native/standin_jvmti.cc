// A JVMTI for what the agent does with one: Debian packages none. It says of every thread that it stands in Thread.run, or that it
// cannot tell (BTRACE_RIG_JVMTI=fails); so a test sees whom the agent has asked. What real JVMTI does in a thread is not tried here.
#include <jvmti.h>

#include <cstdlib>
#include <cstring>

namespace {

extern "C" void add_environment_hook(JavaVM* vm, jint (*hook)(JavaVM*, void**, jint)) asm(
    "_ZN3art9JavaVMExt18AddEnvironmentHookEPFiPS0_PPviE");

JavaVM* g_vm;
bool g_fails;
jvmtiInterface_1_ g_table;
jvmtiEnv g_env;

jvmtiError JNICALL get_stack_trace(jvmtiEnv*, jthread, jint, jint most, jvmtiFrameInfo* frames, jint* count) {
  if (g_fails || most < 1) return JVMTI_ERROR_INTERNAL;
  JNIEnv* env;
  if (g_vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_6) != JNI_OK) return JVMTI_ERROR_UNATTACHED_THREAD;
  jclass thread = env->FindClass("java/lang/Thread");
  frames[0] = {env->GetMethodID(thread, "run", "()V"), 0};
  env->DeleteLocalRef(thread);
  *count = 1;
  return JVMTI_ERROR_NONE;
}

jint give(JavaVM*, void** env, jint version) {
  if ((version & 0x70000000) != 0x30000000) return JNI_EVERSION;
  *env = &g_env;
  return JNI_OK;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool ArtPlugin_Initialize() {
  const char* how = getenv("BTRACE_RIG_JVMTI");
  g_fails = how && !strcmp(how, "fails");
  jsize found = 0;
  if (JNI_GetCreatedJavaVMs(&g_vm, 1, &found) != JNI_OK || found != 1) return false;
  g_table.GetStackTrace = get_stack_trace;
  g_env.functions = &g_table;
  add_environment_hook(g_vm, give);
  return true;
}
extern "C" __attribute__((visibility("default"))) bool ArtPlugin_Deinitialize() { return true; }
