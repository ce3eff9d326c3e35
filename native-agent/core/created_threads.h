#pragma once
// Threads that native code creates, seen from their creation on: the creator is known, and the thread is told of though
// it may be over before it is sampled. The runtime redirects pthread_create (os/imports.h) and gives the new
// thread begin_created() as its first function, which says who it is and goes on in the function that was asked for.
#include "core/session.h"

namespace btrace {

struct CreatedThread {
  void* (*run)(void*);
  void* argument;
  u32 session;
  u32 index;  // of the new thread in the recording, given out before the kernel makes it
  u32 creator_tid;
  Atomic<u32> is_taken;
};

// On the thread that creates one, before it does. Takes no lock. nullptr when too many are on their way: then this one
// is to be created as if nobody looked, and is counted.
CreatedThread* expect_thread(Session& session, void* (*run)(void*), void* argument);
// It was not created after all.
void forget_expected(CreatedThread& created);
// The new thread's first function; its argument is the CreatedThread.
void* begin_created(void* created);

// On the agent's own thread, now and then: ends the records of those that were over before anything else met them.
void end_created_threads(Session& session);
// How many were created unseen since the last call.
u32 take_unseen_creations();

}  // namespace btrace
