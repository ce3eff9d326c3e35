#include "host/borrowed_thread.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "host/resting.h"

namespace btrace::host {

void (*BorrowedThread::on_step)(u32 step);

namespace {

// A thread that has no processor comes to stop late, and goes on as soon as it has.
constexpr i64 kStopNs = 2 * kNsPerSecond, kCallNs = 2 * kNsPerSecond;
// Larger than any state that the kernel has: one that is too small it cuts without a word.
constexpr size_t kMostVectorBytes = 64 * 1024;
constexpr u64 kRedZoneBytes = 128;
constexpr u64 kUserCode = 0x33;  // the segment of 64-bit code
constexpr u64 kTrapFlag = 0x100, kDirectionFlag = 0x400;
// Of the kernel, where a system call was interrupted. It shows them to who traces, and to nobody else.
constexpr i64 kRestartSys = -512, kRestartNoInterrupt = -513, kRestartNoHandler = -514, kRestartBlock = -516;
constexpr u64 kSystemCallBytes = 2;

// As the kernel has it on the stack, behind the address that a handler returns to.
struct UserContext {
  u64 flags, link;
  u64 stack_begin;
  i32 stack_flags, padding;
  u64 stack_bytes;
  sigcontext machine;
  u64 mask;
};
static_assert(sizeof(UserContext) == 304);
// With vector registers, and with the stack's segment.
constexpr u64 kContextFlags = 1 | 2 | 4;
// No flags that the kernel knows: it leaves the thread's stack for signals as it is.
constexpr i32 kNoStackFlags = 0x7fffffff;

// Signals of what an instruction did wrong: if they are blocked the kernel takes the program's handlers away.
constexpr u64 kOfInstructions = u64{1} << (SIGSEGV - 1) | u64{1} << (SIGBUS - 1) | u64{1} << (SIGILL - 1) |
                                u64{1} << (SIGFPE - 1) | u64{1} << (SIGTRAP - 1) | u64{1} << (SIGSYS - 1);
// The C library's own, by which setuid() and the like reach all threads: it waits for each of them, and holds the lock
// that pthread_create() takes.
constexpr u64 kOfIdentities = u64{1} << (33 - 1);

bool is_event_stop(int status) {
  return status >> 16 == PTRACE_EVENT_STOP;
}

bool is_call_stop(int status) {
  return WSTOPSIG(status) == (SIGTRAP | 0x80);
}

// The one that it stopped for, and is to get; 0: it stopped for another reason.
int signal_of(int status) {
  return status >> 16 || is_call_stop(status) ? 0 : WSTOPSIG(status);
}

// Of the vector registers as the kernel writes them for signal handlers: without the tiles, unless they are in use.
u64 bytes_of_features(u64 features) {
  u64 bytes = 512 + 64;
  for (u32 feature = 2; feature < 63; feature++) {
    u32 size, offset, c, d;
    if (!(features >> feature & 1) || !__get_cpuid_count(0xD, feature, &size, &offset, &c, &d) || !size) continue;
    bytes = max_of<u64>(bytes, u64{offset} + size);
  }
  return bytes;
}

// What a system call that was interrupted gives a thread that finds back by itself.
void begin_anew(user_regs_struct& registers) {
  const i64 result = static_cast<i64>(registers.rax);
  if (result != kRestartSys && result != kRestartNoInterrupt && result != kRestartNoHandler &&
      result != kRestartBlock && result != -EINTR)
    return;
  registers.rax = registers.orig_rax;
  registers.rip -= kSystemCallBytes;
}

}  // namespace

BorrowedThread::Wait BorrowedThread::wait_for_stop(i64 limit_ns, int& status) {
  sigset_t of_children;
  sigemptyset(&of_children);
  sigaddset(&of_children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &of_children, nullptr);
  for (const i64 until = now_ns() + limit_ns;;) {
    const pid_t got = waitpid(static_cast<pid_t>(tid_), &status, __WALL | WNOHANG);
    if (got < 0 && errno != EINTR) return Wait::Gone;
    if (got > 0) return WIFSTOPPED(status) ? Wait::Stopped : Wait::Gone;
    const i64 left = until - now_ns();
    if (left <= 0) return Wait::Late;
    const timespec limit{left / kNsPerSecond, left % kNsPerSecond};
    sigtimedwait(&of_children, nullptr, &limit);
  }
}

bool BorrowedThread::put(user_regs_struct registers) {
  return !ptrace(PTRACE_SETREGS, tid_, nullptr, &registers);
}

bool BorrowedThread::put_mask(u64 mask) {
  return !ptrace(PTRACE_SETSIGMASK, tid_, sizeof mask, &mask);
}

void BorrowedThread::let_go(int signal) {
  ptrace(PTRACE_DETACH, tid_, nullptr, signal);
  held_ns_ = now_ns() - since_ns_;
  state_ = State::Free;
}

BorrowedThread::Stop BorrowedThread::stop() {
  if (ptrace(PTRACE_SEIZE, tid_, nullptr, PTRACE_O_TRACESYSGOOD)) return Stop::NotNow;
  since_ns_ = now_ns();
  ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr);
  int status = 0;
  switch (wait_for_stop(kStopNs, status)) {
    case Wait::Stopped: break;
    case Wait::Gone: return Stop::NotNow;
    case Wait::Late: return Stop::Late;
  }
  state_ = State::Stopped;
  if (ptrace(PTRACE_GETREGS, tid_, nullptr, &registers_) || !begin_interrupted_call_anew() || !is_event_stop(status) ||
      WSTOPSIG(status) != SIGTRAP) {
    // A signal for it, which it gets; or all of the program is being stopped, and stays so.
    let_go(signal_of(status));
    return Stop::NotNow;
  }
  vectors_.resize(kMostVectorBytes);
  iovec state{vectors_.data(), vectors_.size()};
  if (registers_.cs != kUserCode ||
      ptrace(PTRACE_GETREGSET, tid_, NT_X86_XSTATE, &state) || state.iov_len == vectors_.size() ||
      ptrace(PTRACE_GETSIGMASK, tid_, sizeof mask_, &mask_)) {
    let_go(0);
    return Stop::NotNow;
  }
  vectors_.resize(state.iov_len);
  return Stop::Stopped;
}

