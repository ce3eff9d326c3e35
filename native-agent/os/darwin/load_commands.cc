#include "os/darwin/load_commands.h"

#include "os/machine.h"

namespace btrace::macho {

bool LoadCommands::read(const void* header, u8* room) {
  if (!header || !read_memory(header, &header_, sizeof header_)) return false;
  if (header_.magic != kMagic || header_.command_bytes > kBytes) return false;
  if (!read_memory(static_cast<const u8*>(header) + sizeof header_, room, header_.command_bytes)) return false;
  copy_ = room;
  bytes_ = header_.command_bytes;
  return true;
}

}  // namespace btrace::macho
