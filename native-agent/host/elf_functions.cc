#include "host/elf_functions.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"

namespace btrace::host {

namespace {

constexpr u16 kHiddenVersion = 0x8000;  // one that only programs linked long ago ask for

}  // namespace

ElfFunctions::ElfFunctions(const std::string& path) {
  const int fd = open_to_read(path.c_str());
  if (fd < 0) return;
  struct stat found{};
  if (!fstat(fd, &found) && S_ISREG(found.st_mode) && found.st_size > static_cast<off_t>(sizeof(Elf64_Ehdr))) {
    size_ = static_cast<size_t>(found.st_size);
    void* map = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map != MAP_FAILED) bytes_ = static_cast<const u8*>(map);
  }
  close(fd);
  if (bytes_) read();
}

ElfFunctions::~ElfFunctions() {
  if (bytes_) munmap(const_cast<u8*>(bytes_), size_);
}

template <class T>
const T* ElfFunctions::at(u64 offset, u64 count) const {
  if (offset % alignof(T) || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
  return reinterpret_cast<const T*>(bytes_ + offset);
}

void ElfFunctions::read() {
  const Elf64_Ehdr* head = at<Elf64_Ehdr>(0);
  if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64) return;
  machine_ = head->e_machine;
  if (const Elf64_Phdr* segments = at<Elf64_Phdr>(head->e_phoff, head->e_phnum))
    for (u32 i = 0; i < head->e_phnum; i++) {
      has_interpreter_ |= segments[i].p_type == PT_INTERP;
      if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X &&
          at<u8>(segments[i].p_offset, segments[i].p_filesz))
        code_.push_back(segments[i]);
    }
  sections_ = at<Elf64_Shdr>(head->e_shoff, head->e_shnum);
  if (!sections_) return;
  section_count_ = head->e_shnum;
  if (head->e_shstrndx < section_count_) {
    const Elf64_Shdr& names = sections_[head->e_shstrndx];
    section_names_ = at<char>(names.sh_offset, names.sh_size);
    section_name_bytes_ = section_names_ ? names.sh_size : 0;
  }
  for (const u32 wanted : {u32{SHT_DYNSYM}, u32{SHT_SYMTAB}})
    for (size_t i = 0; i < section_count_; i++) {
      const Elf64_Shdr& section = sections_[i];
      if (section.sh_type != wanted || section.sh_link >= section_count_) continue;
      const Elf64_Shdr& names = sections_[section.sh_link];
      Symbols table{};
      table.count = section.sh_size / sizeof(Elf64_Sym);
      table.first = at<Elf64_Sym>(section.sh_offset, table.count);
      table.names = at<char>(names.sh_offset, names.sh_size);
      table.name_bytes = names.sh_size;
      if (!table.first || !table.names) continue;
      if (wanted == SHT_DYNSYM) {
        has_dynamic_ = true;
        for (size_t k = 0; k < section_count_; k++)
          if (sections_[k].sh_type == SHT_GNU_versym && sections_[k].sh_link == i)
            table.versions = at<u16>(sections_[k].sh_offset, table.count);
      }
      tables_.push_back(table);
      break;
    }
}

const char* ElfFunctions::name_of(const Symbols& table, const Elf64_Sym& symbol) const {
  if (symbol.st_name >= table.name_bytes) return "";
  const char* name = table.names + symbol.st_name;
  return memchr(name, 0, table.name_bytes - symbol.st_name) ? name : "";
}

bool ElfFunctions::has_section(const char* name) const {
  for (size_t i = 0; i < section_count_; i++) {
    const u64 from = sections_[i].sh_name, size = strlen(name) + 1;
    if (from < section_name_bytes_ && section_name_bytes_ - from >= size && !memcmp(section_names_ + from, name, size))
      return true;
  }
  return false;
}

u64 ElfFunctions::exported(const char* name, u64* size) const {
  if (!has_dynamic_) return 0;
  const Symbols& table = tables_[0];
  for (size_t i = 0; i < table.count; i++) {
    const Elf64_Sym& symbol = table.first[i];
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_value) continue;
    if (table.versions && table.versions[i] & kHiddenVersion) continue;
    if (strcmp(name_of(table, symbol), name)) continue;
    if (size) *size = symbol.st_size;
    return symbol.st_value;
  }
  return 0;
}

std::vector<ElfFunctions::Range> ElfFunctions::ranges_of(const std::set<std::string_view>& names) const {
  std::vector<Range> found;
  for (const Symbols& table : tables_)
    for (size_t i = 0; i < table.count; i++) {
      const Elf64_Sym& symbol = table.first[i];
      const u32 type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
      if (names.count(name_of(table, symbol))) found.push_back({symbol.st_value, symbol.st_value + symbol.st_size});
    }
  return found;
}

const u8* ElfFunctions::code_at(u64 value, size_t size) const {
  for (const Elf64_Phdr& segment : code_)
    if (value >= segment.p_vaddr && value - segment.p_vaddr <= segment.p_filesz &&
        segment.p_filesz - (value - segment.p_vaddr) >= size)
      return bytes_ + segment.p_offset + (value - segment.p_vaddr);
  return nullptr;
}

u64 ElfFunctions::find_code(const u8* wanted, size_t size) const {
  for (const Elf64_Phdr& segment : code_) {
    const u8* from = bytes_ + segment.p_offset;
    if (const void* found = memmem(from, segment.p_filesz, wanted, size))
      return segment.p_vaddr + static_cast<u64>(static_cast<const u8*>(found) - from);
  }
  return 0;
}

}  // namespace btrace::host
