// libicu_jni.so and libopenjdk.so: libart loads them by name at start. The rig's core library needs nothing that they have.
#include <jni.h>

extern "C" JNIEXPORT jint JNI_OnLoad(JavaVM*, void*) { return JNI_VERSION_1_6; }
