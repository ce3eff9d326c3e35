#include "os/linux/import_tables.h"

#include "base/libc.h"

namespace btrace::elf {

namespace {

// The dynamic section's entries that are read here.
enum Tag : intptr_t {
  kCallRelocationBytes = 2,
  kStrings = 5,
  kSymbols = 6,
#if UINTPTR_MAX == UINT64_MAX
  kRelocations = 7,
  kRelocationBytes = 8,
  kRelativeCount = 0x6ffffff9,
#else
  kRelocations = 17,
  kRelocationBytes = 18,
  kRelativeCount = 0x6ffffffa,
#endif
  kStringBytes = 10,
  kCallRelocations = 23,
};

}  // namespace

bool lies_in(const LoadedObject& object, Word address, size_t bytes, u32 flags) {
  for (u16 i = 0; i < object.header_count; i++) {
    const ProgramHeader& header = object.headers[i];
    if (header.type != elf::kLoadedSegment || (header.flags & flags) != flags) continue;
    const Word begin = object.base + header.address;
    if (address >= begin && address - begin <= header.size && bytes <= header.size - (address - begin)) return true;
  }
  return false;
}

bool read_tables(const LoadedObject& object, Tables& tables) {
  const DynamicEntry* dynamic = nullptr;
  for (u16 i = 0; i < object.header_count; i++)
    if (object.headers[i].type == elf::kDynamicSegment)
      dynamic = reinterpret_cast<const DynamicEntry*>(object.base + object.headers[i].address);
  Word strings = 0, symbols = 0, calls = 0, others = 0;
  size_t call_bytes = 0, other_bytes = 0, relative = 0;
  for (;; dynamic++) {
    if (!lies_in(object, reinterpret_cast<Word>(dynamic), sizeof *dynamic, kReadable)) return false;
    if (!dynamic->tag) break;
    // glibc puts addresses there when it loads a library, others leave them as they are in the file.
    const Word address = dynamic->value < object.base ? dynamic->value + object.base : dynamic->value;
    switch (dynamic->tag) {
      case kStrings: strings = address; break;
      case kStringBytes: tables.string_bytes = dynamic->value; break;
      case kSymbols: symbols = address; break;
      case kCallRelocations: calls = address; break;
      case kCallRelocationBytes: call_bytes = dynamic->value; break;
      case kRelocations: others = address; break;
      case kRelocationBytes: other_bytes = dynamic->value; break;
      case kRelativeCount: relative = dynamic->value; break;
      default: break;
    }
  }
  if (!symbols || !lies_in(object, strings, tables.string_bytes, kReadable)) return false;
  tables.symbols = reinterpret_cast<const elf::Symbol*>(symbols);
  tables.strings = reinterpret_cast<const char*>(strings);
  if (lies_in(object, calls, call_bytes, kReadable))
    tables.calls = {reinterpret_cast<const Relocation*>(calls), call_bytes / sizeof(Relocation)};
  // Those that name no symbol come first, and are nearly all.
  const size_t count = other_bytes / sizeof(Relocation);
  if (lies_in(object, others, other_bytes, kReadable) && relative <= count)
    tables.others = {reinterpret_cast<const Relocation*>(others) + relative, count - relative};
  return true;
}

const Symbol* imported_symbol(const LoadedObject& object, const Tables& tables, const Relocation& relocation) {
  const u32 type = relocation.type(), number = relocation.symbol();
  if ((type != kCallPointer && type != kDataPointer) || !number) return nullptr;
  const Symbol* symbol = tables.symbols + number;
  if (!lies_in(object, reinterpret_cast<Word>(symbol), sizeof *symbol, kReadable)) return nullptr;
  return symbol->section == kUndefined ? symbol : nullptr;
}

const char* name_of(const Tables& tables, const Symbol& symbol) {
  const bool ends = tables.string_bytes && !tables.strings[tables.string_bytes - 1];
  return ends && symbol.name < tables.string_bytes ? tables.strings + symbol.name : nullptr;
}

}  // namespace btrace::elf
