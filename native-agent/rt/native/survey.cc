// A recording that is a survey: in place of points, calls of imported functions are counted.
#include "rt/native/call_counts.h"
#include "rt/native/native.h"

namespace btrace::native {

namespace {

CallCounts g_counts;
constexpr const char* kHook = "imported functions";

}  // namespace

void begin_survey(Session& session) {
  if (!CallCounts::are_possible())
    return session.report_hook(kHook, HookState::Missing, "calls are counted on x86-64 and arm64 alone");
  if (!g_counts.begin()) return session.report_hook(kHook, HookState::Missing, "no memory");
  g_counts.count_imports(session.images, kCLibrary);
  session.report_hook(kHook, HookState::Installed);
}

void continue_survey(Session& session) {
  if (session.hook_state(kHook) == HookState::Installed) g_counts.count_imports(session.images, kCLibrary);
}

void end_survey(Session& session) {
  if (session.hook_state(kHook) != HookState::Installed) return;
  const u32 left = g_counts.end();
  session.report_hook(kHook, left ? HookState::Failed : HookState::Removed,
                      left ? "somebody else's function stands there now; ours only calls through" : nullptr);
}

bool Native::next_call_count(u64& at, CallCount& count) {
  return g_counts.next(at, count);
}

CalledFunction Native::called_function(u32 number) {
  CalledFunction function = g_counts.function(number);
  each_family([&](const Points& family) {
    for (u32 i = 0; i < family.count; i++)
      if (const char* group = family.points[i].group; strcmp(family.points[i].name, function.name) == 0)
        function.is_point = group != kConfinement && group != kExec;
  });
  return function;
}

u32 Native::uncounted_imports() {
  return g_counts.left_out();
}

}  // namespace btrace::native
