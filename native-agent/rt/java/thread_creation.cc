#include "rt/java/thread_creation.h"

#include "base/libc.h"
#include "core/created_threads.h"
#include "os/imports.h"

namespace btrace {

namespace {

constexpr const char* kHook = "native thread start";
constexpr const char* kName = "pthread_create";

using Create = int (*)(unsigned long* thread, const void* attributes, void* (*run)(void*), void* argument);
Create g_create;
NativeThreadCreation g_creation;
Imports g_imports;
bool g_has_imports;
u64 g_libraries;  // what was loaded when they were last looked at

// The library that calls may hold locks of its own: nothing here waits.
[[gnu::noinline]] int hook_create(unsigned long* thread, const void* attributes, void* (*run)(void*), void* argument) {
  Session* session = active_session();
  CreatedThread* created = session ? expect_thread(*session, run, argument) : nullptr;
  if (!created) return g_create(thread, attributes, run, argument);
  // The new thread lets go of it, maybe before this one goes on.
  const u32 child = created->index;
  const int error = g_create(thread, attributes, begin_created, created);
  if (error) {
    forget_expected(*created);
    return error;
  }
  if (!g_creation.capture) return 0;
  const auto pc = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  uintptr_t frame;
  memcpy(&frame, __builtin_frame_address(0), sizeof frame);
  g_creation.capture(child, {pc, reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()), frame, pc});
  return 0;
}

void bind_new_libraries() {
  const u64 libraries = loaded_images();
  if (libraries == g_libraries) return;
  g_libraries = libraries;
  g_imports.bind(nullptr, {kName, reinterpret_cast<void*>(g_create), reinterpret_cast<void*>(&hook_create)},
                 g_creation.runtime_library);
}

}  // namespace

void enable_thread_creation(Session& session, const NativeThreadCreation& creation, const char* why_not) {
  if (!session.config.wants(SampleKind::ThreadStart) || session.config.main_only)
    return session.report_hook(kHook, HookState::Off, "not asked for");
  if (why_not) return session.report_hook(kHook, HookState::Missing, why_not);
  g_creation = creation;
  const char* why = nullptr;
  if (!(g_create = reinterpret_cast<Create>(imported_function(kName))))
    why = "the C library has no pthread_create";
  else if (!g_has_imports && !(g_has_imports = g_imports.init()))
    why = "no memory";
  if (why) return session.report_hook(kHook, HookState::Missing, why);
  take_unseen_creations();
  g_libraries = 0;
  bind_new_libraries();
  session.report_hook(kHook, HookState::Installed,
                      creation.capture ? nullptr : "the creator's stack is not taken in this runtime");
}

void follow_thread_creation(Session& session) {
  if (session.hook_state(kHook) != HookState::Installed) return;
  bind_new_libraries();
  end_created_threads(session);
}

void disable_thread_creation(Session& session) {
  if (session.hook_state(kHook) != HookState::Installed) return;
  if (g_imports.undo())
    return session.report_hook(kHook, HookState::Failed,
                               "somebody else's function stands there now; ours only calls through");
  session.report_hook(kHook, HookState::Removed,
                      take_unseen_creations() ? "more threads than can be followed were created at once" : nullptr);
}

}  // namespace btrace
