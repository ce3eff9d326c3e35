#include "host/target_process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/file.h"

namespace btrace::host {

namespace {

// A program with more mappings than the kernel allows by default has no more that are executable.
constexpr size_t kMostTextBytes = 32 << 20;

std::string text_of(const std::string& path) {
  std::string text;
  const int fd = open_to_read(path.c_str());
  if (fd < 0) return text;
  char part[16384];
  for (ssize_t got; text.size() < kMostTextBytes && (got = read(fd, part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(got));
  close(fd);
  return text;
}

}  // namespace

std::string TargetProcess::text(const std::string& name) const {
  return text_of(file(name.c_str()));
}

std::vector<u32> TargetProcess::threads() const {
  std::vector<u32> found;
  if (DIR* folder = opendir(file("task").c_str())) {
    while (const dirent* entry = readdir(folder))
      if (entry->d_name[0] != '.') found.push_back(static_cast<u32>(strtoul(entry->d_name, nullptr, 10)));
    closedir(folder);
  }
  return found;
}

std::string TargetProcess::thread_name(u32 tid) const {
  std::string name = text_of(file("task") + "/" + std::to_string(tid) + "/comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

std::string TargetProcess::name() const {
  if (!command_.empty()) return command_.substr(command_.rfind('/') + 1);
  char path[4096];
  const ssize_t length = readlink(file("exe").c_str(), path, sizeof path - 1);
  if (length <= 0) return thread_name(pid_);
  std::string name(path, static_cast<size_t>(length));
  static constexpr char kDeleted[] = " (deleted)";
  if (name.size() > sizeof kDeleted && !name.compare(name.size() - (sizeof kDeleted - 1), std::string::npos, kDeleted))
    name.resize(name.size() - (sizeof kDeleted - 1));
  return name.substr(name.rfind('/') + 1);
}

std::vector<Mapping> TargetProcess::mappings() const {
  std::vector<Mapping> found;
  const std::string text = text_of(file("maps"));
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    u64 begin, last, offset;
    char rights[8];
    int path_at = 0;
    if (sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &begin, &last, rights, &offset,
               &path_at) < 4)
      continue;
    if (rights[2] != 'x') continue;
    found.push_back({begin, last, offset, path_at > 0 ? line.substr(static_cast<size_t>(path_at)) : ""});
  }
  return found;
}

std::string TargetProcess::reachable(const std::string& path) const {
  return file("root") + path;
}

i64 TargetProcess::cpu_ns() const {
  // Its clock: CPUCLOCK_SCHED of a whole process.
  timespec time{};
  const clockid_t clock = static_cast<clockid_t>(~pid_ << 3 | 2);
  return clock_gettime(clock, &time) ? 0 : i64{time.tv_sec} * kNsPerSecond + time.tv_nsec;
}

u64 TargetProcess::resident_bytes() const {
  unsigned long pages = 0;
  return sscanf(text_of(file("statm")).c_str(), "%*s %lu", &pages) == 1
             ? u64{pages} * static_cast<u64>(sysconf(_SC_PAGESIZE))
             : 0;
}

u32 TargetProcess::uid() const {
  struct stat found{};
  return stat(file("").c_str(), &found) ? 0 : found.st_uid;
}

// A process that has ended and whose parent has not asked how is a process still.
bool TargetProcess::is_alive() const {
  const std::string text = text_of(file("stat"));
  const size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z' &&
         text[name_end + 2] != 'X';
}

}  // namespace btrace::host
