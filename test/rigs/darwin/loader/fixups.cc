#include <cstring>

#include "image.h"

using namespace macho;

namespace {

void* wanted(const char* name, bool may_lack) {
  void* found = find_symbol(name);
  if (!found && !may_lack) die(std::string("no symbol ") + name);
  return found;
}

// A stream of opcodes with numbers of variable length.
struct Opcodes {
  const uint8_t* at;
  const uint8_t* end;

  bool more() const { return at < end; }
  uint8_t next() { return *at++; }
  uint64_t number() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = *at++;
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  int64_t signed_number() {
    int64_t value = 0;
    int shift = 0;
    uint8_t byte;
    do {
      byte = *at++;
      value |= int64_t(byte & 0x7f) << shift;
      shift += 7;
    } while (byte & 0x80);
    return (byte & 0x40) && shift < 64 ? value | -(int64_t(1) << shift) : value;
  }
  const char* text() {
    auto* begin = reinterpret_cast<const char*>(at);
    at += strlen(begin) + 1;
    return begin;
  }
};

std::vector<char*> segment_places(const Image& image) {
  std::vector<char*> places;
  each_segment(image.header(), [&](const Segment& one) { places.push_back(reinterpret_cast<char*>(one.address) + image.slide); });
  return places;
}

// The high half of each opcode is what to do, the low half a small operand.
void rebase(const Image& image, Opcodes code) {
  enum : uint8_t { kDone = 0x00, kType = 0x10, kPlace = 0x20, kAdd = 0x30, kAddWords = 0x40, kTimes = 0x50, kManyTimes = 0x60,
                   kOnceAndAdd = 0x70, kTimesSkipping = 0x80 };
  const std::vector<char*> places = segment_places(image);
  char* at = nullptr;
  auto slide = [&](uint64_t times, uint64_t skip) {
    for (; times; times--, at += 8 + skip) *reinterpret_cast<uint64_t*>(at) += static_cast<uint64_t>(image.slide);
  };
  while (code.more()) {
    const uint8_t byte = code.next();
    const uint8_t operand = byte & 0x0f;
    switch (byte & 0xf0) {
      case kDone: return;
      case kType: break;
      case kPlace: at = places.at(operand) + code.number(); break;
      case kAdd: at += code.number(); break;
      case kAddWords: at += operand * 8; break;
      case kTimes: slide(operand, 0); break;
      case kManyTimes: slide(code.number(), 0); break;
      case kOnceAndAdd: slide(1, code.number()); break;
      case kTimesSkipping: {
        const uint64_t times = code.number();
        slide(times, code.number());
        break;
      }
      default: die(image.path + ": an unknown rebase opcode");
    }
  }
}

void bind(const Image& image, Opcodes code) {
  enum : uint8_t { kDone = 0x00, kOrdinal = 0x10, kLongOrdinal = 0x20, kSpecialOrdinal = 0x30, kSymbol = 0x40, kType = 0x50,
                   kAddend = 0x60, kPlace = 0x70, kAdd = 0x80, kBind = 0x90, kBindAndAdd = 0xa0, kBindAndAddWords = 0xb0,
                   kTimesSkipping = 0xc0 };
  const std::vector<char*> places = segment_places(image);
  char* at = nullptr;
  const char* name = "";
  bool may_lack = false;
  int64_t addend = 0;
  auto put = [&] {
    *reinterpret_cast<uint64_t*>(at) = reinterpret_cast<uint64_t>(wanted(name, may_lack)) + static_cast<uint64_t>(addend);
    at += 8;
  };
  while (code.more()) {
    const uint8_t byte = code.next();
    const uint8_t operand = byte & 0x0f;
    switch (byte & 0xf0) {
      // Of lazy binding each symbol ends so.
      case kDone: case kOrdinal: case kSpecialOrdinal: case kType: break;
      case kLongOrdinal: code.number(); break;
      case kSymbol:
        may_lack = operand & 1;
        name = code.text();
        break;
      case kAddend: addend = code.signed_number(); break;
      case kPlace: at = places.at(operand) + code.number(); break;
      case kAdd: at += code.number(); break;
      case kBind: put(); break;
      case kBindAndAdd:
        put();
        at += code.number();
        break;
      case kBindAndAddWords:
        put();
        at += operand * 8;
        break;
      case kTimesSkipping: {
        uint64_t times = code.number();
        const uint64_t skip = code.number();
        for (; times; times--, at += skip) put();
        break;
      }
      default: die(image.path + ": an unknown bind opcode");
    }
  }
}

// One pointer as the linker left it, in the two forms that are alike but for what a target counts from.
struct ChainedPointer {
  uint64_t word;
  bool is_bind() const { return word >> 63; }
  uint64_t next() const { return (word >> 51 & 0xfff) * 4; }
  uint32_t import() const { return word & 0xffffff; }
  uint64_t import_addend() const { return word >> 24 & 0xff; }
  uint64_t target() const { return word & 0xfffffffff; }
  uint64_t high_byte() const { return (word >> 36 & 0xff) << 56; }
};

std::vector<uint64_t> chained_imports(const Image& image, const ChainedFixups& fixups, const char* begin) {
  if (fixups.import_format != kPlainImports && fixups.import_format != kImportsWithAddend)
    die(image.path + ": imports with addends of 64 bits");
  const uint32_t words = fixups.import_format == kPlainImports ? 1 : 2;
  auto* entry = reinterpret_cast<const uint32_t*>(begin + fixups.imports);
  std::vector<uint64_t> found;
  for (uint32_t number = 0; number < fixups.import_count; number++, entry += words) {
    const bool may_lack = *entry >> 8 & 1;
    const char* name = begin + fixups.names + (*entry >> 9);
    const int64_t addend = words == 2 ? static_cast<int32_t>(entry[1]) : 0;
    found.push_back(reinterpret_cast<uint64_t>(wanted(name, may_lack)) + static_cast<uint64_t>(addend));
  }
  return found;
}

}  // namespace

