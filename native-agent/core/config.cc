#include "core/config.h"

#include "core/proto.h"

namespace btrace {

namespace {

// Walk buffers, links and the drain's own do not shrink with it: less would not be held.
constexpr u64 kMinMemory = 8 * kMiB;
constexpr u64 kMaxMemory = 1024 * kMiB;
constexpr u64 kMaxInterval = 3600ull * kNsPerSecond;

void add_kind(Config& config, u64 kind) {
  if (kind < 64) config.kinds |= 1ull << kind;
}

}  // namespace

bool parse_config(const u8* data, size_t size, Config& config) {
  // A number that is 0 is not written: no interval between captures, no budget.
  config.sync_interval_ns = 0;
  config.budget_ppm = 0;
  FieldReader field(data, size);
  while (field.next()) {
    u64 value = field.value();
    switch (field.field()) {
      case 1: config.sync_interval_ns = static_cast<i64>(min_of(value, kMaxInterval)); break;
      case 2: config.async_interval_ns = static_cast<i64>(min_of(value, kMaxInterval)); break;
      case 3: config.memory_bytes = min_of(max_of(value, kMinMemory), kMaxMemory); break;
      case 4: config.policy = value <= 2 ? static_cast<Policy>(value) : Policy::Stream; break;
      case 5: config.ring_ns = static_cast<i64>(min_of(value, kMaxInterval)); break;
      case 6: config.budget_ppm = min_of<u64>(value, 1000000); break;
      case 7:
        if (field.is_varint()) add_kind(config, value);
        if (field.is_bytes()) {
          const u8* at = field.bytes();
          const u8* end = at + field.size();
          for (u64 kind; at != end && get_varint(at, end, kind);) add_kind(config, kind);
        }
        break;
      case 8: config.main_only = value != 0; break;
      case 9: config.allocation_interval_bytes = value; break;
      case 10: config.ring_copies = value != 0; break;
      case 11: config.survey = value != 0; break;
      default: break;
    }
  }
  // An other-thread walk stops the thread for some 10 µs: more than 1,000 a second would be felt.
  if (config.async_interval_ns) config.async_interval_ns = max_of<i64>(config.async_interval_ns, kNsPerMs);
  if (config.policy == Policy::Ring && !config.ring_ns) config.ring_ns = 30 * kNsPerSecond;
  return !field.broken();
}

void put_config(Bytes& out, const Config& config) {
  put_field(out, 1, static_cast<u64>(config.sync_interval_ns));
  put_field(out, 2, static_cast<u64>(config.async_interval_ns));
  put_field(out, 3, config.memory_bytes);
  put_field(out, 4, static_cast<u64>(config.policy));
  put_field(out, 5, static_cast<u64>(config.ring_ns));
  put_field(out, 6, config.budget_ppm);
  if (config.kinds) {
    Nested kinds(out, 7);
    for (u32 kind = 0; kind < 64; kind++)
      if (config.kinds >> kind & 1) put_varint(out, kind);
  }
  put_field(out, 8, config.main_only);
  put_field(out, 9, config.allocation_interval_bytes);
  put_field(out, 10, config.ring_copies);
  put_field(out, 11, config.survey);
}

}  // namespace btrace
