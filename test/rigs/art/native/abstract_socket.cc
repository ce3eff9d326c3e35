// abstract-socket NAME: connects standard input and output with a socket in the abstract namespace, as adbd does for
// localabstract:NAME. Node pads such names, so that it cannot itself. Writes one byte to descriptor 3 when connected.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace {

// False at the end of what is read, or when nobody takes it any more.
bool Copy(int from, int to) {
  char buffer[65536];
  const ssize_t count = read(from, buffer, sizeof buffer);
  for (ssize_t done = 0; done < count;) {
    const ssize_t written = write(to, buffer + done, count - done);
    if (written <= 0) return false;
    done += written;
  }
  return count > 0;
}

}  // namespace

int main(int argc, char** argv) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
  memcpy(address.sun_path + 1, argv[1], strlen(argv[1]));
  const socklen_t length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + strlen(argv[1]));
  const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), length) != 0) return 1;
  if (write(3, "+", 1) != 1) return 1;
  pollfd both[2] = {{0, POLLIN, 0}, {connection, POLLIN, 0}};
  for (;;) {
    if (poll(both, 2, -1) < 0) continue;
    if (both[0].revents && !Copy(0, connection)) return 0;
    if (both[1].revents && !Copy(connection, 1)) return 0;
  }
}
