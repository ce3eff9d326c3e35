#include "os/images.h"

#include "base/libc.h"
#include "base/clock.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "os/linux/elf.h"

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
  if (!object.path || !object.path[0]) {
    own_path(image.path);
    return true;
  }
  size_t length = strlen(object.path);
  if (length >= Image::kPath) return false;
  memcpy(image.path, object.path, length);
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
