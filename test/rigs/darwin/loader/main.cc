// macho-run PROGRAM [ARGUMENT…]: runs a Mach-O program of this processor on Linux.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "system.h"
#include "threads.h"

Program g_program;

#if defined(__aarch64__)
asm(".pushsection .text\n"
    ".globl call_as_first_frame\n"
    ".type call_as_first_frame,%function\n"
    "call_as_first_frame:\n"
    "  stp x29, x30, [sp, -16]!\n"
    "  mov x9, x0\n"
    "  mov x0, x1\n"
    "  mov x1, x2\n"
    "  mov x2, x3\n"
    "  mov x3, x4\n"
    "  mov x29, xzr\n"
    "  blr x9\n"
    "  ldp x29, x30, [sp], 16\n"
    "  ret\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl call_as_first_frame\n"
    ".type call_as_first_frame,@function\n"
    "call_as_first_frame:\n"
    "  push %rbp\n"
    "  mov %rdi, %rax\n"
    "  mov %rsi, %rdi\n"
    "  mov %rdx, %rsi\n"
    "  mov %rcx, %rdx\n"
    "  mov %r8, %rcx\n"
    "  xor %ebp, %ebp\n"
    "  call *%rax\n"
    "  pop %rbp\n"
    "  ret\n"
    ".popsection\n");
#endif

void* system_symbol(const char* name) {
  if (strcmp(name, "dyld_stub_binder") && *name++ != '_') return nullptr;
  for (const Exports& all : {mach_exports(), thread_exports(), lock_exports(), file_exports(), dyld_exports(), language_exports(),
                              core_foundation_exports()})
    for (size_t at = 0; at < all.count; at++)
      if (!strcmp(all.at[at].name, name)) return const_cast<void*>(all.at[at].value);
  return nullptr;
}

namespace {

// Libraries that are loaded before the program, as dyld does.
void load_inserted() {
  const char* list = getenv("DYLD_INSERT_LIBRARIES");
  for (std::string rest = list ? list : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    load(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
}

}  // namespace

int main(int argc, char** argv, char** environment) {
  if (argc < 2) {
    fprintf(stderr, "usage: macho-run PROGRAM [ARGUMENT…]\n");
    return 2;
  }
  g_program = {argc - 1, argv + 1, environment};
  begin_threads();
  load_inserted();
  const uint64_t entry = load(argv[1]).entry;
  if (!entry) die(std::string(argv[1]) + ": no program");
  initialize_loaded();
  exit(static_cast<int>(call_as_first_frame(reinterpret_cast<const void*>(entry), static_cast<uint64_t>(argc - 1),
                                            reinterpret_cast<uint64_t>(argv + 1), reinterpret_cast<uint64_t>(environment),
                                            reinterpret_cast<uint64_t>(argv + 1))));
}
