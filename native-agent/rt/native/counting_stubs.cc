#include "rt/native/counting_stubs.h"

#include "base/atomic.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

// A stub gives its number, times eight, to the code that all share. That code finds the thread's column by one
// thread-local word at a fixed place. Only its thread writes to a column, by one instruction on x86-64: a handler of
// signals that calls in between loses nothing there.
extern "C" {
[[gnu::used, gnu::visibility("hidden")]] void* btrace_call_targets[4096];
#if defined(__aarch64__)
// What the linker's own code leaves in x16: by it the loader finds out which pointer it is to bind.
[[gnu::used, gnu::visibility("hidden")]] void** btrace_call_places[4096];
#endif
[[gnu::used, gnu::visibility("hidden")]] btrace::u64* btrace_call_columns;
[[gnu::used, gnu::visibility("hidden")]] btrace::u32 btrace_columns_taken;
[[gnu::used, gnu::visibility("hidden")]] btrace::u32 btrace_column_tids[1024];
[[gnu::visibility("hidden")]] extern const btrace::u8 btrace_counting_stubs[];
}

#if defined(__x86_64__)
asm(R"(
  .pushsection .tbss,"awT",@nobits
  .hidden btrace_calls_here
  .p2align 3
  .type btrace_calls_here, @object
  .size btrace_calls_here, 8
btrace_calls_here:
  .zero 8
  .popsection

  .pushsection .text.btrace_counting_stubs,"ax",@progbits
  .hidden btrace_counting_stubs
  .globl btrace_counting_stubs
  .type btrace_counting_stubs, @function
  .p2align 4
btrace_counting_stubs:
  .cfi_startproc
  .set number, 0
  .rept 4096
  .p2align 4
  endbr64
  movl $(8 * number), %r11d
  jmp .Lcount
  .set number, number + 1
  .endr
  .p2align 4
.Lcount:
  pushq %rax
  .cfi_adjust_cfa_offset 8
  movq btrace_calls_here@gottpoff(%rip), %rax
  movq %fs:(%rax), %rax
  testq %rax, %rax
  jz .Lfirst
.Lhas_column:
  incq (%rax,%r11)
  leaq btrace_call_targets(%rip), %rax
  movq (%rax,%r11), %r11
  popq %rax
  .cfi_adjust_cfa_offset -8
  jmp *%r11

  # The thread takes a column. All but rax stays as it is.
.Lfirst:
  .cfi_adjust_cfa_offset 8
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  pushq %r11
  .cfi_adjust_cfa_offset 8
  movl $1, %edx
  lock xaddl %edx, btrace_columns_taken(%rip)
  cmpl $1023, %edx
  jae .Lshared
  movl $186, %eax
  syscall
  leaq btrace_column_tids(%rip), %rcx
  movl %eax, (%rcx,%rdx,4)
  jmp .Ltaken
.Lshared:
  movl $1023, %edx
.Ltaken:
  shlq $15, %rdx
  addq btrace_call_columns(%rip), %rdx
  movq btrace_calls_here@gottpoff(%rip), %rcx
  movq %rdx, %fs:(%rcx)
  movq %rdx, %rax
  popq %r11
  .cfi_adjust_cfa_offset -8
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  jmp .Lhas_column
  .cfi_endproc
  .size btrace_counting_stubs, . - btrace_counting_stubs
  .popsection
)");
#else
asm(R"(
  .pushsection .tbss,"awT",@nobits
  .hidden btrace_calls_here
  .p2align 3
  .type btrace_calls_here, %object
  .size btrace_calls_here, 8
btrace_calls_here:
  .zero 8
  .popsection

  .pushsection .text.btrace_counting_stubs,"ax",@progbits
  .hidden btrace_counting_stubs
  .globl btrace_counting_stubs
  .type btrace_counting_stubs, %function
  .p2align 4
btrace_counting_stubs:
  .cfi_startproc
  .set number, 0
  .rept 4096
  .p2align 4
  hint #34 // bti c
  movz w16, #(8 * number)
  b .Lcount
  .set number, number + 1
  .endr
  .p2align 4
.Lcount:
  str x0, [sp, #-16]!
  .cfi_adjust_cfa_offset 16
  adrp x17, :gottprel:btrace_calls_here
  ldr x17, [x17, :gottprel_lo12:btrace_calls_here]
  mrs x0, tpidr_el0
  ldr x17, [x0, x17]
  cbz x17, .Lfirst
.Lhas_column:
  ldr x0, [x17, x16]
  add x0, x0, #1
  str x0, [x17, x16]
  adrp x17, btrace_call_places
  add x17, x17, :lo12:btrace_call_places
  ldr x0, [x17, x16]
  adrp x17, btrace_call_targets
  add x17, x17, :lo12:btrace_call_targets
  ldr x17, [x17, x16]
  mov x16, x0
  ldr x0, [sp], #16
  .cfi_adjust_cfa_offset -16
  br x17

  // The thread takes a column, into x17. All but x0 stays as it is.
.Lfirst:
  .cfi_adjust_cfa_offset 16
  stp x1, x2, [sp, #-32]!
  .cfi_adjust_cfa_offset 32
  str x8, [sp, #16]
  adrp x1, btrace_columns_taken
  add x1, x1, :lo12:btrace_columns_taken
1:
  ldaxr w2, [x1]
  add w0, w2, #1
  stlxr w8, w0, [x1]
  cbnz w8, 1b
  cmp w2, #1023
  b.hs 2f
  mov x8, #178
  svc #0
  adrp x1, btrace_column_tids
  add x1, x1, :lo12:btrace_column_tids
  str w0, [x1, w2, uxtw #2]
  b 3f
2:
  mov w2, #1023
3:
  lsl x2, x2, #15
  adrp x1, btrace_call_columns
  add x1, x1, :lo12:btrace_call_columns
  ldr x17, [x1]
  add x17, x17, x2
  adrp x1, :gottprel:btrace_calls_here
  ldr x1, [x1, :gottprel_lo12:btrace_calls_here]
  mrs x0, tpidr_el0
  str x17, [x0, x1]
  ldr x8, [sp, #16]
  ldp x1, x2, [sp], #32
  .cfi_adjust_cfa_offset -32
  b .Lhas_column
  .cfi_endproc
  .size btrace_counting_stubs, . - btrace_counting_stubs
  .popsection
)");
#endif

namespace btrace::native::stubs {

static_assert(kStubs == sizeof btrace_call_targets / sizeof *btrace_call_targets);
static_assert(kColumns == sizeof btrace_column_tids / sizeof *btrace_column_tids);
static_assert(kStubs * sizeof(u64) == 1 << 15);

namespace {

// Written by the stubs.
template <class T>
T read(const T& value) {
  return reinterpret_cast<const Atomic<T>&>(value).load_acquire();
}

}  // namespace

bool are_possible() {
  return true;
}

void* at(u32 number) {
  return const_cast<u8*>(btrace_counting_stubs) + number * kStubBytes;
}

u32 number_of(const void* address) {
  const auto first = reinterpret_cast<uintptr_t>(btrace_counting_stubs);
  const uintptr_t from_first = reinterpret_cast<uintptr_t>(address) - first;
  return from_first < kStubs * kStubBytes ? static_cast<u32>(from_first / kStubBytes) : kStubs;
}

void set_target(u32 number, void** place, void* target) {
#if defined(__aarch64__)
  reinterpret_cast<Atomic<void**>&>(btrace_call_places[number]).store_release(place);
#else
  (void)place;
#endif
  reinterpret_cast<Atomic<void*>&>(btrace_call_targets[number]).store_release(target);
}

bool has_columns() {
  return btrace_call_columns;
}

void give_columns(u64* columns) {
  reinterpret_cast<Atomic<u64*>&>(btrace_call_columns).store_release(columns);
}

u32 columns() {
  return min_of(read(btrace_columns_taken), kColumns);
}

u32 tid_of(u32 column) {
  return read(btrace_column_tids[column]);
}

u64 count_of(u32 column, u32 number) {
  return read(btrace_call_columns[size_t{column} * kStubs + number]);
}

}  // namespace btrace::native::stubs

#else

namespace btrace::native::stubs {

bool are_possible() {
  return false;
}
void* at(u32) {
  return nullptr;
}
u32 number_of(const void*) {
  return kStubs;
}
void set_target(u32, void**, void*) {}
bool has_columns() {
  return false;
}
void give_columns(u64*) {}
u32 columns() {
  return 0;
}
u32 tid_of(u32) {
  return 0;
}
u64 count_of(u32, u32) {
  return 0;
}

}  // namespace btrace::native::stubs

#endif
