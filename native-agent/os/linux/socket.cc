#include "os/socket.h"

#include "base/libc.h"
#include "base/syscall.h"

namespace btrace {

namespace {

struct SocketAddress {
  u16 family;
  char path[108];
};
constexpr long kUnix = 1, kStream = 1, kCloexec = 02000000;
constexpr long kDontWait = 0x40, kNoSignal = 0x4000;
constexpr long kNameTooLong = 36, kTimedOut = 110;

using Act = sys::Number;

// A new socket that `act` (connect or bind) has given this address; a negated error number when it cannot.
int socket_at(Act act, const SocketAddress& address, size_t path_size) {
  long fd = sys::call(sys::kSocket, kUnix, kStream | kCloexec, 0);
  if (sys::failed(fd)) return static_cast<int>(fd);
  long result;
  do
    result = sys::call(act, fd, reinterpret_cast<long>(&address), static_cast<long>(sizeof address.family + path_size));
  while (result == -sys::kEintr);
  if (!sys::failed(result)) return static_cast<int>(fd);
  sys::close(static_cast<int>(fd));
  return static_cast<int>(result);
}

// In the abstract namespace the first byte is 0, and there is none at the end.
int socket_at_abstract(Act act, const char* name) {
  SocketAddress address{kUnix, {}};
  size_t length = strlen(name);
  if (length >= sizeof address.path) return -kNameTooLong;
  memcpy(address.path + 1, name, length);
  return socket_at(act, address, 1 + length);
}

}  // namespace

int connect_path(const char* path) {
  SocketAddress address{kUnix, {}};
  size_t length = strlen(path);
  if (length >= sizeof address.path) return -kNameTooLong;
  memcpy(address.path, path, length + 1);
  return socket_at(sys::kConnect, address, length + 1);
}

int connect_abstract(const char* name) {
  return socket_at_abstract(sys::kConnect, name);
}

int listen_abstract(const char* name) {
  int fd = socket_at_abstract(sys::kBind, name);
  if (fd < 0) return fd;
  constexpr long kOneWaits = 1;
  long result = sys::call(sys::kListen, fd, kOneWaits);
  if (!sys::failed(result)) return fd;
  sys::close(fd);
  return static_cast<int>(result);
}

bool connected_pair(int (&ends)[2]) {
  return !sys::failed(sys::call(sys::kSocketpair, kUnix, kStream | kCloexec, 0, reinterpret_cast<long>(ends)));
}

bool has_abstract_names() {
  return true;
}

int accept_within(int listener, i64 timeout_ns) {
  if (!wait_socket(listener, true, false, timeout_ns).readable) return -kTimedOut;
  return static_cast<int>(sys::call(sys::kAccept4, listener, 0, 0, kCloexec));
}

u32 peer_uid(int fd) {
  struct {
    i32 pid;
    u32 uid;
    u32 gid;
  } credentials{};
  u32 size = sizeof credentials;
  constexpr long kSocketLevel = 1, kPeerCredentials = 17;
  long result = sys::call(sys::kGetsockopt, fd, kSocketLevel, kPeerCredentials, reinterpret_cast<long>(&credentials),
                          reinterpret_cast<long>(&size));
  return sys::failed(result) ? kUnknownUid : credentials.uid;
}

IoResult send_some(int fd, const u8* data, size_t size) {
  long sent =
      sys::call(sys::kSendto, fd, reinterpret_cast<long>(data), static_cast<long>(size), kDontWait | kNoSignal, 0, 0);
  if (sent >= 0) return {sent, false};
  return {0, sent != -sys::kEagain && sent != -sys::kEintr};
}

IoResult receive_some(int fd, u8* data, size_t size) {
  long got = sys::call(sys::kRecvfrom, fd, reinterpret_cast<long>(data), static_cast<long>(size), kDontWait, 0, 0);
  if (got > 0) return {got, false};
  return {0, got == 0 || (got != -sys::kEagain && got != -sys::kEintr)};
}

Readiness wait_socket(int fd, bool for_read, bool for_write, i64 timeout_ns) {
  constexpr i16 kReadable = 1, kWritable = 4, kGone = 8 | 16 | 32;
  struct {
    i32 fd;
    i16 events;
    i16 happened;
  } poll{fd, static_cast<i16>((for_read ? kReadable : 0) | (for_write ? kWritable : 0)), 0};
  sys::Timespec timeout{static_cast<long>(timeout_ns / kNsPerSecond), static_cast<long>(timeout_ns % kNsPerSecond)};
  sys::call(sys::kPpoll, reinterpret_cast<long>(&poll), 1, reinterpret_cast<long>(&timeout), 0, 8);
  return {(poll.happened & kReadable) != 0, (poll.happened & kGone) != 0};
}

}  // namespace btrace
