#include "rt/art/reads.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "os/fault_guard.h"
#include "os/machine.h"
#include "rt/art/art.h"
#include "rt/art/runnable.h"

namespace btrace::art {

namespace {

bool may_touch() {
  JNIEnv* env = g_art.internals.vm ? g_art.internals.env() : nullptr;
  return env && is_runnable(Internals::thread_of(env));
}

}  // namespace

bool read_managed(const void* from, void* to, size_t bytes) {
  if (read_memory(from, to, bytes)) return true;
  if (!guards_faults() || !may_touch()) return false;
  struct Copy {
    const void* from;
    void* to;
    size_t bytes;
  } copy{from, to, bytes};
  auto body = [](void* data) {
    const Copy& of = *static_cast<const Copy*>(data);
    memcpy(of.to, of.from, of.bytes);
  };
  return guarded(body, &copy);
}

bool read_managed_patiently(const void* from, void* to, size_t bytes) {
  constexpr u32 kLooks = 20;
  for (u32 look = 0; look < kLooks; look++) {
    if (read_managed(from, to, bytes)) return true;
    if (may_touch()) return false;
    sys::sleep_ns(kNsPerMs);
  }
  return false;
}

}  // namespace btrace::art
