// How HotSpot and the Android Runtime start the agent: Agent_OnAttach for a program that runs, any number of times;
// Agent_OnLoad with -agentpath:…=options from a program's first moment.
#include "base/libc.h"
#include "core/recorder.h"
#include "os/android/properties.h"
#include "rt/art/art.h"
#include "rt/hotspot/hotspot.h"

using namespace btrace;
using art::Art;
using art::g_art;
using hotspot::g_hotspot;

namespace {

constexpr size_t kOptionsRoom = 512;
char g_launch_options[kOptionsRoom];

void JNICALL on_vm_ready(jvmtiEnv* ti, JNIEnv*, jthread) {
  ti->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_VM_INIT, nullptr);
  // Nobody is told of a failure here but the desktop, which waits for its connection: the program goes on. Else its main
  // method begins when it is recorded.
  if (start_recording(g_launch_options, g_hotspot) == StartResult::Started) wait_until_begun();
}

// A startup agent gets the app's data folder for options: what the desktop has to say is in properties then.
jint attach_to_art(const char* options) {
  char from_properties[kOptionsRoom];
  if (!options || options[0] == '/' || !options[0]) {
    if (!options_from_properties(from_properties, sizeof from_properties))
      return static_cast<jint>(StartResult::BadOptions);
    options = from_properties;
  }
  StartResult result = start_recording(options, g_art);
  if (result == StartResult::Started) wait_until_begun();
  return static_cast<jint>(result);
}

// Why HotSpot gives no JVMTI: one that still starts, or that ends, gives none now.
StartResult why_no_jvmti(JavaVM* vm) {
  void* env = nullptr;
  return vm->GetEnv(&env, JVMTI_VERSION_11) == JNI_EDETACHED ? StartResult::NotLive : StartResult::NotSupported;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void*) {
  if (g_art.internals.open(vm)) return attach_to_art(options);
  if (!g_hotspot.jvm.open(vm)) return static_cast<jint>(why_no_jvmti(vm));
  return static_cast<jint>(start_recording(options ? options : "", g_hotspot));
}

__attribute__((visibility("default"))) jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  // A launch never fails for the agent's sake: 0 in any case.
  if (!options || strlen(options) >= kOptionsRoom) return 0;
  memcpy(g_launch_options, options, strlen(options) + 1);
  if (g_art.internals.open(vm)) {
    g_art.when_ready([] {
      if (start_recording(g_launch_options, g_art) == StartResult::Started) wait_until_begun(Art::sleep_when_ready);
    });
    return 0;
  }
  if (!g_hotspot.jvm.open(vm)) return 0;
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = on_vm_ready;
  g_hotspot.jvm.ti->SetEventCallbacks(&callbacks, sizeof callbacks);
  g_hotspot.jvm.ti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr);
  return 0;
}
}
