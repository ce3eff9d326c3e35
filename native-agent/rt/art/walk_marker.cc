#include "rt/art/walk_marker.h"

#include "base/libc.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "os/linux/elf.h"
#include "os/file.h"

namespace btrace::art {

namespace {

constexpr long kAtCwd = -100;
constexpr long kProtection = 1 | 2, kShared = 1, kPrivate = 2, kFixed = 0x10, kAnonymous = 0x20;

// As the file has it.
struct Mark {
  i32 walking;
  i32 ended_in_walk;  // so many processes before, in a row
};
constexpr i32 kTooOften = 2;

bool transfer(sys::Number call, long fd, Mark& mark) {
  return sys::call(call, fd, reinterpret_cast<long>(&mark), sizeof mark) == sizeof mark;
}

bool lay_over(i32* page, long flags, long fd) {
  return !sys::failed(
      sys::call(sys::kMmap, reinterpret_cast<long>(page), sizeof *page, kProtection, flags | kFixed, fd, 0));
}

}  // namespace

bool WalkMarker::begin(const char* process) {
  static constexpr char kEnd[] = ".walking";
  char own[800];
  if (!find_own_file(own, sizeof own) || !process[0] || path_[0]) return true;
  size_t at = strlen(own);
  if (walking_ == &without_page_)
    if (void* page = map_pages(sizeof *walking_)) walking_ = static_cast<i32*>(page);
  if (walking_ == &without_page_) return true;
  memcpy(path_, own, at);
  path_[at++] = '.';
  for (const char* from = process; *from && at + sizeof kEnd < sizeof path_; from++)
    path_[at++] = *from == '/' ? '_' : *from;
  memcpy(path_ + at, kEnd, sizeof kEnd);
  const int fd = open_own_file(path_, Existing::Keep);
  Mark mark{};
  const bool in_walk = !sys::failed(fd) && transfer(sys::kRead, fd, mark) && mark.walking > 0;
  mark = {0, in_walk ? mark.ended_in_walk + 1 : 0};
  const bool died = mark.ended_in_walk >= kTooOften;
  laid_ = !sys::failed(fd) && !died && sys::call(sys::kLseek, fd, 0, 0) == 0 && transfer(sys::kWrite, fd, mark) &&
          lay_over(walking_, kShared, fd);
  if (!sys::failed(fd)) sys::close(fd);
  if (!laid_ && !died) path_[0] = 0;
  return !died;
}

void WalkMarker::end() {
  // A marker of processes that died stays: it is removed with the agent's file, or by the system when the app is
  // updated.
  if (laid_ && lay_over(walking_, kPrivate | kAnonymous, -1))
    sys::call(sys::kUnlinkat, kAtCwd, reinterpret_cast<long>(path_), 0);
  laid_ = false;
  path_[0] = 0;
}

}  // namespace btrace::art
