#include "os/imports.h"

#include "base/atomic.h"
#include "base/libc.h"
#include "base/pages.h"
#include "os/darwin/libsystem.h"
#include "os/darwin/load_commands.h"
#include "os/machine.h"

namespace btrace {

namespace {

Atomic<u64> g_added;

// dyld calls it once for each image that is there already.
void count_added(const void*, intptr_t) {
  g_added.add_relaxed(1);
}

bool begins_with(const char* text, const char* beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

// The system's libraries call each other without pointers that could be redirected.
bool is_of_system(const char* path) {
  return begins_with(path, "/usr/lib/") || begins_with(path, "/System/");
}

bool is_library(const char* path, const char* library) {
  const char* name = path;
  for (const char* at = path; *at; at++)
    if (*at == '/') name = at + 1;
  return begins_with(name, library);
}

struct PointerPart {
  void** begin;
  u64 count;
  const u32* symbols;  // of the first pointer on: numbers in the image's symbol table
  bool is_read_only;
};

// An image's tables, as far as they lie in what is loaded of it.
class ImportTables {
 public:
  bool read(const void* header, intptr_t slide, u8* room) {
    if (!commands_.read(header, room)) return false;
    slide_ = static_cast<uintptr_t>(slide);
    const macho::Segment* text = commands_.segment("__TEXT");
    const macho::Segment* linkedit = commands_.segment("__LINKEDIT");
    const auto* symbols = commands_.find<macho::SymbolTable>(macho::kSymbolTable);
    const auto* dynamic = commands_.find<macho::DynamicSymbolTable>(macho::kDynamicSymbolTable);
    if (!text || !linkedit || !symbols || !dynamic) return false;
    text_begin_ = text->address + slide_;
    text_end_ = text_begin_ + text->bytes;
    return find(*linkedit, symbols->symbols, symbols->symbol_count, symbols_, symbol_count_) &&
           find(*linkedit, symbols->strings, symbols->string_bytes, strings_, string_bytes_) &&
           find(*linkedit, dynamic->indirect, dynamic->indirect_count, indirect_, indirect_count_);
  }

  bool holds_code(const void* address) const {
    return reinterpret_cast<uintptr_t>(address) - text_begin_ < text_end_ - text_begin_;
  }

  template <class Visit>
  void each_part(Visit visit) const {
    commands_.each([&](const macho::Command& command) {
      if (command.kind != macho::kSegment || command.bytes < sizeof(macho::Segment)) return true;
      const auto& segment = reinterpret_cast<const macho::Segment&>(command);
      const auto* sections = reinterpret_cast<const macho::Section*>(&segment + 1);
      const u64 room = (command.bytes - sizeof segment) / sizeof *sections;
      for (u64 number = 0; number < min_of<u64>(segment.section_count, room); number++) {
        const macho::Section& section = sections[number];
        const u32 kind = section.flags & macho::kSectionKind;
        if (kind != macho::kPointers && kind != macho::kLazyPointers) continue;
        const u64 count = section.bytes / sizeof(void*);
        if (section.first_indirect > indirect_count_ || count > indirect_count_ - section.first_indirect) continue;
        visit(PointerPart{reinterpret_cast<void**>(section.address + slide_), count, indirect_ + section.first_indirect,
                          (segment.flags & macho::kReadOnlyAfterBinding) != 0});
      }
      return true;
    });
  }

  // Whether the symbol of this number is the C function `name`.
  bool names(u32 number, const char* name) const {
    if (number & macho::kLocalOrAbsolute || number >= symbol_count_) return false;
    const u32 at = symbols_[number].name;
    const size_t length = strlen(name);
    return at < string_bytes_ && string_bytes_ - at > length + 1 && strings_[at] == '_' &&
           memcmp(strings_ + at + 1, name, length + 1) == 0;
  }

 private:
  template <class T>
  bool find(const macho::Segment& linkedit, u32 offset, u32 count, const T*& at, u32& count_there) const {
    at = reinterpret_cast<const T*>(macho::place_in(linkedit, slide_, offset, u64{count} * sizeof(T)));
    count_there = count;
    return at != nullptr;
  }

  macho::LoadCommands commands_;
  uintptr_t slide_ = 0, text_begin_ = 0, text_end_ = 0;
  const macho::Symbol* symbols_ = nullptr;
  const char* strings_ = nullptr;
  const u32* indirect_ = nullptr;
  u32 symbol_count_ = 0, string_bytes_ = 0, indirect_count_ = 0;
};

// Only if `expected` is there now. What is read-only after binding is made so again.
bool replace(void** place, void* expected, void* value, bool is_read_only) {
  const auto at = reinterpret_cast<uintptr_t>(place);
  void* there = nullptr;
  if (!read_memory(place, &there, sizeof there) || there != expected) return false;
  const int access = darwin::kReadable | darwin::kWritable | (is_read_only ? darwin::kCopied : 0);
  if (is_read_only && darwin::vm_protect(darwin::mach_task_self_, at, sizeof *place, 0, access)) return false;
  const bool is_ours =
      __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  if (is_read_only) darwin::vm_protect(darwin::mach_task_self_, at, sizeof *place, 0, darwin::kReadable);
  return is_ours;
}

// Of a pointer that was redirected: its image says so.
bool is_read_only(void** place) {
  bool found = false;
  auto* room = static_cast<u8*>(map_pages(macho::LoadCommands::kBytes));
  for (u32 number = 0, images = darwin::_dyld_image_count(); room && !found && number < images; number++) {
    ImportTables tables;
    const char* path = darwin::_dyld_get_image_name(number);
    if (!path || is_of_system(path)) continue;
    if (!tables.read(darwin::_dyld_get_image_header(number), darwin::_dyld_get_image_vmaddr_slide(number), room)) continue;
    tables.each_part([&](const PointerPart& part) {
      if (place >= part.begin && place < part.begin + part.count) found = part.is_read_only;
    });
  }
  unmap_pages(room, macho::LoadCommands::kBytes);
  return found;
}

}  // namespace

void* imported_function(const char* name) {
  return libc::symbol(name);
}

u64 loaded_images() {
  static Atomic<u32> is_registered;
  if (!is_registered.exchange(1)) darwin::_dyld_register_func_for_add_image(count_added);
  return g_added.load_relaxed();
}

bool Imports::init() {
  if (!pointers_) pointers_ = map_array<Pointer>(kPointers);
  return pointers_ != nullptr;
}

void Imports::release() {
  unmap_array(pointers_, kPointers);
  count_ = 0;
}

bool Imports::remember(void** place, void* before, void* replacement) {
  if (count_ == kPointers) return false;
  pointers_[count_++] = {place, before, replacement};
  return true;
}

// Calls are counted on Linux alone.
Imports::Calls Imports::bind_calls(Redirection, void*, const char*) {
  return {};
}

Imports::Count Imports::bind(const char* library, const Import& import, const char* except) {
  Count count{};
  auto* room = static_cast<u8*>(map_pages(macho::LoadCommands::kBytes));
  if (!room) return count;
  for (u32 number = 0, images = darwin::_dyld_image_count(); number < images; number++) {
    const char* path = darwin::_dyld_get_image_name(number);
    if (!path || is_of_system(path) || (library && !is_library(path, library)) || (except && is_library(path, except)))
      continue;
    ImportTables tables;
    if (!tables.read(darwin::_dyld_get_image_header(number), darwin::_dyld_get_image_vmaddr_slide(number), room)) continue;
    if (tables.holds_code(reinterpret_cast<const void*>(&loaded_images))) continue;
    tables.each_part([&](const PointerPart& part) {
      for (u64 at = 0; at < part.count; at++) {
        if (!tables.names(part.symbols[at], import.name)) continue;
        void* there = part.begin[at];
        if (there == import.replacement) {
          count.bound++;
          continue;
        }
        // One that is bound at its first call leads into the image until then.
        const bool is_known = there == import.original || tables.holds_code(there);
        if (is_known && count_ < kPointers && replace(part.begin + at, there, import.replacement, part.is_read_only) &&
            remember(part.begin + at, import.original, import.replacement))
          count.bound++;
        else
          count.refused++;
      }
    });
  }
  unmap_pages(room, macho::LoadCommands::kBytes);
  return count;
}

u32 Imports::undo() {
  u32 left = 0;
  for (u32 at = 0; at < count_; at++) {
    const Pointer& pointer = pointers_[at];
    void* there = nullptr;
    if (!read_memory(pointer.place, &there, sizeof there)) continue;  // its image was unloaded
    if (!replace(pointer.place, pointer.replacement, pointer.before, is_read_only(pointer.place))) left++;
  }
  count_ = 0;
  return left;
}

}  // namespace btrace
