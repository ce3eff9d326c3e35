#include "rt/art/dex.h"

#include "base/libc.h"

namespace btrace::art {

namespace {

constexpr u32 kHeaderBytes = 112;

u32 u32_at(const u8* at) {
  u32 value;
  memcpy(&value, at, sizeof value);
  return value;
}
u32 u16_at(const u8* at) {
  return static_cast<u32>(at[0] | at[1] << 8);
}

// LEB128 numbers, at most five bytes each.
class Reader {
 public:
  Reader(const u8* at, const u8* end) : at_(at), end_(end) {}
  bool broken() const { return broken_; }
  u8 byte() {
    if (at_ < end_) return *at_++;
    broken_ = true;
    return 0;
  }
  u32 number() {
    u32 value = 0;
    for (u32 shift = 0; shift < 35; shift += 7) {
      u8 part = byte();
      value |= static_cast<u32>(part & 0x7f) << shift;
      if (!(part & 0x80)) return value;
    }
    broken_ = true;
    return 0;
  }
  i32 signed_number() {
    u32 value = 0;
    for (u32 shift = 0; shift < 35; shift += 7) {
      u8 part = byte();
      value |= static_cast<u32>(part & 0x7f) << shift;
      if (part & 0x80) continue;
      if (shift + 7 < 32 && (part & 0x40)) value |= ~0u << (shift + 7);
      return static_cast<i32>(value);
    }
    broken_ = true;
    return 0;
  }

