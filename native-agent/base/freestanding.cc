// What a compiler expects from the language's run-time library, for a program that links none.
#include "base/syscall.h"

namespace {
constexpr long kAbort = 6;
}

extern "C" {
__attribute__((visibility("hidden"))) void* __dso_handle = nullptr;

// A pure virtual function was called: a bug that cannot be survived.
__attribute__((visibility("hidden"))) void __cxa_pure_virtual() {
  btrace::sys::call(btrace::sys::kTgkill, btrace::sys::getpid(), btrace::sys::gettid(), kAbort);
}
}
