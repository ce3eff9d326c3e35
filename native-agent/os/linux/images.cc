#include "os/linux/images.h"

#include "base/libc.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "os/linux/elf_format.h"

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

// Notes are {size of the name, size of what it says, type}, then both, each filled up to four bytes.
void take_build_id(Image& image, const u8* at, size_t size) {
  constexpr u32 kBuildIdNote = 3;
  auto filled = [](u32 bytes) { return size_t{bytes + 3} & ~size_t{3}; };
  while (size >= 12) {
    u32 head[3];
    memcpy(head, at, sizeof head);
    size_t name = filled(head[0]), said = filled(head[1]);
    if (name > size - 12 || said > size - 12 - name) return;
    if (head[2] == kBuildIdNote && head[0] == 4 && memcmp(at + 12, "GNU", 4) == 0 && head[1] <= Image::kBuildId) {
      memcpy(image.build_id, at + 12 + name, head[1]);
      image.build_id_size = head[1];
      return;
    }
    at += 12 + name + said;
    size -= 12 + name + said;
  }
}

bool describe(Image& image, const elf::LoadedObject& object) {
  constexpr u32 kLoad = 1;
  image.base = object.base;
  image.begin = UINTPTR_MAX;
  for (u32 i = 0; i < object.header_count; i++) {
    const elf::ProgramHeader& header = object.headers[i];
    if (header.type != kLoad) continue;
    image.begin = min_of(image.begin, object.base + header.address);
    image.end = max_of(image.end, object.base + header.address + header.size);
  }
  if (image.begin >= image.end) return false;
  for (u32 i = 0; i < object.header_count && !image.build_id_size; i++) {
    const elf::ProgramHeader& header = object.headers[i];
    uintptr_t at = object.base + header.address;
    if (header.type == elf::kNoteSegment && at >= image.begin && header.size <= image.end - at)
      take_build_id(image, reinterpret_cast<const u8*>(at), header.size);
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

u32 Images::find(uintptr_t address) {
  for (u32 number = count_.load_acquire(); number-- > 0;)
    if (address >= ranges_[number].begin && address < ranges_[number].end) return number;
  missed_.store_relaxed(1);
  return kNone;
}

}  // namespace btrace
