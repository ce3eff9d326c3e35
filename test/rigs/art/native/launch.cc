// A launch as the system does it: agents before the app's own code, and bionic's properties.
#include "launch.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

void AttachAgents(JNIEnv* env, const std::vector<std::string>& agents) {
  if (agents.empty()) return;
  jclass loader_class = env->FindClass("java/lang/ClassLoader");
  jmethodID system = env->GetStaticMethodID(loader_class, "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
  jobject loader = env->CallStaticObjectMethod(loader_class, system);
  jclass debug = env->FindClass("dalvik/system/VMDebug");
  jmethodID attach = env->GetStaticMethodID(debug, "nativeAttachAgent", "(Ljava/lang/String;Ljava/lang/ClassLoader;)V");
  for (const std::string& agent : agents) {
    env->CallStaticVoidMethod(debug, attach, env->NewStringUTF(agent.c_str()), loader);
    const bool failed = env->ExceptionCheck();
    env->ExceptionClear();
    printf("system: %s %s\n", failed ? "Attaching agent failed:" : "attached", agent.c_str());
    fflush(stdout);
  }
}

// BTRACE_RIG_PROPERTIES is a file with name=value a line; the last one of a name holds. As in bionic: the length, 0 where there is none.
extern "C" __attribute__((visibility("default"))) int __system_property_get(const char* name, char* value) {
  constexpr size_t kMost = 91;
  const char* file = getenv("BTRACE_RIG_PROPERTIES");
  std::ifstream lines(file ? file : "");
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos && line.compare(0, equals, name) == 0) found = line.substr(equals + 1, kMost);
  }
  strcpy(value, found.c_str());
  return static_cast<int>(found.size());
}
