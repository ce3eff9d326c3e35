#include "rt/hotspot/stack_here.h"

#include "base/text_builder.h"
#include "rt/hotspot/reads.h"

namespace btrace::hotspot {

namespace {

// Deeper ones are walked.
constexpr u64 kMostBytes = 32 * 1024;
// A method's bytecodes lie behind its ConstMethod's head.
constexpr u64 kMostCode = 68 * 1024;

constexpr const char* kHook = "known stacks";

struct AtomicRange {
  Atomic<u64> begin;
  Atomic<u64> end;
};
AtomicRange g_methods[StackHere::kRanges];
Atomic<u32> g_on;
Atomic<u32> g_changes;

void widen(u64 begin, u64 end) {
  AtomicRange& range = g_methods[begin >= StackHere::kHigh];
  u64 known = range.begin.load_relaxed();
  while ((!known || begin < known) && !range.begin.swap_if(known, begin)) continue;
  known = range.end.load_relaxed();
  while (end > known && !range.end.swap_if(known, end)) continue;
}

}  // namespace

void code_changes() {
  g_changes.add_relaxed(1);
}

void begin_knowing_stacks(Session& session, bool hears_of_code) {
  const Jvm& jvm = g_hotspot.jvm;
  const bool on = hears_of_code && jvm.anchor_sp != kNoOffset && (!jvm.carrier_end || jvm.cont_entry != kNoOffset);
  session.report_hook(kHook, on ? HookState::Installed : HookState::Off,
                      on ? nullptr : "nobody tells when code comes and goes, or where it lies: each stack is walked");
  g_on.store(on);
}

void check_known_stacks(Session& session) {
  if (session.known.trusted() || session.hook_state(kHook) != HookState::Installed) return;
  session.report_hook(kHook, HookState::Failed, "one was taken for another: from then on each was walked");
}

void end_knowing_stacks(Session& session) {
  g_on.store(0);
  check_known_stacks(session);
  if (session.hook_state(kHook) != HookState::Installed) return;
  static char text[80];
  TextBuilder(text)
      .number(session.known.known())
      .add(" times where a stack was walked before, ")
      .number(session.known.walked())
      .add(" walked");
  session.report_hook(kHook, HookState::Removed, text);
}

StackHere::StackHere(Capture& capture) : capture_(capture) {
  const Session& session = capture.session();
  if (session.known.trusted()) make_key();
  if (!key_) return;
  known_ = session.known.find(key_);
  if (known_ && !session.stacks.is_current(known_)) known_ = 0;
}

void StackHere::make_key() {
  const Jvm& jvm = g_hotspot.jvm;
  const u64 java_thread = capture_.record().runtime_thread.load_relaxed();
  const u64 end = capture_.record().stack_end.load_relaxed();
  if (!g_on.load_relaxed() || !java_thread || !end) return;
  // A virtual thread's callers come back to the stack one by one, as it returns to them: what lies there is not all.
  if (jvm.carrier_end && plain_read<u64>(java_thread, jvm.cont_entry)) return;
  // Above this very frame and on the same stack.
  const u64 begin = plain_read<u64>(java_thread, jvm.anchor_sp);
  const u64 bytes = end - begin;
  if (begin <= reinterpret_cast<u64>(&begin) || begin % sizeof(u64) || begin >= end || bytes > kMostBytes) return;
  const u64* words = reinterpret_cast<const u64*>(begin);
  u64 at = plain_read<u64>(java_thread, jvm.anchor_pc);
  // Called from the interpreter it is below, where the call left it.
  if (!at) at = words[-1];
  if (at - jvm.code_begin >= jvm.code_bytes) return;

  for (u32 i = 0; i < kRanges; i++) methods_[i] = {g_methods[i].begin.load_relaxed(), g_methods[i].end.load_relaxed()};
  constexpr u64 kFactor = 0x9E3779B97F4A7C15ull;
  u64 key = (at + bytes * kFactor) ^ u64 { g_changes.load_relaxed() } << 32;
  for (u64 i = 0; i < bytes / sizeof(u64); i++) {
    const u64 word = words[i];
    if (word - jvm.code_begin >= jvm.code_bytes && !methods_[0].has(word) && !methods_[1].has(word)) continue;
    key = (key ^ word ^ i << 48) * kFactor;
    key ^= key >> 32;
  }
  key_ = key ? key : 1;
}

bool StackHere::commit_cached_stack() {
  if (!known_ || KnownStacks::should_check(capture_.begin_ns())) return false;
  capture_.session().known.count_known();
  capture_.commit_node(known_, Capture::Stack::Known);
  return true;
}

void StackHere::commit(u32 count) {
  Session& session = capture_.session();
  session.known.count_walked();
  const bool keeps =
      key_ && !(capture_.row().flags & (kFlagCut | kFlagWalkFailed)) && has_learnt_all(capture_.frames(), count);
  // Kept before the row is: with that the record is let go, and after it the session may be gone.
  const u32 node = capture_.node_of(count);
  if (keeps && node) {
    if (known_ && known_ != node && session.stacks.is_current(known_))
      session.known.distrust();
    else
      session.known.keep(key_, node);
  }
  capture_.commit_node(node);
}

// Whether the key is of all methods. If not, it is the next time.
bool StackHere::has_learnt_all(const Frame* frames, u32 count) const {
  bool all = true;
  for (u32 i = 0; i < count; i++) {
    // A jmethodID is the place of a Method*, and that of one on the stack is there.
    if (frames[i].code < kStubs || frames[i].code >> 32 == 0) return false;
    const u64 method = plain_read<u64>(frames[i].code, 0);
    if (!method) return false;
    const u64 code = plain_read<u64>(method, g_hotspot.jvm.method_const);
    const bool known = methods_[method >= kHigh].has(method) && methods_[code >= kHigh].has(code) &&
                       methods_[code >= kHigh].has(code + kMostCode - 1);
    if (known) continue;
    widen(method, method + 1);
    widen(code, code + kMostCode);
    all = false;
  }
  return all;
}

}  // namespace btrace::hotspot
