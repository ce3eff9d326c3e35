#include "rt/art/art.h"

#include "base/clock.h"
#include "base/libc.h"
#include "base/text_builder.h"
#include "core/recorder.h"
#include "os/android/properties.h"
#include "os/fault_guard.h"
#include "os/machine.h"
#include "rt/art/class_key.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/method_code.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"
#include "rt/art/walk_marker.h"
#include "rt/java/thread_creation.h"

namespace btrace::art {

Art g_art;

namespace {

void find_names(JNIEnv* env, Session& session) {
  LocalFrame frame(env, 32);
  if (!frame || !find_class_fields(env))
    session.report_hook("names", HookState::Missing, "this ART does not show where its dex files are");
  else if (!methods_have_places())
    session.report_hook("names", HookState::Missing, "this ART does not show where its methods are in their dex files");
}

void find_sleep(JNIEnv* env) {
  LocalFrame frame(env, 4);
  if (!frame) return;
  jclass thread = find_class(env, "java/lang/Thread");
  jmethodID sleep = find_static_method(env, thread, "sleep", "(Ljava/lang/Object;JI)V");
  const ArtMethod* method = sleep ? art_method(env, thread, sleep) : nullptr;
  if (method) g_sleep_method = method_code(method);
}

// Another app of the device tried to be the desktop.
void tell_strangers(Session& session) {
  u32 uid = 0;
  const u32 count = strangers_turned_away(uid);
  if (!count) return;
  static char why[128];
  TextBuilder text(why);
  text.add("user ").number(uid).add(" was turned away, ").number(count).add(" in all: ");
  text.add("only the app's own user, root and the shell may record");
  session.report_hook("a stranger's connection", HookState::Failed, why);
}

// What stands in the way of walking; nullptr: nothing.
const char* prepare_to_walk(const Internals& internals, Session& session, JNIEnv* env) {
  if (!internals.can_walk()) return "this ART does not show its StackVisitor";
  if (walks_met_damage()) return "a walk met damaged memory in this process: start the app again to record it";
  char process[256];
  if (read_small_file("/proc/self/cmdline", process, sizeof process) < 0) process[0] = 0;
  if (!g_walk_marker.begin(process)) {
    static char why[1200];
    TextBuilder(why)
        .add("the app ended in the middle of a walk the last two times: nothing is walked while ")
        .add(g_walk_marker.path())
        .add(" is there");
    return why;
  }
  install_fault_guard();
  if (const char* why = stand_in_for_notify(session, env)) return why;
  return learn_to_walk(env);
}

void stop_walking() {
  constexpr i64 kLongestWalkNs = 100 * kNsPerMs;
  for (i64 until = now_ns() + kLongestWalkNs; g_walk_marker.walking() && now_ns() < until;) sys::sleep_ns(kNsPerMs);
  g_walk_marker.end();
  remove_fault_guard();
}

}  // namespace

void Art::describe(TargetDescription& target) {
  // An app's command line is its package's name.
  if (read_small_file("/proc/self/cmdline", target.name, sizeof target.name) < 0) target.name[0] = 0;
  char value[kPropertyRoom];
  TextBuilder runtime(target.runtime), os(target.os), device(target.device);
  runtime.add("ART");
  if (system_property("ro.build.version.sdk", value)) runtime.add(" (API ").add(value).add(")");
  if (system_property("ro.build.version.release", value)) os.add("android ").add(value);
  if (system_property("ro.product.model", value)) device.add(value);
}

void Art::sleep_when_ready() {
  JNIEnv* env = g_art.internals.env();
  LocalFrame frame(env, 4);
  if (!frame) return;
  jclass thread = find_class(env, "java/lang/Thread");
  jmethodID sleep = find_static_method(env, thread, "sleep", "(J)V");
  if (!sleep) return;
  g_held_thread.store_relaxed(Internals::thread_of(env));
  env->CallStaticVoidMethod(thread, sleep, jlong{1});
  g_held_thread.store_relaxed(nullptr);
  clear_exception(env);
}

void Art::install(Session& session) {
  JNIEnv* env = internals.env();
  internals.explore(env);
  session.report_hook("libart", HookState::Installed, internals.library);
  tell_strangers(session);
  if (!internals.runtime)
    session.report_hook("structures", HookState::Missing, internals.runtime_doubt);
  make_thread_states();
  const char* why = prepare_to_walk(internals, session, env);
  session.report_hook("walk", why ? HookState::Failed : HookState::Installed, why);
  if (why) return;
  // What the first callback needs.
  auto look_up = [&](ArtThread*) {
    find_sleep(env);
    find_names(env, session);
  };
  run_as_runnable(env, look_up);
  // A new thread is met by the callback, one that is there already after it.
  // Sleepers are met from the first wait that is told of.
  enable_monitor_releases(session);
  add_callbacks(session);
  auto look_around = [&](ArtThread*) {
    LocalFrame frame(env, 128);
    if (!frame) return;
    meet_threads(env);
    replace_natives(session, env);
  };
  run_as_runnable(env, look_around);
  // Without the creator's stack: to be walked there it would have to become Runnable, for which it may have to wait.
  enable_thread_creation(session, {"libart.so", nullptr}, nullptr);
  add_heap_listeners(session);
  find_other_thread_walk(session);
}

u64 Art::adapt(Session& session, u64) {
  follow_thread_creation(session);
  return 0;
}

void Art::remove(Session& session) {
  if (runtime_ends()) return g_walk_marker.end();
  restore_natives(session, internals.env());
  remove_heap_listeners(session);
  remove_callbacks(session);
  disable_monitor_releases(session);
  disable_thread_creation(session);
  stop_walking();
  session.report_hook("libart", HookState::Removed);
  auto take_out = [&](const char* hook) {
    if (session.hook_state(hook) == HookState::Installed) session.report_hook(hook, HookState::Removed);
  };
  take_out("walk");
  take_out("other threads");
}

}  // namespace btrace::art
