#include "os/linux/signal.h"

#include "base/clock.h"

namespace btrace {

namespace {

constexpr int kSigprof = 27;
// Those at the ends are taken by C libraries, debuggers and emulators more often than those in the middle.
constexpr int kLastRealTime = 60, kFirstRealTime = 44;
constexpr unsigned long kRestart = 0x10000000;
constexpr long kMaskBytes = 8;

#if defined(__x86_64__)
constexpr unsigned long kWithRestorer = 0x04000000;
// As the C library has it, so that debuggers know it for what it is.
extern "C" void btrace_signal_return();
asm(R"(
.pushsection .text
.hidden btrace_signal_return
.globl btrace_signal_return
.type btrace_signal_return, @function
btrace_signal_return:
  mov $15, %rax
  syscall
.size btrace_signal_return, . - btrace_signal_return
.popsection
)");
#endif

// Where the kernel's ucontext has the registers, in words.
#if defined(__x86_64__)
constexpr size_t kFirst = 5, kFrame = kFirst + 10, kSp = kFirst + 15, kPc = kFirst + 16, kLink = 0;
#elif defined(__aarch64__)
constexpr size_t kFirst = 23, kFrame = kFirst + 29, kLink = kFirst + 30, kSp = kFirst + 31, kPc = kFirst + 32;
#else
constexpr size_t kFirst = 8, kFrame = kFirst + 11, kSp = kFirst + 13, kLink = kFirst + 14, kPc = kFirst + 15;
#endif

bool exchange_action(int number, const SignalAction* action, SignalAction* before) {
  return !sys::failed(
      sys::call(sys::kSigaction, number, reinterpret_cast<long>(action), reinterpret_cast<long>(before), kMaskBytes));
}

}  // namespace

void SignalAction::see_to_return() {
#if defined(__x86_64__)
  if (flags & kWithRestorer) return;
  flags |= kWithRestorer;
  restorer = reinterpret_cast<void*>(&btrace_signal_return);
#endif
}

bool read_action(int number, SignalAction& action) {
  return exchange_action(number, nullptr, &action);
}

bool set_action(int number, const SignalAction& action) {
  return exchange_action(number, &action, nullptr);
}

int free_signal() {
  SignalAction action;
  if (read_action(kSigprof, action) && action.is_default_or_ignored()) return kSigprof;
  for (int number = kLastRealTime; number >= kFirstRealTime; number--)
    if (read_action(number, action) && !action.handler) return number;
  return 0;
}

bool set_handler(int number, SignalHandler handler, SignalAction& before) {
  SignalAction action;
  action.handler = handler;
  action.flags = SignalAction::kWithInfo | SignalAction::kOnItsStack | kRestart;
  action.see_to_return();
  return exchange_action(number, &action, &before);
}

Registers interrupted_at(const void* context) {
  const auto* words = static_cast<const uintptr_t*>(context);
  return {words[kPc], words[kSp], words[kFrame], kLink ? words[kLink] : 0};
}

void interrupt_elsewhere(void* context, const Registers& at) {
  auto* words = static_cast<uintptr_t*>(context);
  words[kPc] = at.pc;
  words[kSp] = at.sp;
  words[kFrame] = at.frame;
  if (kLink) words[kLink] = at.link;
}

void restore_action(int number, const SignalAction& before) {
  SignalAction ignore;
  ignore.handler = reinterpret_cast<SignalHandler>(uintptr_t{1});
  set_action(number, ignore);
  set_action(number, before);
}

i32 make_cpu_timer(u32 tid, int number, void* value) {
  constexpr i32 kToOneThread = 4;
  struct {
    void* value;
    i32 number;
    i32 notify;
    i32 tid;
    i32 reserved[13];
  } event{value, number, kToOneThread, static_cast<i32>(tid), {}};
  i32 timer = -1;
  long result =
      sys::call(sys::kTimerCreate, cpu_clock_of(tid), reinterpret_cast<long>(&event), reinterpret_cast<long>(&timer));
  return sys::failed(result) ? -1 : timer;
}

bool start_timer(i32 timer, i64 interval_ns) {
  sys::Timespec every{static_cast<long>(interval_ns / kNsPerSecond), static_cast<long>(interval_ns % kNsPerSecond)};
  sys::Timespec times[2] = {every, every};
  return !sys::failed(sys::call(sys::kTimerSettime, timer, 0, reinterpret_cast<long>(times), 0));
}

void delete_timer(i32 timer) {
  sys::call(sys::kTimerDelete, timer);
}

}  // namespace btrace
