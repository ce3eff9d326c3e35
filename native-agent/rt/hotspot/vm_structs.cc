#include "rt/hotspot/vm_structs.h"

#include "base/libc.h"

namespace btrace::hotspot {

namespace {

template <class T>
T read_at(const void* base, u64 offset) {
  T value;
  __builtin_memcpy(&value, static_cast<const u8*>(base) + offset, sizeof value);
  return value;
}

bool number(const char* symbol, u64& value) {
  const void* at = libc::symbol(symbol);
  if (at) value = read_at<u64>(at, 0);
  return at != nullptr;
}

}  // namespace

bool VmStructs::load() {
  const void* table = libc::symbol("gHotSpotVMStructs");
  if (!table || !number("gHotSpotVMStructEntryArrayStride", stride_) ||
      !number("gHotSpotVMStructEntryTypeNameOffset", type_) ||
      !number("gHotSpotVMStructEntryFieldNameOffset", field_) ||
      !number("gHotSpotVMStructEntryIsStaticOffset", is_static_) ||
      !number("gHotSpotVMStructEntryOffsetOffset", offset_) || !number("gHotSpotVMStructEntryAddressOffset", address_))
    return false;
  table_ = read_at<const u8*>(table, 0);
  return table_ != nullptr && stride_ != 0;
}

const u8* VmStructs::find(const char* type, const char* field) const {
  if (!table_) return nullptr;
  for (const u8* entry = table_;; entry += stride_) {
    const char* entry_type = read_at<const char*>(entry, type_);
    const char* entry_field = read_at<const char*>(entry, field_);
    if (!entry_type) return nullptr;
    if (entry_field && strcmp(entry_type, type) == 0 && strcmp(entry_field, field) == 0) return entry;
  }
}

i32 VmStructs::offset(const char* type, const char* field) const {
  const u8* entry = find(type, field);
  if (!entry || read_at<i32>(entry, is_static_)) return kNoOffset;
  return static_cast<i32>(read_at<u64>(entry, offset_));
}

i32 VmStructs::size_of(const char* type) const {
  const void* types = libc::symbol("gHotSpotVMTypes");
  u64 stride, name, size;
  if (!types || !number("gHotSpotVMTypeEntryArrayStride", stride) ||
      !number("gHotSpotVMTypeEntryTypeNameOffset", name) || !number("gHotSpotVMTypeEntrySizeOffset", size))
    return kNoOffset;
  for (const u8* entry = read_at<const u8*>(types, 0);; entry += stride) {
    const char* entry_name = read_at<const char*>(entry, name);
    if (!entry_name) return kNoOffset;
    if (strcmp(entry_name, type) == 0) return static_cast<i32>(read_at<u64>(entry, size));
  }
}

const void* VmStructs::address(const char* type, const char* field) const {
  const u8* entry = find(type, field);
  if (!entry || !read_at<i32>(entry, is_static_)) return nullptr;
  return read_at<const void*>(entry, address_);
}

const void* VmStructs::flag(const char* name) const {
  const void* flags = address("JVMFlag", "flags");
  const void* count = address("JVMFlag", "numFlags");
  const i32 size = size_of("JVMFlag"), to_name = offset("JVMFlag", "_name"), to_place = offset("JVMFlag", "_addr");
  if (!flags || !count || size == kNoOffset || to_name == kNoOffset || to_place == kNoOffset) return nullptr;
  const u8* flag = read_at<const u8*>(flags, 0);
  for (u64 left = read_at<u64>(count, 0); flag && left; left--, flag += size) {
    const char* own = read_at<const char*>(flag, static_cast<u64>(to_name));
    if (own && strcmp(own, name) == 0) return read_at<const void*>(flag, static_cast<u64>(to_place));
  }
  return nullptr;
}

}  // namespace btrace::hotspot
