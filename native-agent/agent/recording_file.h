#pragma once
// A recording's file as an agent without a desktop writes it (docs/FORMAT.md): whole after each chunk.
#include "core/chunk.h"

namespace btrace {

class RecordingFile {
 public:
  bool is_open() const { return fd_ >= 0; }
  bool failed() const { return failed_; }
  u64 bytes() const { return bytes_; }

  // Makes the file, or empties the one that is there.
  bool open(const char* path);
  // Goes on where `other`, whose file is at `path`, is.
  bool copy(const RecordingFile& other, const char* path);
  // Numbered anew, as every writer of a file does.
  void put(ChunkKind kind, const u8* payload, size_t size);
  // Puts the footer and closes.
  void finish(i64 end_ns, EndReason reason, const u8* detail, size_t detail_size);
  void close();

 private:
  void write(const void* from, size_t size);

  int fd_ = -1;
  bool failed_ = false;
  u64 bytes_ = 0;
  u32 sequence_ = 0;
  Bytes chunk_;
};

}  // namespace btrace