// We woke it: the kernel begins the call anew unless a handler is to run, as it does with most calls by itself.
bool BorrowedThread::begin_interrupted_call_anew() {
  if (!is_in_call() || registers_.cs != kUserCode || static_cast<i64>(registers_.rax) != -EINTR ||
      !may_begin_anew(registers_.orig_rax, registers_.rsi))
    return true;
  registers_.rax = static_cast<u64>(kRestartNoHandler);
  return put(registers_);
}

bool BorrowedThread::is_in_restartable_sequence() const {
  // The kernel's, which older C libraries' headers lack.
  constexpr auto kGetSequences = static_cast<__ptrace_request>(0x420f);
  struct {
    u64 at;
    u32 bytes, signature, flags, padding;
  } found{};
  u64 sequence = 0;
  // Where the kernel does not tell of them: none has a system call in it.
  if (ptrace(kGetSequences, tid_, sizeof found, &found) < 0) return !is_in_call();
  if (!found.at) return false;
  return !memory_.read(found.at + 8, &sequence, sizeof sequence) || sequence;
}

bool BorrowedThread::prepare(u64 return_code) {
  constexpr size_t kSoftwareBytes = 464, kHeaderBytes = 512;
  if (state_ != State::Stopped || vectors_.size() < kHeaderBytes + 64) return false;
  u64 features, used;
  memcpy(&features, vectors_.data() + kSoftwareBytes, sizeof features);
  memcpy(&used, vectors_.data() + kHeaderBytes, sizeof used);
  constexpr u64 kTiles = u64{3} << 17;
  if (!(used & kTiles)) features &= ~kTiles;
  const u64 bytes = bytes_of_features(features);
  if (bytes > vectors_.size()) return false;
  const u64 top = (registers_.rsp - kRedZoneBytes) & ~u64{63};
  const u64 vectors = (top - bytes - sizeof(u32)) & ~u64{63};
  const u64 context = (vectors - sizeof(UserContext)) & ~u64{15};
  frame_ = context - sizeof(u64);

  std::vector<u8> written(vectors + bytes + sizeof(u32) - frame_);
  memcpy(written.data(), &return_code, sizeof return_code);
  UserContext back{};
  back.flags = kContextFlags;
  back.stack_flags = kNoStackFlags;
  user_regs_struct registers = registers_;
  if (is_in_call()) begin_anew(registers);
  sigcontext& machine = back.machine;
  machine.r8 = registers.r8, machine.r9 = registers.r9, machine.r10 = registers.r10, machine.r11 = registers.r11;
  machine.r12 = registers.r12, machine.r13 = registers.r13, machine.r14 = registers.r14, machine.r15 = registers.r15;
  machine.rdi = registers.rdi, machine.rsi = registers.rsi, machine.rbp = registers.rbp, machine.rbx = registers.rbx;
  machine.rdx = registers.rdx, machine.rax = registers.rax, machine.rcx = registers.rcx, machine.rsp = registers.rsp;
  machine.rip = registers.rip, machine.eflags = registers.eflags;
  machine.cs = static_cast<u16>(registers.cs), machine.__pad0 = static_cast<u16>(registers.ss);
  machine.fpstate = reinterpret_cast<_fpstate*>(vectors);
  back.mask = mask_;
  memcpy(written.data() + (context - frame_), &back, sizeof back);

  u8* state = written.data() + (vectors - frame_);
  memcpy(state, vectors_.data(), bytes);
  _fpx_sw_bytes software{};
  software.magic1 = FP_XSTATE_MAGIC1;
  software.extended_size = static_cast<u32>(bytes + sizeof(u32));
  software.xstate_bv = features;
  software.xstate_size = static_cast<u32>(bytes);
  memcpy(state + kSoftwareBytes, &software, sizeof software);
  const u32 end = FP_XSTATE_MAGIC2;
  memcpy(state + bytes, &end, sizeof end);
  return_code_ = return_code;
  return memory_.write(frame_, written.data(), written.size());
}

