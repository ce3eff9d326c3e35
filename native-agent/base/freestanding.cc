// What a compiler expects from the language's run-time library, for a program that links none.
#if !defined(__APPLE__)
#include "base/syscall.h"

namespace {
constexpr long kAbort = 6;
}
#endif

extern "C" {
#if !defined(__APPLE__)  // where the linker defines it
__attribute__((visibility("hidden"))) void* __dso_handle = nullptr;
#endif

// A pure virtual function was called: a bug that cannot be survived.
__attribute__((visibility("hidden"))) void __cxa_pure_virtual() {
#if defined(__APPLE__)
  __builtin_trap();
#else
  btrace::sys::call(btrace::sys::kTgkill, btrace::sys::getpid(), btrace::sys::gettid(), kAbort);
#endif
}
}

#if defined(__arm__)
// 32-bit ARM has no 64-bit division; the compiler calls these (ARM's run-time ABI: quotient in r0–r1, remainder in
// r2–r3).
extern "C" {
__attribute__((visibility("hidden"), used)) btrace::u64 btrace_divide(btrace::u64 dividend, btrace::u64 divisor,
                                                                      btrace::u64* remainder) {
  btrace::u64 quotient = 0, rest = 0;
  for (int bit = 63; bit >= 0; bit--) {
    rest = rest << 1 | (dividend >> bit & 1);
    if (rest >= divisor) {
      rest -= divisor;
      quotient |= 1ull << bit;
    }
  }
  *remainder = rest;
  return quotient;
}

__attribute__((visibility("hidden"), naked)) void __aeabi_uldivmod() {
  asm volatile(
      "push {r11, lr}\n"
      "sub sp, sp, #16\n"
      "add r12, sp, #8\n"
      "str r12, [sp]\n"
      "bl btrace_divide\n"
      "ldr r2, [sp, #8]\n"
      "ldr r3, [sp, #12]\n"
      "add sp, sp, #16\n"
      "pop {r11, pc}\n");
}

__attribute__((visibility("hidden"))) btrace::i64 btrace_divide_signed(btrace::i64 dividend, btrace::i64 divisor,
                                                                       btrace::i64* remainder) {
  btrace::u64 rest;
  btrace::u64 magnitude = btrace_divide(dividend < 0 ? 0 - static_cast<btrace::u64>(dividend) : dividend,
                                        divisor < 0 ? 0 - static_cast<btrace::u64>(divisor) : divisor, &rest);
  *remainder = static_cast<btrace::i64>(dividend < 0 ? 0 - rest : rest);
  return static_cast<btrace::i64>((dividend < 0) != (divisor < 0) ? 0 - magnitude : magnitude);
}

__attribute__((visibility("hidden"), naked)) void __aeabi_ldivmod() {
  asm volatile(
      "push {r11, lr}\n"
      "sub sp, sp, #16\n"
      "add r12, sp, #8\n"
      "str r12, [sp]\n"
      "bl btrace_divide_signed\n"
      "ldr r2, [sp, #8]\n"
      "ldr r3, [sp, #12]\n"
      "add sp, sp, #16\n"
      "pop {r11, pc}\n");
}

// 32-bit division: in the instruction set since ARMv7VE only.
__attribute__((visibility("hidden"))) btrace::u32 __aeabi_uidiv(btrace::u32 dividend, btrace::u32 divisor) {
  btrace::u64 rest;
  return static_cast<btrace::u32>(btrace_divide(dividend, divisor, &rest));
}
__attribute__((visibility("hidden"), naked)) void __aeabi_uidivmod() {
  asm volatile(
      "push {r0, r1, r11, lr}\n"
      "bl __aeabi_uidiv\n"
      "pop {r1, r2}\n"
      "mls r1, r0, r2, r1\n"
      "pop {r11, pc}\n");
}
}
#endif
