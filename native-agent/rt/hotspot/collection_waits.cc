#include "rt/hotspot/collection_waits.h"

#include "base/clock.h"
#include "base/libc.h"
#include "os/imports.h"
#include "rt/hotspot/hooked_stack.h"
#include "rt/hotspot/waits.h"

namespace btrace::hotspot {

namespace {

constexpr const char* kHook = "gc wait";

using Syscall = long (*)(long number, long a, long b, long c, long d, long e, long f);
using ConditionWait = int (*)(void* condition, void* mutex);
using ErrnoFunction = int* (*)();

struct Originals {
  Syscall syscall;
  ConditionWait wait;
};
Originals original;
ErrnoFunction errno_place;
Imports g_imports;
Atomic<u32> g_enabled;
Atomic<i64> g_collection_end_ns;

// A thread at a safepoint sleeps on the JVM's wait barrier, which is a futex. Callers pass as many arguments as their
// system call has; what is read beyond them is passed on and means nothing.
[[gnu::noinline]] long hook_syscall(long number, long a, long b, long c, long d, long e, long f) {
  constexpr long kOperation = 0x7f, kWait = 0;
  if (number != sys::kFutex || (b & kOperation) != kWait) return original.syscall(number, a, b, c, d, e, f);
  BTRACE_CALLER_REGISTERS(from);
  CollectionWait wait(from);
  return original.syscall(number, a, b, c, d, e, f);
}

// A thread that asks the JVM's own thread for a collection sleeps on a condition until that is done.
[[gnu::noinline]] int hook_wait(void* condition, void* mutex) {
  BTRACE_CALLER_REGISTERS(from);
  CollectionWait wait(from);
  return original.wait(condition, mutex);
}

bool bind_call(const char* name, void** keep, void* hook) {
  *keep = imported_function(name);
  const Imports::Count count = g_imports.bind("libjvm.so", {name, *keep, hook});
  return count.bound && !count.refused;
}

bool bind(bool conditions_are_hooked) {
  if (!bind_call("syscall", reinterpret_cast<void**>(&original.syscall), reinterpret_cast<void*>(&hook_syscall)))
    return false;
  return conditions_are_hooked || bind_call("pthread_cond_wait", reinterpret_cast<void**>(&original.wait),
                                            reinterpret_cast<void*>(&hook_wait));
}

const char* install() {
  const Jvm& jvm = g_hotspot.jvm;
  if (!jvm.signal_walk || !jvm.code_bytes) return "this JVM's stacks cannot be walked there";
  errno_place = reinterpret_cast<ErrnoFunction>(libc::symbol("__errno_location"));
  if (!errno_place) return "the C library names no place of error numbers";
  return g_imports.init() ? nullptr : "no memory";
}

}  // namespace

CollectionWait::CollectionWait(const Registers& from) : from_(from) {
  if (!g_enabled.load_relaxed() || !active_session_id()) return;
  ThreadRecord* record = g_threads.current_record_or_null();
  // One that the JVM does not know has no Java stack. A wait that is published has a row of its own.
  if (!record || !record->runtime_thread.load_relaxed() || record->busy.load_relaxed() == Holder::Never ||
      record->wait.published_since_ns.load_relaxed())
    return;
  wait_.session = active_session_id();
  // To read the CPU clock costs more than all else here.
  wait_.begin_cpu_ns = kCpuNotRead;
  wait_.begin_ns = now_ns();
  record_ = record;
}

CollectionWait::~CollectionWait() {
  if (!record_ || !wait_.session || g_collection_end_ns.load_acquire() <= wait_.begin_ns) return;
  Session* session = active_session();
  const i64 lasted_ns = now_ns() - wait_.begin_ns;
  if (!session || session->id != wait_.session || (session->config.main_only && !record_->is_main)) return;
  if (lasted_ns < Session::kShortestWaitNs) {
    leave_out_wait(*record_, lasted_ns);
    return;
  }
  // The caller reads it next.
  int& error = *errno_place();
  const int of_call = error;
  capture_wait(*record_, SampleKind::GcWait, wait_, false, read_counters, [&](Capture& capture) {
    capture.commit(walk_from_hook(capture, from_));
    return true;
  });
  error = of_call;
}

void note_collection_end() {
  g_collection_end_ns.store_release(now_ns());
}

void enable_collection_waits(Session& session) {
  if (!session.config.wants(SampleKind::GcWait)) return session.report_hook(kHook, HookState::Off, "not asked for");
  if (session.hook_state("gc") != HookState::Installed)
    return session.report_hook(kHook, HookState::Missing, "the JVM does not tell of collections");
  session.images.refresh();
  const char* why = install();
  if (!why && !bind(session.hook_state("monitor release") == HookState::Installed)) {
    g_imports.undo();
    why = "the runtime's calls could not be seen for sure";
  }
  g_enabled.store(why ? 0 : 1);
  session.report_hook(kHook, why ? HookState::Missing : HookState::Installed, why);
}

void disable_collection_waits(Session& session) {
  if (session.hook_state(kHook) != HookState::Installed) return;
  g_enabled.store(0);
  const u32 left = g_imports.undo();
  session.report_hook(kHook, left ? HookState::Failed : HookState::Removed,
                      left ? "somebody else's function stands there now; ours only calls through" : nullptr);
}

}  // namespace btrace::hotspot
