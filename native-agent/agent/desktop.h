#pragma once
// The desktop's end of a conversation (docs/FORMAT.md, Conversation), within the program that is recorded: from our
// Hello to the agent's Goodbye, into a file.
#include "agent/own_recording.h"
#include "agent/recording_file.h"
#include "core/connection.h"
#include "core/options.h"

namespace btrace {

// Longer than the agent takes to say goodbye.
inline constexpr i64 kEndNs = 15 * kNsPerSecond;

// Between a recording and the threads that want something of it.
struct DesktopSwitch {
  enum class Dump : u32 { None, Asked, Begun };

  Atomic<u32> stop_asked;
  Atomic<Dump> dump;
  Atomic<OwnResult> dump_result;
  u64 dump_back_ns;
  bool has_note;
  ChunkKind note_kind;
  Bytes note;
  char dump_path[kPathRoom];
};

class Desktop {
 public:
  // `file` is open, at `path`.
  Desktop(int fd, const Options& options, const OwnRecording& recording, RecordingFile& file, const char* path,
          DesktopSwitch& asked)
      : connection_(fd, Connection::kLongestOfAgent),
        options_(options),
        recording_(recording),
        file_(file),
        path_(path),
        asked_(asked) {}
  // Until the recording has ended. A dump that was begun is answered then.
  OwnResult run();

 private:
  void say_hello();
  void command(CommandKind kind, u64 dump_ns = 0);
  OwnResult converse();
  bool take(const ChunkView& chunk);
  bool is_ours(const ChunkView& welcome) const;
  bool take_goodbye(const ChunkView& chunk);
  void begin_dump();
  void end_dump(OwnResult how);
  i64 elapsed_ns() const;

  Connection connection_;
  const Options& options_;
  const OwnRecording& recording_;
  RecordingFile& file_;
  const char* path_;
  DesktopSwitch& asked_;
  u32 sequence_ = 0;
  i64 origin_ns_ = 0;
  OwnResult result_ = OwnResult::BrokenOff;  // until it has said goodbye
  bool stopping_ = false;
  bool full_ = false;     // that is why
  bool dumping_ = false;  // the agent sends what the ring holds
  RecordingFile dump_;
  Bytes status_;  // the newest Status, where the file does not have it
};

}  // namespace btrace
