#pragma once
// What a thread waits for in system calls: sockets, pipes and selectors (socket_waits.cc).
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

void install_socket_waits(Session& session);
void remove_socket_waits(Session& session);
// The JVM has found a native method at this address, of a library that may have been loaded just now.
void JNICALL on_native_bound(jvmtiEnv*, JNIEnv*, jthread, jmethodID, void* address, void** new_address);

}  // namespace btrace::hotspot
