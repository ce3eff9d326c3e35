#include "os/signal.h"

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

namespace {
constexpr long kSetMask = 2;
}

u64 block_all_signals() {
  const u64 all = ~u64{0};
  u64 before = 0;
  sys::call(sys::kSigprocmask, kSetMask, reinterpret_cast<long>(&all), reinterpret_cast<long>(&before), kMaskBytes);
  return before;
}

void restore_blocked_signals(u64 before) {
  sys::call(sys::kSigprocmask, kSetMask, reinterpret_cast<long>(&before), 0, kMaskBytes);
}

int free_signal(bool may_be_sigprof) {
  SignalAction action;
  if (may_be_sigprof && read_action(kSigprof, action) && action.is_default_or_ignored()) return kSigprof;
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

#if defined(__x86_64__)

namespace {

constexpr int kLastSignal = 64;
// What handlers of this process return to: nearly always the C library's function alone.
constexpr u32 kMostReturns = 4;
uintptr_t g_returns[kMostReturns];

// The kernel's frame of a handler: where it returns to, and the context.
struct HandlerFrame {
  uintptr_t returns_to;
  uintptr_t context[38];
};
constexpr size_t kAltStack = 2, kAltBytes = 4, kMask = 37;  // in words of the context

// Java threads keep it blocked, it is for one thread of the JVM's.
constexpr u64 kQuit = 1ull << 2;

bool is_return(uintptr_t address) {
  for (uintptr_t known : g_returns)
    if (known && known == address) return true;
  return false;
}

// While a handler runs its signal is blocked: without that, nothing is looked for.
uintptr_t* interrupted_handlers_context(const uintptr_t* context, uintptr_t stack_begin, uintptr_t stack_end) {
  constexpr uintptr_t kFarthest = 64 * 1024, kLargestFrame = 32 * 1024, kAlignment = 16;
  const u64 blocked = context[kMask] & ~kQuit;
  const uintptr_t sp = context[kSp];
  if (!blocked) return nullptr;
  uintptr_t end = stack_end;
  const bool on_own = sp >= stack_begin && sp < stack_end;
  if (!on_own) {
    const uintptr_t alternative = context[kAltStack];
    if (sp < alternative || sp - alternative >= context[kAltBytes]) return nullptr;
    end = alternative + context[kAltBytes];
  }
  if (end - sp > kFarthest) end = sp + kFarthest;
  for (uintptr_t at = (sp + kAlignment - 1) / kAlignment * kAlignment - sizeof(uintptr_t);
       at + sizeof(HandlerFrame) <= end; at += kAlignment) {
    if (at < sp) continue;
    auto* frame = reinterpret_cast<HandlerFrame*>(at);
    if (!is_return(frame->returns_to)) continue;
    // Its handler blocks what was blocked before, and more.
    const u64 before = frame->context[kMask];
    if (before & ~context[kMask] || before == context[kMask]) continue;
    const uintptr_t below = frame->context[kSp];
    // Right below where the stack was then, or where it was on the other stack.
    const bool fits = on_own ? below > at && below - at < kLargestFrame : below >= stack_begin && below < stack_end;
    if (fits && frame->context[kPc]) return frame->context;
  }
  return nullptr;
}

}  // namespace

void learn_signal_returns() {
  u32 count = 0;
  for (int number = 1; number <= kLastSignal && count < kMostReturns; number++) {
    SignalAction action;
    const bool returns = read_action(number, action) && action.handler && action.flags & kWithRestorer;
    const auto to = reinterpret_cast<uintptr_t>(action.restorer);
    if (!returns || is_return(to)) continue;
    while (count < kMostReturns && g_returns[count]) count++;
    if (count < kMostReturns) g_returns[count++] = to;
  }
}

void* program_context(void* context, uintptr_t stack_begin, uintptr_t stack_end) {
  constexpr u32 kMostHandlers = 4;
  for (u32 i = 0; i < kMostHandlers; i++) {
    void* below = interrupted_handlers_context(static_cast<uintptr_t*>(context), stack_begin, stack_end);
    if (!below) break;
    context = below;
  }
  return context;
}

#else

void learn_signal_returns() {}

void* program_context(void* context, uintptr_t, uintptr_t) {
  return context;
}

#endif

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
