// The Runnable gate with a runtime around it that does what ART does: a thread in native code is not walked, and is
// made Runnable by a method that stays so. What a walk sees, and what Runnable looks like, is said here.
#include "rt/art/runnable.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "core/format.h"
#include "core/thread_record.h"
#include "harness.h"
#include "os/fault_guard.h"
#include "os/machine.h"
#include "rt/art/art.h"
#include "rt/art/reads.h"
#include "rt/art/thread_state.h"

using namespace btrace;
using namespace btrace::art;

namespace {

constexpr u32 kRunnable = 0, kNative = 91u << 16;

// As ART 11 has them: a class, flags, where the code begins, the index in the dex file.
u32 g_methods[3][4] = {{1, 0, 0, 10}, {1, 0, 0, 11}, {1, 0, 0, 12}};
u32 *g_notify = g_methods[0], *g_invoke = g_methods[1], *g_other = g_methods[2];

struct World {
  u32 thread[64] = {kNative};
  u32 while_fast = kRunnable;  // its state within a @FastNative method
  bool exception = false;
  std::vector<u32*> stack;  // leaf first, without what the agent adds
  int walks = 0;
  bool was_runnable = true;
  const u32* method = nullptr;
} g_world;

JNINativeInterface_ g_table{};
// As in ART, the thread stands beside the table.
struct Env {
  const JNINativeInterface_* functions = &g_table;
  u32* thread = g_world.thread;
} g_our_env;
JNIEnv* env() {
  return reinterpret_cast<JNIEnv*>(&g_our_env);
}
ArtThread* self() {
  return reinterpret_cast<ArtThread*>(g_world.thread);
}

template <class T>
T handle(uintptr_t value) {
  return reinterpret_cast<T>(value);
}

// Object.notify, with ours in its place.
void call_notify() {
  const u32 before = g_world.thread[0];
  g_world.thread[0] = g_world.while_fast;
  do_errand(env());
  g_world.thread[0] = before;
}

using Visit = bool (*)(void*);
void walk(void* visitor, bool) {
  g_world.walks++;
  g_world.was_runnable &= g_world.thread[0] == kRunnable;
  const Visit visit = (*static_cast<const Visit* const*>(visitor))[2];
  for (const u32* method : g_world.stack) {
    g_world.method = method;
    visit(visitor);
  }
}

struct Surroundings {
  Surroundings() {
    g_world = {};
    g_world.stack = {g_notify, g_invoke, g_invoke};
    g_table.FindClass = [](JNIEnv*, const char*) { return handle<jclass>(1); };
    g_table.GetMethodID = [](JNIEnv*, jclass, const char* name, const char*) {
      return reinterpret_cast<jmethodID>(name == std::string("notify") ? g_notify : g_invoke);
    };
    g_table.GetFieldID = [](JNIEnv*, jclass, const char*, const char*) { return handle<jfieldID>(2); };
    g_table.NewGlobalRef = [](JNIEnv*, jobject object) { return object; };
    g_table.PushLocalFrame = [](JNIEnv*, jint) { return JNI_OK; };
    g_table.PopLocalFrame = [](JNIEnv*, jobject) -> jobject { return nullptr; };
    g_table.ExceptionCheck = [](JNIEnv*) -> jboolean { return g_world.exception; };
    g_table.ToReflectedMethod = [](JNIEnv*, jclass, jmethodID method, jboolean) {
      return reinterpret_cast<jobject>(method);
    };
    g_table.GetLongField = [](JNIEnv*, jobject method, jfieldID) { return reinterpret_cast<jlong>(method); };
    g_table.GetIntField = [](JNIEnv*, jobject method, jfieldID) {
      return static_cast<jint>(reinterpret_cast<const u32*>(method)[3]);
    };
    g_table.NewObjectArray = [](JNIEnv*, jsize, jclass, jobject) { return handle<jobjectArray>(3); };
    g_table.SetObjectArrayElement = [](JNIEnv*, jobjectArray, jsize, jobject) {};
    g_table.CallVoidMethodV = [](JNIEnv*, jobject, jmethodID, va_list) { call_notify(); };
    // Method.invoke of Method.invoke of Object.notify.
    g_table.CallObjectMethodV = [](JNIEnv*, jobject, jmethodID, va_list) -> jobject { return call_notify(), nullptr; };
    auto set = [](Need need, auto* function) {
      g_art.internals.resolved[static_cast<u32>(need)].address = reinterpret_cast<void*>(function);
    };
    set(Need::VisitorConstructor, +[](void*, ArtThread*, void*, u32, bool) {});
    set(Need::WalkStack, walk);
    set(Need::GetMethod, +[](const void*) { return reinterpret_cast<ArtMethod*>(const_cast<u32*>(g_world.method)); });
    set(Need::GetDexPc, +[](const void*, bool) { return 7u; });
    make_thread_states();
  }
  ~Surroundings() {
    for (Resolved& one : g_art.internals.resolved) one = {};
  }
};

i32 walk_now(u16& flags) {
  Frame frames[16];
  return walk_stack(self(), self(), frames, 16, flags);
}

TEST("art runnable: nothing is walked before the gate is learned, then only while Runnable") {
  Surroundings here;
  u16 flags = 0;
  g_world.thread[0] = kRunnable;
  CHECK_EQUAL(walk_now(flags), kNotWalked);
  g_world.thread[0] = kNative;
  CHECK(learn_to_walk(env()) == nullptr);
  CHECK_EQUAL(g_world.walks, 1);

  CHECK_EQUAL(walk_now(flags), kNotWalked);
  CHECK_EQUAL(flags, u16{kFlagNativeState});
  CHECK_EQUAL(g_world.walks, 1);
  // In native code the thread does it on an errand, of which the stack shows nothing.
  i32 count = 0;
  flags = 0;
  auto errand = [&](ArtThread*) { count = walk_now(flags); };
  CHECK(run_as_runnable(env(), errand));
  CHECK_EQUAL(count, 2);
  CHECK_EQUAL(flags, u16{0});
  // Not with an exception on its way: no Java method may be called.
  g_world.exception = true;
  CHECK(!run_as_runnable(env(), errand));
  CHECK_EQUAL(g_world.walks, 2);
  CHECK(g_world.was_runnable);
}

TEST("art runnable: a known stack that comes out otherwise keeps the gate shut") {
  const std::vector<std::vector<u32*>> others = {
      {}, {g_notify}, {g_notify, g_invoke}, {g_notify, g_invoke, g_other}, {g_notify, g_other, g_invoke}};
  for (const auto& stack : others) {
    Surroundings here;
    g_world.stack = stack;
    const char* why = learn_to_walk(env());
    CHECK_EQUAL(std::string(why ? why : ""), "a stack that is known was not walked as it stands");
    CHECK_EQUAL(g_world.walks, 1);
    u16 flags = 0;
    g_world.thread[0] = kRunnable;
    CHECK_EQUAL(walk_now(flags), kNotWalked);
  }
}

TEST("art runnable: where a method that stays Runnable looks like native code, nothing is walked") {
  Surroundings here;
  g_world.while_fast = kNative;
  const char* why = learn_to_walk(env());
  CHECK_EQUAL(std::string(why ? why : ""), "a thread's state could not be told");
  CHECK_EQUAL(g_world.walks, 0);
}

// A page that a collector has taken away, as ART's does from Android 14 on: who touches it gets SIGBUS, and the handler
// fills it.
class TakenPage {
 public:
  static constexpr size_t kBytes = 4096;
  TakenPage() {
    constexpr int kUserModeOnly = 1;
    descriptor_ = static_cast<int>(syscall(SYS_userfaultfd, kUserModeOnly | O_CLOEXEC));
    uffdio_api api{UFFD_API, UFFD_FEATURE_SIGBUS, 0};
    if (descriptor_ < 0 || ioctl(descriptor_, UFFDIO_API, &api) != 0) return;
    void* room = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return;
    uffdio_register range{{reinterpret_cast<u64>(room), kBytes}, UFFDIO_REGISTER_MODE_MISSING, 0};
    if (ioctl(descriptor_, UFFDIO_REGISTER, &range) != 0) return;
    page = static_cast<u8*>(room);
    g_page = this;
    struct sigaction action = {};
    action.sa_handler = [](int) { g_page->fill(); };
    sigaction(SIGBUS, &action, &before_);
  }
  ~TakenPage() {
    if (page) {
      sigaction(SIGBUS, &before_, nullptr);
      munmap(page, kBytes);
    }
    if (descriptor_ >= 0) close(descriptor_);
  }
  TakenPage(const TakenPage&) = delete;
  TakenPage& operator=(const TakenPage&) = delete;

