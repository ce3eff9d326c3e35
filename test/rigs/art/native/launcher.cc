// Starts the packaged Android Runtime in this process and runs a main class, as app_process does on a phone.
//   launcher [--release] [--name PACKAGE] [--attach-agent PATH=OPTIONS …] [--not-looked-up CLASS] [-Xoption …] --boot CORE.dex --app APP.dex MAIN_CLASS [ARGUMENT …]
// Exit codes: 0 main returned, 1 it threw, 2 wrong arguments, 3 the runtime did not start.
#include <dlfcn.h>
#include <jni.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "framework.h"
#include "launch.h"
#include "mend.h"

namespace {

struct Arguments {
  bool release = false;
  std::string name;
  std::string boot;
  std::string app;
  std::string main_class;
  std::string not_looked_up;  // a class whose natives are as if they had neither been registered nor called
  std::vector<std::string> runtime;
  std::vector<std::string> program;
  std::vector<std::string> agents;
};

bool Parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    if (!arguments->main_class.empty()) {
      arguments->program.push_back(argument);
    } else if (argument == "--release") {
      arguments->release = true;
    } else if ((argument == "--boot" || argument == "--app") && i + 1 < argc) {
      (argument == "--boot" ? arguments->boot : arguments->app) = argv[++i];
    } else if (argument == "--attach-agent" && i + 1 < argc) {
      arguments->agents.push_back(argv[++i]);
    } else if ((argument == "--name" || argument == "--not-looked-up") && i + 1 < argc) {
      (argument == "--name" ? arguments->name : arguments->not_looked_up) = argv[++i];
    } else if (argument[0] == '-') {
      arguments->runtime.push_back(argument);
    } else {
      arguments->main_class = argument;
    }
  }
  return !arguments->boot.empty() && !arguments->app.empty() && !arguments->main_class.empty();
}

template <typename Function>
Function InArt(const char* symbol) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));
}

JavaVM* CreateRuntime(const Arguments& arguments, JNIEnv** env) {
  std::vector<std::string> options = {
      "-Xbootclasspath:" + arguments.boot,
      "-Xbootclasspath-locations:" + arguments.boot,
      "-Xuse-stderr-logger",
      "-Xnoimage-dex2oat",
      "-Ximage:/nonexistent/boot.art",
      "-cp",
      arguments.app,
  };
  options.insert(options.end(), arguments.runtime.begin(), arguments.runtime.end());
  std::vector<JavaVMOption> list;
  for (std::string& option : options) list.push_back({option.data(), nullptr});
  JavaVMInitArgs init = {JNI_VERSION_1_6, static_cast<jint>(list.size()), list.data(), JNI_FALSE};
  JavaVM* vm = nullptr;
  auto create = InArt<jint (*)(JavaVM**, JNIEnv**, void*)>("JNI_CreateJavaVM");
  return create(&vm, env, &init) == JNI_OK ? vm : nullptr;
}

// An app's process is called by its package: the zygote writes it over the command line.
void TakeName(int argc, char** argv, const std::string& name) {
  const size_t room = argv[argc - 1] + strlen(argv[argc - 1]) - argv[0];
  const size_t length = std::min(name.size(), room - 1);
  char* command_line = argv[0];
  memset(command_line, 0, room);
  memcpy(command_line, name.data(), length);
  prctl(PR_SET_NAME, name.c_str());
}

bool RunMain(JNIEnv* env, const Arguments& arguments) {
  std::string name = arguments.main_class;
  std::replace(name.begin(), name.end(), '.', '/');
  jclass main_class = env->FindClass(name.c_str());
  jmethodID main = main_class ? env->GetStaticMethodID(main_class, "main", "([Ljava/lang/String;)V") : nullptr;
  if (main) {
    const jsize count = static_cast<jsize>(arguments.program.size());
    jobjectArray program = env->NewObjectArray(count, env->FindClass("java/lang/String"), nullptr);
    for (jsize i = 0; i < count; i++) {
      env->SetObjectArrayElement(program, i, env->NewStringUTF(arguments.program[i].c_str()));
    }
    env->CallStaticVoidMethod(main_class, main, program);
  }
  if (!env->ExceptionCheck()) return true;
  env->ExceptionDescribe();
  env->ExceptionClear();
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, &arguments)) {
    fprintf(stderr, "usage: %s [--release] [--name PACKAGE] [-Xoption …] --boot CORE.dex --app APP.dex MAIN_CLASS [ARGUMENT …]\n", argv[0]);
    return 2;
  }
  if (!arguments.name.empty()) TakeName(argc, argv, arguments.name);
  // A limit for its files stands in for a full storage, which sends no signal.
  signal(SIGXFSZ, SIG_IGN);
  JNIEnv* env = nullptr;
  JavaVM* vm = MendRuntime() ? CreateRuntime(arguments, &env) : nullptr;
  if (!vm) {
    fprintf(stderr, "launcher: the runtime did not start\n");
    return 3;
  }
  if (arguments.release) {  // as the zygote does for an app whose manifest does not say debuggable: no agents
    if (auto allow = InArt<void (*)(bool)>("_ZN3art3Dbg14SetJdwpAllowedEb")) allow(false);
  }
  bool ok = RegisterFramework(env);
  if (!arguments.not_looked_up.empty()) {
    jclass of = env->FindClass(arguments.not_looked_up.c_str());
    ok = of && env->UnregisterNatives(of) == JNI_OK;
  }
  if (ok) AttachAgents(env, arguments.agents);
  ok = ok && RunMain(env, arguments);
  vm->DetachCurrentThread();
  vm->DestroyJavaVM();
  return ok ? 0 : 1;
}
