// Mach calls. A thread is suspended by a signal whose handler waits: it stands still within the program's code, whatever
// locks it holds. Between suspension and resumption nothing here takes a lock or allocates, as in Darwin's kernel.
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "system.h"
#include "threads.h"

namespace {

using Port = uint32_t;
constexpr int kSuccess = 0, kInvalidAddress = 1, kInvalidArgument = 4, kFailure = 5, kTerminated = 37;

Port g_task = 0x103;

void wait_while(std::atomic<int>& word, int value) {
  while (word == value) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake(std::atomic<int>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
}

void park(int, siginfo_t*, void* context) {
  const int error = errno;
  Thread& self = *current_thread();
  self.context = static_cast<ucontext_t*>(context);
  self.is_parked = 1;
  wake(self.is_parked);
  for (int count; (count = self.suspensions) > 0;) wait_while(self.suspensions, count);
  self.is_parked = 0;
  wake(self.is_parked);
  errno = error;
}

// ---------------------------------------------------------------- threads

int task_threads(Port, Port** list, uint32_t* count) {
  constexpr size_t kBytes = kMostThreads * sizeof(Port);
  void* room = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return kFailure;
  *list = static_cast<Port*>(room);
  *count = 0;
  each_thread([&](Thread& thread) { (*list)[(*count)++] = static_cast<Port>(thread.tid.load()); });
  return kSuccess;
}

int thread_suspend(Port port) {
  Thread* thread = find_thread(static_cast<int>(port));
  if (!thread) return kTerminated;
  // It still comes back from the last one, and would stay if it saw this one meanwhile.
  while (thread->suspensions == 0 && thread->is_parked) wait_while(thread->is_parked, 1);
  if (thread->suspensions.fetch_add(1) == 0) {
    if (syscall(SYS_tgkill, getpid(), port, suspension_signal())) {
      thread->suspensions = 0;
      return kTerminated;
    }
  }
  if (thread == current_thread()) return kSuccess;
  // One that ends before the signal reaches it never parks.
  while (!thread->is_parked) {
    const timespec patience{0, 10'000'000};
    syscall(SYS_futex, &thread->is_parked, FUTEX_WAIT_PRIVATE, 0, &patience, nullptr, 0);
    if (!thread->is_parked && (thread->tid != static_cast<int>(port) || syscall(SYS_tgkill, getpid(), port, 0))) {
      thread->suspensions = 0;
      return kTerminated;
    }
  }
  return kSuccess;
}

int thread_resume(Port port) {
  Thread* thread = find_thread(static_cast<int>(port));
  if (!thread) return kTerminated;
  if (thread->suspensions <= 0) return kFailure;
  if (thread->suspensions.fetch_sub(1) == 1) wake(thread->suspensions);
  return kSuccess;
}

// Darwin answers for threads that run, too, with what they had when they entered the kernel last.
int thread_get_state(Port port, int flavor, uint32_t* state, uint32_t* words) {
  Thread* thread = find_thread(static_cast<int>(port));
  if (!thread || !thread->is_parked) return kFailure;
  auto& machine = thread->context->uc_mcontext;
#if defined(__aarch64__)
  struct {
    uint64_t x[31], sp, pc;
    uint32_t cpsr, flags;
  } now{};
  constexpr int kFlavor = 6;
  memcpy(now.x, machine.regs, sizeof now.x);
  now.sp = machine.sp;
  now.pc = machine.pc;
#else
  constexpr int kOrder[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RDI, REG_RSI, REG_RBP, REG_RSP, REG_R8,
                            REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP, REG_EFL};
  uint64_t now[21] = {};
  constexpr int kFlavor = 4;
  for (size_t at = 0; at < sizeof kOrder / sizeof *kOrder; at++) now[at] = static_cast<uint64_t>(machine.gregs[kOrder[at]]);
#endif
  if (flavor != kFlavor || *words < sizeof now / 4) return kInvalidArgument;
  *words = sizeof now / 4;
  memcpy(state, &now, sizeof now);
  return kSuccess;
}

// The letter that Linux has for what the thread does.
char linux_state(int tid) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  text[got < 0 ? 0 : got] = 0;
  const char* end = strrchr(text, ')');
  return end && end[1] ? end[2] : '\0';
}

int64_t cpu_ns(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) ? -1 : time.tv_sec * 1'000'000'000L + time.tv_nsec;
}

