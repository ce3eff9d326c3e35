#include "base/libc.h"
#include "base/pages.h"
#include "os/signal.h"
#include "rt/hotspot/hotspot.h"
#include "rt/hotspot/reads.h"
#include "rt/hotspot/stub_caller.h"

namespace btrace::hotspot {

// JVMTI writes its frames right where the core reads them.
static_assert(sizeof(jvmtiFrameInfo) == sizeof(Frame) || sizeof(void*) == 4);

namespace {

// What the JVM offers for a signal handler, by its symbol; older than JVMTI's frames and laid out otherwise.
struct SignalFrame {
  jint position;  // below 0: a native method
  jmethodID method;
};
struct SignalTrace {
  JNIEnv* env;
  jint count;  // below 1: why not
  SignalFrame* frames;
};
static_assert(sizeof(SignalFrame) <= sizeof(Frame));
constexpr jint kNotNoted = -3;     // it runs in the JVM, and where Java's last frame is in its code is not noted
constexpr jint kNotWalkable = -4;  // it runs in the JVM, and Java's last frame is none that is understood
constexpr jint kNoFrameFound = -5;  // it runs in code of Java's, or in a stub
using SignalWalk = void (*)(SignalTrace*, jint limit, void* context);

struct SelfWalk {
  i32 count = 0;  // above 0: frames that are known, leaf first
  bool carries = false;
  bool whole = false;  // else those nearest the root are missing
};

// In a stub of the JVM's own it is walked from the method that called it: that one's frame is the first of Java's.
void walk_from_caller(SignalWalk walk, SignalTrace& trace, jint limit, void* context, const ThreadRecord& record) {
  const Registers at = interrupted_at(context);
  Registers caller;
  const CodeArea area{g_hotspot.jvm.code_begin, g_hotspot.jvm.code_bytes};
  if (!find_stub_caller(at, area, record.stack_begin.load_relaxed(), record.stack_end.load_relaxed(), caller)) return;
  interrupt_elsewhere(context, caller);
  walk(&trace, limit, context);
  interrupt_elsewhere(context, at);
}

// Compiled code that calls the JVM notes where its frame lies, and not where in its code it is. The JVM adds that
// itself before somebody walks the thread (JavaFrameAnchor::make_walkable): it is the word below, where the call returns
// to. Here the thread itself adds it, for as long as its walk takes.
class WalkableFrame {
 public:
  explicit WalkableFrame(const ThreadRecord& record) {
    const Jvm& jvm = g_hotspot.jvm;
    const u64 java_thread = record.runtime_thread.load_relaxed();
    if (!java_thread || jvm.anchor_sp == kNoOffset || jvm.anchor_pc == kNoOffset) return;
    sp_ = plain_read<u64>(java_thread, jvm.anchor_sp);
    if (!sp_ || plain_read<u64>(java_thread, jvm.anchor_pc)) return;
    const u64 begin = record.stack_begin.load_relaxed(), own = reinterpret_cast<u64>(__builtin_frame_address(0));
    if (sp_ % sizeof(u64) || own < begin || sp_ <= own || sp_ >= record.stack_end.load_relaxed()) return;
    pc_ = plain_read<u64>(sp_ - sizeof(u64), 0);
    if (pc_ - jvm.code_begin >= jvm.code_bytes) return;
    stack_end_ = record.stack_end.load_relaxed();
    anchor_ = java_thread;
    set(sp_, pc_);
  }
  ~WalkableFrame() {
    if (anchor_) set(sp_, 0);
  }
  WalkableFrame(const WalkableFrame&) = delete;
  WalkableFrame& operator=(const WalkableFrame&) = delete;
  explicit operator bool() const { return anchor_ != 0; }
  // The frame is a stub's by which a method has called the JVM: makes it that of the method.
  bool leave_stub() {
    Registers caller;
    const CodeArea area{g_hotspot.jvm.code_begin, g_hotspot.jvm.code_bytes};
    if (!find_runtime_stub_caller(pc_, sp_, area, stack_end_, caller)) return false;
    set(caller.sp, caller.pc);
    return true;
  }

