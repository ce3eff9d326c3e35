#include "core/connection.h"

#include "os/process.h"
#include "os/socket.h"

namespace btrace {

void Connection::release() {
  if (fd_ >= 0) close_file(fd_);
  fd_ = -1;
  open_ = false;
  in_.release();
  out_.release();
}

bool Connection::has_room() const {
  return in_.size() - used_ < max_of(kReadAhead, wanted_);
}

void Connection::pump(i64 wait_ns) {
  send();
  // What there is no room for is left where it is: it is nothing to wake up for.
  Readiness ready = wait_socket(fd_, has_room(), unsent() != 0, wait_ns);
  if (ready.readable)
    receive();
  else if (ready.gone)
    open_ = false;
  send();
}

void Connection::send_all(i64 wait_ns) {
  send();
  if (unsent()) pump(wait_ns);
}

void Connection::receive() {
  u8 part[4096];
  while (has_room()) {
    IoResult got = receive_some(fd_, part, sizeof part);
    if (got.closed) open_ = false;
    if (got.bytes <= 0) return;
    in_.append(part, static_cast<size_t>(got.bytes));
  }
}

void Connection::send() {
  while (open_ && unsent()) {
    IoResult sent = send_some(fd_, out_.data() + sent_, unsent());
    if (sent.closed) open_ = false;
    if (sent.bytes <= 0) break;
    sent_ += static_cast<size_t>(sent.bytes);
    bytes_sent_ += static_cast<u64>(sent.bytes);
  }
  if (unsent()) return;
  out_.clear();
  sent_ = 0;
}

bool Connection::next(ChunkView& chunk) {
  size_t size;
  ChunkResult result = parse_chunk(in_.data() + used_, in_.size() - used_, chunk, size);
  if (result == ChunkResult::Complete) {
    used_ += size;
    return true;
  }
  if (used_) in_.drop_front(used_);
  used_ = 0;
  if (result == ChunkResult::NeedMore) wanted_ = size;
  if (result == ChunkResult::Broken || wanted_ > longest_) open_ = false;
  return false;
}

}  // namespace btrace
