// Functions that a recording names as the linker's tools do, without a file.
#include <cstdint>

namespace shop {

static std::uint64_t grind(int rounds) {
  std::uint64_t sum = 0;
  for (int i = 0; i < rounds; i++) sum += static_cast<std::uint64_t>(i) * sum;
  return sum;
}

static std::uint64_t grind(int rounds, int more) { return grind(rounds) + grind(more); }

template <typename T>
T twice(T value) {
  return value + value;
}

void never() {}

}  // namespace shop
