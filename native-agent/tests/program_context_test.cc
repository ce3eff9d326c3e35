// Which context is the program's, where one signal's handler interrupts another's.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "harness.h"
#include "os/signal.h"

using namespace btrace;

namespace {

// The sanitizers call handlers in their own ways, and have frames of their own size.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool kTold = true;
#else
constexpr bool kTold = false;
#endif

constexpr int kTheirs = SIGUSR1, kOurs = SIGUSR2;

struct Seen {
  uintptr_t direct_sp, program_sp;
  int count;
};
volatile Seen g_seen;
uintptr_t g_stack_begin, g_stack_end;

void send(int number) { syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number); }

void on_ours(int, SignalInfo*, void* context) {
  void* program = program_context(context, g_stack_begin, g_stack_end);
  g_seen.direct_sp = interrupted_at(context).sp;
  g_seen.program_sp = interrupted_at(program).sp;
  g_seen.count = g_seen.count + 1;
}

// As a profiler's handler does, it takes a while and has some stack of its own.
void on_theirs(int) {
  volatile char work[2000];
  memset(const_cast<char*>(work), 1, sizeof work);
  send(kOurs);
}

struct Handlers {
  struct sigaction theirs_before;
  SignalAction ours_before;
  explicit Handlers(int flags) {
    struct sigaction theirs{};
    theirs.sa_handler = on_theirs;
    theirs.sa_flags = flags;
    sigaction(kTheirs, &theirs, &theirs_before);
    CHECK(set_handler(kOurs, on_ours, ours_before));
    learn_signal_returns();
    pthread_attr_t attributes;
    void* begin;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &begin, &size);
    pthread_attr_destroy(&attributes);
    g_stack_begin = reinterpret_cast<uintptr_t>(begin);
    g_stack_end = g_stack_begin + size;
    g_seen.count = 0;
  }
  ~Handlers() {
    sigaction(kTheirs, &theirs_before, nullptr);
    set_action(kOurs, ours_before);
  }
};

// Where this function's frame lies; what it calls lies below.
[[gnu::noinline]] uintptr_t interrupted_in(void (*body)()) {
  body();
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
}

// What the call of a signal takes below a frame, and what a handler takes at the least.
constexpr uintptr_t kNear = 600;

}  // namespace

TEST("program context: a handler that interrupts the program has the program's context") {
  if (!kTold) return;
  Handlers handlers(0);
  interrupted_in([] { send(kOurs); });
  CHECK(g_seen.count == 1);
  CHECK(g_seen.program_sp == g_seen.direct_sp);
}

TEST("program context: a handler that interrupts another one finds the program's context") {
  if (!kTold) return;
  Handlers handlers(0);
  const uintptr_t frame = interrupted_in([] { send(kTheirs); });
  CHECK(g_seen.count == 1);
  CHECK(frame - g_seen.direct_sp > 2000);
  CHECK(frame - g_seen.program_sp < kNear);
}

TEST("program context: two signals of one moment are of the same program") {
  if (!kTold) return;
  Handlers handlers(0);
  const uintptr_t frame = interrupted_in([] {
    sigset_t both, before;
    sigemptyset(&both);
    sigaddset(&both, kTheirs);
    sigaddset(&both, kOurs);
    pthread_sigmask(SIG_BLOCK, &both, &before);
    send(kTheirs);
    send(kOurs);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  });
  // Ours ran before the first instruction of theirs, and again when theirs sent one more.
  CHECK(g_seen.count == 2);
  CHECK(frame - g_seen.program_sp < 2 * kNear);
  CHECK(frame - g_seen.direct_sp > 2000);
}

TEST("program context: a handler on a stack of its own is looked through") {
  if (!kTold) return;
  static char alternative[64 * 1024];
  stack_t stack{}, before;
  stack.ss_sp = alternative;
  stack.ss_size = sizeof alternative;
  sigaltstack(&stack, &before);
  {
    Handlers handlers(SA_ONSTACK);
    const uintptr_t frame = interrupted_in([] { send(kTheirs); });
    CHECK(g_seen.count == 1);
    const auto direct = static_cast<uintptr_t>(g_seen.direct_sp);
    CHECK(direct - reinterpret_cast<uintptr_t>(alternative) < sizeof alternative);
    CHECK(frame - g_seen.program_sp < kNear);
  }
  sigaltstack(&before, nullptr);
}

TEST("program context: what is left of an earlier handler is not taken for one") {
  if (!kTold) return;
  Handlers handlers(0);
  // Its frame stays on the stack below, in what this function calls next; no handler runs, so no signal is blocked.
  interrupted_in([] { send(kTheirs); });
  interrupted_in([] {
    char unused[16 * 1024];
    asm volatile("" ::"r"(unused) : "memory");
    send(kOurs);
  });
  CHECK(g_seen.program_sp == g_seen.direct_sp);
}
