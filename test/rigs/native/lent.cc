// Programs that notice when something is done to them: they check their own requests, sums, waits and signal masks
// until their standard input ends, and then print what was wrong.
//   lent server    a server and its clients, beside threads that wait in all ways, with two interval timers' handlers
//   lent waits NAME  one thread that waits in this way: sleeps, polls, "polls masked", epolls, receives, semaphores;
//                  and in two in which no thread is stopped: "reads with a limit", "takes signals"
//   lent waits identities  threads that rest, and one that has all of them set their group anew
//   lent burner    one thread that never rests
//   lent exec      the server, which becomes the burner after its first second
//   lent confined  the burner with a filter for its system calls, which lets all of them pass
//   lent traced    the burner with a child that traces it
//   lent handler   one thread in a signal's handler, which has interrupted the C library
//   lent vfork     one thread, mostly in vfork(), which notices when it goes on long after its child has ended
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace {

struct {
  std::atomic<long> requests, wrong, interrupted, early, late, sums, wrong_sums, ticks, alarms, masks, stacks, children;
  std::atomic<long> slowest_us;
} seen;
std::atomic<bool> is_over, is_served;
// The way of waiting that ended early last.
std::atomic<const char*> early_in{""};

double now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void block_all() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

// What a thread has set must stay so.
class Own {
 public:
  Own() {
    pthread_sigmask(SIG_SETMASK, nullptr, &mask_);
    sigaltstack(nullptr, &stack_);
  }
  void check() const {
    sigset_t mask;
    stack_t stack;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    sigaltstack(nullptr, &stack);
    for (int signal = 1; signal < 32; signal++) seen.masks += sigismember(&mask, signal) != sigismember(&mask_, signal);
    seen.stacks += stack.ss_sp != stack_.ss_sp || stack.ss_size != stack_.ss_size;
  }

 private:
  sigset_t mask_;
  stack_t stack_;
};

typedef double Lanes __attribute__((vector_size(32)));

// The same sum twice, with all of it in vector registers meanwhile.
__attribute__((target("avx"), noinline)) double sum(int steps) {
  Lanes a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, c = {0.5, 0.25, 0.125, 1}, d = {9, 10, 11, 12};
  for (int i = 0; i < steps; i++) {
    a = a * 0.999999 + c;
    b = b * 0.999998 + a;
    c = c * 0.999997 + d * 1e-6;
    d = d + b * 1e-9;
    asm volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d));
  }
  double all = 0;
  for (int i = 0; i < 4; i++) all += a[i] + b[i] + c[i] + d[i];
  return all;
}

void crunch() {
  prctl(PR_SET_NAME, "cruncher");
  const double right = sum(200000);
  while (!is_over) {
    seen.wrong_sums += sum(200000) != right;
    seen.sums++;
  }
}

int listener_of(sockaddr_un& at) {
  at = {};
  at.sun_family = AF_UNIX;
  snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "btrace-lent-%d", getpid());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) || listen(fd, 64)) abort();
  return fd;
}

constexpr size_t kRequest = 64;

uint64_t answer_to(const char* request) {
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i < kRequest; i++) hash = (hash ^ static_cast<unsigned char>(request[i])) * 1099511628211u;
  return hash;
}

// Its signal handlers interrupt it: that, and nothing else, ends a wait early.
void serve(int listener) {
  prctl(PR_SET_NAME, "server");
  const Own own;
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{EPOLLIN, {.fd = listener}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  while (!is_served) {
    epoll_event events[16];
    const int count = epoll_wait(epoll, events, 16, 50);
    for (int i = 0; i < count; i++) {
      const int fd = events[i].data.fd;
      if (fd == listener) {
        const int peer = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        event = {EPOLLIN, {.fd = peer}};
        if (peer >= 0) epoll_ctl(epoll, EPOLL_CTL_ADD, peer, &event);
        continue;
      }
      char* request = static_cast<char*>(malloc(kRequest));
      ssize_t got;
      do got = recv(fd, request, kRequest, MSG_WAITALL);
      while (got < 0 && errno == EINTR);
      if (got == kRequest) {
        const uint64_t answer = answer_to(request);
        if (send(fd, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) seen.wrong++;
      } else {
        close(fd);
      }
      free(request);
    }
    own.check();
  }
}

void ask(sockaddr_un at) {
  prctl(PR_SET_NAME, "client");
  block_all();
  const Own own;
  unsigned number = 0;
  while (!is_over) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at)) {
      seen.wrong++;
      close(fd);
      continue;
    }
    for (int i = 0; i < 100 && !is_over; i++) {
      char request[kRequest];
      for (char& byte : request) byte = static_cast<char>(number = number * 1664525 + 1013904223);
      uint64_t answer = 0;
      const double begin = now();
      const bool is_right = send(fd, request, kRequest, MSG_NOSIGNAL) == kRequest &&
                            recv(fd, &answer, sizeof answer, MSG_WAITALL) == sizeof answer &&
                            answer == answer_to(request);
      const long us = static_cast<long>((now() - begin) * 1e6);
      if (us > seen.slowest_us) seen.slowest_us = us;
      is_right ? seen.requests++ : seen.wrong++;
    }
    own.check();
    close(fd);
  }
}

