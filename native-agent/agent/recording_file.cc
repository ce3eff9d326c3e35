#include "agent/recording_file.h"

#include "base/syscall.h"
#include "core/proto.h"

namespace btrace {

namespace {

constexpr char kMagic[] = "BTRACE\r\n";
constexpr size_t kMagicBytes = sizeof kMagic - 1;
constexpr long kAtCwd = -100, kReadOnly = 0, kWriteNew = 01 | 0100 | 01000, kCloexec = 02000000, kOwnerOnly = 0600;

int open_file(const char* path, long how) {
  return static_cast<int>(
      sys::call(sys::kOpenat, kAtCwd, reinterpret_cast<long>(path), how | kCloexec, how == kReadOnly ? 0 : kOwnerOnly));
}

bool read_exactly(int fd, u8* to, size_t size) {
  for (long got; size; to += got, size -= static_cast<size_t>(got)) {
    got = sys::call(sys::kRead, fd, reinterpret_cast<long>(to), static_cast<long>(size));
    if (got == -sys::kEintr)
      got = 0;
    else if (got <= 0)
      return false;
  }
  return true;
}

}  // namespace

bool RecordingFile::open(const char* path) {
  fd_ = open_file(path, kWriteNew);
  failed_ = false;
  bytes_ = 0;
  sequence_ = 0;
  if (fd_ < 0) return false;
  write(kMagic, kMagicBytes);
  return true;
}

bool RecordingFile::copy(const RecordingFile& other, const char* path) {
  int from = open_file(path, kReadOnly);
  if (from < 0) return false;
  u8 part[16 * 1024];
  // The beginning is there already.
  bool whole = read_exactly(from, part, kMagicBytes);
  for (u64 left = other.bytes_ - kMagicBytes; whole && left && !failed_;) {
    const size_t size = min_of<u64>(left, sizeof part);
    whole = read_exactly(from, part, size);
    if (whole) write(part, size);
    left -= size;
  }
  sys::close(from);
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
}

void RecordingFile::close() {
  if (fd_ >= 0) sys::close(fd_);
  fd_ = -1;
  chunk_.release();
}

void RecordingFile::write(const void* from, size_t size) {
  auto at = static_cast<const u8*>(from);
  bytes_ += size;
  for (long written; size && !failed_; at += written, size -= static_cast<size_t>(written)) {
    written = sys::call(sys::kWrite, fd_, reinterpret_cast<long>(at), static_cast<long>(size));
    if (written == -sys::kEintr) written = 0;
    // What is torn now is passed over by who reads it.
    failed_ = written < 0;
    if (failed_) return;
  }
}

}  // namespace btrace
