// A stand-in for Core Foundation's run loop, for the main thread: the exported names, arguments and order of observers
// of <CoreFoundation/CFRunLoop.h>. It waits on a condition, where the real one waits for a Mach message. There are
// sources that are signalled (version 0), one mode, and neither timers nor ports.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "system.h"

namespace {

using Activities = unsigned long;
constexpr Activities kEntry = 1, kBeforeTimers = 2, kBeforeSources = 4, kBeforeWaiting = 32, kAfterWaiting = 64;
constexpr Activities kExit = 128;

struct Observer {
  Activities activities;
  bool repeats;
  long order;
  void (*called)(Observer*, Activities, void*);
  void* info;
};

// CFRunLoopSourceContext
struct SourceContext {
  long version;
  void* info;
  const void* (*retain)(const void*);
  void (*release)(const void*);
  const void* (*describe)(const void*);
  uint8_t (*equal)(const void*, const void*);
  unsigned long (*hash)(const void*);
  void (*schedule)(void*, void*, const void*);
  void (*cancel)(void*, void*, const void*);
  void (*perform)(void*);
};
struct Source {
  SourceContext context;
  bool is_signalled;
};

struct Loop {
  std::mutex lock;
  std::condition_variable woken;
  bool is_woken = false, is_stopped = false;
  std::vector<Observer*> observers;
  std::vector<Source*> sources;
};

Loop g_main;
bool g_is_needed, g_is_set_up;
const void* const g_default_mode = "kCFRunLoopDefaultMode";
const void* const g_common_modes = "kCFRunLoopCommonModes";

// The real one crashes, or sets up half of itself.
Loop& loop(void* of = &g_main) {
  if (!g_is_set_up) die("Core Foundation is called before it has been set up");
  if (of != &g_main) die("no run loop");
  return g_main;
}

void tell(Activities activity) {
  std::vector<Observer*> observers;
  {
    std::lock_guard hold(g_main.lock);
    observers = g_main.observers;
  }
  for (Observer* observer : observers)
    if (observer->activities & activity) observer->called(observer, activity, observer->info);
}

bool perform_sources() {
  bool is_any = false;
  for (;;) {
    Source* found = nullptr;
    {
      std::lock_guard hold(g_main.lock);
      for (Source* source : g_main.sources)
        if (source->is_signalled) found = source;
      if (found) found->is_signalled = false;
    }
    if (!found) return is_any;
    found->context.perform(found->context.info);
    is_any = true;
  }
}

void* get_main() { return &loop(); }

Observer* create_observer(const void*, Activities activities, uint8_t repeats, long order,
                          void (*called)(Observer*, Activities, void*), void* context) {
  loop();
  void* info = context ? static_cast<void**>(context)[1] : nullptr;
  return new Observer{activities, repeats != 0, order, called, info};
}

void add_observer(void* of, Observer* observer, const void*) {
  Loop& to = loop(of);
  if (!observer->repeats) die("observers that are called once are not supported");
  std::lock_guard hold(to.lock);
  auto& all = to.observers;
  if (std::find(all.begin(), all.end(), observer) != all.end()) return;
  const auto is_before = [](Observer* a, Observer* b) { return a->order < b->order; };
  all.insert(std::upper_bound(all.begin(), all.end(), observer, is_before), observer);
}

void remove_observer(void* of, Observer* observer, const void*) {
  Loop& from = loop(of);
  std::lock_guard hold(from.lock);
  std::erase(from.observers, observer);
}

Source* create_source(const void*, long, const SourceContext* context) {
  loop();
  return new Source{*context, false};
}

void add_source(void* of, Source* source, const void*) {
  Loop& to = loop(of);
  std::lock_guard hold(to.lock);
  to.sources.push_back(source);
}

void signal_source(Source* source) {
  std::lock_guard hold(g_main.lock);
  source->is_signalled = true;
}

void wake_up(void* of) {
  Loop& one = loop(of);
  std::lock_guard hold(one.lock);
  one.is_woken = true;
  one.woken.notify_one();
}

void stop(void* of) {
  Loop& one = loop(of);
  std::lock_guard hold(one.lock);
  one.is_stopped = one.is_woken = true;
  one.woken.notify_one();
}

void run() {
  Loop& one = loop();
  tell(kEntry);
  for (;;) {
    tell(kBeforeTimers);
    tell(kBeforeSources);
    perform_sources();
    {
      std::lock_guard hold(one.lock);
      if (one.is_stopped) break;
    }
    tell(kBeforeWaiting);
    {
      std::unique_lock hold(one.lock);
      one.woken.wait(hold, [&] { return one.is_woken; });
      one.is_woken = false;
    }
    tell(kAfterWaiting);
  }
  one.is_stopped = false;
  tell(kExit);
}

// Not the real one's: how many observers there are.
int count_observers() {
  std::lock_guard hold(g_main.lock);
  return static_cast<int>(g_main.observers.size());
}

const Export kExports[] = {
    {"CFRunLoopGetMain", function(get_main)},
    {"CFRunLoopObserverCreate", function(create_observer)},
    {"CFRunLoopAddObserver", function(add_observer)},
    {"CFRunLoopRemoveObserver", function(remove_observer)},
    {"CFRunLoopSourceCreate", function(create_source)},
    {"CFRunLoopAddSource", function(add_source)},
    {"CFRunLoopSourceSignal", function(signal_source)},
    {"CFRunLoopWakeUp", function(wake_up)},
    {"CFRunLoopStop", function(stop)},
    {"CFRunLoopRun", function(run)},
    {"rig_run_loop_observers", function(count_observers)},
    {"kCFRunLoopDefaultMode", &g_default_mode},
    {"kCFRunLoopCommonModes", &g_common_modes},
};

}  // namespace

void need_core_foundation() {
  g_is_needed = true;
}

void set_up_core_foundation() {
  g_is_set_up = true;
}

Exports core_foundation_exports() {
  return {kExports, g_is_needed ? sizeof kExports / sizeof *kExports : 0};
}
