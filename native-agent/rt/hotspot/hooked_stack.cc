#include "rt/hotspot/hooked_stack.h"

#include "base/libc.h"
#include "rt/hotspot/stub_caller.h"

namespace btrace::hotspot {

namespace {

// C1 keeps the slow ways of a method, such as leaving a contended monitor, behind the method's code, and each ends with
// a jump back into it. The JVM knows no line for the way out of a monitor. Walked from there, it takes the next place
// that has one: that of another slow way, perhaps in an inlined method. So the walk begins where the jump leads.
// Other slow ways, such as that of an allocation, have their own line, which would be lost.
void leave_slow_way(const NativeStackRange& stack, Registers& java) {
  const CodeArea area{g_hotspot.jvm.code_begin, g_hotspot.jvm.code_bytes};
  Registers caller;
  if (!find_stub_caller(java, area, stack.begin, stack.end, caller)) return;
  const u64 target = jump_target(area, caller.pc);
  if (!target) return;
  caller.pc = target;
  java = caller;
}

}  // namespace

// The thread may have come into the JVM from compiled code or the interpreter without telling the JVM where that
// stands, so neither JVMTI nor a walk without a context finds anything: the place in Java's code is found through the
// native frames, and the walk is as from an interrupt there.
u32 walk_from_hook(Capture& capture, const Registers& from) {
  constexpr size_t kContextBytes = 5120;  // of the largest ucontext
  alignas(16) u8 context[kContextBytes];
  memset(context, 0, sizeof context);
  ThreadRecord& record = capture.record();
  Session& session = capture.session();
  const Jvm& jvm = g_hotspot.jvm;
  const NativeStackRange stack{static_cast<uintptr_t>(record.stack_begin.load_relaxed()),
                               static_cast<uintptr_t>(record.stack_end.load_relaxed()), 0};
  Registers java = from;
  // Where it is not found the thread came here from native code, and the JVM knows its last Java frame then.
  if (!session.natives.find_caller_in(session.images, from, stack, static_cast<uintptr_t>(jvm.code_begin),
                                      static_cast<uintptr_t>(jvm.code_bytes), java))
    java = from;
  else if (capture.row().kind == SampleKind::MonitorRelease)
    leave_slow_way(stack, java);
  interrupt_elsewhere(context, java);
  WalkNotes notes;
  const i32 count = g_hotspot.walk_here(record, context, capture.frames(), WalkBuffer::kFrames, notes);
  notes.flags &= static_cast<u16>(~kFlagNativeState);
  notes.tell(capture.row());
  if (count > 0) return static_cast<u32>(count);
  capture.row().flags |= kFlagWalkFailed;
  capture.frames()[0] = {kStubNoFrames, -1};
  return 1;
}

}  // namespace btrace::hotspot
