#include "rt/native/native.h"

#include "base/libc.h"
#include "core/created_threads.h"
#include "core/kernel_counters.h"
#include "core/native_frames.h"
#include "os/machine.h"
#include "os/process.h"
#include "os/signal.h"

namespace btrace::native {

Native g_native;

namespace {

Imports g_imports;
u64 g_images;  // which were loaded when imports were last redirected

bool is_asked_for(const Session& session, const Point& point) {
  return point.kind == SampleKind::Unknown || (!session.config.survey && session.config.wants(point.kind));
}

bool is_wanted(const Session& session, const Point& point) {
  if (!is_asked_for(session, point)) return false;
  // Never written again: hooks call through it.
  if (!*point.original) *point.original = imported_function(point.name);
  return *point.original != nullptr;
}

// Returns how many pointers could not be redirected.
u32 redirect(Session& session, const Points& family) {
  u32 refused = 0;
  for (u32 i = 0; i < family.count; i++) {
    const Point& point = family.points[i];
    if (!is_wanted(session, point)) continue;
    refused += g_imports.bind(nullptr, {point.name, *point.original, point.replacement}, kCLibrary).refused;
  }
  return refused;
}

void report(Session& session, const Points& family, u32 refused) {
  for (u32 i = 0; i < family.count; i++) {
    const Point& point = family.points[i];
    if (session.hook(point.group) && session.hook_state(point.group) == HookState::Installed) continue;
    if (!is_asked_for(session, point))
      session.report_hook(point.group, HookState::Off, "not asked for");
    else if (!*point.original)
      session.report_hook(point.group, HookState::Missing, "the C library lacks its functions");
    else
      session.report_hook(point.group, HookState::Installed,
                          refused ? "calls that somebody else has redirected are left alone" : nullptr);
  }
}

}  // namespace

void Native::describe(TargetDescription& target) {
  own_program_name(target.name, sizeof target.name);
  memcpy(target.runtime, "native", sizeof "native");
}

// The program's signals are for its own threads.
bool Native::enter_agent_thread(const char*) {
  block_all_signals();
  return true;
}

void Native::install(Session& session) {
  session.images.refresh();
  begin_allocations(session);
  begin_clocks(session);
  take_unseen_creations();
  if (!g_imports.init()) return session.report_hook("calls of the C library", HookState::Missing, "no memory");
  g_images = loaded_images();
  each_family([&](const Points& family) { report(session, family, redirect(session, family)); });
  if (session.config.survey) begin_survey(session);
}

u64 Native::adapt(Session& session, u64) {
  end_created_threads(session);
  const u64 images = loaded_images();
  if (images != g_images) {
    g_images = images;
    session.images.refresh();
    each_family([&](const Points& family) { redirect(session, family); });
  }
  if (session.config.survey) continue_survey(session);
  return 0;
}

void Native::remove(Session& session) {
  // In the reverse order: what the survey put back may be a function of ours.
  end_survey(session);
  const u32 left = g_imports.undo();
  each_family([&](const Points& family) {
    for (u32 i = 0; i < family.count; i++) {
      if (session.hook_state(family.points[i].group) != HookState::Installed) continue;
      session.report_hook(family.points[i].group, left ? HookState::Failed : HookState::Removed,
                          left ? "somebody else's function stands there now; ours only calls through" : nullptr);
    }
  });
}

void Native::describe_thread(ThreadRecord& record, ThreadDescription& thread) {
  KernelName::Text name;
  read_kernel_name(record, name);
  memcpy(thread.name, name, sizeof name);
  thread.kind = ThreadKind::Native;
  thread.is_main = record.is_main;
}

NativeThread Native::native_thread(const char*) {
  return {kStubThread, ThreadKind::Native};
}

bool Native::name_method(u64 code, NameSink& sink) {
  static constexpr const char* kNames[] = {"[thread]", "[stack that could not be walked]"};
  static_assert(sizeof kNames / sizeof kNames[0] == kStubs - 1);
  const bool is_known = code && code < kStubs;
  sink.set_method(0, is_known ? kNames[code - 1] : "[unknown]", nullptr, MethodKind::Stub, nullptr, 0);
  return is_known;
}

Registers caller_of(const void* return_address, void* cfa, const void* frame) {
  const auto pc = reinterpret_cast<uintptr_t>(return_address);
  uintptr_t callers_frame;
  memcpy(&callers_frame, frame, sizeof callers_frame);
  // In the call: what it returns to may be another function's.
  return {pc - 1, reinterpret_cast<uintptr_t>(cfa), callers_frame, pc};
}

ThreadRecord* own_record() {
  ThreadRecord* record = g_threads.current_record();
  return record && record->tid.load_relaxed() == own_tid() ? record : nullptr;
}

void read_counters(Row& row, ThreadRecord& record) {
  read_kernel_counters(row, record);
  g_native.read_native_counters(row);
  row.loop_message = record.own.loop_message;
}

void Native::read_native_counters(Row& row) {
  const Allocated allocated = allocated_here();
  row.allocations = static_cast<u32>(allocated.count);
  row.allocated_bytes = allocated.bytes;
  row.counters |= kCounterAllocations | kCounterAllocatedBytes;
}

void capture_marker(u32 text, u64 object, const Registers& from) {
  Capture capture;
  if (!capture.begin(own_record(), SampleKind::Marker, true)) return;
  read_counters(capture.row(), capture.record());
  capture.row().text = text;
  capture.row().object = object;
  capture.commit(walk_from(capture, from));
}

namespace {

// A thread has named itself by the time it does anything; nobody may come to ask before it is over.
void name_own_thread(ThreadRecord& record) {
  if (record.own.knows_name) return;
  record.own.knows_name = true;
  if (!record.native.name.is_empty()) return;
  KernelName::Text name{};
  own_comm(name);
  record.native.name.write(name);
}

}  // namespace

u32 walk_from(HeldRecord& capture, const Registers& from) {
  name_own_thread(capture.record());
  bool is_whole;
  Frame* frames = capture.frames();
  u32 count = walk_native(capture.session(), from, frames, is_whole);
  if (!count) {
    capture.row().flags |= kFlagWalkFailed;
    frames[count++] = {kStubNoFrames, -1};
  } else if (!is_whole) {
    capture.row().flags |= kFlagCut;
  }
  frames[count++] = {kStubThread, -1};
  return count;
}

}  // namespace btrace::native