 private:
  void set(u64 sp, u64 pc) const {
    write(g_hotspot.jvm.anchor_sp, sp);
    write(g_hotspot.jvm.anchor_pc, pc);
  }
  void write(i32 offset, u64 value) const {
    __atomic_store_n(reinterpret_cast<u64*>(anchor_ + static_cast<u64>(offset)), value, __ATOMIC_RELEASE);
  }
  u64 anchor_ = 0, sp_ = 0, pc_ = 0, stack_end_ = 0;
};

// Whether the thread was interrupted in no code that the JVM made. Compiled code calls the JVM as well, to allocate for
// example; its frame is the innermost of Java's then.
bool is_in_native_code(const void* context) {
  const Jvm& jvm = g_hotspot.jvm;
  return jvm.code_bytes && interrupted_at(context).pc - jvm.code_begin >= jvm.code_bytes;
}

void walk_from_jvm(SignalWalk walk, SignalTrace& trace, jint limit, void* context, const ThreadRecord& record) {
  WalkableFrame frame(record);
  if (!frame) return;
  walk(&trace, limit, context);
  if (trace.count == kNotWalkable && frame.leave_stub()) walk(&trace, limit, context);
}

// The calling thread's, where it stands or where `context` interrupted it. Where it carries a virtual thread two stacks
// lie on one another: that one's is taken.
SelfWalk walk_self(const ThreadRecord* record, void* context, Frame* frames, u32 limit) {
  SelfWalk self;
  auto walk = reinterpret_cast<SignalWalk>(g_hotspot.jvm.signal_walk);
  JNIEnv* env = walk ? g_hotspot.jvm.env() : nullptr;
  if (!env) return self;
  SignalTrace trace{env, 0, reinterpret_cast<SignalFrame*>(frames)};
  walk(&trace, static_cast<jint>(limit), context);
  if (trace.count == kNotNoted && record) walk_from_jvm(walk, trace, static_cast<jint>(limit), context, *record);
  if (trace.count == kNoFrameFound && record) walk_from_caller(walk, trace, static_cast<jint>(limit), context, *record);
  // A stack that fills the buffer may be deeper: JVMTI's walk knows how to leave out its middle.
  if (trace.count <= 0 || trace.count >= static_cast<jint>(limit)) return self;
  const Jvm& jvm = g_hotspot.jvm;
  bool known = true;
  jint count = 0;
  for (; count < trace.count && !self.carries; count++) {
    SignalFrame frame = trace.frames[count];
    // The JVM makes a method's id when somebody first asks for it, which is not possible here. JVMTI's walk does.
    if (!frame.method) {
      known = false;
    } else if (count && frame.method == jvm.carrier_end) {
      self.carries = true;
      count--;
    } else {
      frames[count] = {reinterpret_cast<u64>(frame.method), max_of<jint>(frame.position, -1)};
    }
  }
  if (!known) return self;
  self.count = count;
  // A virtual thread comes back frame by frame, as it returns to them: the rest is seen by JVMTI's walk only.
  self.whole = !self.carries || frames[count - 1].code == reinterpret_cast<u64>(jvm.virtual_begin);
  return self;
}

// Of a stack that fills `frames`: the half nearest the root takes the place of what lies in the middle. In one walk,
// as the thread may go on between two; to kDeepest, as the JVM takes some 5 KB for each frame that it passes.
i32 walk_deep(jthread thread, Frame* frames, u32 limit, u16& flags) {
  constexpr u32 kAll = kDeepest + 1;
  Frame* all = map_array<Frame>(kAll);
  if (!all) return -1;
  jint found = 0;
  jvmtiError error = g_hotspot.jvm.ti->GetStackTrace(thread, 0, kAll, reinterpret_cast<jvmtiFrameInfo*>(all), &found);
  const u32 depth = error == JVMTI_ERROR_NONE ? static_cast<u32>(found) : 0;
  const u32 kept = min_of(depth, limit), half = limit / 2;
  memcpy(frames, all, kept * sizeof(Frame));
  if (depth > limit) {
    flags |= kFlagCut;
    if (depth == kAll)
      frames[limit - 1] = {kStubTooDeep, -1};
    else
      memcpy(frames + limit - half, all + depth - half, half * sizeof(Frame));
  }
  unmap_array(all, kAll);
  return error == JVMTI_ERROR_NONE ? static_cast<i32>(kept) : -1;
}

}  // namespace

i32 walk_thread(jthread thread, Frame* frames, u32 limit, u16& flags) {
  auto* infos = reinterpret_cast<jvmtiFrameInfo*>(frames);
  jvmtiEnv* ti = g_hotspot.jvm.ti;
  jint count = 0;
  if (ti->GetStackTrace(thread, 0, static_cast<jint>(limit), infos, &count) != JVMTI_ERROR_NONE) return -1;
  if (static_cast<u32>(count) < limit) {
    if (count || thread) return count;
    // A thread of Java's that has no Java frame yet, or none any more.
    frames[0] = {kStubNoFrames, -1};
    return 1;
  }
  return walk_deep(thread, frames, limit, flags);
}

i32 walk_in_native(Frame* frames, u32 limit, u16& flags) {
  SelfWalk self = walk_self(nullptr, nullptr, frames, limit);
  return self.count > 0 && self.whole ? self.count : walk_thread(nullptr, frames, limit, flags);
}

i32 HotSpot::walk_other_thread(ThreadRecord& record, Frame* frames, u32 limit, WalkNotes& notes) {
  auto thread = static_cast<jthread>(record.runtime_ref.load_acquire());
  if (!thread) return 0;
  const auto loop_message = [&] { return loop_message_of(record, other_id(record)); };
  notes.loop_message = loop_message();
  // Where the JVM does not tell who runs, it is asked of each thread that was seen to carry somebody.
  bool carries = notes.loop_message || (!jvm.tells_who_runs() && record.carries.load_relaxed());
  i32 count = carries && jvm.virtual_thread_on ? walk_carried(record, thread, frames, limit, notes) : 0;
  if (count == 0) {
    count = walk_thread(thread, frames, limit, notes.flags);
    // A carrier's own stack says nothing of what it carries.
    if (record.carries.load_relaxed() && loop_message() != notes.loop_message) return kWalkLater;
  }
  // A thread that has ended since is no error.
  return count < 0 && record.state.load_acquire() != ThreadRecord::State::Live ? 0 : count;
}

i32 HotSpot::walk_here(ThreadRecord& record, void* context, Frame* frames, u32 limit, WalkNotes& notes) {
  SelfWalk self = walk_self(&record, context, frames, limit);
  if (self.carries) meet_carrier(record);
  if (self.count <= 0 && !jvm.env()) return -1;
  notes.loop_message = own_loop_message(record);
  i32 count = self.count;
  if (!self.whole) {
    if (!notes.loop_message || !jvm.virtual_begin) return -1;
    // When the external sampler walks it, it may have left its carrier: the sample shall not be another one's.
    notes.provisional = true;
    frames[count] = {count ? kStubCallersAway : kStubGone, -1};
    frames[count + 1] = {reinterpret_cast<u64>(jvm.virtual_begin), -1};
    count += 2;
    notes.flags |= kFlagCut;
  }
  notes.flags |= kFlagSafepoint;
  if (self.count && (frames[0].position < 0 || is_in_native_code(context))) {
    notes.flags |= kFlagNativeState;
    const u64 java_thread = record.runtime_thread.load_relaxed();
    if (java_thread && jvm.anchor_sp != kNoOffset) notes.managed = plain_read<u64>(java_thread, jvm.anchor_sp);
  }
  return count;
}

}  // namespace btrace::hotspot