  u8* page = nullptr;  // nullptr: this machine cannot
  int filled = 0;

 private:
  void fill() {
    static u8 content[kBytes];
    memset(content, 7, sizeof content);
    uffdio_copy copy{reinterpret_cast<u64>(page), reinterpret_cast<u64>(content), kBytes, 0, 0};
    if (ioctl(descriptor_, UFFDIO_COPY, &copy) != 0) _exit(3);
    filled++;
  }
  static TakenPage* g_page;
  int descriptor_ = -1;
  struct sigaction before_ = {};
};
TakenPage* TakenPage::g_page;

TEST("art runnable: what the collector has taken away is read by a Runnable thread alone, under the guard") {
  Surroundings here;
  CHECK(learn_to_walk(env()) == nullptr);
  JNIInvokeInterface_ functions{};
  functions.GetEnv = [](JavaVM*, void** to, jint) -> jint {
    *to = env();
    return JNI_OK;
  };
  JavaVM vm{&functions};
  g_art.internals.vm = &vm;
  TakenPage taken;
  if (taken.page) {
    u64 value = 0;
    CHECK(!read_memory(taken.page + 8, &value, sizeof value));
    g_world.thread[0] = kRunnable;
    CHECK(!read_managed(taken.page + 8, &value, sizeof value));
    FaultGuard guard;
    g_world.thread[0] = kNative;
    CHECK(!read_managed(taken.page + 8, &value, sizeof value));
    CHECK_EQUAL(taken.filled, 0);
    g_world.thread[0] = kRunnable;
    CHECK(read_managed(taken.page + 8, &value, sizeof value));
    CHECK_EQUAL(value, u64{0x0707'0707'0707'0707});
    CHECK_EQUAL(taken.filled, 1);
    // What is not there at all stays so.
    CHECK(!read_managed(reinterpret_cast<const void*>(uintptr_t{0x1000}), &value, sizeof value));
  }
  g_art.internals.vm = nullptr;
}

}  // namespace
