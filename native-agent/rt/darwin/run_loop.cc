#include "rt/darwin/run_loop.h"

#include "base/clock.h"
#include "base/libc.h"
#include "core/capture.h"
#include "os/darwin/macho_format.h"
#include "os/imports.h"
#include "os/machine.h"
#include "rt/native/waiting.h"

namespace btrace::darwin {

namespace {

// <CoreFoundation/CFRunLoop.h>
using Observer = void*;
using Activities = unsigned long;
constexpr Activities kEntry = 1, kBeforeWaiting = 1 << 5, kAfterWaiting = 1 << 6;
using Callback = void (*)(Observer, Activities, void*);
constexpr long kFirst = -0x7fffffffffffffff - 1, kLast = 0x7fffffffffffffff;

// Found where the program has Core Foundation; the agent never loads it.
struct CoreFoundation {
  void* (*main_loop)();
  Observer (*create)(const void* allocator, Activities, u8 repeats, long order, Callback, void* context);
  void (*add)(void* loop, Observer, const void* mode);
  void (*remove)(void* loop, Observer, const void* mode);
  const void* const* common_modes;
};
CoreFoundation found;

// Of the process, kept for the next recording: a callback may still be running as one ends. The one that tells of
// begins is called before the program's own, the other one after them.
Observer begins, ends;

// Of the main thread, which alone calls back.
native::Waiting waiting;

constexpr const char* kGroup = "run loop";

ThreadRecord* main_record() {
  ThreadRecord* record = active_session_id() ? g_threads.current_record() : nullptr;
  return record && record->is_main ? record : nullptr;
}

void message_begins(Observer, Activities, void*) {
  ThreadRecord* record = main_record();
  if (!record) return;
  const Registers from = BTRACE_CALLER();
  waiting.end(from);
  if (LoopLog* loop = record->loop.load_acquire()) loop->loop_handles(now_ns());
  // From here on another message's work is done.
  record->own.loop_message++;
  Capture capture;
  if (!capture.begin(record, SampleKind::Message, true)) return;
  native::read_counters(capture.row(), *record);
  capture.commit(native::walk_from(capture, from));
}

void message_ends(Observer, Activities, void*) {
  ThreadRecord* record = main_record();
  if (!record) return;
  if (LoopLog* loop = record->loop.load_acquire()) loop->loop_waits(now_ns());
  waiting.begin(SampleKind::Poll);
}

template <class Pointer>
bool take(Pointer& pointer, const char* name) {
  pointer = reinterpret_cast<Pointer>(libc::symbol(name));
  return pointer != nullptr;
}

}  // namespace

bool RunLoop::find() {
  const u64 images = loaded_images();
  if (is_found_.load_relaxed() || images == images_) return is_found_.load_relaxed();
  images_ = images;
  const bool has_all = take(found.main_loop, "CFRunLoopGetMain") && take(found.create, "CFRunLoopObserverCreate") &&
              take(found.add, "CFRunLoopAddObserver") && take(found.remove, "CFRunLoopRemoveObserver") &&
              take(found.common_modes, "kCFRunLoopCommonModes");
  is_found_.store_relaxed(has_all);
  return has_all;
}

void RunLoop::saw_code_of(const Image& image) {
  if (program_runs_.load_relaxed()) return;
  macho::Header header;
  if (!read_memory(reinterpret_cast<const void*>(image.begin), &header, sizeof header)) return;
  if (header.magic == macho::kMagic && header.file_type == macho::kProgram) program_runs_.store_relaxed(1);
}

// It is asked again and again, and says the same.
void RunLoop::tell(Session& session, HookState state, const char* why) {
  const HookReport* told = session.hook(kGroup);
  if (!told || told->state != state || told->why != why) session.report_hook(kGroup, state, why);
}

void RunLoop::install(Session& session) {
  if (is_installed_) return;
  if (!session.config.wants(SampleKind::Message)) return tell(session, HookState::Off, "not asked for");
  if (!find()) return tell(session, HookState::Missing, "the program has no Core Foundation");
  if (!program_runs_.load_relaxed())
    return tell(session, HookState::Missing, "the main thread has not done anything yet");
  void* const loop = found.main_loop();
  if (!begins) begins = found.create(nullptr, kEntry | kAfterWaiting, 1, kFirst, message_begins, nullptr);
  if (!ends) ends = found.create(nullptr, kBeforeWaiting, 1, kLast, message_ends, nullptr);
  if (!loop || !begins || !ends) return tell(session, HookState::Failed, "it takes no observer");
  found.add(loop, begins, *found.common_modes);
  found.add(loop, ends, *found.common_modes);
  is_installed_ = true;
  tell(session, HookState::Installed);
}

void RunLoop::remove(Session& session) {
  if (!is_installed_) return;
  void* const loop = found.main_loop();
  found.remove(loop, begins, *found.common_modes);
  found.remove(loop, ends, *found.common_modes);
  is_installed_ = false;
  session.report_hook(kGroup, HookState::Removed);
}

}  // namespace btrace::darwin