 private:
  const u8* at_;
  const u8* end_;
  bool broken_ = false;
};

// The state machine of debug_info_item.
enum DebugCode : u8 {
  kEndSequence = 0,
  kAdvancePc = 1,
  kAdvanceLine = 2,
  kStartLocal = 3,
  kStartLocalExtended = 4,
  kEndLocal = 5,
  kRestartLocal = 6,
  kSetPrologueEnd = 7,
  kSetEpilogueBegin = 8,
  kSetFile = 9,
  kFirstSpecial = 10,
};
constexpr i32 kLineBase = -4, kLineRange = 15;

}  // namespace

bool DexFile::open(const u8* begin) {
  compact_ = memcmp(begin, "cdex", 4) == 0;
  if ((!compact_ && memcmp(begin, "dex\n", 4) != 0) || begin[7] != 0) return false;
  begin_ = begin;
  size_ = u32_at(begin + 32);
  if (size_ < kHeaderBytes) return false;
  data_ = compact_ ? begin + u32_at(begin + 108) : begin;
  data_size_ = compact_ ? u32_at(begin + 104) : size_;
  strings_ = {u32_at(begin + 56), u32_at(begin + 60)};
  types_ = {u32_at(begin + 64), u32_at(begin + 68)};
  protos_ = {u32_at(begin + 72), u32_at(begin + 76)};
  methods_ = {u32_at(begin + 88), u32_at(begin + 92)};
  class_defs_ = {u32_at(begin + 96), u32_at(begin + 100)};
  return true;
}

const u8* DexFile::item(const Table& table, u32 index, u32 bytes) const {
  return index < table.size ? at(u64{table.offset} + u64{index} * bytes, bytes) : nullptr;
}

const char* DexFile::text(u32 string_index) const {
  const u8* id = item(strings_, string_index, 4);
  if (!id) return nullptr;
  u32 offset = u32_at(id);
  // The length in UTF-16 units comes first; the bytes end with a 0, which must lie within the data.
  while (offset < data_size_ && data_[offset] & 0x80) offset++;
  for (u32 end = ++offset; end < data_size_; end++)
    if (!data_[end]) return reinterpret_cast<const char*>(data_ + offset);
  return nullptr;
}

const char* DexFile::type(u32 index) const {
  const u8* id = item(types_, index, 4);
  return id ? text(u32_at(id)) : nullptr;
}

bool DexFile::method(u32 index, Method& method) const {
  const u8* id = item(methods_, index, 8);
  if (!id) return false;
  method.class_index = u16_at(id);
  method.proto_index = u16_at(id + 2);
  method.name = text(u32_at(id + 4));
  return method.name != nullptr;
}

bool DexFile::signature(u32 proto_index, char* to, size_t size) const {
  const u8* proto = item(protos_, proto_index, 12);
  if (!proto) return false;
  size_t used = 0;
  auto put = [&](const char* part) {
    size_t length = part ? strlen(part) : size;
    if (used + length >= size) return false;
    memcpy(to + used, part, length);
    used += length;
    to[used] = 0;
    return true;
  };
  if (!put("(")) return false;
  if (u32 parameters = u32_at(proto + 8)) {
    const u8* count = data(parameters, 4);
    const u8* list = count ? data(u64{parameters} + 4, u64{u32_at(count)} * 2) : nullptr;
    if (!list) return false;
    for (u32 i = 0; i < u32_at(count); i++)
      if (!put(type(u16_at(list + 2 * i)))) return false;
  }
  return put(")") && put(type(u32_at(proto + 4)));
}

u32 DexFile::class_def(u32 type_index) const {
  for (u32 i = 0; i < class_defs_.size; i++) {
    const u8* definition = item(class_defs_, i, 32);
    if (!definition) return kNone;
    if (u32_at(definition) == type_index) return i;
  }
  return kNone;
}

const char* DexFile::source_file(u32 class_def) const {
  const u8* definition = item(class_defs_, class_def, 32);
  const u32 name = definition ? u32_at(definition + 16) : kNone;
  return name == kNone ? nullptr : text(name);
}

u32 DexFile::code_offset(u32 class_def, u32 method_index) const {
  const u8* definition = item(class_defs_, class_def, 32);
  const u32 data = definition ? u32_at(definition + 24) : 0;
  if (!data || data >= size_) return 0;
  Reader reader(begin_ + data, begin_ + size_);
  const u32 fields = reader.number() + reader.number();
  const u32 direct = reader.number();
  const u32 methods = direct + reader.number();
  for (u32 i = 0; i < fields && !reader.broken(); i++) reader.number(), reader.number();
  for (u32 i = 0, index = 0; i < methods && !reader.broken(); i++) {
    if (i == direct) index = 0;  // virtual methods count anew
    index += reader.number();
    reader.number();  // access flags
    u32 code = reader.number();
    if (index == method_index) return reader.broken() ? 0 : code;
  }
  return 0;
}

u32 DexFile::lines(u32 class_def, u32 method_index, LineEntry* entries, u32 limit) const {
  if (compact_) return 0;  // its code items are coded in another way
  const u32 code = code_offset(class_def, method_index);
  const u8* header = code ? at(code, 16) : nullptr;
  const u32 debug = header ? u32_at(header + 8) : 0;
  return debug && debug < size_ ? read_lines(debug, entries, limit) : 0;
}

u32 DexFile::read_lines(u32 debug_offset, LineEntry* entries, u32 limit) const {
  Reader reader(begin_ + debug_offset, begin_ + size_);
  i64 position = 0;
  i32 line = static_cast<i32>(reader.number());
  for (u32 names = reader.number(); names && !reader.broken(); names--) reader.number();
  u32 count = 0;
  while (!reader.broken() && count < limit) {
    const u8 code = reader.byte();
    switch (code) {
      case kEndSequence: return reader.broken() ? 0 : count;
      case kAdvancePc: position += reader.number(); break;
      case kAdvanceLine: line += reader.signed_number(); break;
      case kStartLocalExtended: reader.number(); [[fallthrough]];
      case kStartLocal:
        reader.number();
        reader.number();
        [[fallthrough]];
      case kEndLocal:
      case kRestartLocal:
      case kSetFile: reader.number(); break;
      case kSetPrologueEnd:
      case kSetEpilogueBegin: break;
      default:
        position += (code - kFirstSpecial) / kLineRange;
        line += kLineBase + (code - kFirstSpecial) % kLineRange;
        entries[count++] = {position, line};
    }
  }
  return reader.broken() ? 0 : count;
}

}  // namespace btrace::art
