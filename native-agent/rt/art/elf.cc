#include "rt/art/elf.h"

#include "base/libc.h"

namespace btrace::art {

namespace {

using elf::DynamicEntry;
using elf::LoadedObject;
using elf::Symbol;

constexpr intptr_t kDynamicEnd = 0, kStringTable = 5, kSymbolTable = 6, kGnuHash = 0x6ffffef5;

struct Wanted {
  const char* name;
  const char* path;
  u8* base;
  const void* dynamic;
  BuildId build_id;
  const elf::ProgramHeader* headers;
  u16 header_count;
};

int look(const LoadedObject* object, size_t, void* data) {
  auto& wanted = *static_cast<Wanted*>(data);
  if (!object->path || !elf::is_named(object->path, wanted.name)) return 0;
  wanted.path = object->path;
  wanted.base = reinterpret_cast<u8*>(object->base);
  wanted.headers = object->headers;
  wanted.header_count = object->header_count;
  wanted.build_id = build_id_of(*object);
  for (u16 i = 0; i < object->header_count; i++) {
    const elf::ProgramHeader& header = object->headers[i];
    if (header.type == elf::kDynamicSegment) wanted.dynamic = wanted.base + header.address;
  }
  return 1;
}

u32 gnu_hash_of(const char* name) {
  u32 hash = 5381;
  for (; *name; name++) hash = hash * 33 + static_cast<u8>(*name);
  return hash;
}

}  // namespace

bool LoadedLibrary::find(const char* name) {
  Wanted wanted{name, nullptr, nullptr, nullptr, {}, nullptr, 0};
  if (!libc::each_object(look, &wanted) || !wanted.dynamic) return false;
  path_ = wanted.path;
  base_ = wanted.base;
  build_id_ = wanted.build_id;
  headers_ = wanted.headers;
  header_count_ = wanted.header_count;
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

void* LoadedLibrary::code_at(uintptr_t value) const {
  for (u16 i = 0; i < header_count_; i++) {
    const elf::ProgramHeader& header = headers_[i];
    if (header.type == elf::kLoadedSegment && header.flags & elf::kExecutable && value >= header.address &&
        value - header.address < header.size)
      return base_ + value;
  }
  return nullptr;
}

Image LoadedLibrary::image() const {
  uintptr_t end = 0;
  for (u16 i = 0; i < header_count_; i++)
    if (headers_[i].type == elf::kLoadedSegment) end = max_of(end, headers_[i].address + headers_[i].size);
  return {base_, base_ + end};
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
    if ((chain | 1) == (hash | 1) && symbol.section != elf::kUndefined && strcmp(strings_ + symbol.name, name) == 0)
      return base_ + symbol.value;
    if (chain & 1) return nullptr;
  }
  return nullptr;
}

}  // namespace btrace::art
