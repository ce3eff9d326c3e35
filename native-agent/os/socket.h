#pragma once
#include "base/types.h"

namespace btrace {

inline constexpr u32 kUnknownUid = 0xffffffff;

// A connected stream socket, or a negated error number.
int connect_path(const char* path);
int connect_abstract(const char* name);
// Listens on a name in the abstract namespace (no file, gone with the process); a negated error number when it cannot.
int listen_abstract(const char* name);
// Two sockets that are connected with each other. False where that fails.
bool connected_pair(int (&ends)[2]);
// Whether the system has names in the abstract namespace.
bool has_abstract_names();
// The next connection, or a negated error number when none came in time.
int accept_within(int listener, i64 timeout_ns);
u32 peer_uid(int fd);
struct IoResult {
  i64 bytes;  // moved; 0 with `closed` false: would block
  bool closed;
};
// Never block, never raise SIGPIPE.
IoResult send_some(int fd, const u8* data, size_t size);
IoResult receive_some(int fd, u8* data, size_t size);
// Waits until there is something to read or room to write, whichever is asked for, the other side is gone, or the time is
// over.
struct Readiness {
  bool readable;
  bool gone;
};
Readiness wait_socket(int fd, bool for_read, bool for_write, i64 timeout_ns);

}  // namespace btrace
