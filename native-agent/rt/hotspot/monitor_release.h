#pragma once
// Finds the thread that releases a monitor for which another thread waits. JVMTI tells only when such a wait begins and
// ends. But the thread that leaves a monitor wakes the next one itself: it calls pthread_cond_signal for the condition
// on which that one sleeps. Both threads call libc through pointers in libjvm's global offset table, which are
// redirected here (os/imports.h). The sleeper notes its condition; who signals that condition has released.
#include "rt/java/monitor_waits.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

void enable_monitor_releases(Session& session);
void disable_monitor_releases(Session& session);

}  // namespace btrace::hotspot
