// How a program of iOS or macOS starts the agent: it is linked to the library, or dyld inserts it, and the options come
// with the environment. What the program and its children see of the environment is as if nobody had been here.
#include "agent/listener.h"
#include "agent/options_in_environment.h"
#include "agent/own_recording.h"
#include "agent/program.h"
#include "core/recorder.h"
#include "rt/darwin/darwin.h"

using namespace btrace;

namespace {

constexpr i64 kExitWaitNs = 2 * kNsPerSecond;
char g_options[512];

[[gnu::constructor]] void begin(int, char**, char** environment) {
  if (!take_options(environment, "DYLD_INSERT_LIBRARIES=", g_options)) return;
  Options options;
  if (!parse_options(g_options, options)) return;
  const bool is_expected = options.port ? listen_for_desktops(options, darwin::g_darwin)
                                        : start_recording(options, darwin::g_darwin) == StartResult::Started;
  if (is_expected) wait_until_begun(options.wait_ms);
}

[[gnu::destructor]] void end() {
  finish_recording(EndReason::TargetExited, nullptr, kExitWaitNs);
  finish_own_recording(kExitWaitNs);
}

}  // namespace

Runtime& btrace::native_runtime() {
  return darwin::g_darwin;
}
