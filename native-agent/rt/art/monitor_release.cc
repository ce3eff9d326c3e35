// Who releases a monitor that another thread waits for: ART has no callback for it. Since Android 11 a monitor has one
// mutex. Who waits for the monitor sleeps on a word of that mutex by the system call futex, and who unlocks it wakes
// sleepers by the same call. libart makes it through its import of syscall(), which is seen here.
#include "base/clock.h"
#include "base/syscall.h"
#include "core/waits.h"
#include "os/imports.h"
#include "rt/art/art.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"
#include "rt/java/monitor_waits.h"

namespace btrace::art {

namespace {

using Syscall = long (*)(long number, long a, long b, long c, long d, long e, long f);
Syscall g_original;
Imports g_imports;

// The mutex is a part of the monitor. A waiter may also sleep elsewhere, while it is suspended: that is not meant.
void before_sleep(u64 address) {
  constexpr u64 kMonitorBytes = 256;
  ThreadRecord* record = waiting_for_monitor();
  if (record && (address & kIdentityBits) - record->wait.published.object.load_relaxed() < kMonitorBytes)
    sleep_for_monitor(*record, address);
}

i64 capture_release(ArtThread* self, ThreadRecord& releaser, const Wait& wait, const ThreadRecord& waiter) {
  return capture_here(self, &releaser, SampleKind::MonitorRelease,
                      {wait.object, wait.type, waiter.index.load_relaxed(), 0}, true);
}

// Object.wait wakes a sleeper when its thread is Runnable no more and cannot be walked: capture_release_by_wait() has
// captured it before.
i64 captured_before_wait(const MonitorRelease& release) {
  ThreadState* state = thread_state(*release.releaser);
  if (!state || release.releaser->own.wait.session != release.wait.session) return kNotCaptured;
  const i64 time_ns = state->release_ns;
  state->release_ns = kNotCaptured;
  return time_ns;
}

void before_wake(u64 address) {
  const MonitorRelease release = monitor_release_at(address);
  if (!release.waiter) return;
  i64 time_ns = kNotCaptured;
  JNIEnv* env = release.is_long ? g_art.internals.env() : nullptr;
  ArtThread* self = env ? Internals::thread_of(env) : nullptr;
  if (self)
    time_ns = is_runnable(self) ? capture_release(self, *release.releaser, release.wait, *release.waiter)
                                : captured_before_wait(release);
  record_monitor_release(release, time_ns);
}

// ART wakes in the order in which threads went to sleep.
ThreadRecord* longest_contender(u64 monitor, Wait& wait) {
  ThreadRecord* longest = nullptr;
  for (u32 slot = 0, slots = g_threads.slots(); slot < slots; slot++) {
    ThreadRecord& record = g_threads.at(slot);
    if (!record.wait.sleeps_on.load_relaxed()) continue;
    const ThreadState* state = thread_state(record);
    SampleKind kind;
    Wait published;
    if (!state || state->contended_monitor.load_relaxed() != monitor || !read_published_wait(record, kind, published) ||
        kind != SampleKind::Monitor || (longest && published.begin_ns >= wait.begin_ns))
      continue;
    longest = &record;
    wait = published;
  }
  return longest;
}

ThreadState* own_state() {
  ThreadRecord* record = g_threads.current_record_or_null();
  if (!record || record->busy.load_relaxed() == Holder::Never) return nullptr;
  ThreadState* state = thread_state(*record);
  // A wait that is published has a row of its own.
  if (state && record->wait.published_since_ns.load_relaxed()) state->slept.forget();
  return record->wait.published_since_ns.load_relaxed() ? nullptr : state;
}

void before_another_sleep() {
  if (ThreadState* state = own_state(); state && state->slept.is_open()) state->slept.sleeps(this_moment());
}

// A thread that comes back from native code waits for the end of a pause, too, and not for an object.
bool slept_in_native_code() {
  JNIEnv* env = g_art.internals.env();
  return env && is_in_native_code(Internals::thread_of(env));
}

// The thread has slept, perhaps for a collection: an allocation tells of it when it is done (heap_listeners.cc).
void after_sleep(i64 begin_ns) {
  const bool is_long = now_ns() - begin_ns >= Session::kShortestWaitNs;
  ThreadState* state = own_state();
  if (!state) return;
  if (is_long && slept_in_native_code()) return state->slept.forget();
  if (is_long && last_pause_end_ns() > begin_ns) return state->slept.slept(begin_ns, this_moment());
  if (!state->slept.is_open()) return;
  is_long ? state->slept.forget() : state->slept.slept_shortly(this_moment());
}

// Callers pass as many arguments as their system call has; what is read beyond them is passed on and means nothing.
long hook_syscall(long number, long a, long b, long c, long d, long e, long f) {
  constexpr long kOperation = 0x7f, kWait = 0, kWake = 1, kWaitBitset = 9;
  if (number == sys::kFutex) {
    const long operation = b & kOperation;
    if ((operation == kWait || operation == kWaitBitset) && active_session_id()) {
      before_sleep(static_cast<u64>(a));
      before_another_sleep();
      const i64 begin_ns = now_ns();
      const long result = g_original(number, a, b, c, d, e, f);
      // Of the clock alone, and of the thread's own record: errno stays as it is.
      after_sleep(begin_ns);
      return result;
    }
    if (operation == kWake && any_sleep_for_monitors())
      before_wake(static_cast<u64>(a));
  }
  return g_original(number, a, b, c, d, e, f);
}

bool bind(Imports& imports) {
  g_original = reinterpret_cast<Syscall>(imported_function("syscall"));
  const Import import{"syscall", reinterpret_cast<void*>(g_original), reinterpret_cast<void*>(&hook_syscall)};
  const Imports::Count count = imports.bind("libart.so", import);
  return count.bound && !count.refused;
}

}  // namespace

void note_contended_monitor(ThreadRecord& record, u64 monitor) {
  if (ThreadState* state = thread_state(record)) state->contended_monitor.store_relaxed(monitor);
}

void capture_release_by_wait(ArtThread* self, ThreadRecord& record, const Object* object) {
  ThreadState* state = thread_state(record);
  if (!state) return;
  state->release_ns = kNotCaptured;
  const Session* session = active_session();
  const u64 monitor = session && any_sleep_for_monitors() ? monitor_id(object) : 0;
  if (!monitor || (session->config.main_only && !record.is_main)) return;
  Wait wait{};
  ThreadRecord* waiter = longest_contender(monitor, wait);
  if (!waiter || wait.session != session->id || now_ns() - wait.begin_ns < session->shortest_wait_ns()) return;
  state->release_ns = capture_release(self, record, wait, *waiter);
}

void enable_monitor_releases(Session& session) {
  btrace::enable_monitor_releases(session, g_imports, nullptr, bind);
}

void disable_monitor_releases(Session& session) {
  btrace::disable_monitor_releases(session, g_imports);
}

}  // namespace btrace::art
