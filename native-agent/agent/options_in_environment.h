#pragma once
// Options that came with the environment, for an agent that the dynamic linker has loaded.
#include "base/libc.h"

namespace btrace {

namespace environment {

inline bool begins_with(const char* text, const char* beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

inline void take_out(char** entry) {
  do entry[0] = entry[1];
  while (*entry++);
}

// The agent stands first in the list, as the desktop puts it.
inline void restore_list(char** entry, const char* variable) {
  char* list = *entry + strlen(variable);
  char* rest = list;
  while (*rest && *rest != ':') rest++;
  if (!*rest) return take_out(entry);
  memmove(list, rest + 1, strlen(rest + 1) + 1);
}

constexpr const char* kOptions = "BTRACE_NATIVE=";
// As the desktop sets it for a survey.
constexpr const char* kBindNow = "LD_BIND_NOW=btrace";

// The entry that begins with `name`; null if there is none.
inline char** find(char** entry, const char* name) {
  while (*entry && !begins_with(*entry, name)) entry++;
  return *entry ? entry : nullptr;
}

}  // namespace environment

// Whether the options name another program than this one ("program=NAME"): a shell, or whatever else only starts it.
inline bool are_for_another_program(char** variables, const char* own_name) {
  static constexpr const char* kProgram = "program=";
  char** entry = environment::find(variables, environment::kOptions);
  if (!entry) return false;
  for (const char* word = *entry + strlen(environment::kOptions); *word;) {
    const char* end = word;
    while (*end && *end != ',') end++;
    if (environment::begins_with(word, kProgram)) {
      const char* name = word + strlen(kProgram);
      const size_t size = static_cast<size_t>(end - name);
      return strlen(own_name) != size || memcmp(own_name, name, size) != 0;
    }
    word = *end ? end + 1 : end;
  }
  return false;
}

// Moves the value of BTRACE_NATIVE into `options`, and takes the agent out of the list of libraries that `libraries`
// ("LD_PRELOAD=") names. False when nobody asked for a recording.
template <size_t kRoom>
bool take_options(char** variables, const char* libraries, char (&options)[kRoom]) {
  char** entry = environment::find(variables, environment::kOptions);
  if (!entry) return false;
  const char* value = *entry + strlen(environment::kOptions);
  if (strlen(value) < kRoom) memcpy(options, value, strlen(value) + 1);
  environment::take_out(entry);
  if (char** list = environment::find(variables, libraries)) environment::restore_list(list, libraries);
  if (char** bound = environment::find(variables, environment::kBindNow)) environment::take_out(bound);
  return options[0] != 0;
}

}  // namespace btrace
