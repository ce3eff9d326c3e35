#include "os/android/properties.h"

#include "base/libc.h"
#include "os/machine.h"

namespace btrace {

bool system_property(const char* name, char (&value)[kPropertyRoom]) {
  // Not linked to: on Linux there is no such function.
  auto* get = reinterpret_cast<int (*)(const char*, char*)>(libc::symbol("__system_property_get"));
  return get && get(name, value) > 0;
}

bool options_from_properties(char* text, size_t size) {
  char value[kPropertyRoom] = {};
  char process[kPropertyRoom] = {};
  if (!system_property("debug.btrace.app", value)) return false;
  if (read_small_file("/proc/self/cmdline", process, sizeof process) <= 0 || strcmp(process, value) != 0) return false;

  struct Parameter {
    const char* property;
    const char* option;
  };
  constexpr Parameter kParameters[] = {{"debug.btrace.listen", "listen="},
                                       {"debug.btrace.token", ",token="},
                                       {"debug.btrace.answer", ",answer="},
                                       {"debug.btrace.wait", ",wait="}};
  size_t used = 0;
  for (const Parameter& parameter : kParameters) {
    if (!system_property(parameter.property, value)) continue;
    const size_t name = strlen(parameter.option), length = strlen(value);
    if (used + name + length >= size) return false;
    memcpy(text + used, parameter.option, name);
    memcpy(text + used + name, value, length);
    used += name + length;
  }
  text[used] = 0;
  return used > 0;
}

}  // namespace btrace
