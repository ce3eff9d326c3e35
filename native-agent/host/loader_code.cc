#include "host/loader_code.h"

#if defined(__x86_64__)

namespace btrace::host {

#define AT(member) offsetof(LoaderData, member)

// As a function, so that the offsets can be named; nobody calls it.
[[gnu::used]] static void loader() {
  asm volatile(
      ".pushsection .rodata\n"
      ".globl btrace_loader_code, btrace_loader_code_end\n"
      "btrace_loader_code:\n"
      "  endbr64\n"
      "  push %%rbx\n"
      "  push %%r12\n"
      "  sub $24, %%rsp\n"
      "  mov %%rdi, %%rbx\n"
      "  mov $186, %%eax\n"  // gettid
      "  syscall\n"
      "  mov %%eax, %c[tid](%%rbx)\n"
      "  mov %%fs:0x10, %%rdi\n"  // its own name in the thread library
      "  call *%c[detach](%%rbx)\n"
      "  cmpq $0, %c[attach](%%rbx)\n"
      "  jne 1f\n"
      "  lea %c[library](%%rbx), %%rdi\n"
      "  mov $0x1002, %%esi\n"  // RTLD_NOW | RTLD_NODELETE
      "  call *%c[open](%%rbx)\n"
      "  test %%rax, %%rax\n"
      "  jz 2f\n"
      "  mov %%rax, %%rdi\n"
      "  lea %c[symbol](%%rbx), %%rsi\n"
      "  call *%c[find](%%rbx)\n"
      "  test %%rax, %%rax\n"
      "  jz 2f\n"
      "  mov %%rax, %c[attach](%%rbx)\n"
      "1:\n"
      "  lea %c[options](%%rbx), %%rdi\n"
      "  call *%c[attach](%%rbx)\n"
      "  mov %%eax, %c[result](%%rbx)\n"
      "  jmp 4f\n"
      "2:\n"
      "  call *%c[error](%%rbx)\n"
      "  test %%rax, %%rax\n"
      "  jz 4f\n"
      "  mov %%rax, %%rsi\n"
      "  lea %c[why](%%rbx), %%rdi\n"
      "  mov $255, %%ecx\n"
      "3:\n"
      "  lodsb\n"
      "  stosb\n"
      "  test %%al, %%al\n"
      "  jz 4f\n"
      "  dec %%ecx\n"
      "  jnz 3b\n"
      "4:\n"
      "  movl $1, %c[is_done](%%rbx)\n"
      "  mov $5000, %%r12d\n"  // times 1 ms
      "5:\n"
      "  cmpl $0, %c[may_end](%%rbx)\n"
      "  jne 6f\n"
      "  dec %%r12d\n"
      "  jz 7f\n"
      "  movq $0, (%%rsp)\n"
      "  movq $1000000, 8(%%rsp)\n"
      "  mov %%rsp, %%rdi\n"
      "  xor %%esi, %%esi\n"
      "  mov $35, %%eax\n"  // nanosleep
      "  syscall\n"
      "  jmp 5b\n"
      // Its caller is the thread library, to which munmap() returns.
      "6:\n"
      "  mov %c[give_back](%%rbx), %%rax\n"
      "  mov %c[pages](%%rbx), %%rdi\n"
      "  mov %c[bytes](%%rbx), %%rsi\n"
      "  add $24, %%rsp\n"
      "  pop %%r12\n"
      "  pop %%rbx\n"
      "  jmp *%%rax\n"
      // Nobody has asked: whoever is to may do it yet, and must not find other memory there.
      "7:\n"
      "  add $24, %%rsp\n"
      "  pop %%r12\n"
      "  pop %%rbx\n"
      "  ret\n"
      "btrace_loader_code_end:\n"
      ".popsection\n"
      :
      : [tid] "i"(AT(tid)), [detach] "i"(AT(detach)), [attach] "i"(AT(attach)), [library] "i"(AT(library)),
        [open] "i"(AT(open)), [find] "i"(AT(find)), [symbol] "i"(AT(symbol)), [options] "i"(AT(options)),
        [result] "i"(AT(result)), [error] "i"(AT(error)), [why] "i"(AT(why)), [is_done] "i"(AT(is_done)),
        [may_end] "i"(AT(may_end)), [give_back] "i"(AT(give_back)), [pages] "i"(AT(pages)), [bytes] "i"(AT(bytes)));
}

}  // namespace btrace::host

#endif
