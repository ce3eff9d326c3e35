#pragma once
// The bytes to and from the other end: chunks that came whole, and what is still to be sent. Nothing here blocks for
// longer than it is told to.
#include "core/chunk.h"

namespace btrace {

class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}
  // Closes it.
  void release();

  // Where chunks are put to be sent.
  Bytes& out() { return out_; }
  size_t unsent() const { return out_.size() - sent_; }
  bool is_open() const { return open_; }
  // Moves bytes both ways, waiting at most `wait_ns` for something to happen.
  void pump(i64 wait_ns);
  // The next chunk that came whole, valid until the next call here; false when there is none yet. Closes
  // for what can be none.
  bool next(ChunkView& chunk);
  u64 bytes_sent() const { return bytes_sent_; }
  size_t held_bytes() const { return out_.capacity() + in_.capacity(); }

 private:
  bool has_room() const;
  void receive();
  void send();

  int fd_;
  bool open_ = true;
  Bytes out_;
  size_t sent_ = 0;  // of out_
  u64 bytes_sent_ = 0;
  Bytes in_;
  size_t used_ = 0;  // of in_
};

}  // namespace btrace
