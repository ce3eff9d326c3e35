#include "agent/lag_files.h"

#include "base/crc32.h"
#include "base/libc.h"
#include "base/text_builder.h"
#include "os/file.h"
#include "os/folder.h"
#include "os/machine.h"
#include "os/process.h"

namespace btrace {

namespace {

constexpr u32 kMagic = 0x3147414c;  // "LAG1"
constexpr char kPrefix[] = "lag-";
constexpr char kEnding[] = ".btrace", kFreezeEnding[] = ".freeze.btrace", kPart[] = ".part";
constexpr size_t kStampDigits = 13;  // until the year 2286

bool ends_with(const char* text, const char* ending) {
  const size_t length = strlen(text), rest = strlen(ending);
  return length >= rest && strcmp(text + length - rest, ending) == 0;
}

// ms since 1970; -1 if it is none of ours.
i64 stamp_of(const char* name) {
  if (strncmp(name, kPrefix, sizeof kPrefix - 1) != 0) return -1;
  i64 stamp = 0;
  const char* at = name + sizeof kPrefix - 1;
  for (size_t i = 0; i < kStampDigits; i++, at++) {
    if (*at < '0' || *at > '9') return -1;
    stamp = stamp * 10 + (*at - '0');
  }
  return *at == '-' ? stamp : -1;
}

// Of all that comes after magic and checksum.
u32 crc_of(const u64* behind_head, size_t state_bytes) {
  return crc32(0, reinterpret_cast<const u8*>(behind_head), state_bytes - sizeof(u64));
}

u64 hash_of_file(const char* path) {
  char text[512];
  return read_small_file(path, text, sizeof text) < 0 ? 0 : stable_hash(text);
}

void copy_text(char* to, size_t room, const char* from) {
  const size_t length = min_of(strlen(from), room - 1);
  memcpy(to, from, length);
  to[length] = 0;
}

}  // namespace

void LagFiles::path_of(const char* name, char (&path)[kPathRoom]) const {
  TextBuilder(path).add(folder_).add("/").add(name);
}

bool LagFiles::open(const char* folder, const char* version, i64 realtime_ns) {
  if (!*folder || strlen(folder) + kNameRoom + 16 > kPathRoom) return false;
  copy_text(folder_, sizeof folder_, folder);
  char path[kPathRoom];
  path_of("lags.state", path);
  fd_ = open_own_file(path, Existing::Keep);
  if (fd_ < 0) return false;
  state_ = {};
  state_.magic = kMagic;
  state_.boot = hash_of_file("/proc/sys/kernel/random/boot_id");
  state_.system = hash_of_file("/proc/version");
  state_.version = stable_hash(version);
  state_.alive_ms = realtime_ns / kNsPerMs;
  const bool has_before = read(before_);
  last_end_ = has_before ? judge(before_) : LastEnd::Unknown;
  if (has_before) {
    state_.day = before_.day;
    state_.files_today = before_.files_today;
  }
  if (last_end_ == LastEnd::Freeze) mark_freeze();
  write();
  return true;
}

void LagFiles::close() {
  if (fd_ >= 0) close_file(fd_);
  fd_ = -1;
}

// By ruling out, the surest sign first: what the run said itself, what has changed since, and then how it was.
LastEnd LagFiles::judge(const State& before) const {
  if (before.end != LastEnd::Unknown) return before.end;
  if (before.version != state_.version) return LastEnd::AppUpdate;
  if (before.system != state_.system) return LastEnd::SystemUpdate;
  if (before.boot != state_.boot) return LastEnd::Restart;
  if (before.in_lag) return LastEnd::Freeze;
  return before.is_behind ? LastEnd::KilledBehind : LastEnd::KilledInFront;
}

void LagFiles::correct_last_end(LastEnd end) {
  if (end == last_end_ || end == LastEnd::Unknown) return;
  const bool was_freeze = last_end_ == LastEnd::Freeze;
  last_end_ = end;
  if (end == LastEnd::Freeze) mark_freeze();
  if (was_freeze) unmark_freeze();
}

namespace {

// "lag-1-2.btrace" → "lag-1-2.freeze.btrace"
void freeze_name(const char* name, char (&to)[LagFiles::kNameRoom + 16]) {
  char stem[LagFiles::kNameRoom] = {};
  memcpy(stem, name, strlen(name) - (sizeof kEnding - 1));
  TextBuilder(to).add(stem).add(kFreezeEnding);
}

}  // namespace

void LagFiles::mark_freeze() {
  before_.last_file[sizeof before_.last_file - 1] = 0;
  if (stamp_of(before_.last_file) < 0 || !ends_with(before_.last_file, kEnding)) return;
  char name[kNameRoom + 16], from[kPathRoom], to[kPathRoom];
  freeze_name(before_.last_file, name);
  path_of(before_.last_file, from);
  path_of(name, to);
  rename_file(from, to);
}

void LagFiles::unmark_freeze() {
  if (stamp_of(before_.last_file) < 0 || !ends_with(before_.last_file, kEnding)) return;
  char name[kNameRoom + 16], from[kPathRoom], to[kPathRoom];
  freeze_name(before_.last_file, name);
  path_of(name, from);
  path_of(before_.last_file, to);
  rename_file(from, to);
}

// ---------------------------------------------------------------- files

bool LagFiles::begin(const LagQuota& quota, i64 realtime_ns, char (&part)[kPathRoom]) {
  const i64 day = day_of(realtime_ns);
  if (state_.day != day) {
    state_.day = day;
    state_.files_today = 0;
  }
  if (state_.files_today >= quota.files_a_day) return false;
  const i64 ms = realtime_ns / kNsPerMs;
  char digits[kStampDigits + 1] = {};
  i64 left = ms;
  for (size_t i = kStampDigits; i--; left /= 10) digits[i] = static_cast<char>('0' + left % 10);
  TextBuilder(name_).add(kPrefix).add(digits).add("-").number(own_pid()).add(kEnding);
  char path[kPathRoom];
  path_of(name_, path);
  TextBuilder(part_).add(path).add(kPart);
  memcpy(part, part_, sizeof part);
  return true;
}

bool LagFiles::finish(bool is_whole, char (&path)[kPathRoom]) {
  path_of(name_, path);
  if (!is_whole || !rename_file(part_, path)) {
    remove_file(part_);
    return false;
  }
  state_.files_today++;
  copy_text(state_.last_file, sizeof state_.last_file, name_);
  write();
  return true;
}

void LagFiles::tidy(const LagQuota& quota, i64 realtime_ns) {
  const i64 oldest_kept = realtime_ns / kNsPerMs - i64{quota.keep_days} * (kNsPerDay / kNsPerMs);
  const u32 most = quota.keep_days * quota.files_a_day;
  // Each turn removes one: so many are enough for what a day leaves, and bound what a foreign folder costs.
  constexpr int kTurns = 256;
  for (int turn = 0; turn < kTurns; turn++) {
    char oldest[kNameRoom] = {};
    i64 oldest_stamp = INT64_MAX;
    u32 count = 0;
    bool is_torn = false;
    FolderList list(folder_);
    while (const char* name = list.next()) {
      const i64 stamp = stamp_of(name);
      if (stamp < 0 || strlen(name) >= kNameRoom) continue;
      const bool part = ends_with(name, kPart);
      if (!part && !ends_with(name, kEnding)) continue;
      count += !part;
      // What is torn goes first, but not what is being written.
      if (part ? !is_torn && !ends_with(part_, name) : !is_torn && stamp < oldest_stamp) {
        copy_text(oldest, sizeof oldest, name);
        oldest_stamp = stamp;
        is_torn = part;
      }
    }
    if (!oldest[0] || (!is_torn && count <= most && oldest_stamp >= oldest_kept)) return;
    char path[kPathRoom];
    path_of(oldest, path);
    if (!remove_file(path)) return;
  }
}

// ---------------------------------------------------------------- state

bool LagFiles::read(State& state) {
  char path[kPathRoom], text[sizeof(State) + 1];
  path_of("lags.state", path);
  if (read_small_file(path, text, sizeof text) != static_cast<i64>(sizeof(State))) return false;
  memcpy(&state, text, sizeof state);
  return state.magic == kMagic && state.crc == crc_of(&state.boot, sizeof state);
}

void LagFiles::write() {
  if (fd_ < 0) return;
  state_.crc = crc_of(&state_.boot, sizeof state_);
  overwrite(fd_, &state_, sizeof state_);
}

void LagFiles::live(i64 realtime_ns, bool in_lag) {
  state_.alive_ms = realtime_ns / kNsPerMs;
  state_.in_lag = in_lag;
  write();
}

void LagFiles::set_in_front(bool is_in_front) {
  state_.is_behind = !is_in_front;
  write();
}

void LagFiles::end(LastEnd how) {
  // A crash runs what a program does at its exit.
  if (state_.end != LastEnd::Crash) state_.end = how;
  write();
}

}  // namespace btrace