// To the beginning of the code that returns from signal handlers: whatever happens to us now, it finds back.
bool BorrowedThread::go_to_return() {
  user_regs_struct registers = registers_;
  registers.rip = return_code_;
  registers.rsp = frame_ + sizeof(u64);
  registers.rax = 0;
  registers.orig_rax = ~u64{0};
  registers.eflags &= ~(kTrapFlag | kDirectionFlag);
  return put(registers);
}

bool BorrowedThread::call(u64 function, u64 number, const u64 (&arguments)[6], i64& result) {
  if (state_ == State::Free || !frame_) return false;
  user_regs_struct registers = registers_;
  registers.rip = function;
  registers.rsp = frame_;
  registers.rax = 0;
  registers.orig_rax = ~u64{0};
  registers.eflags &= ~(kTrapFlag | kDirectionFlag);
  registers.rdi = arguments[0], registers.rsi = arguments[1], registers.rdx = arguments[2];
  registers.rcx = arguments[3], registers.r8 = arguments[4], registers.r9 = arguments[5];
  if (on_step) on_step(step_++);
  if (!put(registers)) return false;
  // In this order: its way back has its own mask.
  const bool is_first = state_ == State::Stopped;
  state_ = State::Borrowed;
  if (on_step) on_step(step_++);
  if (is_first && !put_mask(~(kOfInstructions | kOfIdentities))) {
    release();
    return false;
  }
  result = -ENOSYS;
  started_ = 0;
  int signal = 0;
  for (const i64 until = now_ns() + kCallNs;;) {
    if (on_step) on_step(step_++);
    int status = 0;
    if (ptrace(PTRACE_SYSCALL, tid_, nullptr, signal)) return false;
    const Wait how = wait_for_stop(max_of<i64>(until - now_ns(), 0), status);
    if (how == Wait::Late) {
      // It waits for somebody: it goes on with the call, and finds back.
      ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr);
      if (wait_for_stop(kStopNs, status) == Wait::Stopped) let_go(signal_of(status));
    }
    if (how != Wait::Stopped) {
      state_ = State::Free;
      return false;
    }
    signal = signal_of(status);
    if (is_call_stop(status)) {
      user_regs_struct now;
      if (ptrace(PTRACE_GETREGS, tid_, nullptr, &now)) return false;
      // A handler's own return has another frame.
      constexpr u64 kReturnCodeBytes = 9;
      if (now.orig_rax == SYS_rt_sigreturn && now.rip == return_code_ + kReturnCodeBytes &&
          now.rsp == frame_ + sizeof(u64))
        return true;
      if (now.orig_rax == number) result = static_cast<i64>(now.rax);
      if (now.orig_rax == SYS_clone || now.orig_rax == SYS_clone3) started_ = static_cast<i64>(now.rax);
    } else if (signal && kOfInstructions >> (signal - 1) & 1) {
      release();
      return false;
    }
    // Else all of the program is being stopped, but for this thread.
  }
}

void BorrowedThread::release() {
  if (state_ == State::Free) return;
  if (state_ == State::Stopped) return let_go(0);
  // The kernel begins system calls anew only for a thread that stops as it did at first.
  int status = 0;
  if (on_step) on_step(step_++);
  if (!go_to_return()) return let_go(0);
  ptrace(PTRACE_INTERRUPT, tid_, nullptr, nullptr);
  ptrace(PTRACE_CONT, tid_, nullptr, nullptr);
  // As long as it takes: it would not go on after that stop.
  Wait how;
  do how = wait_for_stop(kStopNs, status);
  while (how == Wait::Late);
  if (how == Wait::Gone || !is_event_stop(status)) return let_go(how == Wait::Gone ? 0 : signal_of(status));
  if (on_step) on_step(step_++);
  iovec state{vectors_.data(), vectors_.size()};
  const bool is_back = put_mask(mask_) && !ptrace(PTRACE_SETREGSET, tid_, NT_X86_XSTATE, &state);
  if (on_step) on_step(step_++);
  // What fails here the thread does by itself: it is at its way back.
  if (is_back) put(registers_);
  if (on_step) on_step(step_++);
  let_go(0);
}

}  // namespace btrace::host

#endif
