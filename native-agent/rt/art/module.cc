#include "rt/art/module.h"

#include "base/libc.h"
#include "core/proto.h"
#include "os/machine.h"

namespace btrace::art {

namespace {

constexpr char kManifest[] = "apex_manifest.pb";

// How much of the path is left; 0 where it has not as many parts.
size_t without_last(const char* path, size_t length, u32 parts) {
  while (length && parts) parts -= path[--length] == '/';
  return length;
}

}  // namespace

bool read_module(const char* library, Module& module) {
  module = {};
  char path[1024];
  const size_t folder = without_last(library, strlen(library), 2);
  if (!folder || folder + 1 + sizeof kManifest > sizeof path) return false;
  memcpy(path, library, folder);
  path[folder] = '/';
  memcpy(path + folder + 1, kManifest, sizeof kManifest);
  char manifest[4096];
  const i64 size = read_small_file(path, manifest, sizeof manifest);
  if (size <= 0) return false;
  FieldReader fields(reinterpret_cast<const u8*>(manifest), static_cast<size_t>(size));
  constexpr u32 kName = 1, kVersion = 2;
  while (fields.next()) {
    if (fields.field() == kName && fields.is_bytes() && fields.size() < sizeof module.name)
      memcpy(module.name, fields.bytes(), fields.size());
    if (fields.field() == kVersion && fields.is_varint()) module.version = static_cast<u32>(fields.value());
  }
  return module.name[0] && module.version;
}

}  // namespace btrace::art
