#include "os/linux/fault_guard.h"

#include "base/libc.h"
#include "base/syscall.h"

namespace btrace {

namespace {

// Where a thread goes on: the stack pointer, and the instruction behind the guarded call.
struct Landing {
  uintptr_t stack;
  uintptr_t code;
};

// As the kernel has it; C libraries' own differ.
struct KernelAction {
  uintptr_t handler;
  unsigned long flags;
  uintptr_t restorer;
  u64 mask;
};
constexpr long kSegv = 11;
constexpr uintptr_t kDefault = 0, kIgnore = 1;
constexpr unsigned long kSigInfo = 4, kOnStack = 0x08000000;

KernelAction g_previous;
bool g_installed;
unsigned int g_key;
bool g_has_key;

long set_action(const KernelAction* action, KernelAction* before) {
  return sys::call(sys::kSigaction, kSegv, reinterpret_cast<long>(action), reinterpret_cast<long>(before),
                   sizeof action->mask);
}

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

void on_fault(int signal, void* info, void* context) {
  if (auto* landing = static_cast<const Landing*>(libc::key_get(g_key)))
    return go_to(static_cast<u8*>(context), *landing);
  const KernelAction& previous = g_previous;
  if (previous.handler == kDefault || previous.handler == kIgnore) {
    // Back to how it was: the instruction is run again, and the program ends as it would have.
    set_action(&previous, nullptr);
  } else if (previous.flags & kSigInfo) {
    reinterpret_cast<void (*)(int, void*, void*)>(previous.handler)(signal, info, context);
  } else {
    reinterpret_cast<void (*)(int)>(previous.handler)(signal);
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
extern "C" void btrace_signal_return();  // signal.cc
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
  if (!g_has_key || sys::failed(set_action(nullptr, &g_previous))) return false;
  KernelAction ours = g_previous;
  ours.handler = reinterpret_cast<uintptr_t>(on_fault);
  ours.flags |= kSigInfo | kOnStack;
#if defined(__x86_64__)
  constexpr unsigned long kRestorer = 0x04000000;
  if (!(ours.flags & kRestorer)) {
    ours.flags |= kRestorer;
    ours.restorer = reinterpret_cast<uintptr_t>(btrace_signal_return);
  }
#endif
  g_installed = !sys::failed(set_action(&ours, nullptr));
  return g_installed;
}

void remove_fault_guard() {
  if (!g_installed) return;
  KernelAction now;
  // Somebody who came after us and passes on to us keeps us in the chain: we pass on too.
  if (sys::failed(set_action(nullptr, &now)) || now.handler != reinterpret_cast<uintptr_t>(on_fault)) return;
  set_action(&g_previous, nullptr);
  g_installed = false;
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