void apply_opcodes(const Image& image, const BindOpcodes& tables, const char* linkedit) {
  auto part = [&](uint32_t offset, uint32_t bytes) {
    auto* begin = reinterpret_cast<const uint8_t*>(linkedit + offset);
    return Opcodes{begin, begin + bytes};
  };
  rebase(image, part(tables.rebase, tables.rebase_bytes));
  bind(image, part(tables.bind, tables.bind_bytes));
  bind(image, part(tables.weak, tables.weak_bytes));
  bind(image, part(tables.lazy, tables.lazy_bytes));
}

void apply_chains(const Image& image, const char* begin) {
  const auto& fixups = *reinterpret_cast<const ChainedFixups*>(begin);
  const std::vector<uint64_t> imports = chained_imports(image, fixups, begin);
  auto* segment_offsets = reinterpret_cast<const uint32_t*>(begin + fixups.starts);
  for (uint32_t segment = 0; segment < segment_offsets[0]; segment++) {
    const uint32_t offset = segment_offsets[1 + segment];
    if (!offset) continue;
    const auto& starts = *reinterpret_cast<const ChainStarts*>(begin + fixups.starts + offset);
    if (starts.pointer_format != kPointer64 && starts.pointer_format != kPointer64Offset)
      die(image.path + ": signed pointers (arm64e)");
    const uint64_t from = starts.pointer_format == kPointer64 ? static_cast<uint64_t>(image.slide) : reinterpret_cast<uint64_t>(image.base);
    for (uint16_t page = 0; page < starts.page_count; page++) {
      if (starts.first[page] == kEmptyPage) continue;
      char* at = image.base + starts.segment_offset + uint64_t(page) * starts.page_bytes + starts.first[page];
      for (uint64_t step = 1; step; at += step) {
        const ChainedPointer pointer{*reinterpret_cast<uint64_t*>(at)};
        *reinterpret_cast<uint64_t*>(at) = pointer.is_bind() ? imports.at(pointer.import()) + pointer.import_addend()
                                                             : (pointer.target() + from) | pointer.high_byte();
        step = pointer.next();
      }
    }
  }
}
