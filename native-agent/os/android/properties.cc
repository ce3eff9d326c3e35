#include "os/android/properties.h"

#include "base/libc.h"
#include "os/linux/machine.h"

namespace btrace {

namespace {

// RTLD_DEFAULT: 32-bit bionic has another than everybody else.
#if defined(__ANDROID__) && !defined(__LP64__)
void* const kEverywhere = reinterpret_cast<void*>(-1);
#else
void* const kEverywhere = nullptr;
#endif

constexpr size_t kPropertyRoom = 92;  // PROP_VALUE_MAX
using GetProperty = int (*)(const char* name, char* value);

}  // namespace

bool options_from_properties(char* text, size_t size) {
  // Not linked to: on Linux there is no such function.
  auto get = reinterpret_cast<GetProperty>(libc::symbol(kEverywhere, "__system_property_get"));
  if (!get) return false;
  char value[kPropertyRoom] = {};
  char process[kPropertyRoom] = {};
  if (get("debug.btrace.app", value) <= 0) return false;
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
    if (get(parameter.property, value) <= 0) continue;
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
