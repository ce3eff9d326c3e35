// Files in a folder in which another user has already put something at the name.
#include "os/file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "harness.h"

using namespace btrace;

namespace {

constexpr uid_t kNeighbour = 65534;

struct Folder {
  std::string path, file, victim;
  Folder() {
    char made[] = "/tmp/btrace-file-test-XXXXXX";
    if (!mkdtemp(made)) abort();
    path = made;
    file = path + "/recording";
    victim = path + "/victim";
    write(victim, "precious");
  }
  ~Folder() { std::filesystem::remove_all(path); }

  static void write(const std::string& to, const char* text) { std::ofstream(to) << text; }
  static std::string read(const std::string& from) {
    std::ifstream in(from);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

int open_and_close(const std::string& path, Existing existing) {
  const int fd = open_own_file(path.c_str(), existing);
  if (fd >= 0) close(fd);
  return fd;
}

bool every_way_refuses(const std::string& path) {
  return open_and_close(path, Existing::Refuse) < 0 && open_and_close(path, Existing::Replace) < 0 &&
         open_and_close(path, Existing::Keep) < 0;
}

}  // namespace

TEST("file: it is written and read as a whole from where it stands") {
  Folder folder;
  const int fd = open_own_file(folder.file.c_str(), Existing::Refuse);
  char back[4] = {};
  CHECK(write_all(fd, "abcdef", 6) && seek_to(fd, 1) && write_all(fd, "X", 1) && seek_to_end(fd) && write_all(fd, "g", 1));
  CHECK(seek_to(fd, 0) && read_all(fd, back, 3) && std::string(back) == "aXc");
  CHECK(read_all(fd, back, 3) && std::string(back) == "def");
  CHECK(!read_all(fd, back, 3));  // one is left
  // Further than 32 bits of a place tell: there or refused, and never somewhere else.
  const u64 far = (u64{1} << 32) + 1;
  CHECK(!seek_to(fd, far) || lseek(fd, 0, SEEK_CUR) == static_cast<off_t>(far));
  close(fd);
}

TEST("file: a new file is readable by its owner alone, and can be written and read") {
  Folder folder;
  const int fd = open_own_file(folder.file.c_str(), Existing::Refuse);
  CHECK(fd >= 0);
  char back[4] = {};
  CHECK_EQUAL(write(fd, "abc", 3), 3);
  CHECK_EQUAL(pread(fd, back, 3, 0), 3);
  CHECK_EQUAL(std::string(back), "abc");
  struct stat facts;
  CHECK_EQUAL(fstat(fd, &facts), 0);
  CHECK_EQUAL(facts.st_mode & 07777, 0600u);
  CHECK_EQUAL(fcntl(fd, F_GETFD), FD_CLOEXEC);
  close(fd);
}

TEST("file: our own file is kept, replaced or refused as asked") {
  Folder folder;
  Folder::write(folder.file, "before");
  chmod(folder.file.c_str(), 0666);
  CHECK_EQUAL(open_and_close(folder.file, Existing::Refuse), -EEXIST);
  CHECK(open_and_close(folder.file, Existing::Keep) >= 0);
  CHECK_EQUAL(Folder::read(folder.file), "before");
  CHECK(open_and_close(folder.file, Existing::Replace) >= 0);
  CHECK_EQUAL(Folder::read(folder.file), "");
  struct stat facts;
  CHECK_EQUAL(stat(folder.file.c_str(), &facts), 0);
  CHECK_EQUAL(facts.st_mode & 07777, 0600u);
}

TEST("file: neither a link nor a second name of a file leads to that file") {
  Folder folder;
  CHECK_EQUAL(symlink(folder.victim.c_str(), folder.file.c_str()), 0);
  CHECK(every_way_refuses(folder.file));
  unlink(folder.file.c_str());
  CHECK_EQUAL(link(folder.victim.c_str(), folder.file.c_str()), 0);
  CHECK(every_way_refuses(folder.file));
  CHECK_EQUAL(Folder::read(folder.victim), "precious");
  const std::string missing = folder.path + "/missing", dangling = folder.path + "/dangling";
  CHECK_EQUAL(symlink(missing.c_str(), dangling.c_str()), 0);
  CHECK(every_way_refuses(dangling));
  CHECK(!std::filesystem::exists(missing));
}

TEST("file: a pipe, a folder and a socket are refused, without waiting") {
  Folder folder;
  CHECK_EQUAL(mkfifo(folder.file.c_str(), 0666), 0);
  CHECK(every_way_refuses(folder.file));
  const int reader = open_to_read(folder.file.c_str());
  CHECK(reader >= 0);
  close(reader);
  unlink(folder.file.c_str());
  CHECK_EQUAL(mkdir(folder.file.c_str(), 0777), 0);
  CHECK(every_way_refuses(folder.file));
  rmdir(folder.file.c_str());
  sockaddr_un address{AF_UNIX, {}};
  folder.file.copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK_EQUAL(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  CHECK(every_way_refuses(folder.file));
  close(listener);
}

TEST("file: another user's file is refused, also for root, who could write it") {
  Folder folder;
  Folder::write(folder.file, "theirs");
  if (geteuid() != 0) return;  // only root can give a file away
  CHECK_EQUAL(chown(folder.file.c_str(), kNeighbour, kNeighbour), 0);
  CHECK_EQUAL(open_and_close(folder.file, Existing::Keep), -kErrorNotOurs);
  CHECK_EQUAL(open_and_close(folder.file, Existing::Replace), -kErrorNotOurs);
  CHECK_EQUAL(Folder::read(folder.file), "theirs");
}

TEST("file: names that are swapped meanwhile never lead to the victim's file") {
  Folder folder;
  std::atomic<bool> over{false};
  std::thread neighbour([&] {
    while (!over) {
      (void)!symlink(folder.victim.c_str(), folder.file.c_str());
      unlink(folder.file.c_str());
      (void)!link(folder.victim.c_str(), folder.file.c_str());
      unlink(folder.file.c_str());
      std::this_thread::yield();
    }
  });
  u32 opened = 0;
  // At least once the name has to be free just then.
  const i64 until = now_ns() + 60 * kNsPerSecond;
  for (int i = 0; i < 5000 || (!opened && now_ns() < until); i++) {
    const int fd = open_own_file(folder.file.c_str(), Existing::Replace);
    if (fd < 0) continue;
    opened++;
    (void)!write(fd, "recording", 9);
    close(fd);
    unlink(folder.file.c_str());
  }
  over = true;
  neighbour.join();
  CHECK_EQUAL(Folder::read(folder.victim), "precious");
  CHECK(opened > 0);
}
