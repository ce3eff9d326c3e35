#include "os/file.h"

#include "base/libc.h"
#include "base/syscall.h"

namespace btrace {

namespace {

constexpr long kAtCwd = -100;
constexpr long kReadWrite = 02, kCreate = 0100, kExclusive = 0200, kNonBlocking = 04000, kCloexec = 02000000;
#if defined(__x86_64__)
constexpr long kNoFollow = 0400000, kLargeFile = 0;
#elif defined(__aarch64__)
constexpr long kNoFollow = 0100000, kLargeFile = 0;
#else
constexpr long kNoFollow = 0100000, kLargeFile = 0400000;
#endif
constexpr long kOwnerOnly = 0600;
constexpr long kFromBegin = 0, kFromEnd = 2;  // of lseek
constexpr int kNoEntry = 2, kExists = 17;

// The beginning of what fstat writes (fstat64 on arm), which is all that is looked at.
struct FileFacts {
#if defined(__x86_64__)
  u64 device, inode, links;
  u32 mode, owner;
#else
  u64 device, inode;
  u32 mode, links, owner;
#endif
  u8 rest[120];
};
static_assert(sizeof(FileFacts) >= 144);

bool may_belong_to_us(u32 owner) {
  if (owner == static_cast<u32>(sys::call(sys::kGeteuid))) return true;
#if defined(__ANDROID__)
  // Shared storage says root of every file, whoever made it.
  return owner == 0;
#else
  return false;
#endif
}

bool is_our_file(int fd) {
  constexpr u32 kKind = 0170000, kRegular = 0100000;
  FileFacts facts{};
  if (sys::failed(sys::call(sys::kFstat, fd, reinterpret_cast<long>(&facts)))) return false;
  return (facts.mode & kKind) == kRegular && facts.links == 1 && may_belong_to_us(facts.owner);
}

int open_at(const char* path, long how) {
  return static_cast<int>(sys::call(sys::kOpenat, kAtCwd, reinterpret_cast<long>(path),
                                    how | kNonBlocking | kLargeFile | kCloexec, kOwnerOnly));
}

bool move_all(long call, int fd, long at, size_t size) {
  for (long moved; size; at += moved, size -= static_cast<size_t>(moved)) {
    moved = sys::call(call, fd, at, static_cast<long>(size));
    if (moved == -sys::kEintr)
      moved = 0;
    else if (moved <= 0)
      return false;
  }
  return true;
}

}  // namespace

u64 links_to(int fd) {
  FileFacts facts{};
  return sys::failed(sys::call(sys::kFstat, fd, reinterpret_cast<long>(&facts))) ? 0 : facts.links;
}

int open_own_file(const char* path, Existing existing) {
  constexpr long kOurWay = kReadWrite | kNoFollow;
  // Again, when what is there goes between two calls, or comes.
  for (int tries = 0; tries < 3; tries++) {
    int fd = open_at(path, kOurWay | kCreate | kExclusive);
    if (fd != -kExists || existing == Existing::Refuse) return fd;
    fd = open_at(path, kOurWay);
    if (fd == -kNoEntry) continue;
    if (fd < 0) return fd;
    const bool is_ours = is_our_file(fd);
    if (is_ours && existing == Existing::Keep) return fd;
    sys::close(fd);
    if (!is_ours) return -kErrorNotOurs;
    // Not emptied: another user may have given this name to another file of ours, and taken it away again before it
    // was looked at.
    const long removed = sys::call(sys::kUnlinkat, kAtCwd, reinterpret_cast<long>(path), 0);
    if (sys::failed(removed) && removed != -kNoEntry) return static_cast<int>(removed);
  }
  return -kExists;
}

bool rename_file(const char* from, const char* to) {
  return !sys::failed(sys::call(sys::kRenameat, kAtCwd, reinterpret_cast<long>(from), kAtCwd, reinterpret_cast<long>(to)));
}

bool remove_file(const char* path) {
  return !sys::failed(sys::call(sys::kUnlinkat, kAtCwd, reinterpret_cast<long>(path), 0));
}

bool read_all(int fd, void* to, size_t size) {
  return move_all(sys::kRead, fd, reinterpret_cast<long>(to), size);
}

bool write_all(int fd, const void* from, size_t size) {
  return move_all(sys::kWrite, fd, reinterpret_cast<long>(from), size);
}

bool seek_to(int fd, u64 offset) {
  const auto given = static_cast<long>(offset);  // 32 bits on arm
  return static_cast<u64>(given) == offset && !sys::failed(sys::call(sys::kLseek, fd, given, kFromBegin));
}

bool seek_to_end(int fd) {
  return !sys::failed(sys::call(sys::kLseek, fd, 0, kFromEnd));
}

bool overwrite(int fd, const void* bytes, size_t size) {
  return seek_to(fd, 0) && write_all(fd, bytes, size);
}

int open_to_read(const char* path) {
  return open_at(path, 0);
}

}  // namespace btrace
