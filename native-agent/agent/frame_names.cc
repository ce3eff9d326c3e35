#include "agent/frame_names.h"

#include "base/libc.h"

namespace btrace {

namespace {

class OneName final : public NameSink {
 public:
  OneName(FrameName& name, i64 position) : name_(name), position_(position) {}
  u32 class_id(u64) override { return 0; }
  u32 add_class(u64, const char* name, const char* file) override {
    copy(name_.class_name, name);
    copy(name_.file, file);
    return 1;
  }
  void set_method(u32 class_id, const char* name, const char*, MethodKind, const LineEntry* lines,
                  u32 line_count) override {
    if (!class_id) name_.class_name[0] = name_.file[0] = 0;
    copy(name_.method, name);
    for (u32 i = 0; i < line_count && lines[i].position <= position_; i++) name_.line = lines[i].line;
  }

 private:
  template <size_t kRoom>
  static void copy(char (&to)[kRoom], const char* from) {
    const size_t length = from ? min_of(strlen(from), kRoom - 1) : 0;
    memcpy(to, from, length);
    to[length] = 0;
  }
  FrameName& name_;
  i64 position_;
};

struct Place {
  const char* class_name;
  const char* method;
};
// Where loops and queues wait for something to do.
constexpr Place kIdle[] = {
    {"android.os.MessageQueue", "nativePollOnce"},
    {"java.awt.EventQueue", "getNextEvent"},
    {"com.sun.glass.ui.gtk.GtkApplication", "_runLoop"},
    {"com.sun.glass.ui.gtk.GtkApplication", "enterNestedEventLoopImpl"},
    {"com.sun.glass.ui.win.WinApplication", "_runLoop"},
    {"com.sun.glass.ui.win.WinApplication", "_enterNestedEventLoopImpl"},
    {"com.sun.glass.ui.mac.MacApplication", "_runLoop"},
    {"com.sun.glass.ui.mac.MacApplication", "_enterNestedEventLoopImpl"},
    {"com.sun.glass.ui.monocle.RunnableProcessor", "runLoop"},
    {"java.util.concurrent.ThreadPoolExecutor", "getTask"},
    {"java.util.concurrent.ForkJoinPool", "awaitWork"},
    {"java.util.concurrent.LinkedBlockingQueue", "take"},
    {"java.util.concurrent.LinkedBlockingQueue", "poll"},
    {"java.util.concurrent.ArrayBlockingQueue", "take"},
    {"java.util.concurrent.ArrayBlockingQueue", "poll"},
    {"java.util.concurrent.LinkedBlockingDeque", "take"},
    {"java.util.concurrent.LinkedBlockingDeque", "takeFirst"},
    {"java.util.concurrent.LinkedBlockingDeque", "pollFirst"},
    {"java.util.concurrent.PriorityBlockingQueue", "take"},
    {"java.util.concurrent.PriorityBlockingQueue", "poll"},
    {"java.util.concurrent.SynchronousQueue", "take"},
    {"java.util.concurrent.SynchronousQueue", "poll"},
    {"java.util.concurrent.DelayQueue", "take"},
    {"java.util.TimerThread", "mainLoop"},
    {"sun.nio.ch.SelectorImpl", "select"},
    {"sun.nio.ch.SelectorImpl", "lockAndDoSelect"},
    {"io.netty.channel.epoll.Native", "epollWait"},
    {"io.netty.channel.epoll.Native", "epollWait0"},
};
// What such places call to wait.
constexpr const char* kPassed[] = {"java.util.concurrent.", "jdk.internal.", "sun.misc.", "sun.nio.ch."};

bool begins(const char* text, const char* with) {
  return strncmp(text, with, strlen(with)) == 0;
}

}  // namespace

bool name_frame(Runtime& runtime, u64 code, i64 position, FrameName& name) {
  name = {};
  OneName sink(name, position);
  return runtime.name_method(code, sink);
}

IdleStacks::Frame IdleStacks::kind_of(Runtime& runtime, u64 code) {
  u32 at = static_cast<u32>((code * 0x9E3779B97F4A7C15ull) >> 40) % kMethods;
  for (; methods_[at].code; at = (at + 1) % kMethods)
    if (methods_[at].code == code) return methods_[at].kind;
  Frame kind = Frame::Other;
  if (name_frame(runtime, code, -1, name_)) {
    for (const char* package : kPassed)
      if (begins(name_.class_name, package)) kind = Frame::Passed;
    if (strcmp(name_.class_name, "java.lang.Object") == 0 && begins(name_.method, "wait")) kind = Frame::Passed;
    for (const Place& place : kIdle)
      if (!strcmp(name_.class_name, place.class_name) && !strcmp(name_.method, place.method)) kind = Frame::Idle;
  }
  // One empty place ends a search. What falls out is asked for again.
  if (++count_ > kMethods * 3 / 4) {
    forget();
    at = static_cast<u32>((code * 0x9E3779B97F4A7C15ull) >> 40) % kMethods;
    count_ = 1;
  }
  methods_[at] = {code, kind};
  return kind;
}

void IdleStacks::forget() {
  memset(static_cast<void*>(methods_), 0, sizeof methods_);
  memset(static_cast<void*>(verdicts_), 0, sizeof verdicts_);
  count_ = 0;
}

bool IdleStacks::is_idle(const Session& session, Runtime& runtime, u32 node) {
  if (!node || !session.stacks.has(node)) return false;
  Verdict& verdict = verdicts_[node % kVerdicts];
  if (verdict.node == node) return verdict.is_idle;
  bool idle = false;
  u32 at = node;
  for (u32 depth = 0; at && depth < kDeepest; depth++) {
    const btrace::Node frame = session.stacks.at(at);
    if (!frame.is_native()) {
      const Frame kind = kind_of(runtime, frame.code);
      idle = kind == Frame::Idle;
      if (kind != Frame::Passed) break;
    }
    if (frame.parent >= at) break;  // it was given to another stack meanwhile
    at = frame.parent;
  }
  verdict = {node, idle};
  return idle;
}

}  // namespace btrace
