#pragma once
// Names, files and line tables out of a dex file as it lies in memory (the format is Android's published one). Every
// offset is checked against the file's size: a damaged file gives no name, never a fault.
#include "base/types.h"
#include "core/runtime.h"

namespace btrace::art {

class DexFile {
 public:
  // Standard dex, and compact dex (Android 9 to 13, in vdex files), whose lines are not read. False: neither.
  bool open(const u8* begin);

  struct Method {
    const char* name;
    u32 class_index;  // of the type that the method id names
    u32 proto_index;
  };
  bool method(u32 index, Method& method) const;
  // "(ILjava/lang/String;)V"; false when it does not fit.
  bool signature(u32 proto_index, char* to, size_t size) const;
  // "Lcom/example/Shop;", nullptr when there is none.
  const char* type(u32 index) const;
  // Where a type is defined, among this file's classes; kNone when it is not.
  static constexpr u32 kNone = 0xffffffff;
  u32 class_def(u32 type_index) const;
  const char* source_file(u32 class_def) const;
  // The line table of a method of `class_def`; native and abstract ones have none. At most `limit` entries, by
  // position.
  u32 lines(u32 class_def, u32 method_index, LineEntry* entries, u32 limit) const;

 private:
  struct Table {
    u32 size;
    u32 offset;
  };
  const u8* at(u64 offset, u64 bytes) const { return offset + bytes <= size_ ? begin_ + offset : nullptr; }
  const u8* item(const Table& table, u32 index, u32 bytes) const;
  // Of what the tables point to: in compact dex it lies in a section of its own, which several files may share.
  const u8* data(u64 offset, u64 bytes) const { return offset + bytes <= data_size_ ? data_ + offset : nullptr; }
  const char* text(u32 string_index) const;
  u32 code_offset(u32 class_def, u32 method_index) const;
  u32 read_lines(u32 debug_offset, LineEntry* entries, u32 limit) const;

  const u8* begin_ = nullptr;
  u32 size_ = 0;
  const u8* data_ = nullptr;
  u32 data_size_ = 0;
  bool compact_ = false;
  Table strings_{}, types_{}, protos_{}, methods_{}, class_defs_{};
};

}  // namespace btrace::art
