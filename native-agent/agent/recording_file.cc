#include "agent/recording_file.h"

#include "base/libc.h"
#include "base/text_builder.h"
#include "core/proto.h"
#include "os/file.h"
#include "os/process.h"

namespace btrace {

namespace {

constexpr char kMagic[] = "BTRACE\r\n";
constexpr size_t kMagicBytes = sizeof kMagic - 1;
constexpr size_t kRingBegins = kMagicBytes + kChunkHeaderBytes;

}  // namespace

bool RecordingFile::open(const char* path) {
  fd_ = open_own_file(path, Existing::Replace);
  failed_ = false;
  bytes_ = 0;
  sequence_ = 0;
  ring_bytes_ = 0;
  replaces_ = false;
  if (fd_ < 0) return false;
  write(kMagic, kMagicBytes);
  return true;
}

bool RecordingFile::open_with_ring(const char* path, u32 ring_bytes) {
  const size_t length = strlen(path);
  if (length >= kPathRoom || !open(path)) return false;
  memcpy(path_, path, length + 1);
  TextBuilder(part_).add(path).add(".part");
  Bytes head;
  put_open_chunk(head, ChunkKind::Ring, ring_bytes);
  write(head.data(), head.size());
  head.release();
  // Written, not left as a hole: a storage that is full says so now. And not mapped: the program would get a SIGBUS
  // where somebody makes the file shorter.
  static constexpr u8 kNothing[16 * 1024] = {};
  for (u32 left = ring_bytes; left && !failed_; left -= min_of<u32>(left, sizeof kNothing))
    write(kNothing, min_of<u32>(left, sizeof kNothing));
  ring_bytes_ = ring_bytes;
  ring_at_ = ring_sequence_ = 0;
  return !failed_;
}

void RecordingFile::put_in_ring(ChunkKind kind, const u8* payload, size_t size) {
  chunk_.clear();
  const size_t begin = begin_chunk(chunk_);
  chunk_.append(payload, size);
  end_chunk(chunk_, begin, kind, ring_sequence_++);
  if (chunk_.failed() || chunk_.size() > ring_bytes_) return;
  if (chunk_.size() > ring_bytes_ - ring_at_) ring_at_ = 0;
  if (!write_at(kRingBegins + ring_at_, chunk_.data(), chunk_.size())) failed_ = true;
  ring_at_ += static_cast<u32>(chunk_.size());
}

void RecordingFile::leave_ring() {
  RecordingFile whole;
  if (!whole.open(part_) || !whole.copy(*this, path_)) {
    whole.close();
    failed_ = true;
    return;
  }
  close_file(fd_);
  fd_ = whole.fd_;
  bytes_ = whole.bytes_;
  ring_bytes_ = 0;
  replaces_ = true;
}

bool RecordingFile::copy(const RecordingFile& other, const char* path) {
  int from = open_to_read(path);
  if (from < 0) return false;
  u8 part[16 * 1024];
  // The beginning is there already.
  bool whole = read_all(from, part, kMagicBytes);
  u64 begins = kMagicBytes;
  if (other.ring_bytes_) {
    begins = kRingBegins + other.ring_bytes_;
    whole = whole && seek_to(from, begins);
  }
  for (u64 left = other.bytes_ - begins; whole && left && !failed_;) {
    const size_t size = min_of<u64>(left, sizeof part);
    whole = read_all(from, part, size);
    if (whole) write(part, size);
    left -= size;
  }
  close_file(from);
  sequence_ = other.sequence_;
  return whole && !failed_;
}

void RecordingFile::put(ChunkKind kind, const u8* payload, size_t size) {
  chunk_.clear();
  const size_t begin = begin_chunk(chunk_);
  chunk_.append(payload, size);
  end_chunk(chunk_, begin, kind, sequence_++);
  if (chunk_.failed())
    failed_ = true;
  else
    write(chunk_.data(), chunk_.size());
}

void RecordingFile::finish(i64 end_ns, EndReason reason, const u8* detail, size_t detail_size) {
  Bytes footer;
  put_signed_field(footer, 1, end_ns);
  put_field(footer, 2, static_cast<u64>(reason));
  put_bytes_field(footer, 3, detail, detail_size);
  put(ChunkKind::Footer, footer.data(), footer.size());
  footer.release();
  close();
  if (replaces_ && !failed_ && !rename_file(part_, path_)) failed_ = true;
}

void RecordingFile::close() {
  if (fd_ >= 0) close_file(fd_);
  fd_ = -1;
  chunk_.release();
}

bool RecordingFile::write_at(u64 offset, const void* from, size_t size) {
  const u64 bytes = bytes_;
  if (!seek_to(fd_, offset)) return false;
  write(from, size);
  bytes_ = bytes;
  return !failed_ && seek_to_end(fd_);
}

void RecordingFile::write(const void* from, size_t size) {
  bytes_ += size;
  // What is torn then is passed over by who reads it.
  if (!failed_) failed_ = !write_all(fd_, from, size);
}

}  // namespace btrace