// A wait in which nothing comes to pass, on a thread that no signal reaches. Its length is of the clock that it goes by:
// the machine's time of day may be set meanwhile.
void wait_again(const char* name, double seconds, const std::function<int()>& wait, clockid_t clock = CLOCK_MONOTONIC) {
  prctl(PR_SET_NAME, name);
  block_all();
  const Own own;
  while (!is_over) {
    const double begin = now(clock);
    errno = 0;
    const int result = wait();
    seen.interrupted += result == EINTR || (result < 0 && errno == EINTR);
    if (now(clock) - begin < seconds * 0.99) {
      seen.early++;
      early_in = name;
    }
    own.check();
  }
}

timespec after(double seconds) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += static_cast<long>(seconds * 1e9);
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

// All, or the one of this name.
void start_waits(std::vector<std::thread>& threads, const char* only) {
  const auto start = [&](const char* name, void (*run)(const char*)) {
    if (!only || !strcmp(only, name)) threads.emplace_back(run, name);
  };
  constexpr double kWait = 0.02;
  start("sleeps", [](const char* name) {
    wait_again(name, kWait, [] {
      const timespec time{0, static_cast<long>(kWait * 1e9)};
      return nanosleep(&time, nullptr);
    });
  });
  start("polls", [](const char* name) {
    wait_again(name, kWait, [] { return poll(nullptr, 0, static_cast<int>(kWait * 1e3)); });
  });
  start("polls masked", [](const char* name) {
    wait_again(name, kWait, [] {
      const timespec time{0, static_cast<long>(kWait * 1e9)};
      sigset_t mask;
      sigfillset(&mask);
      sigdelset(&mask, SIGUSR1);
      return ppoll(nullptr, 0, &time, &mask);
    });
  });
  start("epolls", [](const char* name) {
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    wait_again(name, kWait, [epoll] {
      epoll_event event;
      return epoll_wait(epoll, &event, 1, static_cast<int>(kWait * 1e3));
    });
  });
  start("receives", [](const char* name) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) abort();
    const timeval limit{0, static_cast<long>(kWait * 1e6)};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    wait_again(name, kWait, [fd = ends[0]] {
      char byte;
      return static_cast<int>(recv(fd, &byte, 1, 0));
    });
  });
  start("semaphores", [](const char* name) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    const auto wait = [&] {
      const timespec time = after(kWait);
      return sem_timedwait(&semaphore, &time);
    };
    wait_again(name, kWait, wait, CLOCK_REALTIME);
  });
  if (!only) return;
  start("reads with a limit", [](const char* name) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) abort();
    const timeval limit{0, static_cast<long>(kWait * 1e6)};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    wait_again(name, kWait, [fd = ends[0]] {
      char byte;
      return static_cast<int>(read(fd, &byte, 1));
    });
  });
  start("takes signals", [](const char* name) {
    wait_again(name, kWait, [] {
      sigset_t wanted;
      sigemptyset(&wanted);
      sigaddset(&wanted, SIGUSR1);
      const timespec time{0, static_cast<long>(kWait * 1e9)};
      return sigtimedwait(&wanted, nullptr, &time);
    });
  });
}

// The C library has each thread do it, and waits for all. Does not rest.
void set_identities() {
  prctl(PR_SET_NAME, "identities");
  while (!is_over) {
    if (setresgid(-1, -1, -1)) seen.wrong++;
    sum(400000);
  }
}

void on_tick(int) {
  seen.ticks++;
}
void on_alarm(int) {
  seen.alarms++;
}

void start_timers() {
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_tick;
  sigaction(SIGPROF, &action, nullptr);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval profile{{0, 2000}, {0, 2000}}, alarm{{0, 5000}, {0, 5000}};
  setitimer(ITIMER_PROF, &profile, nullptr);
  setitimer(ITIMER_REAL, &alarm, nullptr);
}

