#include "os/linux/elf.h"

#include "base/libc.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "os/file.h"
#include "os/linux/mapped_file.h"

namespace btrace {

namespace {

using elf::Header;
using elf::Section;
using elf::Symbol;

struct Search {
  const char* name;
  char path[1024];
  uintptr_t headers;  // in the first of its pages
  uintptr_t base;
  bool found;
};

int visit(const elf::LoadedObject* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!object->path || !elf::is_named(object->path, search.name)) return 0;
  if (strlen(object->path) >= sizeof search.path) return 0;
  memcpy(search.path, object->path, strlen(object->path) + 1);
  search.headers = reinterpret_cast<uintptr_t>(object->headers);
  search.base = object->base;
  search.found = true;
  return 1;
}

struct Own {
  char* path;
  size_t size;
  uintptr_t base;
};

int look_for_own(const elf::LoadedObject* object, size_t, void* data) {
  auto& own = *static_cast<Own*>(data);
  const auto here = reinterpret_cast<uintptr_t>(&look_for_own);
  // The nearest below: libraries do not overlap.
  if (!object->path || object->base > here || object->base < own.base) return 0;
  const size_t length = strlen(object->path);
  if (length >= own.size) return 0;
  own.base = object->base;
  memcpy(own.path, object->path, length + 1);
  return 0;
}

bool is_loaded(const elf::LoadedObject& object, const elf::ProgramHeader& part) {
  for (u16 i = 0; i < object.header_count; i++) {
    const elf::ProgramHeader& header = object.headers[i];
    if (header.type == elf::kLoadedSegment && part.address >= header.address && part.size <= header.size &&
        part.address - header.address <= header.size - part.size)
      return true;
  }
  return false;
}

// Notes are {size of the name, size of what it says, type}, then both, each filled up to four bytes.
BuildId find_build_id(const u8* at, size_t size) {
  constexpr u32 kBuildIdNote = 3;
  auto filled = [](u32 bytes) { return (size_t{bytes} + 3) & ~size_t{3}; };
  while (size >= 12) {
    u32 head[3];
    memcpy(head, at, sizeof head);
    size_t name = filled(head[0]), said = filled(head[1]);
    if (name < head[0] || name > size - 12 || said < head[1] || said > size - 12 - name) break;
    if (head[2] == kBuildIdNote && head[0] == 4 && memcmp(at + 12, "GNU", 4) == 0) return {at + 12 + name, head[1]};
    at += 12 + name + said;
    size -= 12 + name + said;
  }
  return {nullptr, 0};
}

i64 file_size(long fd) {
  constexpr long kFromEnd = 2;
  return sys::call(sys::kLseek, fd, 0, kFromEnd);
}

}  // namespace

bool find_own_file(char* path, size_t size) {
  Own own{path, size, 0};
  path[0] = 0;
  libc::each_object(look_for_own, &own);
  if (path[0] && path[0] != '/') mapped_file(reinterpret_cast<uintptr_t>(&look_for_own), path, size);
  constexpr long kAtCwd = -100;
  char to[1024];
  const long length =
      sys::call(sys::kReadlinkat, kAtCwd, reinterpret_cast<long>(path), reinterpret_cast<long>(to), sizeof to - 1);
  if (!sys::failed(length) && length > 0 && to[0] == '/' && static_cast<size_t>(length) < size) {
    memcpy(path, to, static_cast<size_t>(length));
    path[length] = 0;
  }
  return path[0] != 0;
}

BuildId build_id_of(const elf::LoadedObject& object) {
  for (u16 i = 0; i < object.header_count; i++) {
    const elf::ProgramHeader& header = object.headers[i];
    if (header.type != elf::kNoteSegment || !is_loaded(object, header)) continue;
    BuildId id = find_build_id(reinterpret_cast<const u8*>(object.base + header.address), header.size);
    if (id.size) return id;
  }
  return {nullptr, 0};
}

bool Library::open(const char* name) {
  Search search{name, {}, 0, 0, false};
  libc::each_object(visit, &search);
  if (!search.found) return false;
  if (search.path[0] != '/' && !mapped_file(search.headers, search.path, sizeof search.path)) return false;
  constexpr long kRead = 1, kPrivate = 2;
  const int fd = open_to_read(search.path);
  if (sys::failed(fd)) return false;
  i64 size = file_size(fd);
  long at = size > 0 ? sys::call(sys::kMmap, 0, static_cast<long>(size), kRead, kPrivate, fd, 0) : -1;
  sys::close(fd);
  if (sys::failed(at)) return false;
  file_ = reinterpret_cast<const u8*>(at);
  size_ = static_cast<size_t>(size);
  base_ = search.base;
  static constexpr u8 kMagic[] = {0x7f, 'E', 'L', 'F'};
  if (size_ >= sizeof(Header) && memcmp(file_, kMagic, sizeof kMagic) == 0) return true;
  close();
  return false;
}

void Library::close() {
  unmap_pages(const_cast<u8*>(file_), size_);
  file_ = nullptr;
  size_ = 0;
}

void* Library::symbol(const char* name) const {
  auto* header = reinterpret_cast<const Header*>(file_);
  if (!file_ || header->section_size != sizeof(Section)) return nullptr;
  if (header->section_offset > size_ ||
      size_t{header->section_count} * sizeof(Section) > size_ - header->section_offset)
    return nullptr;
  auto* sections = reinterpret_cast<const Section*>(file_ + header->section_offset);
  for (u32 i = 0; i < header->section_count; i++) {
    const Section& table = sections[i];
    if ((table.type != elf::kSymbolTable && table.type != elf::kDynamicSymbols) || table.link >= header->section_count)
      continue;
    const Section& strings = sections[table.link];
    if (table.offset > size_ || table.size > size_ - table.offset || strings.offset > size_ ||
        strings.size > size_ - strings.offset || !strings.size)
      continue;
    auto* texts = reinterpret_cast<const char*>(file_ + strings.offset);
    if (texts[strings.size - 1] != 0) continue;
    auto* symbols = reinterpret_cast<const Symbol*>(file_ + table.offset);
    for (size_t at = 0; at < table.size / sizeof(Symbol); at++) {
      const Symbol& symbol = symbols[at];
      if (symbol.value && symbol.section != elf::kUndefined && symbol.name < strings.size &&
          strcmp(texts + symbol.name, name) == 0)
        return reinterpret_cast<void*>(base_ + symbol.value);
    }
  }
  return nullptr;
}

}  // namespace btrace
