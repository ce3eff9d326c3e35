#include "os/socket.h"

#include "base/libc.h"
#include "os/darwin/libsystem.h"
#include "os/darwin/loopback.h"

namespace btrace {

namespace {

struct PathAddress {
  u8 bytes;
  u8 family;
  char path[104];
};

struct InternetAddress {
  u8 bytes;
  u8 family;
  u8 port[2];     // the high byte first
  u8 address[4];  // likewise
  u8 unused[8];
};

constexpr u8 kUnix = 1, kInternet = 2;
constexpr int kStream = 1, kSocketLevel = 0xffff, kReuseAddress = 4, kNoSignal = 0x1022, kDontWait = 0x80;

void raise_no_signals(int fd) {
  const int yes = 1;
  darwin::setsockopt(fd, kSocketLevel, kNoSignal, &yes, sizeof yes);
}

bool would_block() {
  const int error = *darwin::__error();
  return error == darwin::kTryAgain || error == darwin::kInterrupted;
}

int closed_with_error(int fd) {
  const int error = *darwin::__error();
  darwin::close(fd);
  return -error;
}

}  // namespace

int connect_path(const char* path) {
  PathAddress address{};
  const size_t length = strlen(path);
  if (length >= sizeof address.path) return -darwin::kNameTooLong;
  memcpy(address.path, path, length + 1);
  address.family = kUnix;
  address.bytes = static_cast<u8>(2 + length + 1);
  const int fd = darwin::socket(kUnix, kStream, 0);
  if (fd < 0) return darwin::result_or_error(fd);
  raise_no_signals(fd);
  return darwin::connect(fd, &address, address.bytes) ? closed_with_error(fd) : fd;
}

bool connected_pair(int (&ends)[2]) {
  if (darwin::socketpair(kUnix, kStream, 0, ends)) return false;
  for (const int fd : ends) raise_no_signals(fd);
  return true;
}

bool has_abstract_names() {
  return false;
}

int connect_abstract(const char*) {
  return -darwin::kNotSupported;
}

int listen_abstract(const char*) {
  return -darwin::kNotSupported;
}

int listen_loopback(u16 port) {
  const int fd = darwin::socket(kInternet, kStream, 0);
  if (fd < 0) return darwin::result_or_error(fd);
  // An app that is started again finds its port free.
  const int yes = 1;
  darwin::setsockopt(fd, kSocketLevel, kReuseAddress, &yes, sizeof yes);
  const InternetAddress address{
      sizeof address, kInternet, {static_cast<u8>(port >> 8), static_cast<u8>(port)}, {127, 0, 0, 1}, {}};
  constexpr int kWaiting = 4;
  if (darwin::bind(fd, &address, sizeof address) || darwin::listen(fd, kWaiting)) return closed_with_error(fd);
  return fd;
}

int accept_within(int listener, i64 timeout_ns) {
  if (!wait_socket(listener, true, false, timeout_ns).readable) return -darwin::kTimedOut;
  const int fd = darwin::result_or_error(darwin::accept(listener, nullptr, nullptr));
  if (fd >= 0) raise_no_signals(fd);
  return fd;
}

u32 peer_uid(int fd) {
  u32 uid, gid;
  return darwin::getpeereid(fd, &uid, &gid) ? kUnknownUid : uid;
}

IoResult send_some(int fd, const u8* data, size_t size) {
  const long sent = darwin::send(fd, data, size, kDontWait);
  if (sent >= 0) return {sent, false};
  return {0, !would_block()};
}

IoResult receive_some(int fd, u8* data, size_t size) {
  const long got = darwin::recv(fd, data, size, kDontWait);
  if (got > 0) return {got, false};
  return {0, got == 0 || !would_block()};
}

Readiness wait_socket(int fd, bool for_read, bool for_write, i64 timeout_ns) {
  constexpr i16 kReadable = 1, kWritable = 4, kGone = 8 | 16 | 32;
  struct {
    i32 fd;
    i16 events;
    i16 happened;
  } wanted{fd, static_cast<i16>((for_read ? kReadable : 0) | (for_write ? kWritable : 0)), 0};
  darwin::poll(&wanted, 1, static_cast<int>((timeout_ns + kNsPerMs - 1) / kNsPerMs));
  return {(wanted.happened & kReadable) != 0, (wanted.happened & kGone) != 0};
}

}  // namespace btrace
