#pragma once
// The bytes to and from the other end: chunks that came whole, and what is still to be sent. Nothing here waits for
// longer than it is told to.
#include "core/chunk.h"

namespace btrace {

class Connection {
 public:
  // The desktop says little: what is longer than its longest Hello is not from it. An agent's chunks have any length.
  static constexpr size_t kLongestOfDesktop = 64 * 1024;
  static constexpr size_t kLongestOfAgent = kChunkHeaderBytes + kMaxChunkPayload;

  // `longest`: of a chunk that comes; one that says that it is longer ends the connection.
  explicit Connection(int fd, size_t longest = kLongestOfDesktop) : fd_(fd), longest_(longest) {}
  // Closes it.
  void release();

  // Where chunks are put to be sent.
  Bytes& out() { return out_; }
  size_t unsent() const { return out_.size() - sent_; }
  bool is_open() const { return open_; }
  // Moves bytes both ways, waiting at most `wait_ns` for something to happen.
  void pump(i64 wait_ns);
  // Sends what there is. Waits at most `wait_ns` for room if that is not all, and for nothing else.
  void send_all(i64 wait_ns);
  // The next chunk that came whole, valid until the next call here; false when there is none yet. Closes
  // for what can be none.
  bool next(ChunkView& chunk);
  u64 bytes_sent() const { return bytes_sent_; }
  size_t held_bytes() const { return out_.capacity() + in_.capacity(); }

 private:
  static constexpr size_t kReadAhead = 64 * 1024;
  bool has_room() const;
  void receive();
  void send();

  int fd_;
  size_t longest_;
  size_t wanted_ = 0;  // all of the chunk that has come in part
  bool open_ = true;
  Bytes out_;
  size_t sent_ = 0;  // of out_
  u64 bytes_sent_ = 0;
  Bytes in_;
  size_t used_ = 0;  // of in_
};

}  // namespace btrace
