#pragma once
// A thread of the program waits while the collector works: it stands at a safepoint, or has asked for the collection.
// JVMTI tells of the collection on its own thread alone. But each thread waits by itself, by calls of the C library
// that libjvm imports: when such a call ends, the thread takes its own stack if a collection ended meanwhile.
#include "core/session.h"
#include "os/images.h"

namespace btrace::hotspot {

// Around one such call, on the thread that makes it. `from`: the registers of the hook's caller.
class CollectionWait {
 public:
  explicit CollectionWait(const Registers& from);
  ~CollectionWait();
  CollectionWait(const CollectionWait&) = delete;
  CollectionWait& operator=(const CollectionWait&) = delete;

 private:
  const Registers& from_;
  ThreadRecord* record_ = nullptr;
  Wait wait_{};
};

// The collector's pause ends, on whatever thread tells of it.
void note_collection_end();

// After enable_monitor_releases(), whose hooks of conditions serve both.
void enable_collection_waits(Session& session);
void disable_collection_waits(Session& session);

}  // namespace btrace::hotspot