void fork_now_and_then() {
  prctl(PR_SET_NAME, "forker");
  block_all();
  while (!is_over) {
    const pid_t child = fork();
    if (!child) _exit(5);
    int status = 0;
    if (waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5)
      seen.children++;
    else
      seen.wrong++;
    usleep(20000);
  }
}

void print() {
  printf("{\"requests\":%ld,\"wrong\":%ld,\"interrupted\":%ld,\"early\":%ld,\"late\":%ld,\"sums\":%ld,"
         "\"wrongSums\":%ld,\"ticks\":%ld,\"alarms\":%ld,\"masks\":%ld,\"stacks\":%ld,\"children\":%ld,"
         "\"slowestUs\":%ld,\"earlyIn\":\"%s\"}\n",
         seen.requests.load(), seen.wrong.load(), seen.interrupted.load(), seen.early.load(), seen.late.load(),
         seen.sums.load(), seen.wrong_sums.load(), seen.ticks.load(), seen.alarms.load(), seen.masks.load(),
         seen.stacks.load(), seen.children.load(), seen.slowest_us.load(), early_in.load());
}

int serve_until_end(char** words, bool becomes_burner) {
  sockaddr_un at;
  const int listener = listener_of(at);
  std::thread server(serve, listener);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) threads.emplace_back(ask, at);
  threads.emplace_back(crunch);
  threads.emplace_back(fork_now_and_then);
  start_waits(threads, nullptr);
  start_timers();
  puts("ready");
  fflush(stdout);
  block_all();
  if (becomes_burner) {
    sleep(1);
    execl("/proc/self/exe", words[0], "burner", nullptr);
  }
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  is_served = true;
  server.join();
  print();
  return 0;
}

bool may_go_on(int limit_ms) {
  pollfd input{0, POLLIN, 0};
  return poll(&input, 1, limit_ms) == 0;
}

// Asks without waiting whether its input has ended.
int burn() {
  puts("ready");
  fflush(stdout);
  const Own own;
  const double right = sum(1000000);
  do {
    for (int i = 0; i < 100; i++) {
      seen.wrong_sums += sum(1000000) != right;
      seen.sums++;
    }
    own.check();
  } while (may_go_on(0));
  print();
  return 0;
}

// For all of its life.
void handle(int) {
  puts("ready");
  fflush(stdout);
  while (may_go_on(20)) {
  }
  is_over = true;
}

int be_interrupted() {
  struct sigaction action{};
  action.sa_handler = handle;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval once{{0, 0}, {0, 50000}};
  setitimer(ITIMER_REAL, &once, nullptr);
  static char room[1 << 22];
  while (!is_over) memset(room, 1, sizeof room);
  print();
  return 0;
}

int fork_again() {
  puts("ready");
  fflush(stdout);
  static volatile double ended;
  do {
    const pid_t child = vfork();
    if (!child) {
      const timespec time{0, 500000000};
      nanosleep(&time, nullptr);
      ended = now();
      _exit(5);
    }
    seen.late += now() - ended > 1;
    int status = 0;
    if (waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5) seen.children++;
  } while (may_go_on(0));
  print();
  return 0;
}

int wait_until_end(const char* name) {
  std::vector<std::thread> threads;
  if (!strcmp(name, "identities")) {
    threads.emplace_back(set_identities);
    for (int i = 0; i < 3; i++)
      threads.emplace_back([] {
        while (!is_over) poll(nullptr, 0, 20);
      });
  }
  start_waits(threads, name);
  puts("ready");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  print();
  return threads.empty();
}

void confine() {
  sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog filter{1, &all};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) abort();
}

void be_traced() {
  int ends[2];
  if (pipe(ends)) abort();
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  if (!fork()) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) || write(ends[1], "t", 1) != 1) _exit(1);
    pause();
  }
  char byte;
  if (read(ends[0], &byte, 1) != 1) abort();
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  if (count > 2 && !strcmp(words[1], "waits")) return wait_until_end(words[2]);
  if (!strcmp(words[1], "confined")) confine();
  if (!strcmp(words[1], "traced")) be_traced();
  if (!strcmp(words[1], "handler")) return be_interrupted();
  if (!strcmp(words[1], "vfork")) return fork_again();
  if (strcmp(words[1], "server") && strcmp(words[1], "exec")) return burn();
  return serve_until_end(words, !strcmp(words[1], "exec"));
}
