#include "rt/art/elf.h"

#include "base/libc.h"

namespace btrace::art {

// As in <elf.h> and <link.h>, which a build without a C library's headers does not have.
struct ProgramHeader {
#if __SIZEOF_POINTER__ == 8
  u32 type, flags;
  u64 offset, virtual_address, physical_address, file_size, memory_size, alignment;
#else
  u32 type, offset, virtual_address, physical_address, file_size, memory_size, flags, alignment;
#endif
};
struct ObjectInfo {
  uintptr_t base;
  const char* file;
  const ProgramHeader* headers;
  u16 header_count;
};
struct DynamicEntry {
  intptr_t tag;
  uintptr_t value;
};
struct Symbol {
#if __SIZEOF_POINTER__ == 8
  u32 name;
  u8 info, other;
  u16 section;
  u64 value, size;
#else
  u32 name, value, size;
  u8 info, other;
  u16 section;
#endif
};
constexpr u32 kDynamicSegment = 2;
constexpr intptr_t kDynamicEnd = 0, kStringTable = 5, kSymbolTable = 6, kGnuHash = 0x6ffffef5;
constexpr u16 kUndefinedSection = 0;

int iterate_objects(int (*look)(ObjectInfo* info, size_t size, void* data), void* data) asm("dl_iterate_phdr");

namespace {

struct Wanted {
  const char* name;
  u8* base;
  const void* dynamic;
};

int look(ObjectInfo* info, size_t, void* data) {
  auto& wanted = *static_cast<Wanted*>(data);
  if (!info->file) return 0;
  const char* file = info->file;
  for (const char* at = file; *at; at++)
    if (*at == '/') file = at + 1;
  if (strncmp(file, wanted.name, strlen(wanted.name)) != 0) return 0;
  wanted.base = reinterpret_cast<u8*>(info->base);
  for (u16 i = 0; i < info->header_count; i++)
    if (info->headers[i].type == kDynamicSegment) wanted.dynamic = wanted.base + info->headers[i].virtual_address;
  return 1;
}

u32 gnu_hash_of(const char* name) {
  u32 hash = 5381;
  for (; *name; name++) hash = hash * 33 + static_cast<u8>(*name);
  return hash;
}

}  // namespace

bool LoadedLibrary::find(const char* name) {
  Wanted wanted{name, nullptr, nullptr};
  if (!iterate_objects(look, &wanted) || !wanted.dynamic) return false;
  base_ = wanted.base;
  return read_dynamic(wanted.dynamic);
}

bool LoadedLibrary::read_dynamic(const void* dynamic) {
  for (auto* entry = static_cast<const DynamicEntry*>(dynamic); entry->tag != kDynamicEnd; entry++) {
    // glibc has added the base to these already, bionic and musl have not.
    auto* at = reinterpret_cast<u8*>(entry->value);
    if (at < base_) at = base_ + entry->value;
    if (entry->tag == kSymbolTable) symbols_ = at;
    if (entry->tag == kStringTable) strings_ = reinterpret_cast<const char*>(at);
    if (entry->tag == kGnuHash) gnu_hash_ = reinterpret_cast<const u32*>(at);
  }
  return symbols_ && strings_ && gnu_hash_;
}

void* LoadedLibrary::symbol(const char* name) const {
  if (!gnu_hash_) return nullptr;
  // Header: buckets, first symbol, bloom words, bloom shift; then bloom filter (not asked here), buckets, chains.
  const u32 bucket_count = gnu_hash_[0], first = gnu_hash_[1], bloom_words = gnu_hash_[2];
  const auto* bloom = reinterpret_cast<const uintptr_t*>(gnu_hash_ + 4);
  const auto* buckets = reinterpret_cast<const u32*>(bloom + bloom_words);
  const u32* chains = buckets + bucket_count;
  if (!bucket_count) return nullptr;
  const u32 hash = gnu_hash_of(name);
  const auto* symbols = static_cast<const Symbol*>(symbols_);
  for (u32 index = buckets[hash % bucket_count]; index >= first; index++) {
    const u32 chain = chains[index - first];
    const Symbol& symbol = symbols[index];
    if ((chain | 1) == (hash | 1) && symbol.section != kUndefinedSection && strcmp(strings_ + symbol.name, name) == 0)
      return base_ + symbol.value;
    if (chain & 1) return nullptr;
  }
  return nullptr;
}

}  // namespace btrace::art
