#pragma once
// Threads that native code creates, with the stack of a Java thread that creates one (rt/java/thread_creation.h);
// those that the JVM creates come by Thread.start (natives.cc).
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

void enable_thread_creation(Session& session);

}  // namespace btrace::hotspot
