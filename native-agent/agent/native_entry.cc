// How a native program starts the agent: the dynamic linker loads it before the program (LD_PRELOAD), and it takes its
// options from the environment. What the program and its children see of the environment is as if nobody had been here.
// Into a program that runs, host/agent_loader.h loads it, and calls btrace_attach().
#include "agent/options_in_environment.h"
#include "agent/own_recording.h"
#include "agent/program.h"
#include "core/recorder.h"
#include "core/thread_record.h"
#include "os/process.h"
#include "rt/native/native.h"

using namespace btrace;

namespace {

constexpr i64 kExitWaitNs = 2 * kNsPerSecond;
constexpr size_t kNameRoom = 1024;  // with the folder it was started by
char g_options[512];

// The program begins when it is recorded; nobody is told of a failure but the desktop, which waits for us.
[[gnu::constructor]] void begin(int, char**, char** environment) {
  char name[kNameRoom];
  own_program_name(name, sizeof name);
  if (are_for_another_program(environment, name)) return;
  if (!take_options(environment, "LD_PRELOAD=", g_options)) return;
  if (start_recording(g_options, native::g_native) == StartResult::Started) wait_until_begun();
}

[[gnu::destructor]] void end() {
  finish_recording(EndReason::TargetExited, nullptr, kExitWaitNs);
  finish_own_recording(kExitWaitNs);
}

}  // namespace

// On a thread that was made to load the agent. Returns a StartResult.
extern "C" [[gnu::visibility("default")]] i32 btrace_attach(const char* options) {
  become_agent_thread("btrace load");
  return static_cast<i32>(start_recording(options, native::g_native));
}

Runtime& btrace::native_runtime() {
  return native::g_native;
}
