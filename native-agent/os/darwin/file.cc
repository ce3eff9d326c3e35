#include "os/file.h"

#include "base/libc.h"
#include "os/darwin/libsystem.h"

namespace btrace {

namespace darwin {

// The beginning of what fstat writes.
struct FileFacts {
  i32 device;
  u16 mode;
  u16 links;
  u64 inode;
  u32 owner;
  u32 group;
  u8 rest[120];
};
static_assert(sizeof(FileFacts) == 144);

#if defined(__x86_64__)
int fstat(int fd, FileFacts* facts) asm("_fstat$INODE64");
#else
int fstat(int fd, FileFacts* facts) asm("_fstat");
#endif

}  // namespace darwin

namespace {

using darwin::FileFacts;

constexpr int kReadWrite = 2, kNonBlocking = 4, kNoFollow = 0x100, kCreate = 0x200, kExclusive = 0x800,
              kCloseOnExec = 0x1000000;
constexpr int kOwnerOnly = 0600;

bool is_our_file(int fd) {
  constexpr u16 kKind = 0170000, kRegular = 0100000;
  FileFacts facts{};
  return !darwin::fstat(fd, &facts) && (facts.mode & kKind) == kRegular && facts.links == 1 && facts.owner == darwin::geteuid();
}

int open_at(const char* path, int how) {
  return darwin::result_or_error(darwin::open(path, how | kNonBlocking | kCloseOnExec, kOwnerOnly));
}

// After a call that moved so many bytes; none, where a signal interrupted it.
bool may_go_on(long& moved) {
  if (moved < 0 && *darwin::__error() == darwin::kInterrupted) return moved = 0, true;
  return moved > 0;
}

}  // namespace

u64 links_to(int fd) {
  FileFacts facts{};
  return darwin::fstat(fd, &facts) ? 0 : facts.links;
}

int open_own_file(const char* path, Existing existing) {
  constexpr int kOurWay = kReadWrite | kNoFollow;
  // Again, when what is there goes between two calls, or comes.
  for (int tries = 0; tries < 3; tries++) {
    int fd = open_at(path, kOurWay | kCreate | kExclusive);
    if (fd != -darwin::kExists || existing == Existing::Refuse) return fd;
    fd = open_at(path, kOurWay);
    if (fd == -darwin::kNoEntry) continue;
    if (fd < 0) return fd;
    const bool is_ours = is_our_file(fd);
    if (is_ours && existing == Existing::Keep) return fd;
    darwin::close(fd);
    if (!is_ours) return -kErrorNotOurs;
    const int removed = darwin::result_or_error(darwin::unlink(path));
    if (removed < 0 && removed != -darwin::kNoEntry) return removed;
  }
  return -darwin::kExists;
}

bool rename_file(const char* from, const char* to) {
  return darwin::rename(from, to) == 0;
}

bool read_all(int fd, void* to, size_t size) {
  auto at = static_cast<u8*>(to);
  for (long got; size; at += got, size -= static_cast<size_t>(got)) {
    got = darwin::read(fd, at, size);
    if (!may_go_on(got)) return false;
  }
  return true;
}

bool write_all(int fd, const void* from, size_t size) {
  auto at = static_cast<const u8*>(from);
  for (long written; size; at += written, size -= static_cast<size_t>(written)) {
    written = darwin::write(fd, at, size);
    if (!may_go_on(written)) return false;
  }
  return true;
}

bool seek_to(int fd, u64 offset) {
  constexpr int kFromBegin = 0;
  return darwin::lseek(fd, static_cast<i64>(offset), kFromBegin) >= 0;
}

bool seek_to_end(int fd) {
  constexpr int kFromEnd = 2;
  return darwin::lseek(fd, 0, kFromEnd) >= 0;
}

int open_to_read(const char* path) {
  return open_at(path, 0);
}

}  // namespace btrace
