#include "os/linux/pointer_exchange.h"

#include "base/atomic.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "os/file.h"
#include "os/linux/import_tables.h"
#include "os/machine.h"

namespace btrace {

namespace {

using elf::lies_in;
using elf::LoadedObject;
using elf::ProgramHeader;
using elf::Word;

constexpr u32 kRelroSegment = 0x6474e552, kWritable = 2;

// The loader makes such pages read-only when it has relocated the library.
bool becomes_read_only(const LoadedObject& object, Word place, Word page) {
  for (u16 i = 0; i < object.header_count; i++) {
    const ProgramHeader& header = object.headers[i];
    if (header.type != kRelroSegment) continue;
    const Word begin = object.base + header.address;
    if (place >= (begin & ~(page - 1)) && place < ((begin + header.size) & ~(page - 1))) return true;
  }
  return false;
}

// Whether a page may be written now, by the kernel's list of mappings.
enum class Access { Unknown, ReadOnly, Writable };

struct Mapping {
  Word begin;
  Word end;
  Access access;
};

// A line of the kernel's list, character by character: "BEGIN-END rwxp OFFSET DEVICE INODE …".
class MapsLine {
 public:
  // True when it is whole; the next character begins another one.
  bool take(char c) {
    if (is_whole_) *this = {};
    const Word digit = static_cast<Word>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (c == '\n')
      is_whole_ = true;
    else if (c == ' ')
      field_++;
    else if (field_ == kRange && c == '-')
      is_end_ = true;
    else if (field_ == kRange)
      (is_end_ ? mapping_.end : mapping_.begin) = (is_end_ ? mapping_.end : mapping_.begin) << 4 | digit;
    else if (field_ == kAccess && c == 'w')
      mapping_.access = Access::Writable;
    else if (field_ == kInode && c != '0')
      is_of_file_ = true;
    return is_whole_;
  }
  bool is_of_file() const { return is_of_file_; }
  const Mapping& mapping() const { return mapping_; }

 private:
  enum Field : u32 { kRange, kAccess, kOffset, kDevice, kInode };
  Mapping mapping_{0, 0, Access::ReadOnly};
  u32 field_ = kRange;
  bool is_end_ = false;
  bool is_of_file_ = false;
  bool is_whole_ = false;
};

// The mappings of files, as the kernel listed them once: a list with the stacks of thousands of threads takes a
// millisecond to read. They are taken for true as long as no library comes or goes: until then the loader makes pages
// read-only, and never writable again.
class Mappings {
 public:
  // While the loader calls back, so that it changes nothing and no other thread is in here.
  bool allow(Word address, Access wanted, const LoadedObject& object, size_t object_bytes) {
    const bool tells_changes = object_bytes >= sizeof object;
    const bool are_true = tells_changes && are_read_ && object.loads == loads_ && object.unloads == unloads_;
    if (are_true && access_to(address) == wanted) return true;
    // The loader may have been at work on that page when they were read.
    const Access found = read(address);
    are_read_ = tells_changes;
    if (tells_changes) loads_ = object.loads, unloads_ = object.unloads;
    return found == wanted;
  }

 private:
  static constexpr u32 kMost = 4096;

  Access access_to(Word address) const {
    for (u32 at = 0; at < count_; at++)
      if (address >= list_[at].begin && address < list_[at].end) return list_[at].access;
    return Access::Unknown;
  }

  // Keeps as many as there is room for, and returns the access to `address` in any case.
  Access read(Word address) {
    count_ = 0;
    Access found = Access::Unknown;
    const int fd = open_to_read("/proc/self/maps");
    if (fd < 0) return found;
    MapsLine line;
    char text[4096];
    for (;;) {
      const long got = sys::call(sys::kRead, fd, reinterpret_cast<long>(text), sizeof text);
      if (got == -sys::kEintr) continue;
      if (got <= 0) break;
      for (long i = 0; i < got; i++) {
        if (!line.take(text[i])) continue;
        const Mapping& mapping = line.mapping();
        if (address >= mapping.begin && address < mapping.end) found = mapping.access;
        if (line.is_of_file() && count_ < kMost) list_[count_++] = mapping;
      }
    }
    sys::close(fd);
    return found;
  }

  Mapping list_[kMost];
  u32 count_;
  bool are_read_;
  unsigned long long loads_;
  unsigned long long unloads_;
};
Mappings g_mappings;

bool protect(Word page_begin, Word page, bool writable) {
  constexpr long kRead = 1, kWrite = 2;
  const long access = writable ? kRead | kWrite : kRead;
  return !sys::failed(sys::call(sys::kMprotect, static_cast<long>(page_begin), static_cast<long>(page), access));
}

}  // namespace

bool exchange(const LoadedObject& object, size_t object_bytes, void** place, void* from, void* to) {
  const Word page = page_bytes(), at = reinterpret_cast<Word>(place);
  if (!page || !lies_in(object, at, sizeof *place, kWritable) || at % sizeof *place) return false;
  const bool is_protected = becomes_read_only(object, at, page);
  // While the loader still writes to the page it shall stay as it is.
  const Access wanted = is_protected ? Access::ReadOnly : Access::Writable;
  if (!g_mappings.allow(at, wanted, object, object_bytes)) return false;
  const Word page_begin = at & ~(page - 1);
  if (is_protected && !protect(page_begin, page, true)) return false;
  const bool done = reinterpret_cast<Atomic<void*>*>(place)->swap_if(from, to);
  if (is_protected) protect(page_begin, page, false);
  return done;
}

}  // namespace btrace
