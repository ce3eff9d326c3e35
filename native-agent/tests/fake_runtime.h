#pragma once
// A runtime without a virtual machine: methods are numbers, names come from them.
#include <string>

#include "core/runtime.h"

struct FakeRuntime : btrace::Runtime {
  bool refuse_names = false;
  void describe(btrace::TargetDescription& target) override {
    snprintf(target.name, sizeof target.name, "fake");
    snprintf(target.runtime, sizeof target.runtime, "Fake 1");
  }
  bool enter_agent_thread(const char*) override { return true; }
  void leave_agent_thread() override {}
  void install(btrace::Session& session) override { session.report_hook("fake", btrace::HookState::Installed); }
  void remove(btrace::Session& session) override { session.report_hook("fake", btrace::HookState::Removed); }
  void describe_thread(btrace::ThreadRecord&, btrace::ThreadDescription& thread) override {
    snprintf(thread.name, sizeof thread.name, "thread");
  }
  void forget_thread(btrace::ThreadRecord&) override {}
  bool name_method(btrace::u64 code, btrace::NameSink& sink) override {
    if (refuse_names)
      return sink.set_method(0, "[unloaded]", nullptr, btrace::MethodKind::Unresolved, nullptr, 0), false;
    std::string name = "m" + std::to_string(code);
    btrace::u32 owner = sink.class_id(1);
    if (!owner) owner = sink.add_class(1, "Fake", "Fake.java");
    btrace::LineEntry line{0, 7};
    sink.set_method(owner, name.c_str(), "()V", btrace::MethodKind::Managed, &line, 1);
    return true;
  }
  bool name_class(btrace::u64 key, btrace::NameSink& sink) override {
    sink.add_class(key, "Thing", nullptr);
    return true;
  }
  btrace::i32 walk_other_thread(btrace::ThreadRecord&, btrace::Frame*, btrace::u32, btrace::WalkNotes&) override {
    return 0;
  }
  bool can_walk_other_threads() override { return false; }
  btrace::i64 heap = -1;
  btrace::i64 heap_used() override { return heap; }
  btrace::u64 native_root = 0;
  btrace::NativeThread native_thread(const char*) override { return {native_root, btrace::ThreadKind::Native}; }
  bool counts_natives = false;
  bool counts_native_threads() override { return counts_natives; }
  btrace::u64 here = 0;  // the one frame that a thread stands in when it is interrupted; 0: it cannot be walked there
  bool here_native = false;  // and whether that frame is a native method
  uintptr_t managed = 0;     // where the stack of that native method begins
  btrace::u32 loop_message = btrace::WalkNotes::kLastLoopMessage;
  btrace::i32 walk_here(btrace::ThreadRecord&, void*, btrace::Frame* frames, btrace::u32,
                        btrace::WalkNotes& notes) override {
    if (!here) return -1;
    frames[0] = {here, 5};
    if (here_native) notes.flags |= btrace::kFlagNativeState;
    notes.managed = managed;
    notes.loop_message = loop_message;
    return 1;
  }
};
