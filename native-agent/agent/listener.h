#pragma once
// Waits on a port of the device for desktops, one after the other, as long as the program runs.
#include "core/options.h"
#include "core/runtime.h"

namespace btrace {

// From a thread of its own. `runtime` lives as long as the process. False: the port is taken, or there is no thread.
bool listen_for_desktops(const Options& options, Runtime& runtime);

}  // namespace btrace
