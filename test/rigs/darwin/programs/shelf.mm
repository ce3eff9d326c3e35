// A library as the system's shared cache has them: darwin.ts takes its local names out, and there is no file of it at
// the path that it is loaded from.
#include "libsystem.h"

namespace {

volatile uint64_t g_sum;
constexpr int64_t kEachNs = 30'000'000;

inline void spend() {
  for (const int64_t until = cpu_ns() + kEachNs; cpu_ns() < until;)
    for (int i = 0; i < 1000; i++) g_sum = g_sum + static_cast<uint64_t>(i);
}

// Exported by no name.
__attribute__((noinline)) void count_privately() {
  spend();
  asm volatile("");
}

}  // namespace

// Its name is in the symbol table; those of the others were taken out there.
FUNCTION void shelf_open() {
  spend();
  asm volatile("");
}
FUNCTION void shelf_sort_books() {
  spend();
  count_privately();
  asm volatile("");
}

namespace shelf {
__attribute__((noinline)) void arrange(int times);
void arrange(int times) {
  for (int i = 0; i < times; i++) spend();
  asm volatile("");
}
}  // namespace shelf

// There is no runtime: nothing is sent, and the class has no other above it.
void* empty_cache asm("__objc_empty_cache");
__attribute__((objc_root_class))
@interface Shelf
- (void)tidy:(int)times;
+ (void)build;
@end
@implementation Shelf
- (void)tidy:(int)times {
  for (int i = 0; i < times; i++) spend();
  asm volatile("");
}
+ (void)build {
  spend();
  asm volatile("");
}
@end
extern "C" void tidy_directly(void*, void*, int) asm("-[Shelf tidy:]");
extern "C" void build_directly(void*, void*) asm("+[Shelf build]");

FUNCTION void shelf_use() {
  // Else they become part of this function.
  void (*volatile tidy)(void*, void*, int) = tidy_directly;
  void (*volatile build)(void*, void*) = build_directly;
  // In turns: on a busy machine the first sample may come after the first of them.
  for (int turn = 0; turn < 5; turn++) {
    shelf_open();
    shelf_sort_books();
    shelf::arrange(1);
    tidy(nullptr, nullptr, 1);
    build(nullptr, nullptr);
  }
  asm volatile("");
}
