// The framework's natives that the rig's core library asks for.
#pragma once

#include <jni.h>

// Registers android.os.MessageQueue's natives, by RegisterNatives as a phone's framework does. False: an exception is pending.
bool RegisterFramework(JNIEnv* env);
