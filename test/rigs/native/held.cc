// A native program that keeps some of the memory that it allocates. At its end it says as JSON how many bytes it still
// holds, by the function that allocated them; all else was freed. Functions with external linkage have names without
// debug information.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

namespace {
constexpr size_t kSmall = 200, kMedium = 24 << 10, kLarge = 3 << 20;
std::vector<void*> kept;
volatile char sink;

void use(const void* memory) { sink = sink + *static_cast<const volatile char*>(memory); }
}  // namespace

extern "C" {

[[gnu::noinline]] size_t keep_small() {
  for (int i = 0; i < 40000; i++) {
    kept.push_back(malloc(kSmall));
    use(kept.back());
  }
  return 40000 * kSmall;
}

[[gnu::noinline]] size_t keep_medium() {
  for (int i = 0; i < 500; i++) {
    kept.push_back(new char[kMedium]);
    use(kept.back());
  }
  return 500 * kMedium;
}

[[gnu::noinline]] size_t keep_large() {
  for (int i = 0; i < 4; i++) kept.push_back(calloc(kLarge, 1));
  return 4 * kLarge;
}

// Each block grows several times: what it was before is freed.
[[gnu::noinline]] size_t keep_grown() {
  for (int i = 0; i < 100; i++) {
    void* memory = nullptr;
    for (size_t size = 1 << 10; size <= 64 << 10; size *= 2) memory = realloc(memory, size);
    kept.push_back(memory);
    use(memory);
  }
  return 100 * (64 << 10);
}

[[gnu::noinline]] size_t keep_array() {
  for (int i = 0; i < 100; i++) {
    void* memory = nullptr;
    for (size_t count = 64; count <= 4096; count *= 2) memory = reallocarray(memory, count, 16);
    kept.push_back(memory);
    use(memory);
  }
  return 100 * 4096 * 16;
}

[[gnu::noinline]] void free_at_once() {
  for (int i = 0; i < 100000; i++) {
    void* memory = malloc(1 << 10);
    use(memory);
    free(memory);
  }
}

[[gnu::noinline]] void* allocate_for_other(void* into) {
  auto& memory = *static_cast<std::vector<void*>*>(into);
  for (int i = 0; i < 2000; i++) memory.push_back(malloc(8 << 10));
  return nullptr;
}

// Allocated on one thread, freed on another one.
[[gnu::noinline]] void free_of_other() {
  std::vector<void*> memory;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, allocate_for_other, &memory)) abort();
  pthread_join(thread, nullptr);
  for (void* one : memory) free(one);
}

[[gnu::noinline]] void free_by_class() {
  for (int i = 0; i < 2000; i++) {
    std::string text(4000, 'x');
    use(text.data());
  }
}
}

int main() {
  kept.reserve(100000);
  const size_t small = keep_small();
  free_at_once();
  const size_t medium = keep_medium();
  free_of_other();
  const size_t large = keep_large();
  free_by_class();
  const size_t grown = keep_grown();
  const size_t array = keep_array();
  printf(
      "{\"keep_small\":%zu,\"keep_medium\":%zu,\"keep_large\":%zu,\"keep_grown\":%zu,\"keep_array\":%zu,"
      "\"kept\":%zu}\n",
      small, medium, large, grown, array, kept.capacity() * sizeof(void*));
}
