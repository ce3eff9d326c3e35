#include "os/linux/elf.h"

#include <elf.h>
#include <link.h>

#include "base/libc.h"
#include "base/pages.h"
#include "base/syscall.h"

namespace btrace {

namespace {

using Header = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

struct Search {
  const char* name;
  char path[1024];
  uintptr_t base;
  bool found;
};

bool ends_with(const char* text, const char* end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

int visit(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!info->dlpi_name || !ends_with(info->dlpi_name, search.name)) return 0;
  if (strlen(info->dlpi_name) >= sizeof search.path) return 0;
  memcpy(search.path, info->dlpi_name, strlen(info->dlpi_name) + 1);
  search.base = info->dlpi_addr;
  search.found = true;
  return 1;
}

i64 file_size(long fd) {
  constexpr long kFromEnd = 2;
  return sys::call(sys::kLseek, fd, 0, kFromEnd);
}

}  // namespace

bool Library::open(const char* name) {
  Search search{name, {}, 0, false};
  dl_iterate_phdr(visit, &search);
  if (!search.found) return false;
  constexpr long kAtCwd = -100, kCloexec = 02000000, kRead = 1, kPrivate = 2;
  long fd = sys::call(sys::kOpenat, kAtCwd, reinterpret_cast<long>(search.path), kCloexec);
  if (sys::failed(fd)) return false;
  i64 size = file_size(fd);
  long at = size > 0 ? sys::call(sys::kMmap, 0, static_cast<long>(size), kRead, kPrivate, fd, 0) : -1;
  sys::close(static_cast<int>(fd));
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
  if (!file_ || header->e_shentsize != sizeof(Section)) return nullptr;
  if (header->e_shoff > size_ || size_t{header->e_shnum} * sizeof(Section) > size_ - header->e_shoff) return nullptr;
  auto* sections = reinterpret_cast<const Section*>(file_ + header->e_shoff);
  for (u32 i = 0; i < header->e_shnum; i++) {
    const Section& table = sections[i];
    if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) || table.sh_link >= header->e_shnum) continue;
    const Section& strings = sections[table.sh_link];
    if (table.sh_offset > size_ || table.sh_size > size_ - table.sh_offset || strings.sh_offset > size_ ||
        strings.sh_size > size_ - strings.sh_offset || !strings.sh_size)
      continue;
    auto* texts = reinterpret_cast<const char*>(file_ + strings.sh_offset);
    if (texts[strings.sh_size - 1] != 0) continue;
    auto* symbols = reinterpret_cast<const Symbol*>(file_ + table.sh_offset);
    for (size_t at = 0; at < table.sh_size / sizeof(Symbol); at++) {
      const Symbol& symbol = symbols[at];
      if (symbol.st_value && symbol.st_shndx != SHN_UNDEF && symbol.st_name < strings.sh_size &&
          strcmp(texts + symbol.st_name, name) == 0)
        return reinterpret_cast<void*>(base_ + symbol.st_value);
    }
  }
  return nullptr;
}

}  // namespace btrace
