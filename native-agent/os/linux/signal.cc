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

UnwindRegisters interrupted_at(const void* context) {
  // Where the kernel's ucontext has them.
  const auto at = [context](size_t first, size_t number) {
    return *reinterpret_cast<const uintptr_t*>(static_cast<const u8*>(context) + first + number * sizeof(uintptr_t));
  };
#if defined(__x86_64__)
  return {at(40, 16), at(40, 15), at(40, 10), 0};
#elif defined(__aarch64__)
  return {at(184, 32), at(184, 31), at(184, 29), at(184, 30)};
#else
  return {at(32, 15), at(32, 13), at(32, 11), at(32, 14)};
#endif
}

void interrupt_elsewhere(void* context, const UnwindRegisters& at) {
#if defined(__x86_64__)
  auto* registers = reinterpret_cast<uintptr_t*>(static_cast<u8*>(context) + 40);
  registers[16] = at.pc;
  registers[15] = at.sp;
  registers[10] = at.frame;
#else
  (void)context, (void)at;
#endif
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
