#include "rt/art/walk_marker.h"

#include "base/libc.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "os/linux/elf_format.h"

namespace btrace::art {

namespace {

constexpr long kAtCwd = -100, kReadWrite = 2, kCreate = 0100, kCloexec = 02000000, kOwnerOnly = 0600;
constexpr long kProtection = 1 | 2, kShared = 1, kPrivate = 2, kFixed = 0x10, kAnonymous = 0x20;

struct Own {
  uintptr_t base;
  char path[800];
};

int look(const elf::LoadedObject* object, size_t, void* data) {
  auto& own = *static_cast<Own*>(data);
  const auto here = reinterpret_cast<uintptr_t>(&look);
  // The nearest below: libraries do not overlap.
  if (!object->path || object->base > here || object->base < own.base) return 0;
  const size_t length = strlen(object->path);
  if (length >= sizeof own.path) return 0;
  own.base = object->base;
  memcpy(own.path, object->path, length + 1);
  return 0;
}

// A startup agent is loaded by a link in a folder that is soon gone: the file itself is meant.
void follow_link(Own& own) {
  char to[sizeof own.path];
  const long length =
      sys::call(sys::kReadlinkat, kAtCwd, reinterpret_cast<long>(own.path), reinterpret_cast<long>(to), sizeof to - 1);
  if (sys::failed(length) || length < 1 || to[0] != '/') return;
  memcpy(own.path, to, static_cast<size_t>(length));
  own.path[length] = 0;
}

bool transfer(sys::Number call, long fd, i32& value) {
  return sys::call(call, fd, reinterpret_cast<long>(&value), sizeof value) == sizeof value;
}

bool lay_over(i32* page, long flags, long fd) {
  return !sys::failed(
      sys::call(sys::kMmap, reinterpret_cast<long>(page), sizeof *page, kProtection, flags | kFixed, fd, 0));
}

}  // namespace

bool WalkMarker::begin(const char* process) {
  static constexpr char kEnd[] = ".walking";
  Own own{};
  libc::each_object(look, &own);
  follow_link(own);
  size_t at = strlen(own.path);
  if (!at || !process[0] || path_[0]) return true;
  if (walking_ == &without_page_)
    if (void* page = map_pages(sizeof *walking_)) walking_ = static_cast<i32*>(page);
  if (walking_ == &without_page_) return true;
  memcpy(path_, own.path, at);
  path_[at++] = '.';
  for (const char* from = process; *from && at + sizeof kEnd < sizeof path_; from++)
    path_[at++] = *from == '/' ? '_' : *from;
  memcpy(path_ + at, kEnd, sizeof kEnd);
  const long fd =
      sys::call(sys::kOpenat, kAtCwd, reinterpret_cast<long>(path_), kReadWrite | kCreate | kCloexec, kOwnerOnly);
  i32 walking = 0;
  const bool died = !sys::failed(fd) && transfer(sys::kRead, fd, walking) && walking > 0;
  walking = 0;
  laid_ = !sys::failed(fd) && !died && sys::call(sys::kLseek, fd, 0, 0) == 0 && transfer(sys::kWrite, fd, walking) &&
          lay_over(walking_, kShared, fd);
  if (!sys::failed(fd)) sys::close(static_cast<int>(fd));
  if (!laid_ && !died) path_[0] = 0;
  return !died;
}

void WalkMarker::end() {
  // A marker of a process that died stays: it is removed with the agent's file, or by the system when the app is
  // updated.
  if (laid_ && lay_over(walking_, kPrivate | kAnonymous, -1))
    sys::call(sys::kUnlinkat, kAtCwd, reinterpret_cast<long>(path_), 0);
  laid_ = false;
  path_[0] = 0;
}

}  // namespace btrace::art
