#pragma once
// The lag watch's folder: which files lie in it, for how long, and what the run before this one left.
//
// lag-<ms since 1970>-<pid>.btrace is one lag. While it is written it is called .part; a kill leaves it so, and the
// next start removes it. A lag that the program was killed in is called .freeze.btrace. lags.state says how the run
// went so far.
#include "agent/recording_file.h"
#include "core/lag_watch.h"

namespace btrace {

// How the last run ended; in-app/btrace/LagWatch.java has the words.
enum class LastEnd : u32 {
  Unknown = 0,  // there was none, or its state cannot be read
  OwnExit = 1,
  Crash = 2,
  AppUpdate = 3,
  SystemUpdate = 4,
  Restart = 5,
  KilledInFront = 6,
  KilledBehind = 7,
  Freeze = 8,  // it was killed in a lag
};

class LagFiles {
 public:
  static constexpr size_t kNameRoom = 64;

  // False when the folder cannot be written. Finds out how the last run ended, and marks its last lag as a freeze if it
  // was killed in it.
  bool open(const char* folder, const char* version, i64 realtime_ns);
  void close();
  LastEnd last_end() const { return last_end_; }
  // The system knows better how the last run ended.
  void correct_last_end(LastEnd end);

  // The next file: `part` to be written, and its name. False if today has no room for one.
  bool begin(const LagQuota& quota, i64 realtime_ns, char (&part)[kPathRoom]);
  // It is whole, or was not written.
  bool finish(bool is_whole, char (&path)[kPathRoom]);
  // Removes what is too old, and the oldest of what is too much.
  void tidy(const LagQuota& quota, i64 realtime_ns);

  // The sign of life, at each look.
  void live(i64 realtime_ns, bool in_lag);
  void set_in_front(bool is_in_front);
  void end(LastEnd how);

 private:
  struct State {
    u32 magic;
    u32 crc;  // of what follows
    u64 boot, version, system;
    i64 alive_ms;
    i64 day;
    u32 files_today;
    u32 is_behind;
    u32 in_lag;
    LastEnd end;  // Unknown: it has not told
    char last_file[kNameRoom];
  };
  void write();
  bool read(State& state);
  LastEnd judge(const State& before) const;
  void path_of(const char* name, char (&path)[kPathRoom]) const;
  void mark_freeze();
  void unmark_freeze();

  char folder_[kPathRoom];
  char part_[kPathRoom];
  char name_[kNameRoom];
  int fd_ = -1;
  State state_;
  State before_;
  LastEnd last_end_ = LastEnd::Unknown;
};

}  // namespace btrace
