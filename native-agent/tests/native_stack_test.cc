// Native stacks, found by unwind tables: of functions without frame pointers, at each of their instructions.
#include "os/native_stack.h"

#include <alloca.h>
#include <sys/mman.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "harness.h"
#include "os/signal.h"
#include "reads_memory.h"

using namespace btrace;

namespace {

// The thread's own stack is there; whoever walks it looks no further than these frames.
constexpr uintptr_t kReach = 1 << 20;

struct Walker {
  Images images{};
  NativeStacks natives{};
  Walker() {
    CHECK(images.init() && natives.init());
    images.refresh();
  }
  ~Walker() {
    images.release();
    natives.release();
  }
  u32 walk(const Registers& from, uintptr_t managed, NativePlace* places) {
    const NativeStackRange stack{from.sp - kReach, managed + 4096, managed};
    return natives.walk(images, from, stack, places);
  }
};

volatile u32 g_sink;

// ---------------------------------------------------------------- functions with frames of many kinds

__attribute__((noinline)) u32 leaf(u32 seed) {
  for (u32 i = 0; i < 3; i++) seed = seed * 1664525u ^ seed >> 7;
  return seed;
}

// Gives its stack back in more than one place, and calls last.
__attribute__((noinline)) u32 branches(u32 seed) {
  if (seed % 3 == 0) return leaf(seed) + seed;
  u32 sum = seed;
  for (u32 i = 0; i < 2; i++) sum += leaf(sum + i);
  if (seed % 3 == 1) return sum;
  return leaf(sum);
}

// Saves many registers.
__attribute__((noinline)) u32 many(u32 a, u32 b, u32 c, u32 d) {
  const u32 e = branches(a), f = branches(b), g = branches(c), h = branches(d);
  return branches(a + e) + branches(b + f) + branches(c + g) + branches(d + h) + a + b + c + d;
}

// A frame of a size that is known only when it runs.
__attribute__((noinline)) u32 grows(u32 seed) {
  auto* words = static_cast<volatile u32*>(alloca(16 + seed % 7 * 16));
  words[0] = seed;
  words[1] = many(seed, seed + 1, seed + 2, words[0]);
  return words[0] + words[1];
}

// A frame on a border of its own, which calls with more arguments than there are registers.
__attribute__((noinline)) u32 aligned(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f, u32 g, u32 h) {
  alignas(64) volatile u32 words[32];
  words[a % 32] = b;
  words[(a + 1) % 32] = grows(a + c);
  return words[a % 32] + words[(a + 1) % 32] + d + e + f + g + h;
}

__attribute__((noinline)) u32 recursive(u32 depth) {
  if (!depth) return aligned(1, 2, 3, 4, 5, 6, 7, 8);
  return recursive(depth - 1) + leaf(depth);
}

[[maybe_unused]] __attribute__((noinline)) void whole_chain() {
  g_sink = recursive(3);
}

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

// Calls it as a runtime calls native code: its own frame ends where the stack pointer was.
uintptr_t g_managed;
__attribute__((noinline)) void call_native(void (*function)()) {
  asm volatile(
      "push %%rbp\n"
      ".cfi_adjust_cfa_offset 8\n"
      "mov %%rsp, %%rbp\n"
      "sub $128, %%rsp\n"
      "and $-16, %%rsp\n"
      "mov %%rsp, %[managed]\n"
      "call *%[function]\n"
      "mov %%rbp, %%rsp\n"
      "pop %%rbp\n"
      ".cfi_adjust_cfa_offset -8\n"
      : [managed] "=m"(g_managed)
      : [function] "r"(function)
      : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}

// What each call leaves on the stack is put down as it happens, which is what a walk must find.
struct Steps {
  Walker* walker;
  std::vector<uintptr_t> returns;
  Registers before;
  bool is_inside;
  u32 walks, whole;
  uintptr_t wrong;
};
Steps* g_steps;

void on_step(int, siginfo_t*, void* context) {
  Steps& steps = *g_steps;
  const Registers now = interrupted_at(context), before = steps.before;
  steps.before = now;
  if (now.pc == reinterpret_cast<uintptr_t>(&whole_chain)) steps.is_inside = true;
  if (now.sp >= g_managed) steps.is_inside = false;
  if (!steps.is_inside) return;
  const uintptr_t top = *reinterpret_cast<const uintptr_t*>(now.sp);
  constexpr uintptr_t kLongest = 16;  // an instruction
  const bool has_called = now.sp == before.sp - 8 && top - before.pc - 1 < kLongest;
  if (has_called && now.pc != reinterpret_cast<uintptr_t>(&whole_chain))
    steps.returns.push_back(top);
  else if (!steps.returns.empty() && now.sp == before.sp + 8 && now.pc == steps.returns.back())
    steps.returns.pop_back();
  NativePlace places[NativeStacks::kMost];
  const u32 found = steps.walker->walk(now, g_managed, places);
  bool right = found == steps.returns.size() + 1 && places[0].address == now.pc;
  for (u32 i = 1; right && i < found; i++) right = places[i].address == steps.returns[found - 1 - i] - 1;
  steps.walks++;
  if (right)
    steps.whole++;
  else if (!steps.wrong)
    steps.wrong = now.pc;
}

__attribute__((noinline)) void stepped() {
  asm volatile("pushfq\n orl $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
  call_native(whole_chain);
  asm volatile("pushfq\n andl $~0x100, (%%rsp)\n popfq" ::: "memory", "cc");
}

#define STEPS 1
#endif

// By the processor's single step; sanitizers make other functions of these.
TEST("native stacks: at each instruction of functions of many kinds all callers are found") {
#if defined(STEPS)
  Walker walker;
  Steps steps{&walker, {}, {}, false, 0, 0, 0};
  g_steps = &steps;
  struct sigaction ours{}, before{};
  ours.sa_sigaction = on_step;
  ours.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &ours, &before);
  stepped();
  sigaction(SIGTRAP, &before, nullptr);
  CHECK(steps.walks > 500);
  CHECK_EQUAL(steps.wrong, uintptr_t{0});
  CHECK_EQUAL(steps.whole, steps.walks);
#endif
}

// ---------------------------------------------------------------- tables

const UnwindTable& own_table(Images& images) {
  return images.at(images.number_of(reinterpret_cast<uintptr_t>(&leaf))).unwind;
}

TEST("native stacks: a function's rule counts from the stack pointer where it begins") {
  if (!reads_memory()) return;
  Walker walker;
  UnwindRule rule;
  CHECK(find_unwind_rule(own_table(walker.images), reinterpret_cast<uintptr_t>(&grows), false, rule));
  CHECK(rule.base == UnwindRule::Base::Stack);
#if defined(__x86_64__)
  CHECK_EQUAL(rule.offset, 8);
  CHECK(rule.link.how == UnwindRule::Saved::AtCfa);
  CHECK_EQUAL(rule.link.offset, -8);
#elif defined(__aarch64__)
  CHECK_EQUAL(rule.offset, 0);
  CHECK(rule.link.how == UnwindRule::Saved::Kept);
#endif
  CHECK(rule.frame.how == UnwindRule::Saved::Kept);
}

TEST("native stacks: data and what is in no image have no rule") {
  Walker walker;
  UnwindRule rule;
  CHECK(!find_unwind_rule(own_table(walker.images), reinterpret_cast<uintptr_t>(&g_sink), false, rule));
  CHECK(!find_unwind_rule(own_table(walker.images), 1, false, rule));
  CHECK(!find_unwind_rule({1, 4096}, reinterpret_cast<uintptr_t>(&leaf), false, rule));
  int on_stack = 0;
  const UnwindTable cut{reinterpret_cast<uintptr_t>(&on_stack), 4};
  CHECK(!find_unwind_rule(cut, reinterpret_cast<uintptr_t>(&leaf), false, rule));
}

// A table for code at its own begin, as linkers write it: head, one entry, CIE, FDE.
struct MadeTable {
  alignas(8) u8 bytes[4096]{};
  size_t size = 0;
  size_t function_at = 0;

  template <class T>
  void put(T value) {
    memcpy(bytes + size, &value, sizeof value);
    size += sizeof value;
  }
  void put_all(const std::vector<u8>& values) {
    for (u8 value : values) put(value);
  }
  explicit MadeTable(const std::vector<u8>& common, const std::vector<u8>& own) {
    constexpr u32 kHead = 20;
    constexpr i32 kFunction = 3000;
    put_all({1, 0x1b, 0x03, 0x3b});
    put<i32>(16);
    put<u32>(1);
    put<i32>(kFunction);
    const size_t entry_at = size;
    put<i32>(0);
    CHECK_EQUAL(size, size_t{kHead});
    const size_t cie = size;
    put<u32>(0);
    put<u32>(0);
#if defined(__aarch64__)
    put_all({1, 'z', 'R', 0, 4, 0x78, 30, 1, 0x1b});
#else
    put_all({1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b});
#endif
    put_all(common);
    end_entry(cie);
    const size_t fde = size;
    put<u32>(0);
    put<u32>(static_cast<u32>(size - cie));
    put<i32>(kFunction - static_cast<i32>(size));
    put<u32>(256);
    put<u8>(0);
    put_all(own);
    end_entry(fde);
    const auto entry = static_cast<i32>(fde);
    memcpy(bytes + entry_at, &entry, sizeof entry);
    function_at = kFunction;
  }
  void end_entry(size_t begin) {
    const u32 length = static_cast<u32>(size - begin - 4);
    memcpy(bytes + begin, &length, sizeof length);
  }
  bool find(uintptr_t at, UnwindRule& rule) const {
    const auto begin = reinterpret_cast<uintptr_t>(bytes);
    return find_unwind_rule({begin, sizeof bytes}, begin + function_at + at, false, rule);
  }
};

#if defined(__x86_64__)

TEST("native stacks: a table's instructions are followed up to the address and no further") {
  // def_cfa rsp+8, rip at cfa-8 | rbp pushed after 1 byte, frame pointer after 4, remembered; given back at 100, and as
  // before at 101.
  const MadeTable table({0x0c, 7, 8, 0x90, 1},
                        {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 96, 0x0a, 0x0c, 7, 8, 0xc6, 0x41, 0x0b});
  UnwindRule rule;
  CHECK(table.find(0, rule));
  CHECK(rule.base == UnwindRule::Base::Stack && rule.offset == 8 && rule.frame.how == UnwindRule::Saved::Kept);
  CHECK(table.find(1, rule));
  CHECK(rule.base == UnwindRule::Base::Stack && rule.offset == 16 && rule.frame.how == UnwindRule::Saved::AtCfa);
  CHECK_EQUAL(rule.frame.offset, -16);
  for (uintptr_t at : {4, 99, 101, 255}) {
    CHECK(table.find(at, rule));
    CHECK(rule.base == UnwindRule::Base::Frame && rule.offset == 16 && rule.frame.how == UnwindRule::Saved::AtCfa);
  }
  CHECK(table.find(100, rule));
  CHECK(rule.base == UnwindRule::Base::Stack && rule.offset == 8 && rule.frame.how == UnwindRule::Saved::Kept);
  CHECK(!table.find(256, rule));
}

TEST("native stacks: the words of a function that aligns its stack are understood, other expressions are not") {
  UnwindRule rule;
  // cfa = *(rbp − 8), rbp at rbp + 0
  const MadeTable aligning({0x0c, 7, 8, 0x90, 1}, {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0});
  CHECK(aligning.find(0, rule));
  CHECK(rule.base == UnwindRule::Base::Frame && rule.by_word && rule.offset == -8);
  CHECK(rule.frame.how == UnwindRule::Saved::AtFrame && rule.frame.offset == 0);
  // rsp + 8 + ((rip & 15) >= 11) * 8
  const MadeTable linking({0x0c, 7, 8, 0x90, 1},
                          {0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22});
  CHECK(!linking.find(0, rule));
  // Counted from rbx.
  CHECK(!MadeTable({0x0c, 3, 8, 0x90, 1}, {}).find(0, rule));
  // What no processor of this kind has.
  CHECK(!MadeTable({0x0c, 7, 8, 0x90, 1}, {0x1d}).find(0, rule));
}

#endif

TEST("native stacks: tables that lie, or end in the middle, lead nowhere and to no fault") {
  if (!reads_memory()) return;
  // Its end is the end of what may be read.
  constexpr size_t kPage = 4096;
  auto* pages = static_cast<u8*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(pages != MAP_FAILED);
  CHECK_EQUAL(mprotect(pages + kPage, kPage, PROT_NONE), 0);
  const MadeTable good({0x0c, 7, 8, 0x90, 1},
                       {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 96, 0x0a, 0x0c, 7, 8, 0xc6, 0x41, 0x0b});
  std::mt19937 random(7);
  u32 found = 0;
  for (int i = 0; i < 20000; i++) {
    const size_t length = random() % 2 ? good.size : random() % good.size;
    u8* at = pages + kPage - length;
    memcpy(at, good.bytes, length);
    for (u32 changes = random() % 6; changes-- > 0 && length;) at[random() % length] = static_cast<u8>(random());
    UnwindRule rule;
    const auto begin = reinterpret_cast<uintptr_t>(at);
    const UnwindTable table{begin, random() % 2 ? length : kPage};
    found += find_unwind_rule(table, begin + good.function_at + random() % 300, false, rule);
  }
  CHECK(found > 100);
  munmap(pages, 2 * kPage);
}

// ---------------------------------------------------------------- walks

TEST("native stacks: registers that lead out of the stack, or nowhere, end a walk") {
  Walker walker;
  std::mt19937_64 random(11);
  std::vector<uintptr_t> stack(512);
  const auto begin = reinterpret_cast<uintptr_t>(stack.data()), end = begin + stack.size() * sizeof stack[0];
  const auto code = reinterpret_cast<uintptr_t>(&leaf);
  NativePlace places[NativeStacks::kMost];
  for (int i = 0; i < 20000; i++) {
    for (uintptr_t& word : stack) {
      const u64 kind = random() % 4;
      word = kind == 0 ? code + random() % 4096 : kind == 1 ? begin + random() % 4096 : kind == 2 ? random() : 0;
    }
    Registers from{code + random() % 4096, begin + random() % 4096, begin + random() % 4096, code};
    if (random() % 4 == 0) from.sp = random();
    if (random() % 4 == 0) from.frame = random();
    const uintptr_t managed = random() % 4 ? begin + random() % 512 * 8 : random();
    CHECK(walker.natives.walk(walker.images, from, {begin, end, managed}, places) <= NativeStacks::kMost);
  }
  // A runtime that says nothing of where its frames end.
  CHECK_EQUAL(walker.natives.walk(walker.images, {code, begin + 2048, 0, 0}, {begin, end, 0}, places), 0u);
}

TEST("native stacks: the lowest part of a stack, where pages may not be touched, is left alone") {
  Walker walker;
  auto* pages = static_cast<u8*>(mmap(nullptr, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CHECK(pages != MAP_FAILED);
  const auto begin = reinterpret_cast<uintptr_t>(pages), end = begin + (1 << 16);
  NativePlace places[NativeStacks::kMost];
  const Registers from{reinterpret_cast<uintptr_t>(&leaf), begin + (1 << 12), 0, 0};
  CHECK_EQUAL(walker.natives.walk(walker.images, from, {begin, end, end - 64}, places), 0u);
  munmap(pages, 1 << 16);
}

}  // namespace
