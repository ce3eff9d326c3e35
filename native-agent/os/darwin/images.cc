#include "os/images.h"

#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "os/darwin/libsystem.h"
#include "os/darwin/load_commands.h"

namespace btrace {

namespace {

// Only the code: in the system's shared cache an image's other parts lie elsewhere.
bool describe(Image& image, const void* header, intptr_t slide, const char* path, u8* room) {
  macho::LoadCommands commands;
  if (!commands.read(header, room)) return false;
  const macho::Segment* text = commands.segment("__TEXT");
  const size_t length = strlen(path);
  if (!text || !text->bytes || length >= Image::kPath) return false;
  image.base = static_cast<uintptr_t>(slide);
  image.header = commands.header().flags & macho::kInSharedCache ? reinterpret_cast<uintptr_t>(header) : 0;
  image.begin = text->address + image.base;
  image.end = image.begin + text->bytes;
  const auto* sections = reinterpret_cast<const macho::Section*>(text + 1);
  const u64 room_for = (text->command.bytes - sizeof *text) / sizeof *sections;
  for (u64 at = 0; at < min_of<u64>(text->section_count, room_for); at++)
    if (macho::is_name(sections[at].name, "__unwind_info"))
      image.unwind = {sections[at].address + image.base, sections[at].bytes, image.begin, image.end};
  if (const auto* uuid = commands.find<macho::Uuid>(macho::kUuid)) {
    memcpy(image.build_id, uuid->bytes, sizeof uuid->bytes);
    image.build_id_size = sizeof uuid->bytes;
  }
  memcpy(image.path, path, length);
  return true;
}

}  // namespace

bool Images::init() {
  c_library_ = reinterpret_cast<uintptr_t>(&libc::clock_ns_of);
  images_ = map_array<Image>(kImages);
  ranges_ = map_array<Range>(kImages);
  return images_ && ranges_;
}

void Images::refresh() {
  auto* room = static_cast<u8*>(map_pages(macho::LoadCommands::kBytes));
  if (!room) return;
  const u32 count = darwin::_dyld_image_count();
  for (u32 number = 0; number < count; number++) {
    const void* header = darwin::_dyld_get_image_header(number);
    const char* path = darwin::_dyld_get_image_name(number);
    if (!header || !path) continue;  // unloaded since they were counted
    Image image{};
    if (describe(image, header, darwin::_dyld_get_image_vmaddr_slide(number), path, room)) add(image);
  }
  unmap_pages(room, macho::LoadCommands::kBytes);
}

}  // namespace btrace
