#include "os/fault_guard.h"

#include "base/libc.h"
#include "os/signal.h"

namespace btrace {

namespace {

// Where a thread goes on: the stack pointer, and the instruction behind the guarded call.
struct Landing {
  uintptr_t stack;
  uintptr_t code;
};

constexpr int kSegv = 11;

SignalAction g_previous;
bool g_installed;
unsigned int g_key;
bool g_has_key;

// The registers in the kernel's ucontext.
void go_to(u8* context, const Landing& landing) {
#if defined(__x86_64__)
  constexpr size_t kRegisters = 40;
  auto* registers = reinterpret_cast<u64*>(context + kRegisters);
  registers[15] = landing.stack;
  registers[16] = landing.code;
#elif defined(__aarch64__)
  constexpr size_t kRegisters = 184;
  auto* registers = reinterpret_cast<u64*>(context + kRegisters);
  registers[31] = landing.stack;
  registers[32] = landing.code;
#else
  constexpr size_t kRegisters = 32;
  constexpr u32 kThumb = 0x20;
  auto* registers = reinterpret_cast<u32*>(context + kRegisters);
  registers[13] = landing.stack;
  registers[15] = landing.code & ~1u;
  registers[16] |= kThumb;
#endif
}

void on_fault(int signal, SignalInfo* info, void* context) {
  if (auto* landing = static_cast<const Landing*>(libc::key_get(g_key)))
    return go_to(static_cast<u8*>(context), *landing);
  const SignalAction& previous = g_previous;
  if (previous.is_default_or_ignored()) {
    // Back to how it was: the instruction is run again, and the program ends as it would have.
    set_action(kSegv, previous);
  } else {
    // One that asked for less takes the first alone, as when the kernel calls it.
    previous.handler(signal, info, context);
  }
}

}  // namespace

// bool btrace_guarded_call(body, data, landing): true when body returned. What a caller must find as it was lies on the
// stack, so that the landing needs the stack pointer alone.
extern "C" bool btrace_guarded_call(void (*body)(void*), void* data, Landing* landing);

#if defined(__x86_64__)
asm(R"(
.text
.type btrace_guarded_call, @function
.hidden btrace_guarded_call
.globl btrace_guarded_call
btrace_guarded_call:
  push %rbp
  mov %rsp, %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  sub $8, %rsp
  mov %rsp, (%rdx)
  lea 1f(%rip), %rax
  mov %rax, 8(%rdx)
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  mov $1, %eax
  jmp 2f
1:
  xor %eax, %eax
2:
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size btrace_guarded_call, .-btrace_guarded_call
)");
#elif defined(__aarch64__)
asm(R"(
.text
.type btrace_guarded_call, %function
.hidden btrace_guarded_call
.globl btrace_guarded_call
btrace_guarded_call:
  hint #34
  stp x29, x30, [sp, #-160]!
  mov x29, sp
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  adr x10, 1f
  stp x9, x10, [x2]
  mov x9, x0
  mov x0, x1
  blr x9
  mov w0, #1
  b 2f
1:
  mov w0, #0
2:
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #160
  ret
.size btrace_guarded_call, .-btrace_guarded_call
)");
#else
asm(R"(
.text
.syntax unified
.thumb
.type btrace_guarded_call, %function
.hidden btrace_guarded_call
.globl btrace_guarded_call
.thumb_func
btrace_guarded_call:
  push {r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}
  vpush {d8-d15}
  mov r3, sp
  str r3, [r2]
  adr.w r3, 1f
  str r3, [r2, #4]
  mov r3, r0
  mov r0, r1
  blx r3
  movs r0, #1
  b 2f
.balign 4
1:
  movs r0, #0
2:
  vpop {d8-d15}
  pop {r3, r4, r5, r6, r7, r8, r9, r10, r11, pc}
.size btrace_guarded_call, .-btrace_guarded_call
)");
#endif

bool install_fault_guard() {
  if (g_installed) return true;
  if (!g_has_key) g_has_key = libc::key_create(&g_key, nullptr) == 0;
  if (!g_has_key || !read_action(kSegv, g_previous)) return false;
  SignalAction ours = g_previous;
  ours.handler = on_fault;
  ours.flags |= SignalAction::kWithInfo | SignalAction::kOnItsStack;
  ours.see_to_return();
  g_installed = set_action(kSegv, ours);
  return g_installed;
}

void remove_fault_guard() {
  if (!g_installed) return;
  SignalAction now;
  // Somebody who came after us and passes on to us keeps us in the chain: we pass on too.
  if (!read_action(kSegv, now) || now.handler != on_fault) return;
  set_action(kSegv, g_previous);
  g_installed = false;
}

bool guards_faults() {
  return g_installed;
}

FaultGuard::FaultGuard() : mine_(!g_installed && install_fault_guard()) {}

FaultGuard::~FaultGuard() {
  if (mine_) remove_fault_guard();
}

bool guarded(void (*body)(void*), void* data) {
  if (!g_installed) {
    body(data);
    return true;
  }
  Landing landing;  // filled in before the body runs
  const void* outer = libc::key_get(g_key);
  libc::key_set(g_key, &landing);
  const bool whole = btrace_guarded_call(body, data, &landing);
  libc::key_set(g_key, outer);
  return whole;
}

}  // namespace btrace