int thread_info(Port port, uint32_t flavor, int* info, uint32_t* words) {
  constexpr uint32_t kBasic = 3, kWords = 10;
  constexpr int kRunning = 1, kStopped = 2, kWaiting = 3, kUninterruptible = 4;
  Thread* thread = find_thread(static_cast<int>(port));
  if (!thread) return kTerminated;
  if (flavor != kBasic || *words < kWords) return kInvalidArgument;
  // The kernel's number of another thread's CPU clock.
  const int64_t ns = cpu_ns(static_cast<clockid_t>(~port << 3 | 6));
  if (ns < 0) return kTerminated;
  const char state = thread->is_parked ? 'T' : linux_state(static_cast<int>(port));
  memset(info, 0, kWords * sizeof *info);
  info[0] = static_cast<int>(ns / 1'000'000'000);
  info[1] = static_cast<int>(ns % 1'000'000'000 / 1000);
  info[6] = state == 'R' ? kRunning : state == 'T' ? kStopped : state == 'D' ? kUninterruptible : kWaiting;
  info[8] = thread->suspensions;
  *words = kWords;
  return kSuccess;
}

int task_info(Port, uint32_t flavor, int* info, uint32_t* words) {
  constexpr uint32_t kBasic = 20, kWords = 12;
  if (flavor != kBasic || *words < kWords) return kInvalidArgument;
  memset(info, 0, kWords * sizeof *info);
  char text[128] = {};
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const bool is_read = read(fd, text, sizeof text - 1) > 0;
  close(fd);
  unsigned long pages = 0, resident = 0;
  if (is_read) sscanf(text, "%lu %lu", &pages, &resident);
  const uint64_t bytes[] = {pages * 4096, resident * 4096};
  memcpy(info, bytes, sizeof bytes);
  *words = kWords;
  return kSuccess;
}

Port mach_thread_self() {
  return static_cast<Port>(current_thread()->tid.load());
}
int mach_port_deallocate(Port, Port) {
  return kSuccess;
}

// ---------------------------------------------------------------- memory

// Under an emulator of processors there is no process_vm_readv: a pipe checks the address as well.
ssize_t through_pipe(uintptr_t from, size_t bytes, uintptr_t to) {
  static const int* ends = [] {
    static int pair[2];
    if (pipe2(pair, O_CLOEXEC)) die("no pipe");
    return pair;
  }();
  static std::atomic<int> taken;
  while (taken.exchange(1)) usleep(10);
  ssize_t got = write(ends[1], reinterpret_cast<const void*>(from), bytes < 4096 ? bytes : 4096);
  if (got > 0) got = read(ends[0], reinterpret_cast<void*>(to), static_cast<size_t>(got));
  taken = 0;
  return got;
}

int vm_read_overwrite(Port, uintptr_t from, uintptr_t bytes, uintptr_t to, uintptr_t* got) {
  const iovec there{reinterpret_cast<void*>(from), bytes}, here{reinterpret_cast<void*>(to), bytes};
  ssize_t all = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  if (all < 0 && errno == ENOSYS)
    for (all = 0; all < static_cast<ssize_t>(bytes);) {
      const ssize_t part = through_pipe(from + static_cast<uintptr_t>(all), bytes - static_cast<uintptr_t>(all), to + static_cast<uintptr_t>(all));
      if (part <= 0) break;
      all += part;
    }
  *got = all < 0 ? 0 : static_cast<uintptr_t>(all);
  return *got == bytes ? kSuccess : kInvalidAddress;
}

int vm_protect(Port, uintptr_t at, uintptr_t bytes, int, int access) {
  const uintptr_t begin = at & ~uintptr_t{4095};
  const int linux_access = (access & 1 ? PROT_READ : 0) | (access & 2 ? PROT_WRITE : 0) | (access & 4 ? PROT_EXEC : 0);
  return mprotect(reinterpret_cast<void*>(begin), at + bytes - begin, linux_access) ? kFailure : kSuccess;
}

// Of a list of ports: it was mapped as a whole.
int vm_deallocate(Port, uintptr_t at, uintptr_t) {
  return munmap(reinterpret_cast<void*>(at), kMostThreads * sizeof(Port)) ? kInvalidAddress : kSuccess;
}

void* map(void* at, size_t bytes, int access, int flags, int fd, off_t offset) {
  constexpr int kAnonymous = 0x1000;
  return mmap(at, bytes, access, (flags & 0x1f) | (flags & kAnonymous ? MAP_ANONYMOUS : 0), fd, offset);
}

// ---------------------------------------------------------------- clocks

uint64_t clock_gettime_nsec_np(int clock) {
  switch (clock) {
    case 0: return static_cast<uint64_t>(cpu_ns(CLOCK_REALTIME));
    case 4: return static_cast<uint64_t>(cpu_ns(CLOCK_BOOTTIME));
    case 12: return static_cast<uint64_t>(cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
    case 16: return static_cast<uint64_t>(cpu_ns(CLOCK_THREAD_CPUTIME_ID));
    default: return static_cast<uint64_t>(cpu_ns(CLOCK_MONOTONIC));
  }
}
uint64_t mach_absolute_time() {
  return clock_gettime_nsec_np(8);
}

uint64_t mach_continuous_time() {
  return clock_gettime_nsec_np(4);
}
int clock_gettime_of(int clock, timespec* time) {
  constexpr uint64_t kSecond = 1000000000;
  const uint64_t ns = clock_gettime_nsec_np(clock);
  *time = {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  return 0;
}

const Export kExports[] = {
    {"mach_task_self_", &g_task},
    {"task_threads", function(task_threads)},
    {"thread_suspend", function(thread_suspend)},
    {"thread_resume", function(thread_resume)},
    {"thread_get_state", function(thread_get_state)},
    {"thread_info", function(thread_info)},
    {"task_info", function(task_info)},
    {"mach_thread_self", function(mach_thread_self)},
    {"mach_port_deallocate", function(mach_port_deallocate)},
    {"vm_read_overwrite", function(vm_read_overwrite)},
    {"vm_protect", function(vm_protect)},
    {"vm_deallocate", function(vm_deallocate)},
    {"mmap", function(map)},
    {"munmap", function(munmap)},
    {"clock_gettime_nsec_np", function(clock_gettime_nsec_np)},
    {"mach_absolute_time", function(mach_absolute_time)},
    {"mach_continuous_time", function(mach_continuous_time)},
    {"clock_gettime", function(clock_gettime_of)},
    {"gettimeofday", function<int(timeval*, void*)>(gettimeofday)},
    {"nanosleep", function(nanosleep)},
};

}  // namespace

int suspension_signal() {
  return SIGRTMIN + 6;
}

void begin_suspensions() {
  struct sigaction action {};
  action.sa_sigaction = park;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(suspension_signal(), &action, nullptr);
}

Exports mach_exports() {
  return {kExports, sizeof kExports / sizeof *kExports};
}
