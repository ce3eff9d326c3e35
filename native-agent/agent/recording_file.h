#pragma once
// A recording's file as an agent without a desktop writes it (docs/FORMAT.md): whole after each chunk.
#include "core/chunk.h"

namespace btrace {

inline constexpr size_t kPathRoom = 1024;

class RecordingFile {
 public:
  bool is_open() const { return fd_ >= 0; }
  bool failed() const { return failed_; }
  u64 bytes() const { return bytes_; }

  // Makes the file, also in place of one of this user's that is there.
  bool open(const char* path);
  // The same, with room for a ring before all else. The program may be killed at any moment: what was put is in the
  // kernel's pages then.
  bool open_with_ring(const char* path, u32 ring_bytes);
  bool has_ring() const { return ring_bytes_ != 0; }
  // Of the newest chunks, as many as have room. What has no room at all is left out.
  void put_in_ring(ChunkKind kind, const u8* payload, size_t size);
  // The ring is not needed any more: goes on in a file without it, which takes its place when it is finished.
  void leave_ring();
  // Goes on where `other`, whose file is at `path`, is.
  bool copy(const RecordingFile& other, const char* path);
  // Numbered anew, as every writer of a file does.
  void put(ChunkKind kind, const u8* payload, size_t size);
  // Puts the footer and closes.
  void finish(i64 end_ns, EndReason reason, const u8* detail, size_t detail_size);
  void close();

 private:
  void write(const void* from, size_t size);
  bool write_at(u64 offset, const void* from, size_t size);

  int fd_ = -1;
  bool failed_ = false;
  u64 bytes_ = 0;
  u32 sequence_ = 0;
  u32 ring_bytes_ = 0;  // behind the magic and the head of the chunk that they are
  u32 ring_at_ = 0;     // where the next one goes
  u32 ring_sequence_ = 0;
  bool replaces_ = false;  // it lies at part_ until it is whole
  char path_[kPathRoom];
  char part_[kPathRoom + 8];
  Bytes chunk_;
};

}  // namespace btrace
