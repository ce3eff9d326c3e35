// Libraries of the system's shared cache lie in memory alone. Their tables do too, at the places that their load
// commands name; local names were taken out of them.
#include "base/pages.h"
#include "os/darwin/function_tables.h"
#include "os/machine.h"

namespace btrace::macho {

namespace {

constexpr u64 kMostTable = 16 * kMiB;  // those of the largest library have some 5

// A part of memory, copied by a checked read.
class Copy {
 public:
  Copy(uintptr_t from, u64 bytes) {
    if (!from || !bytes || bytes > kMostTable) return;
    data_ = static_cast<u8*>(map_pages(bytes));
    bytes_ = bytes;
    if (data_ && read_memory(reinterpret_cast<const void*>(from), data_, bytes)) return;
    release();
  }
  ~Copy() { release(); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  explicit operator bool() const { return data_ != nullptr; }
  const u8* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void release() {
    if (data_) unmap_pages(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
  }
  u8* data_ = nullptr;
  size_t bytes_ = 0;
};

class Tables {
 public:
  bool read(const Image& image, u8* room) {
    image_ = &image;
    if (!commands_.read(reinterpret_cast<const void*>(image.header), room)) return false;
    text_ = commands_.segment("__TEXT");
    linkedit_ = commands_.segment("__LINKEDIT");
    return text_ && linkedit_ && text_->address + image.base == image.begin && text_->bytes == image.end - image.begin;
  }

  void find(const u32* offsets, u32 count, ObjcMethods* methods, uintptr_t selectors, FoundFunctions& found) const {
    const auto* starts = commands_.find<LinkeditData>(kFunctionStarts);
    if (!starts) return;
    {
      const Copy copy = copied(starts->offset, starts->bytes);
      if (copy) add_functions(copy.data(), copy.bytes(), code_end(), offsets, count, found);
    }
    if (found.count()) take_symbols(found);
    if (!found.all_named()) take_exports(found);
    if (found.all_named() || !methods) return;
    if (!methods->is_read()) methods->read(commands_, *image_, selectors);
    methods->name(found);
  }

 private:
  Copy copied(u32 offset, u64 bytes) const {
    return {place_in(*linkedit_, image_->base, offset, bytes), bytes};
  }

  // Behind the functions stand stubs and data.
  u32 code_end() const {
    const auto* sections = reinterpret_cast<const Section*>(text_ + 1);
    const u64 room = (text_->command.bytes - sizeof *text_) / sizeof *sections;
    for (u64 at = 0; at < min_of<u64>(text_->section_count, room); at++)
      if (is_name(sections[at].name, "__text"))
        return static_cast<u32>(min_of(sections[at].address + sections[at].bytes - text_->address, text_->bytes));
    return static_cast<u32>(text_->bytes);
  }

  void take_symbols(FoundFunctions& found) const {
    const auto* table = commands_.find<SymbolTable>(kSymbolTable);
    if (!table) return;
    const Copy symbols = copied(table->symbols, u64{table->symbol_count} * sizeof(Symbol));
    const uintptr_t strings = place_in(*linkedit_, image_->base, table->strings, table->string_bytes);
    if (!symbols || !strings) return;
    const auto read_name = [&](u32 at, char* name) -> size_t {
      if (at >= table->string_bytes) return 0;
      const size_t most = min_of<size_t>(table->string_bytes - at, FoundFunctions::kMostName + 1);
      if (!read_memory(reinterpret_cast<const void*>(strings + at), name, most)) return 0;
      for (size_t bytes = 0; bytes < most; bytes++)
        if (!name[bytes]) return bytes;
      return 0;
    };
    const auto* all = reinterpret_cast<const Symbol*>(symbols.data());
    name_by_symbols(all, table->symbol_count, text_->address, found, read_name);
  }

  void take_exports(FoundFunctions& found) const {
    u32 offset = 0, bytes = 0;
    if (const auto* exports = commands_.find<LinkeditData>(kExportsTrie)) {
      offset = exports->offset;
      bytes = exports->bytes;
    } else {
      const auto* info = commands_.find<LoaderInfo>(kOnlyLoaderInfo);
      if (!info) info = commands_.find<LoaderInfo>(kLoaderInfo);
      if (!info) return;
      offset = info->exports;
      bytes = info->export_bytes;
    }
    const Copy trie = copied(offset, bytes);
    if (trie) name_by_exports(trie.data(), trie.bytes(), found);
  }

  const Image* image_ = nullptr;
  LoadCommands commands_;
  const Segment* text_ = nullptr;
  const Segment* linkedit_ = nullptr;
};

}  // namespace

void find_functions(const Image& image, const uintptr_t* addresses, u32 count, ObjcMethods* methods,
                    uintptr_t selectors, FoundFunctions& found) {
  auto* room = static_cast<u8*>(map_pages(LoadCommands::kBytes));
  auto* offsets = map_array<u32>(count);
  Tables tables;
  if (room && offsets && image.end - image.begin <= 0xffffffff && tables.read(image, room)) {
    for (u32 at = 0; at < count; at++) offsets[at] = static_cast<u32>(addresses[at] - image.begin);
    tables.find(offsets, count, methods, selectors, found);
  }
  unmap_array(offsets, count);
  if (room) unmap_pages(room, LoadCommands::kBytes);
}

}  // namespace btrace::macho
