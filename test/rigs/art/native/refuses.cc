// librefuses.so: throws whenever it is loaded, and says that it is there.
#include <jni.h>

extern "C" JNIEXPORT jint JNI_OnLoad(JavaVM* vm, void*) {
  void* env = nullptr;
  vm->GetEnv(&env, JNI_VERSION_1_6);
  auto* jni = static_cast<JNIEnv*>(env);
  jni->ThrowNew(jni->FindClass("java/lang/IllegalStateException"), "not on this device");
  return JNI_VERSION_1_6;
}
