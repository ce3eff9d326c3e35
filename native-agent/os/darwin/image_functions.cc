#include "os/image_functions.h"

#include "base/libc.h"
#include "base/pages.h"
#include "os/darwin/function_tables.h"
#include "os/darwin/libsystem.h"

namespace btrace {

namespace {

// There is one recording at a time.
struct Kept {
  static constexpr u32 kMostImages = 256;
  static constexpr u64 kMostBytes = 8 * kMiB;
  struct OfImage {
    uintptr_t header;
    macho::ObjcMethods methods;
  };
  OfImage images[kMostImages];
  u32 count;
  bool knows_selectors;
  uintptr_t selectors;
};
Kept* g_kept;

uintptr_t find_selectors() {
  constexpr char kRuntime[] = "/libobjc.A.dylib";
  for (u32 number = 0, count = darwin::_dyld_image_count(); number < count; number++) {
    const char* path = darwin::_dyld_get_image_name(number);
    const size_t length = path ? strlen(path) : 0;
    if (length >= sizeof kRuntime && !strcmp(path + length - (sizeof kRuntime - 1), kRuntime))
      return macho::selectors_of_cache(darwin::_dyld_get_image_header(number),
                                       static_cast<uintptr_t>(darwin::_dyld_get_image_vmaddr_slide(number)));
  }
  return 0;
}

// nullptr: there is no room for another image's.
macho::ObjcMethods* methods_of(const Image& image) {
  if (!g_kept) g_kept = map_array<Kept>(1);
  if (!g_kept) return nullptr;
  if (!g_kept->knows_selectors) g_kept->selectors = find_selectors();
  g_kept->knows_selectors = true;
  for (u32 at = 0; at < g_kept->count; at++)
    if (g_kept->images[at].header == image.header) return &g_kept->images[at].methods;
  if (g_kept->count == Kept::kMostImages || images_functions_bytes() > Kept::kMostBytes) return nullptr;
  Kept::OfImage& one = g_kept->images[g_kept->count++];
  one.header = image.header;
  return &one.methods;
}

}  // namespace

void find_functions(const Image& image, const uintptr_t* addresses, u32 count, FoundFunctions& found) {
  macho::ObjcMethods* methods = methods_of(image);
  macho::find_functions(image, addresses, count, methods, methods ? g_kept->selectors : 0, found);
}

void forget_images_functions() {
  for (u32 at = 0; g_kept && at < g_kept->count; at++) g_kept->images[at].methods.release();
  unmap_array(g_kept, 1);
}

u64 images_functions_bytes() {
  u64 bytes = 0;
  for (u32 at = 0; g_kept && at < g_kept->count; at++) bytes += g_kept->images[at].methods.bytes();
  return bytes;
}

}  // namespace btrace
