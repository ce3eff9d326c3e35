// What a native program calls that has the agent as a library of its own: in-app/btrace.h.
#pragma GCC visibility push(default)
#include "in-app/btrace.h"
#pragma GCC visibility pop

#include "agent/own_recording.h"
#include "agent/program.h"
#include "base/libc.h"
#include "core/session.h"
#include "core/texts.h"
#include "rt/native/native.h"

using namespace btrace;

namespace {

constexpr u64 kMostBytes = 256 * kMiB;

struct Problem {
  int result;
  const char* words;
};
constexpr Problem kProblems[] = {
    {0, "nothing went wrong"},
    {static_cast<int>(StartResult::AlreadyRecording), "a recording is being made already"},
    {static_cast<int>(StartResult::CannotConnect), "the agent's socket could not be opened"},
    {static_cast<int>(StartResult::NoThread), "no thread could be started"},
    {static_cast<int>(OwnResult::NoFile), "the file could not be made"},
    {static_cast<int>(OwnResult::FileFailed), "the file could not be written: see that there is room"},
    {static_cast<int>(OwnResult::NotRecording), "nothing is recorded"},
    {static_cast<int>(OwnResult::NotARing), "only a recording that keeps a ring can be dumped: btrace_start_ring()"},
    {static_cast<int>(OwnResult::TimedOut), "the agent did not end in time"},
    {static_cast<int>(OwnResult::BrokenOff), "the agent broke the recording off; what its file has until there is whole"},
};

int start(const char* file, i64 ring_ns) {
  return start_own_recording(file ? file : "", usual_recording(ring_ns, kMostBytes), native_runtime());
}

}  // namespace

int btrace_start(const char* file) {
  return start(file, 0);
}

int btrace_start_ring(const char* file, unsigned seconds) {
  return start(file, max_of<i64>(seconds, 1) * kNsPerSecond);
}

int btrace_dump(const char* file) {
  return dump_own_recording(file ? file : "", 0);
}

int btrace_stop() {
  return stop_own_recording();
}

void btrace_marker(const char* text) {
  if (!text || !btrace_is_recording()) return;
  if (const u32 number = number_of_text(text, strlen(text))) native::capture_marker(number, 0, BTRACE_CALLER());
}

void btrace_counter(const char* name, long long value) {
  if (!name || !btrace_is_recording()) return;
  if (const u32 number = number_of_text(name, strlen(name)))
    native::capture_marker(number, counted_object(value), BTRACE_CALLER());
}

bool btrace_is_recording() {
  return active_session_id() && recording_in_progress();
}

const char* btrace_problem(int result) {
  for (const Problem& problem : kProblems)
    if (problem.result == result) return problem.words;
  return "the agent refused";
}
