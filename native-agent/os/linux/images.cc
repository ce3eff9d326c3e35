#include "os/linux/images.h"

#include "base/libc.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "os/linux/elf.h"

namespace btrace {

namespace {

// The path of the program itself, which the loader calls by no name.
bool own_path(char* path) {
  constexpr long kAtCwd = -100;
  static constexpr char kSelf[] = "/proc/self/exe";
  long length = sys::call(sys::kReadlinkat, kAtCwd, reinterpret_cast<long>(kSelf), reinterpret_cast<long>(path),
                          Image::kPath - 1);
  if (sys::failed(length)) return false;
  path[length] = 0;
  return true;
}

bool describe(Image& image, const elf::LoadedObject& object) {
  image.base = object.base;
  image.begin = UINTPTR_MAX;
  for (u32 i = 0; i < object.header_count; i++) {
    const elf::ProgramHeader& header = object.headers[i];
    if (header.type == elf::kUnwindSegment) image.unwind = {object.base + header.address, header.size};
    if (header.type != elf::kLoadedSegment) continue;
    image.begin = min_of(image.begin, object.base + header.address);
    image.end = max_of(image.end, object.base + header.address + header.size);
  }
  if (image.begin >= image.end) return false;
  const BuildId id = build_id_of(object);
  if (id.size && id.size <= Image::kBuildId) {
    memcpy(image.build_id, id.bytes, id.size);
    image.build_id_size = id.size;
  }
  if (!object.path || !object.path[0]) return own_path(image.path);
  size_t length = strlen(object.path);
  if (length >= Image::kPath) return false;
  memcpy(image.path, object.path, length);
  return true;
}

}  // namespace

bool Images::init() {
  images_ = map_array<Image>(kImages);
  ranges_ = map_array<Range>(kImages);
  return images_ && ranges_;
}

void Images::release() {
  unmap_array(images_, kImages);
  unmap_array(ranges_, kImages);
}

void Images::refresh() {
  auto take = [](const elf::LoadedObject* object, size_t, void* self) {
    Image image{};
    if (describe(image, *object)) static_cast<Images*>(self)->add(image);
    return 0;
  };
  libc::each_object<elf::LoadedObject>(take, this);
}

void Images::add(const Image& image) {
  u32 count = count_.load_relaxed();
  // What lies at an address now was put there last.
  for (u32 number = count; number-- > 0;) {
    if (ranges_[number].begin >= image.end || ranges_[number].end <= image.begin) continue;
    if (images_[number].begin == image.begin && strcmp(images_[number].path, image.path) == 0) return;
    break;
  }
  if (count == kImages) return;
  images_[count] = image;
  ranges_[count] = {image.begin, image.end};
  count_.store_release(count + 1);
}

u32 Images::number_of(uintptr_t address) {
  for (u32 number = count_.load_acquire(); number-- > 0;)
    if (ranges_[number].holds(address)) return number;
  missed_.store_relaxed(1);
  return kNone;
}

}  // namespace btrace
