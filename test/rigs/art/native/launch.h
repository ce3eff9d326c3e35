#pragma once
#include <jni.h>

#include <string>
#include <vector>

// What ActivityThread does before the app's own code runs, when the system asks for agents with the launch. An agent that does
// not load is told of on standard output, as in the log of a phone.
void AttachAgents(JNIEnv* env, const std::vector<std::string>& agents);
