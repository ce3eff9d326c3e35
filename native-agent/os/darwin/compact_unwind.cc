#include "os/darwin/compact_unwind.h"

#include "os/machine.h"

namespace btrace {

namespace {

struct TableHead {
  u32 version, common_encodings, common_count, personalities, personality_count, index, index_count;
};
struct IndexEntry {
  u32 function, page, language_data;
};
struct PageHead {
  u32 kind;
  u16 entries, count;
  u16 encodings, encoding_count;  // of a compressed page
};
struct PlainEntry {
  u32 function, encoding;
};
constexpr u32 kPlainPage = 2, kCompressedPage = 3;
constexpr u32 kModes = 0x0f000000;
#if defined(__aarch64__)
constexpr u32 kFramelessMode = 0x02000000;
#else
constexpr u32 kFramelessMode = 0x02000000, kSizes = 0x00ff0000, kReturnAddressAlone = 0x00010000;
#endif

// Reads are checked, as an image may be unloaded: some microseconds for all of them.
class Table {
 public:
  explicit Table(const UnwindTable& table) : table_(table) {}

  template <class T>
  bool read(u64 offset, T& value) const {
    return offset <= table_.bytes && sizeof value <= table_.bytes - offset &&
           read_memory(reinterpret_cast<const void*>(table_.begin + offset), &value, sizeof value);
  }

  // Of ascending entries, the last whose function begins at `function` or before.
  template <class T, class FunctionOf>
  bool find(u64 begin, u32 count, u32 function, FunctionOf function_of, T& found, u32& number) const {
    u32 low = 0, high = count;
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      T entry;
      if (!read(begin + u64{middle} * sizeof entry, entry)) return false;
      if (function_of(entry) <= function)
        low = middle + 1;
      else
        high = middle;
    }
    number = low - 1;
    return low && read(begin + u64{number} * sizeof found, found);
  }

 private:
  const UnwindTable& table_;
};

// `begin`: where the function begins, from the image's own begin. False: there is no such function, as in the stubs
// through which imports are called.
bool find_encoding(const UnwindTable& unwind, u32 offset, u32& encoding, u32& begin) {
  const Table table(unwind);
  TableHead head;
  IndexEntry index;
  PageHead page;
  u32 number;
  if (!table.read(0, head) || head.version != 1 || !head.index_count) return false;
  // The last entry only says where the functions end.
  const bool is_found = table.find(head.index, head.index_count, offset, [](const IndexEntry& one) { return one.function; }, index, number);
  if (!is_found || !index.page || !table.read(index.page, page)) return false;
  const u64 entries = u64{index.page} + page.entries;
  if (page.kind == kPlainPage) {
    PlainEntry entry;
    if (!table.find(entries, page.count, offset, [](const PlainEntry& one) { return one.function; }, entry, number)) return false;
    encoding = entry.encoding;
    begin = entry.function;
    return true;
  }
  if (page.kind != kCompressedPage) return false;
  constexpr u32 kFunctionBits = 24;
  constexpr u32 kFunctions = (1u << kFunctionBits) - 1;
  u32 entry;
  if (!table.find(entries, page.count, offset - index.function, [](u32 one) { return one & kFunctions; }, entry, number)) return false;
  const u32 which = entry >> kFunctionBits;
  begin = index.function + (entry & kFunctions);
  const u64 at = which < head.common_count ? u64{head.common_encodings} + which * sizeof encoding
                                           : u64{index.page} + page.encodings + (which - head.common_count) * sizeof encoding;
  return table.read(at, encoding);
}

}  // namespace

bool makes_frame(const Image& image, uintptr_t address) {
  u32 encoding = 0, begin = 0;
  const auto offset = static_cast<u32>(address - image.begin);
  if (!image.unwind.bytes) return true;
  if (!find_encoding(image.unwind, offset, encoding, begin)) return false;
  // At its first instruction it has made none yet.
  if (offset == begin) return false;
#if defined(__aarch64__)
  return (encoding & kModes) != kFramelessMode;
#else
  return (encoding & kModes) != kFramelessMode || (encoding & kSizes) != kReturnAddressAlone;
#endif
}

}  // namespace btrace
