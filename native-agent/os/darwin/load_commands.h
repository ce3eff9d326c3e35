#pragma once
// The load commands of an image, copied by checked reads: it may be unloaded meanwhile.
#include "base/types.h"
#include "os/darwin/macho_format.h"

namespace btrace::macho {

class LoadCommands {
 public:
  static constexpr u32 kBytes = 32 * 1024;

  // False where there is no image of this kind. `room` is for kBytes, and holds the copy.
  bool read(const void* header, u8* room);
  const Header& header() const { return header_; }
  // Calls visit(command, bytes) for each, until it returns false.
  template <class Visit>
  void each(Visit visit) const {
    u32 at = 0;
    for (u32 number = 0; number < header_.command_count && at + sizeof(Command) <= bytes_; number++) {
      const auto* command = reinterpret_cast<const Command*>(copy_ + at);
      if (command->bytes < sizeof(Command) || command->bytes % kAlignment || command->bytes > bytes_ - at) return;
      if (!visit(*command)) return;
      at += command->bytes;
    }
  }
  // A command of this kind, or nullptr.
  template <class T>
  const T* find(u32 kind) const {
    const T* found = nullptr;
    each([&](const Command& command) {
      if (command.kind == kind && command.bytes >= sizeof(T)) found = reinterpret_cast<const T*>(&command);
      return !found;
    });
    return found;
  }
  const Segment* segment(const char* name) const {
    const Segment* found = nullptr;
    each([&](const Command& command) {
      if (command.kind == kSegment && command.bytes >= sizeof(Segment) &&
          is_name(reinterpret_cast<const Segment&>(command).name, name))
        found = reinterpret_cast<const Segment*>(&command);
      return !found;
    });
    return found;
  }

 private:
  static constexpr u32 kAlignment = 8;
  Header header_{};
  const u8* copy_ = nullptr;
  u32 bytes_ = 0;
};

// Where a table is that the file has at `offset`; 0: not in what is loaded of __LINKEDIT.
inline uintptr_t place_in(const Segment& linkedit, uintptr_t slide, u64 offset, u64 bytes) {
  const u64 begin = offset - linkedit.file_offset;
  if (offset < linkedit.file_offset || begin > linkedit.bytes || bytes > linkedit.bytes - begin) return 0;
  return linkedit.address + slide + begin;
}

}  // namespace btrace::macho
