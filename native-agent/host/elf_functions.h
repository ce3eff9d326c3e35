#pragma once
// The functions that an ELF file's own tables name, and its bytes as they are loaded. Nothing in the file is trusted.
#include <elf.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace btrace::host {

class ElfFunctions {
 public:
  explicit ElfFunctions(const std::string& path);
  ~ElfFunctions();
  ElfFunctions(const ElfFunctions&) = delete;
  ElfFunctions& operator=(const ElfFunctions&) = delete;

  bool is_open() const { return bytes_ != nullptr; }
  // EM_X86_64 and the like; EM_NONE: it is no file for 64 bits.
  u16 machine() const { return machine_; }
  // Whether it names a dynamic linker.
  bool has_interpreter() const { return has_interpreter_; }
  bool has_section(const char* name) const;
  // Where the function that the dynamic linker would find begins; 0: it exports none of that name. An address is that
  // plus where the file was loaded.
  u64 exported(const char* name, u64* size = nullptr) const;
  struct Range {
    u64 begin, end;
  };
  // Where the functions of these names lie, by all tables.
  std::vector<Range> ranges_of(const std::set<std::string_view>& names) const;
  // What is loaded there from the file's code; null where that has less.
  const u8* code_at(u64 value, size_t size) const;
  // Where these bytes stand in its code; 0: nowhere.
  u64 find_code(const u8* wanted, size_t size) const;

 private:
  struct Symbols {
    const Elf64_Sym* first;
    size_t count;
    const char* names;
    size_t name_bytes;
    const u16* versions;  // null: it has none
  };
  template <class T>
  const T* at(u64 offset, u64 count = 1) const;
  void read();
  const char* name_of(const Symbols& table, const Elf64_Sym& symbol) const;

  const u8* bytes_ = nullptr;
  size_t size_ = 0;
  u16 machine_ = EM_NONE;
  bool has_interpreter_ = false;
  std::vector<Elf64_Phdr> code_;
  std::vector<Symbols> tables_;  // the dynamic one first, if there is one
  bool has_dynamic_ = false;
  const Elf64_Shdr* sections_ = nullptr;
  size_t section_count_ = 0;
  const char* section_names_ = nullptr;
  size_t section_name_bytes_ = 0;
};

}  // namespace btrace::host
