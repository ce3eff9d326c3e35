// Files and sockets: flags, structures and error numbers in Darwin's values.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "system.h"

namespace {

int darwin_number(int error) {
  switch (error) {
    case EAGAIN: return 35;
    case EINPROGRESS: return 36;
    case ENOTSUP: return 45;
    case EADDRINUSE: return 48;
    case ECONNRESET: return 54;
    case ENOTCONN: return 57;
    case ETIMEDOUT: return 60;
    case ECONNREFUSED: return 61;
    case ENAMETOOLONG: return 63;
    default: return error;
  }
}

int* error_place() {
  thread_local int number;
  number = darwin_number(errno);
  return &number;
}

// Darwin passes arguments that a declaration leaves open on the stack, on arm64: see the end of the file.
extern "C" int open_with_mode(const char* path, int how, int mode) {
  const int linux_how = (how & 3) | (how & 0x4 ? O_NONBLOCK : 0) | (how & 0x100 ? O_NOFOLLOW : 0) |
                        (how & 0x200 ? O_CREAT : 0) | (how & 0x400 ? O_TRUNC : 0) | (how & 0x800 ? O_EXCL : 0) |
                        (how & 0x1000000 ? O_CLOEXEC : 0);
  return open(path, linux_how, static_cast<mode_t>(mode));
}

struct Facts {
  int32_t device;
  uint16_t mode, links;
  uint64_t inode;
  uint32_t owner, group;
  uint8_t rest[120];
};

int file_facts(int fd, Facts* facts) {
  struct stat found;
  if (fstat(fd, &found)) return -1;
  *facts = {};
  facts->device = static_cast<int32_t>(found.st_dev);
  facts->mode = static_cast<uint16_t>(found.st_mode);
  facts->links = static_cast<uint16_t>(found.st_nlink);
  facts->inode = found.st_ino;
  facts->owner = found.st_uid;
  facts->group = found.st_gid;
  return 0;
}

// A Darwin address begins with its length, in a byte, and a family of one byte.
struct LinuxAddress {
  sockaddr_storage storage{};
  socklen_t bytes = 0;

  LinuxAddress(const uint8_t* darwin, uint32_t length) {
    memcpy(&storage, darwin, length < sizeof storage ? length : sizeof storage);
    storage.ss_family = darwin[1];
    bytes = length;
  }
  const sockaddr* at() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

int bind_address(int fd, const uint8_t* address, uint32_t bytes) {
  const LinuxAddress here(address, bytes);
  return bind(fd, here.at(), here.bytes);
}
int connect_address(int fd, const uint8_t* address, uint32_t bytes) {
  const LinuxAddress there(address, bytes);
  return connect(fd, there.at(), there.bytes);
}
int accept_any(int fd, void*, uint32_t*) {
  return accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
}
int set_option(int fd, int level, int name, const void* value, uint32_t bytes) {
  constexpr int kSocketLevel = 0xffff, kReuseAddress = 4;
  if (level == kSocketLevel && name == kReuseAddress) return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, value, bytes);
  return 0;  // that no signal is raised, which is so here in any case
}
int peer_ids(int fd, uint32_t* uid, uint32_t* gid) {
  ucred peer;
  socklen_t bytes = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes)) return -1;
  *uid = peer.uid;
  *gid = peer.gid;
  return 0;
}

constexpr int kDontWait = 0x80;
long send_bytes(int fd, const void* data, size_t bytes, int flags) {
  return send(fd, data, bytes, MSG_NOSIGNAL | (flags & kDontWait ? MSG_DONTWAIT : 0));
}
long receive_bytes(int fd, void* data, size_t bytes, int flags) {
  return recv(fd, data, bytes, flags & kDontWait ? MSG_DONTWAIT : 0);
}
int poll_some(pollfd* fds, uint32_t count, int ms) {
  return poll(fds, count, ms);
}

long configuration(int name) {
  constexpr int kProcessorsOnline = 58;
  return name == kProcessorsOnline ? sysconf(_SC_NPROCESSORS_ONLN) : -1;
}

extern "C" int darwin_open(const char*, int, ...);
#if defined(__aarch64__)
asm(".pushsection .text\n"
    ".globl darwin_open\n"
    ".type darwin_open,%function\n"
    "darwin_open:\n"
    "  ldr w2, [sp]\n"
    "  b open_with_mode\n"
    ".popsection\n");
#else
asm(".pushsection .text\n"
    ".globl darwin_open\n"
    ".type darwin_open,@function\n"
    "darwin_open:\n"
    "  jmp open_with_mode\n"
    ".popsection\n");
#endif

const Export kExports[] = {
    {"__error", function(error_place)},
    {"open", function(darwin_open)},
    {"close", function(close)},
    {"read", function(read)},
    {"write", function(write)},
    {"lseek", function(lseek)},
    {"pipe", function(pipe)},
    {"unlink", function(unlink)},
    {"rename", function(rename)},
    {"fsync", function(fsync)},
#if defined(__aarch64__)
    {"fstat", function(file_facts)},
#else
    {"fstat$INODE64", function(file_facts)},
#endif
    {"socket", function(socket)},
    {"socketpair", function(socketpair)},
    {"bind", function(bind_address)},
    {"listen", function(listen)},
    {"accept", function(accept_any)},
    {"connect", function(connect_address)},
    {"setsockopt", function(set_option)},
    {"getpeereid", function(peer_ids)},
    {"send", function(send_bytes)},
    {"recv", function(receive_bytes)},
    {"poll", function(poll_some)},
    {"getpid", function(getpid)},
    {"getuid", function(getuid)},
    {"geteuid", function(geteuid)},
    {"getpagesize", function(getpagesize)},
    {"sysconf", function(configuration)},
    {"usleep", function(usleep)},
    {"sleep", function(sleep)},
};

}  // namespace

Exports file_exports() {
  return {kExports, sizeof kExports / sizeof *kExports};
}
