// The C library's functions whose calls are alike on both systems, and what compilers call.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "system.h"

extern "C" int __cxa_atexit(void (*run)(void*), void* argument, void* library);

namespace {

int at_exit(void (*run)(void*), void* argument, void*) {
  return __cxa_atexit(run, argument, nullptr);
}

void zero(void* at, size_t bytes) {
  memset(at, 0, bytes);
}

int flush(void*) {
  return fflush(nullptr);
}

// As on Darwin; glibc's is there under the same name with another meaning of the first argument.
int aligned(void** at, size_t alignment, size_t bytes) {
  return posix_memalign(at, alignment, bytes);
}

extern "C" int darwin_printf(const char*, ...);
#if defined(__aarch64__)
// All arguments but the format lie on the caller's stack: a list with no registers left begins there.
extern "C" int print_from_stack(const char* format, void* stack) {
  struct {
    void *stack, *general_top, *float_top;
    int general_offset, float_offset;
  } parts{stack, nullptr, nullptr, 0, 0};
  va_list list;
  static_assert(sizeof list == sizeof parts);
  memcpy(&list, &parts, sizeof list);
  return vprintf(format, list);
}
asm(".pushsection .text\n"
    ".globl darwin_printf\n"
    ".type darwin_printf,%function\n"
    "darwin_printf:\n"
    "  mov x1, sp\n"
    "  b print_from_stack\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl darwin_printf\n"
    ".type darwin_printf,@function\n"
    "darwin_printf:\n"
    "  jmp printf\n"
    ".popsection\n");
#endif

const Export kExports[] = {
    {"__cxa_atexit", function(at_exit)},
    {"__bzero", function(zero)},
    {"bzero", function(zero)},
    {"memcpy", function<void*(void*, const void*, size_t)>(memcpy)},
    {"memmove", function<void*(void*, const void*, size_t)>(memmove)},
    {"memset", function<void*(void*, int, size_t)>(memset)},
    {"memcmp", function<int(const void*, const void*, size_t)>(memcmp)},
    {"strlen", function<size_t(const char*)>(strlen)},
    {"strcmp", function<int(const char*, const char*)>(strcmp)},
    {"strncmp", function<int(const char*, const char*, size_t)>(strncmp)},
    {"malloc", function(malloc)},
    {"calloc", function(calloc)},
    {"realloc", function(realloc)},
    {"free", function(free)},
    {"posix_memalign", function(aligned)},
    {"atoi", function<int(const char*)>(atoi)},
    {"exit", function(exit)},
    {"abort", function(abort)},
    {"getenv", function<char*(const char*)>(getenv)},
    {"printf", function(darwin_printf)},
    {"fflush", function(flush)},
    {"dyld_stub_binder", function(abort)},  // all is bound when it is loaded
};

}  // namespace

Exports language_exports() {
  return {kExports, sizeof kExports / sizeof *kExports};
}
