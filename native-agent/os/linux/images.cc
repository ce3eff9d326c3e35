#include "os/images.h"

#include "base/libc.h"
#include "base/clock.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "os/linux/elf.h"
#include "os/linux/mapped_file.h"

namespace btrace {

namespace {

// The path of the program itself, which the loader calls by no name. Stays empty if /proc does not tell it: qemu's does
// not, once a program that was started by a relative path has changed its folder.
void own_path(char* path) {
  constexpr long kAtCwd = -100;
  static constexpr char kSelf[] = "/proc/self/exe";
  long length = sys::call(sys::kReadlinkat, kAtCwd, reinterpret_cast<long>(kSelf), reinterpret_cast<long>(path),
                          Image::kPath - 1);
  if (!sys::failed(length)) path[length] = 0;
}

bool has_folder(const char* name) {
  while (*name && *name != '/') name++;
  return *name;
}

bool describe(Image& image, const elf::LoadedObject& object) {
  image.base = object.base;
  image.begin = UINTPTR_MAX;
  for (u32 i = 0; i < object.header_count; i++) {
    const elf::ProgramHeader& header = object.headers[i];
    if (header.type == elf::kUnwindSegment) {
      image.unwind.begin = object.base + header.address;
      image.unwind.bytes = header.size;
    }
    if (header.type != elf::kLoadedSegment) continue;
    image.begin = min_of(image.begin, object.base + header.address);
    image.end = max_of(image.end, object.base + header.address + header.size);
  }
  if (image.begin >= image.end) return false;
  for (u32 i = 0; i < object.header_count; i++) {
    const elf::ProgramHeader& header = object.headers[i];
    const uintptr_t begin = object.base + header.address;
    const bool is_read = header.type == elf::kLoadedSegment && header.flags & elf::kReadable;
    if (is_read && image.unwind.begin - begin < header.size) {
      image.unwind.segment_begin = begin;
      image.unwind.segment_end = begin + header.size;
    }
  }
  const BuildId id = build_id_of(object);
  if (id.size && id.size <= Image::kBuildId) {
    memcpy(image.build_id, id.bytes, id.size);
    image.build_id_size = id.size;
  }
  const char* name = object.path ? object.path : "";
  const size_t length = strlen(name);
  if (length >= Image::kPath) return false;
  memcpy(image.path, name, length);
  if (!length) own_path(image.path);
  // Where such a name leads, the folder of the program decides, and it may have another one by now. What has no folder
  // in its name has no file: `linux-vdso.so.1`.
  const bool leads_elsewhere = image.path[0] != '/' && (!length || has_folder(name));
  if (char path[Image::kPath]; leads_elsewhere && mapped_file(image.begin, path, sizeof path))
    memcpy(image.path, path, sizeof path);
  return true;
}

}  // namespace

bool Images::init() {
  c_library_ = reinterpret_cast<uintptr_t>(&libc::clock_gettime);
  images_ = map_array<Image>(kImages);
  ranges_ = map_array<Range>(kImages);
  return images_ && ranges_;
}

void Images::refresh() {
  auto take = [](const elf::LoadedObject* object, size_t, void* self) {
    Image image{};
    if (describe(image, *object)) static_cast<Images*>(self)->add(image);
    return 0;
  };
  libc::each_object<elf::LoadedObject>(take, this);
}

}  // namespace btrace
