// A program that becomes another one: all that was recorded of it goes out before. Nothing of the agent is in the new one,
// and an exec that fails changes nothing.
#include "base/clock.h"
#include "core/recorder.h"
#include "os/process.h"
#include "rt/native/native.h"

namespace btrace::native {

#if defined(__APPLE__)

Points exec_points() {
  return {};
}

#else

namespace {

using Words = char* const*;

struct Originals {
  int (*execve)(const char* path, Words arguments, Words environment);
  int (*execv)(const char* path, Words arguments);
  int (*execvp)(const char* file, Words arguments);
  int (*execvpe)(const char* file, Words arguments, Words environment);
  int (*fexecve)(int fd, Words arguments, Words environment);
  int (*execl)(const char* path, const char* argument, ...);
  int (*execlp)(const char* file, const char* argument, ...);
  int (*execle)(const char* path, const char* argument, ...);
};
Originals original;

constexpr i64 kMostNs = 2 * kNsPerSecond;

// A shell tries one folder after the other.
void send_before(const char* path) {
  if (active_session_id() && may_run(path)) send_recorded(kMostNs);
}

int hook_execve(const char* path, Words arguments, Words environment) {
  send_before(path);
  return original.execve(path, arguments, environment);
}

int hook_execv(const char* path, Words arguments) {
  send_before(path);
  return original.execv(path, arguments);
}

int hook_execvp(const char* file, Words arguments) {
  if (active_session_id()) send_recorded(kMostNs);
  return original.execvp(file, arguments);
}

int hook_execvpe(const char* file, Words arguments, Words environment) {
  if (active_session_id()) send_recorded(kMostNs);
  return original.execvpe(file, arguments, environment);
}

int hook_fexecve(int fd, Words arguments, Words environment) {
  if (active_session_id()) send_recorded(kMostNs);
  return original.fexecve(fd, arguments, environment);
}

// The words of a call that has them as its arguments, up to the null behind them, as an array on this function's stack.
#define BTRACE_WORDS(first, words, list)                                                                           \
  __builtin_va_list list, counted;                                                                                 \
  __builtin_va_start(list, first);                                                                                 \
  __builtin_va_copy(counted, list);                                                                                \
  size_t words##_count = 1;                                                                                        \
  if (first)                                                                                                       \
    while (__builtin_va_arg(counted, char*)) words##_count++;                                                      \
  __builtin_va_end(counted);                                                                                       \
  auto** words = static_cast<char**>(__builtin_alloca((words##_count + 1) * sizeof(char*)));                       \
  words[0] = const_cast<char*>(first);                                                                             \
  for (size_t word = 1; (first) && word <= words##_count; word++) words[word] = __builtin_va_arg(list, char*)

int hook_execl(const char* path, const char* argument, ...) {
  BTRACE_WORDS(argument, words, list);
  __builtin_va_end(list);
  return hook_execv(path, words);
}

int hook_execlp(const char* file, const char* argument, ...) {
  BTRACE_WORDS(argument, words, list);
  __builtin_va_end(list);
  return hook_execvp(file, words);
}

int hook_execle(const char* path, const char* argument, ...) {
  BTRACE_WORDS(argument, words, list);
  const Words environment = __builtin_va_arg(list, Words);
  __builtin_va_end(list);
  return hook_execve(path, words, environment);
}

// The first ones are what the last ones call.
const Point kPoints[] = {
    BTRACE_POINT(execve, kExec, Unknown),  BTRACE_POINT(execv, kExec, Unknown),  BTRACE_POINT(execvp, kExec, Unknown),
    BTRACE_POINT(execvpe, kExec, Unknown), BTRACE_POINT(fexecve, kExec, Unknown), BTRACE_POINT(execl, kExec, Unknown),
    BTRACE_POINT(execlp, kExec, Unknown),  BTRACE_POINT(execle, kExec, Unknown),
};

}  // namespace

Points exec_points() {
  return {kPoints, sizeof kPoints / sizeof kPoints[0]};
}

#endif

}  // namespace btrace::native
