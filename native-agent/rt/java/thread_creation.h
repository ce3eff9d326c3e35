#pragma once
// Threads that native code of a Java program creates, by the libraries' imports of pthread_create. Threads that the
// runtime creates come by Thread.start.
#include "core/session.h"
#include "os/signal.h"

namespace btrace {

struct NativeThreadCreation {
  const char* runtime_library;  // its own import stays as it is
  // On the creating thread, which may hold locks of the library that it is in: it must not wait. nullptr: the
  // creator's stack is not taken. `child`: the new thread's index in the recording.
  void (*capture)(u32 child, const Registers& caller);
};

// `why_not` nullptr: nothing of the runtime's stands against it.
void enable_thread_creation(Session& session, const NativeThreadCreation& creation, const char* why_not);
// Now and then while recording: takes in the libraries that were loaded since.
void follow_thread_creation(Session& session);
void disable_thread_creation(Session& session);

}  // namespace btrace
