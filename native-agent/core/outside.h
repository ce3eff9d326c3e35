#pragma once
// Fills what the points miss: looks at each thread from the agent's own thread. One that used CPU, or was never seen,
// is walked; one that used none since its last walk stands where it stood, and an equal sample says so without a walk.
#include "core/capture.h"
#include "core/runtime.h"

namespace btrace {

class OutsideSampler {
 public:
  // False when memory is not there.
  bool init(Session& session, Runtime& runtime);
  void release();
  // One look at everybody who is due. Returns how long to sleep, ns.
  i64 tick();

 private:
  void look(ThreadRecord& record, i64 now);

  Session* session_ = nullptr;
  Runtime* runtime_ = nullptr;
  Frame* frames_ = nullptr;
  i64 interval_ns_ = 0;
};

}  // namespace btrace
